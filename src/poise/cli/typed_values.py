"""Values as typed on a command line, in the form that an option's declaration shows."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poise.errors import InputError
from poise.operations.declare import Field

if TYPE_CHECKING:
    from poise.motion import Clip

Reader = Callable[[str, "Clip | None"], Any]
"""From text to plain data; some texts mean what only the motion knows."""
TARGETS = "constraints"
"""The editor of targets, which those of a face have in another form."""
STANDARD = "-"
"""The name of the standard streams."""


def typed(field: Field, texts: list[str], clip: Clip | None, part: str = "body") -> Any:
    """The value of an option, as plain data; ``texts`` as given, one for each time it was.

    ``part`` is what of the motion is meant, its body or its face: targets of a face are written otherwise.
    """
    if field.repeated:
        found: list[Any] = []
        for text in texts:
            one = _one(field, text, clip, part)
            found += one if isinstance(one, list) else [one]
        return found
    if len(texts) > 1:
        raise InputError(f"--{flag(field)} is given twice: {texts[0]} and {texts[1]}")
    return _one(field, texts[0], clip, part)


def flag(field: Field) -> str:
    """The option's name on a command line."""
    return str(field.shown.get("flag") or field.name).replace("_", "-")


def _one(field: Field, text: str, clip: Clip | None, part: str) -> Any:
    if text.startswith("@"):
        return from_file(text[1:])
    if text[:1] in "{[":
        try:
            return json.loads(text)
        except ValueError:
            raise InputError(f"--{flag(field)}: {text!r:.60} is no JSON") from None
    editor = str(field.shown.get("editor", ""))
    reader = _face_targets if editor == TARGETS and _is_face(clip, part) else READERS.get(editor)
    if reader is not None:
        return reader(text, clip)
    if "None" in str(field.type) and text.lower() in ("none", "off") and text not in field.words:
        return None
    if "," in text and "float" in str(field.type) and not field.repeated:
        return numbers(text, f"--{flag(field)} takes {field.form}")
    return word_or_number(text) if field.units else text


def from_file(name: str) -> Any:
    """Data from a JSON file, or from standard input."""
    from poise.reading import json_from, read_json

    if name == STANDARD:
        return json_from(sys.stdin.buffer.read(), Path("standard input"))
    return read_json(Path(name))


def word_or_number(text: str) -> str | float | int:
    """A number if it is one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip()


def numbers(text: str, form: str, count: int = 0) -> list[float]:
    """Numbers with commas between them."""
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or (count and len(found) != count):
        raise InputError(f"{form}, not {text!r}")
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
    """``POINT@TIME[=X,Y,Z][~VX,VY,VZ]``, or ``pose@TIME``: where nothing is said, as the motion has it."""
    from poise import constraints as c
    from poise.character.labels import point_named
    from poise.kinematics import Kinematics

    form = "a target is written POINT@TIME=X,Y,Z~VX,VY,VZ (place and velocity optional) or pose@TIME"
    wrong = InputError(f"{form}, not {text!r}")
    assert clip is not None
    point, sign, rest = text.partition("@")
    head, _, velocity = rest.partition("~")
    moment, _, place = head.partition("=")
    try:
        when = float(moment)
    except ValueError:
        raise wrong from None
    if not sign or not point:
        raise wrong
    if point == "pose":
        if place or velocity:
            raise wrong
        return [c.pose(clip.character, clip.at(when), when, name=f"pose at {when:g} s").to_dict()]
    name = point_named(clip.character, point)
    if place:
        where = numbers(place, form, 3)
    else:
        where = Kinematics(clip.character, clip.at(when)).point(name)[0].tolist()
    found = [c.pin(name, where, when, name=f"{point} at {when:g} s").to_dict()]
    if velocity:
        speed = numbers(velocity, form, 3)
        found.append(c.moving(name, speed, when, name=f"velocity of {point} at {when:g} s").to_dict())
    return found


def _is_face(clip: Clip | None, part: str) -> bool:
    from poise.methods.loosen.face.operations import chosen

    return clip is not None and part != "body" and chosen(clip, part)


def _face_targets(text: str, clip: Clip | None) -> list[dict[str, Any]]:
    """``REGION@TIME[=NAME:WEIGHT,…][~0]``, or ``pose@TIME``: where nothing is said, as animated."""
    wrong = InputError(
        "a face's target is written REGION@TIME=NAME:WEIGHT,…~0 (shape and ~0 optional) or pose@TIME, "
        f"not {text!r}"
    )
    region, sign, rest = text.partition("@")
    head, still, velocity = rest.partition("~")
    moment, given, shape = head.partition("=")
    if not sign or not region or (still and velocity.strip() != "0"):
        raise wrong
    try:
        when = float(moment)
        weights = (
            {
                name.strip(): float(amount)
                for name, amount in (entry.rsplit(":", 1) for entry in shape.split(","))
            }
            if given
            else None
        )
    except ValueError:
        raise wrong from None
    if region == "pose":
        if given or still:
            raise wrong
        return [{"region": "*", "at": when, "name": f"face at {when:g} s"}]
    found: list[dict[str, Any]] = [{"region": region, "at": when, "shape": weights}]
    if still:
        found.append({"region": region, "at": when, "shape": 0, "rate": True})
    return found


READERS: dict[str, Reader] = {
    "tension": _tension,
    "place": _place,
    "colour": _colour,
    "bell": _bell,
    "bells": _bells,
    TARGETS: _constraints,
}
"""By the name of the editor that an option's declaration gives."""
