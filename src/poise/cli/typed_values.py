"""Values as typed on a command line, in the form that an option's declaration shows."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poise.cli.face_targets import face_targets, is_face
from poise.cli.inputs import STANDARD
from poise.errors import InputError
from poise.operations.declare import Field

if TYPE_CHECKING:
    from poise.motion import Clip

Reader = Callable[[str, "Clip | None"], Any]
"""From text to plain data; some texts mean what only the motion knows."""
TARGETS = "constraints"
"""The editor of targets, which those of a face have in another form."""


def typed(field: Field, texts: list[str], clip: Clip | None, part: str = "body") -> tuple[Any, list[str]]:
    """The value of an option, as plain data, and for each of its entries the text that gave it.

    ``texts`` are as given, one for each time the option was. ``part`` is what of the motion is meant, its
    body or its face: targets of a face are written otherwise.
    """
    if not field.repeated:
        if len(texts) > 1:
            raise InputError(f"--{flag(field)} is given twice: {texts[0]} and {texts[1]}")
        return _one(field, texts[0], clip, part), texts
    found: list[Any] = []
    origins: list[str] = []
    for text in texts:
        one = _one(field, text, clip, part)
        entries = one if isinstance(one, list) else [one]
        found += entries
        origins += [text] * len(entries)
    return found, origins


def flag(field: Field) -> str:
    """The option's name on a command line."""
    return str(field.shown.get("flag") or field.name).replace("_", "-")


def _one(field: Field, text: str, clip: Clip | None, part: str) -> Any:
    """One text; what is wrong with it is said by the option."""
    if text.startswith("@"):
        return from_file(text[1:])
    if text.startswith(("{", "[")):
        from poise.reading import json_from

        return json_from(text.encode("utf-8", "surrogateescape"), Path(f"--{flag(field)}"))
    try:
        return _read(field, text, clip, part)
    except InputError as problem:
        raise InputError(f"--{flag(field)}: {problem}") from None


def _read(field: Field, text: str, clip: Clip | None, part: str) -> Any:
    editor = str(field.shown.get("editor", ""))
    reader = face_targets if editor == TARGETS and is_face(clip, part) else READERS.get(editor)
    if reader is not None:
        return reader(text, clip)
    if text in field.words:
        return field.words[text]
    if "None" in str(field.type) and text.lower() in ("none", "off"):
        return None
    if (
        "," in text
        and field.units
        and ("float" in str(field.type) or "int" in str(field.type))
        and not field.repeated
    ):
        return numbers(text, f"the form is {field.form}")
    return word_or_number(text) if field.units else text


def from_file(name: str) -> Any:
    """Data from a JSON file, or from standard input."""
    from poise.reading import json_from, read_json

    if name == STANDARD:
        return json_from(sys.stdin.buffer.read(), Path("standard input"))
    return read_json(Path(name))


def word_or_number(text: str) -> str | float | int:
    """A number if it is one."""
    try:
        return _number(text)
    except ValueError:
        return text.strip()


