"""A layer that fails is passed by: what it was given goes on, and everything else is made.

It is as if the layer were muted. So what stands above it is made of what it really got, and is known by that:
nothing that was made without the layer is ever taken for something made with it, and whoever mends the layer,
or what it lacked, gets it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from poise.errors import CancelledError, InputError, PoiseError

if TYPE_CHECKING:
    from poise.motion import Clip
    from poise.operations.result import Result
    from poise.project.document import Document
    from poise.project.evaluation import Cancel, Evaluator, Progress, Step
    from poise.project.layer import Layer

T = TypeVar("T")
Wear = Callable[[Any, Any], Any]
"""A clip, and something worn: the clip that wears it."""
REMEDY = "it is skipped, and the rest is made without it: change the layer, or mute it"


class LayerError(InputError):
    """A layer that cannot be made; says which, and why."""

    def __init__(self, index: int, layer: Layer, problem: BaseException) -> None:
        self.layer, self.why = layer, _words(problem)
        super().__init__(f"layer {index} ({layer.name!r}): {self.why}")


class Bypass:
    """Makes a document without the layers that fail, and knows which did; ``strict``: raises instead."""

    def __init__(self, evaluator: Evaluator, document: Document, *, strict: bool = False) -> None:
        self.evaluator, self.strict = evaluator, strict
        self.document = document
        """With the layers muted that have failed so far."""
        self.failures: dict[str, str] = {}
        """Why, by the layer's name."""

    def made(
        self,
        layer: str | None = None,
        *,
        wear: Wear | None = None,
        progress: Progress | None = None,
        cancel: Cancel | None = None,
    ) -> tuple[Result, Clip]:
        """The motion of a layer, or of the document, and its clip when ``wear`` has put on what is attached:
        whether that holds together is only seen when it sways.

        Raises where nothing is left that starts a motion.
        """
        furthest = 0.0

        def told(name: str, part: float) -> None:
            nonlocal furthest
            furthest = max(furthest, part)  # also while it begins again without a layer
            if progress is not None:
                progress(name, furthest)

        def attempt() -> tuple[Result, Clip]:
            made = self.evaluator.made(self.document, layer, progress=told, cancel=cancel)
            return made, made.clip if wear is None else self._dressed(made, layer, wear)

        return self._without_failures(attempt)

    def plan(self, layer: str | None = None) -> list[Step]:
        """The layers that act, as far as is known before they are made."""
        return self._without_failures(lambda: self.evaluator.plan(self.document, layer))

    def _without_failures(self, attempt: Callable[[], T]) -> T:
        """Try with one layer less each time."""
        while True:
            try:
                return attempt()
            except LayerError as problem:
                if self.strict or problem.layer.starts or problem.layer.name in self.failures:
                    raise
                self.failures[problem.layer.name] = problem.why
                self.document = muted(self.document, self.failures)

    def _dressed(self, made: Result, layer: str | None, wear: Wear) -> Clip:
        """Each layer that attaches something has put one more on top of what was worn."""
        clip = made.clip
        steps = [s for s in self.evaluator.plan(self.document, layer) if s.layer.LAST]
        for step, worn in zip(steps, made.attached):
            with at(step.index, step.layer):
                clip = wear(clip, worn)
        return clip


@contextmanager
def at(index: int, layer: Layer) -> Iterator[None]:
    """Whatever goes wrong is said of the layer it is about."""
    try:
        yield
    except CancelledError:
        raise
    except PoiseError as problem:
        raise LayerError(index, layer, problem) from None
    except Exception as problem:  # a mistake of ours: its traceback is worth seeing
        raise LayerError(index, layer, problem) from problem


def muted(document: Document, names: Mapping[str, str]) -> Document:
    """The document with some of its layers muted."""
    layers = (
        msgspec.structs.replace(each, muted=True) if each.name in names else each for each in document.layers
    )
    return msgspec.structs.replace(document, layers=tuple(layers))


def _words(problem: BaseException) -> str:
    if isinstance(problem, PoiseError):
        return str(problem)
    if isinstance(problem, MemoryError):
        return "there is not enough memory for it"
    return f"a bug in Poise: {type(problem).__name__}: {problem}"
