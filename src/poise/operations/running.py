"""Do an operation: check its options, find who does it, hand over what it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from poise.errors import InputError
from poise.operations.declare import Operation, fields_of, name_of
from poise.operations.decoding import converted
from poise.operations.described import described
from poise.operations.frozen_data import as_plain, freeze, is_plain
from poise.operations.result import Result
from poise.operations.situation import Situation
from poise.watching import Cancel, Progress, watcher

if TYPE_CHECKING:
    from poise.dynamics.elastic import Surface
    from poise.markers import Markers
    from poise.motion import Clip

Done = TypeVar("Done", bound=Operation)


def asked(cls: type[Done], options: Mapping[str, Any]) -> Done:
    """An operation from options as Python callers give them; complaints name the option."""
    return _asked(cls, options)[0]


def _asked(cls: type[Done], options: Mapping[str, Any]) -> tuple[Done, dict[str, Any]]:
    """The operation, and the objects that were given in place of names."""
    given = cls.accepting({name: value for name, value in options.items() if value is not None})
    data, objects = {}, {}
    taken = {field.name: str(field.shown.get("takes", "")) for field in fields_of(cls)}
    for name, value in given.items():
        plain = None if _is_one(value, taken.get(name, "")) else described(value)
        if plain is not None and is_plain(plain):
            freeze(plain, f"{name_of(cls)}: {name}")  # refuses numbers that are not finite
            data[name] = plain
        else:
            data[name], objects[name] = f"<{name}>", value
    for field in fields_of(cls):  # None is a value where something else is usual
        if options.get(field.name, field) is None and field.default:
            data[field.name] = None
        if field.name in objects and not field.shown.get("takes"):
            raise InputError(f"{name_of(cls)}: {field.name} cannot be {type(objects[field.name]).__name__}")
    made = converted(data, cls, name_of(cls))
    made.check()
    return made, objects


def _is_one(value: Any, classes: str) -> bool:
    """Whether a value is of one of the classes, ``module:Class`` each, none of which is imported for that."""
    names = {each.strip().rpartition(":")[2] for each in classes.split(",")}
    return any(cls.__name__ in names and cls.__module__.startswith("poise.") for cls in type(value).__mro__)


def checked(operation: Done) -> Done:
    """The operation, whose options are as declared (a struct does not look when it is built)."""
    made = converted(as_plain(operation), type(operation), operation.do)
    made.check()
    return made


def runner(operation: Operation) -> Callable[[Operation, Situation], Result]:
    """Who does it."""
    module, _, name = operation.RUN.partition(":")
    found: Callable[[Operation, Situation], Result] = getattr(import_module(module), name)
    return found


def run(operation: Operation, situation: Situation) -> Result:
    """Do a checked operation."""
    result = runner(operation)(operation, situation)
    result.operation = operation
    if result.to_be_grounded or getattr(operation, "grounded", False):
        from poise.methods.ground.operations import put_on_the_ground

        put_on_the_ground(result, situation)
    return result


def do(
    operation: Operation,
    motion: Clip | Result | None = None,
    *,
    objects: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> Any:
    """Do an operation from Python; ``objects`` are what stands for names in it."""
    return run(
        operation, _situation(operation, motion, objects or {}, watcher(operation.do, progress, cancel))
    )


def document(operation: Operation, motion: Clip | Result | None = None) -> Any:
    """What an operation works from, as a document of its own that can be saved."""
    module, _, name = operation.DOCUMENT.partition(":")
    return getattr(import_module(module), name)(
        operation, _situation(operation, motion, {}, lambda part: None)
    )


def _situation(
    operation: Operation, motion: Clip | Result | None, objects: Mapping[str, Any], progress: Progress
) -> Situation:
    if motion is None and not operation.starts:
        raise InputError(f"{operation.do} needs a motion to work on")
    if motion is not None and not isinstance(motion, Result) and not hasattr(motion, "character"):
        raise InputError(f"{operation.do} works on a clip or a result, not on {motion!r:.60}")
    before = motion if isinstance(motion, Result) or motion is None else Result(motion)
    return Situation(
        before,
        _clip_by_name,
        _surface,
        progress=progress,
        objects=dict(objects),
        capture=_capture,
        mesh=True,
    )


def call(
    cls: type[Operation],
    clip: Clip | Result | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
    **options: object,
) -> Any:
    """Do what options say: what functions are made of."""
    implied = cls.on_a_clip() if clip is not None else {}
    operation, objects = _asked(cls, {**options, **implied})
    return do(operation, clip, objects=objects, progress=progress, cancel=cancel)


def _surface(name: str) -> Surface:
    """The mesh of a file."""
    from poise.formats.surface_file import load_surface

    return load_surface(name)


def _capture(name: str, up: str | None) -> Markers:
    """The markers of a file."""
    from poise.formats.captures import load_markers

    return load_markers(name, up=up)


def _clip_by_name(name: str) -> Clip:
    """A file, a bundled clip or a preset character at rest."""
    from poise.clips.named import clip_named

    return clip_named(name)