def numbers(text: str, form: str, count: int = 0) -> list[float]:
    """Numbers with commas between them."""
    try:
        found = [_number(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or (count and len(found) != count):
        raise InputError(f"{form}, not {text!r}")
    return found


def _number(text: str) -> float:
    """Whole where it is written so."""
    try:
        return int(text)
    except ValueError:
        found = float(text)
    if not math.isfinite(found):
        raise InputError(f"{text.strip()} is not a finite number")
    return found


def pairs(text: str, form: str) -> dict[str, str | float]:
    """``NAME=VALUE,NAME=VALUE``."""
    found: dict[str, str | float] = {}
    for entry in text.split(","):
        name, sign, value = entry.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise InputError(f"{form}, not {entry!r}")
        found[name.strip()] = word_or_number(value)
    return found


def _tension(text: str, clip: Clip | None) -> Any:
    if "=" not in text:
        return word_or_number(text)
    return pairs(text, 'tension by joint or limb is written "left arm=2.5,Head=tense"')


def _place(text: str, clip: Clip | None) -> list[float]:
    return numbers(text, "a place is written X,Y,Z in metres", 3)


def _colour(text: str, clip: Clip | None) -> list[float]:
    return numbers(text, "a colour is written R,G,B, each from 0 to 1", 3)


def _bell(text: str, clip: Clip | None) -> Any:
    return word_or_number(text)


def _bells(text: str, clip: Clip | None) -> Any:
    return pairs(text, "widths are written NAME=SECONDS,…")


def _constraints(text: str, clip: Clip | None) -> list[dict[str, Any]]:
    """``POINT@TIME[=X,Y,Z][~VX,VY,VZ]``, ``POINT@FROM-TO[=X,Y,Z]`` to hold it there, or ``pose@TIME``.

    Where no place is said, it is where the motion has the point (as the interval begins).
    """
    from poise import constraints as c
    from poise.character.labels import point_named
    from poise.kinematics import Kinematics

    form = (
        "a target is written POINT@TIME=X,Y,Z~VX,VY,VZ (place and velocity optional), POINT@FROM-TO=X,Y,Z or "
        "pose@TIME"
    )
    wrong = InputError(f"{form}, not {text!r}")
    assert clip is not None
    point, sign, rest = text.partition("@")
    head, _, velocity = rest.partition("~")
    moment, _, place = head.partition("=")
    first, last = _span(moment, wrong)
    when, held = first, last is not None
    if not sign or not point or (held and velocity):
        raise wrong
    if point == "pose":
        if place or velocity or held:
            raise wrong
        return [c.pose(clip.character, clip.at(when), when, name=f"pose at {when:g} s").to_dict()]
    name = point_named(clip.character, point)
    if place:
        where = numbers(place, form, 3)
    else:
        where = Kinematics(clip.character, clip.at(when)).point(name)[0].tolist()
    if last is not None:
        return [c.pin(name, where, (first, last), name=f"{point} from {first:g} to {last:g} s").to_dict()]
    found = [c.pin(name, where, when, name=f"{point} at {when:g} s").to_dict()]
    if velocity:
        speed = numbers(velocity, form, 3)
        found.append(c.moving(name, speed, when, name=f"velocity of {point} at {when:g} s").to_dict())
    return found


def _span(text: str, wrong: InputError) -> tuple[float, float | None]:
    """A time [s], or FROM-TO."""
    for first, dash, last in ((text, "", ""), text.partition("-")):
        try:
            return float(first), float(last) if dash else None
        except ValueError:
            continue
    raise wrong


def _by_name(form: str) -> Reader:
    """``NAME=VALUE,…``, or one number for all."""

    def reader(text: str, clip: Clip | None) -> Any:
        if "=" in text:
            return pairs(text, form)
        found = word_or_number(text)
        if isinstance(found, str):
            raise InputError(f"{form}, not {text!r}")
        return found

    return reader


def _disturbance(text: str, clip: Clip | None) -> Any:
    from poise.operations.frozen_data import as_plain
    from poise.operations.values.disturbance import typed

    return as_plain(typed(text))


def _look(text: str, clip: Clip | None) -> Any:
    form = "a look is written X,Y,Z@TIME or X,Y,Z@FROM-TO"
    place, sign, when = text.partition("@")
    first, dash, last = when.partition("-")
    if not sign:
        raise InputError(f"{form}, not {text!r}")
    time = numbers(f"{first},{last}" if dash else first, form, 2 if dash else 1)
    return {"place": numbers(place, form, 3), "time": time if dash else time[0]}


def _plant_move(text: str, clip: Clip | None) -> Any:
    form = "a plant is moved by NUMBER=DX,DY or NUMBER=DX,DY,DEGREES"
    which, _, rest = text.partition("=")
    values = numbers(rest, form)
    if len(values) not in (2, 3):
        raise InputError(f"{form}, not {text!r}")
    return {"plant": word_or_number(which), "by": values[:2], "turn": (values[2:] or [0.0])[0]}


def _pose_pin(text: str, clip: Clip | None) -> Any:
    point, sign, place = text.partition("=")
    return {"point": point, **({"place": _place(place, clip)} if sign else {})}


def _interval(text: str, clip: Clip | None) -> list[float]:
    return numbers(text, "a stretch is written FROM,TO in seconds", 2)


def _floor(text: str, clip: Clip | None) -> Any:
    words = {"on": True, "off": False}
    return words[text] if text in words else _by_name("heights are written POINT=METRES,…")(text, clip)


def _key_spacing(text: str, clip: Clip | None) -> Any:
    if "=" in text or "," not in text:
        return _by_name("distances of keys are written LIMB=SECONDS,…")(text, clip)
    return numbers(text, "times of keys are written SECONDS,SECONDS,…")


def _locks(text: str, clip: Clip | None) -> list[Any]:
    form = "times that stay are written SECONDS,FROM-TO,…"
    parts = (part.partition("-") for part in text.split(","))
    found = [numbers(f"{a},{b}" if dash else a, form) for a, dash, b in parts]
    return [each if len(each) > 1 else each[0] for each in found]


def _route(text: str, clip: Clip | None) -> list[list[float]]:
    return [numbers(part, "a route is written X,Y;X,Y;…", 2) for part in text.split(";")]


def _line(text: str, clip: Clip | None) -> list[list[float]]:
    return [numbers(part, "a line is written X,Y,Z;X,Y,Z;… in metres", 3) for part in text.split(";")]


READERS: dict[str, Reader] = {
    "tension": _tension,
    "place": _place,
    "colour": _colour,
    "bell": _bell,
    "bells": _bells,
    TARGETS: _constraints,
    "disturbances": _disturbance,
    "looks": _look,
    "plant_moves": _plant_move,
    "pose_pins": _pose_pin,
    "interval": _interval,
    "floor": _floor,
    "key_spacing": _key_spacing,
    "locks": _locks,
    "route": _route,
    "line": _line,
    "prices": _by_name("prices are written LIMB=NUMBER,…"),
    "known": _by_name("times are written NAME=SECONDS,…"),
    "joint_map": _by_name("joints are matched by JOINT=JOINT,…"),
    "strength": _by_name('strength by joint or limb is written "*=200,right arm=60"'),
    "factors": _by_name("factors are written LIMB=NUMBER,…"),
    "beats": lambda text, clip: word_or_number(text),
}
"""By the name of the editor that an option's declaration gives."""
