"""A layer: an operation as one step of a project, from the motion before it to the next.

For every operation there is a struct with the operation's options and the fields that all layers have, made
from the declaration. So a layer is its operation, and stands in the file as flat as a step of a recipe:

    {"do": "loosen", "name": "drunk", "tension": "drunk", "weight": 0.5}
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Union

import msgspec

from poise.operations.declare import PURE, Operation, about, fields_of, name_of, unit
from poise.operations.registry import operations
from poise.operations.running import run

if TYPE_CHECKING:
    from poise.arrays import Array
    from poise.operations.result import Result
    from poise.operations.situation import Situation

    class Fields(Operation, frozen=True, kw_only=True):
        """As checkers of types see a layer."""

        name: str
        muted: bool
        solo: bool
        weight: float
        input: str | None

else:

    class Fields:
        """The fields are the struct's that ``layer_type`` makes."""

        __slots__ = ()

        def __init_subclass__(cls, **flags: object) -> None:
            super().__init_subclass__()


Weight = Annotated[
    Annotated[float, unit(PURE, ge=0, le=1)], about("How much of it: 0 as given, 1 in full.", slider=(0, 1))
]
OWN = (
    ("name", Annotated[str, about("Its own within the project.")]),
    ("muted", Annotated[bool, about("Whether it passes on what it is given.")], False),
    ("solo", Annotated[bool, about("While any layer is, only such layers and what starts act.")], False),
    ("weight", Weight, 1.0),
    (
        "input",
        Annotated[str | None, about("The layer whose motion it works on; left out: the one before it.")],
        None,
    ),
)
"""What every layer has beside its operation's options."""


class Layer(Fields, frozen=True, kw_only=True):
    """What is true of all of them."""

    __slots__ = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, usual in _local(type(self)):
            msgspec.structs.force_setattr(self, name, usual)

    def make(self, at: Situation) -> Result:
        """Its motion."""
        return run(self, at)

    def some_frames(self, at: Situation, frames: Sequence[int]) -> Array | None:
        """Some frames alone, (k, nq), to the bits that ``make`` gives; None if it must make them all."""
        if not self.FRAMES:
            return None
        module, _, name = self.FRAMES.partition(":")
        found: Callable[..., Array | None] = getattr(import_module(module), name)
        return found(self, at, frames)


@cache
def _local(layer: type[Layer]) -> list[tuple[str, Any]]:
    """Options about the machine, which layers do not keep, and their defaults."""
    return [(each.name, each.default) for each in fields_of(layer) if each.shown.get("local")]


@cache
def layer_type(operation: type[Operation]) -> type[Layer]:
    """The class of layers that do an operation."""
    taken = {name for name in dir(Layer) if not name.startswith("_")} & set(operation.__struct_fields__)
    assert not taken, f"options of {name_of(operation)} have names that layers need: {taken}"
    made: Any = msgspec.defstruct(
        f"{operation.__name__}Layer",
        OWN,
        bases=(Layer, operation),
        namespace={"__doc__": operation.__doc__},
        tag_field="do",
        tag=name_of(operation),
        frozen=True,
        kw_only=True,
        omit_defaults=True,
        forbid_unknown_fields=True,
    )
    found: type[Layer] = made
    return found


LAYERS: dict[str, type[Layer]] = {name: layer_type(each) for name, each in operations().items() if each.LAYER}
"""Classes of layers by the operation they do."""
AnyLayer: Any = Union[tuple(LAYERS.values())]  # noqa: UP007  of a table
"""The type that a layer in a file is decoded to."""


def layer(do: str, name: str, **options: object) -> Layer:
    """A layer of checked options."""
    from poise.project.decoding import layer_from

    return layer_from({"do": do, "name": name, **options})
