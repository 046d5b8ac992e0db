"""Targets of a face as typed on a command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poise.errors import InputError

if TYPE_CHECKING:
    from poise.motion import Clip


def is_face(clip: Clip | None, part: str) -> bool:
    """Whether the face of a motion is meant, where ``part`` of it was asked for."""
    from poise.methods.loosen.face.operations import chosen

    return clip is not None and part != "body" and chosen(clip, part)


def face_targets(text: str, clip: Clip | None) -> list[dict[str, Any]]:
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
        entries = [entry.rsplit(":", 1) for entry in shape.split(",")] if given else []
        weights = {name.strip(): float(amount) for name, amount in entries}
    except ValueError:
        raise wrong from None
    if region == "pose":
        if given or still:
            raise wrong
        return [{"region": "*", "at": when, "name": f"face at {when:g} s"}]
    found: list[dict[str, Any]] = [{"region": region, "at": when, "shape": weights or None}]
    if still:
        found.append({"region": region, "at": when, "shape": 0, "rate": True})
    return found
