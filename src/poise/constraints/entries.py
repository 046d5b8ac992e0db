"""Constraints and foot plants from plain data; what is wrong is said by entry and field.

An entry is what ``Constraint.to_dict`` gives or, where it has ``intervals``, ``FootPlant.to_dict``. One that
is ``muted`` is kept, and checked, but asks for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from poise.constraints.constraint import Constraint
from poise.constraints.foot_plant import FootPlant
from poise.constraints.target import Target
from poise.constraints.when import When
from poise.errors import InputError, PoiseError
from poise.handles import handle_from_dict
from poise.motion import Clip

_NUMBERS = ("weight", "tolerance", "height")
_FLAGS = ("rate", "norm", "muted")


def items(entries: Any, clip: Clip, where: str) -> list[Constraint | FootPlant]:
    """All that act, checked against the clip; errors begin with ``where`` they stand."""
    return _acting(entries, where, clip)


def checked_entries(entries: Any, where: str) -> list[Constraint | FootPlant]:
    """All that act, checked by themselves: names of joints and times are not."""
    return _acting(entries, where, None)


def read_items(path: str | Path, clip: Clip) -> list[Constraint | FootPlant]:
    """All entries of a JSON file that act, checked against the clip; errors name file and entry."""
    from poise.reading import blaming, read_json

    data = read_json(Path(path))
    with blaming(Path(path), "a list of constraints"):
        return items(data, clip, str(path))


def acts(entry: Any) -> bool:
    """Whether an entry asks for anything: it is not muted."""
    return not (isinstance(entry, Mapping) and entry.get("muted") is True)


def _acting(entries: Any, where: str, clip: Clip | None) -> list[Constraint | FootPlant]:
    listed = _listed(entries, where)
    made = [
        _item(entry, f"{where}: entry {k}", clip if acts(entry) else None) for k, entry in enumerate(listed)
    ]
    return [item for item, entry in zip(made, listed) if acts(entry)]


def _listed(entries: Any, where: str) -> list[Any]:
    if not isinstance(entries, list):
        raise InputError(f"{where}: must be a list of constraints and foot plants, not {_kind(entries)}")
    return entries


def _item(entry: Any, where: str, clip: Clip | None) -> Constraint | FootPlant:
    if not isinstance(entry, Mapping):
        raise InputError(f"{where}: a constraint is written as a mapping, not {_kind(entry)}")
    if isinstance(entry.get("name"), str) and entry["name"]:
        where = f"{where} ({entry['name']!r})"
    _check_plain(entry, where)
    entry = {name: value for name, value in entry.items() if name != "muted"}
    return _plant(entry, where, clip) if "intervals" in entry else _constraint(entry, where, clip)


def _constraint(entry: Mapping[str, Any], where: str, clip: Clip | None) -> Constraint:
    readers: dict[str, Callable[[Any], Any]] = {
        "handle": handle_from_dict,
        "target": Target.from_dict,
        "when": When.from_dict,
    }
    for field, read in readers.items():
        if field not in entry:
            raise InputError(f"{where}: field {field!r} is missing; it has {', '.join(entry) or 'nothing'}")
        _in_field(where, field, read, entry[field])
    made: Constraint = _in_field(where, None, Constraint.from_dict, entry)
    if clip is None:
        return made
    _in_field(where, "handle", made.handle.bind, clip.character)
    _in_field(where, "target", made.dim, clip.character)
    _in_field(where, "when", made.when.times, clip)
    return made


def _plant(entry: Mapping[str, Any], where: str, clip: Clip | None) -> FootPlant:
    known = ("intervals", "place", "height", "name", "marks")
    for field in entry:
        if field not in known:
            raise InputError(f"{where}: field {field!r} is unknown; a foot plant has {', '.join(known)}")
    intervals = entry["intervals"]
    if not isinstance(intervals, Mapping) or not intervals:
        raise InputError(f"{where}: field 'intervals' must map points to times, not {_kind(intervals)}")
    for point, when in intervals.items():
        times = _in_field(where, "intervals", When.from_dict, when)
        if clip is not None:
            _in_field(where, "intervals", clip.character.point, point)
            _in_field(where, "intervals", times.times, clip)
    for field, size in (("place", 3), ("marks", len(intervals))):
        value = entry.get(field)
        if value is not None and not (isinstance(value, list) and len(value) == size):
            raise InputError(f"{where}: field {field!r} must hold {size} values or be null, not {value!r}")
    plant: FootPlant = _in_field(where, None, FootPlant.from_dict, entry)
    return plant


def _check_plain(entry: Mapping[str, Any], where: str) -> None:
    """Fields that are plain numbers and truths."""
    for field in entry:
        value = entry[field]
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if field in _NUMBERS and not (number or (value is None and field == "tolerance")):
            raise InputError(f"{where}: field {field!r} must be a number, not {value!r}")
        if field == "priority" and not (number and value == int(value)):
            raise InputError(f"{where}: field 'priority' must be a whole number, not {value!r}")
        if field in _FLAGS and not isinstance(value, bool):
            raise InputError(f"{where}: field {field!r} must be true or false, not {value!r}")
        if field == "name" and not isinstance(value, str):
            raise InputError(f"{where}: field 'name' must be text, not {value!r}")
        if field in ("lower", "upper"):
            for one in value if isinstance(value, list) else [value]:
                fits = isinstance(one, int | float) and not isinstance(one, bool)
                if not fits and one not in ("inf", "-inf"):
                    raise InputError(f"{where}: field {field!r} must hold numbers, not {one!r}")


def _in_field(where: str, field: str | None, make: Callable[[Any], Any], given: Any) -> Any:
    """What ``make`` gives, its complaints led by where they belong."""
    at = where if field is None else f"{where}: field {field!r}"
    try:
        return make(given)
    except PoiseError as problem:
        raise InputError(f"{at}: {problem}") from None
    except (TypeError, ValueError, KeyError, AttributeError) as problem:
        raise InputError(f"{at} cannot be read: {problem}") from None


def _kind(value: Any) -> str:
    names = {dict: "a mapping", list: "a list", str: "text", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")
