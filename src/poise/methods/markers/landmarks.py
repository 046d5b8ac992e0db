"""Names of markers: where the usual sets put them on a body.

Sets that share these names: Vicon's Plug-in Gait and CMU's (LFWT, RKNE, C7 …), Helen Hayes, OpenSim's and
OpenCap's (L.ASIS, r_mknee, R_elbow_lat …), names by bone and landmark (LeftKnee, ankle_lat_r). A subject's
name before a colon, case, blanks and dots do not count. What a name does not tell is found from the motion.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.character.labels import roles

STATURE = 1.75
"""Places below are those of a person so tall [m]."""
MIDDLE_OF_HIPS, MIDDLE_OF_SHOULDERS = "middle of the hips", "middle of the shoulders"


class Landmark(NamedTuple):
    """Where a marker usually sits: on a body, near a joint."""

    on: str
    """Role of the body (of its side)."""
    at: str
    """The joint it is near, by the role that begins there."""
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """From there: ahead, outward, up, of a person who stands [m]; of arms as they hang."""
    spread: float = 0.03
    """Standard deviation [m]."""
    along: float = 1.0
    """Part of the way from the body's own joint to ``at``."""


_FRONT, _BACK = (
    Landmark("hips", MIDDLE_OF_HIPS, (0.06, 0.125, 0.095)),
    Landmark("hips", MIDDLE_OF_HIPS, (-0.11, 0.05, 0.105)),
)
_KNEE = Landmark("thigh", "shin", (-0.015, 0.055, 0.015))
_ANKLE = Landmark("shin", "foot", (0.0, 0.045, 0.01), 0.025)
_ELBOW, _WRIST = (
    Landmark("upper_arm", "forearm", (-0.03, 0.045, 0.0)),
    Landmark("forearm", "hand", (0.0, 0.04, 0.0), 0.04),
)
_UPPER_ARM, _FOREARM = (
    Landmark("upper_arm", "forearm", (-0.02, 0.045, 0.0), 0.08, 0.5),
    Landmark("forearm", "hand", (-0.04, 0.045, 0.0), 0.08, 0.4),
)
_THIGH = Landmark("thigh", "shin", (0.02, 0.06, 0.0), 0.1, 0.5)
_SHANK = Landmark("shin", "foot", (0.02, 0.03, 0.0), 0.1, 0.35)
_SHOULDER = Landmark("clavicle", "upper_arm", (-0.01, -0.02, 0.045))
_TABLE: tuple[tuple[str, Landmark], ...] = (
    ("asi asis fwt", _FRONT),
    ("psi psis bwt", _BACK),
    ("sac sacr sacrum", Landmark("hips", MIDDLE_OF_HIPS, (-0.12, 0.0, 0.10))),
    ("hjc hjcreg hipjc hipjointcentre", Landmark("hips", "thigh", spread=0.015)),
    ("gtr troc trochanter", Landmark("thigh", "thigh", (0.0, 0.09, 0.0))),
    ("c7", Landmark("chest", MIDDLE_OF_SHOULDERS, (-0.07, 0.0, 0.09), 0.04)),
    ("t8 t10 t12", Landmark("chest", MIDDLE_OF_SHOULDERS, (-0.10, 0.0, -0.14), 0.06)),
    ("clav clavicle ij sternum sternal", Landmark("chest", MIDDLE_OF_SHOULDERS, (0.075, 0.02, 0.02), 0.04)),
    ("strn stern xiph px", Landmark("chest", MIDDLE_OF_SHOULDERS, (0.115, 0.0, -0.13), 0.05)),
    ("bac bak back scap scapula", Landmark("chest", MIDDLE_OF_SHOULDERS, (-0.11, 0.075, -0.03), 0.06)),
    ("sho shoulder acr acromion", _SHOULDER),
    ("upa uparm upperarm humerus arm", _UPPER_ARM),
    ("elb elbow elblat elbowlat lel elbl", _ELBOW),
    ("elbmed elbowmed mel elbm melb melbow", _ELBOW._replace(offset=(0.03, -0.035, 0.0))),
    ("frm fra forearm", _FOREARM),
    ("wra", _WRIST._replace(offset=(0.045, 0.045, 0.0))),
    ("wrb", _WRIST._replace(offset=(-0.07, 0.04, 0.0))),
    ("wri wrist", _WRIST),
    ("wristradius wristulna wristlat wristmed radius ulna rsp usp", _WRIST._replace(offset=(0.0, 0.0, 0.0))),
    ("fin finger hand hnd mc2 mc3 mc5 2mc 3mc 5mc", Landmark("hand", "hand", spread=0.08)),
    ("thi thigh thigh1 thigh2 thigh3 thigh4 thigh5 thigh6", _THIGH),
    ("kne knee kneelat lfe kneel latknee", _KNEE),
    ("mkne mknee kneemed mfe kneem medknee", _KNEE._replace(offset=(-0.015, -0.055, 0.015))),
    ("tib tibia shn shin shank sh1 sh2 sh3 sh4 sh5 shank1 shank2 shank3 shankantsup", _SHANK),
    ("ank ankle lmal mal anklelat anklel latankle", _ANKLE),
    ("mank mankle mmal anklemed anklem medankle", _ANKLE._replace(offset=(0.0, -0.04, 0.02))),
    ("hee heel calc cal calcaneus", Landmark("foot", "foot", (-0.06, 0.0, -0.045))),
    ("toe 2mt mt2 2meta toe2", Landmark("foot", "toes", (0.02, 0.0, 0.01), 0.04)),
    ("mt5 5mt 5meta 5met 5mth metatarsal5", Landmark("foot", "toes", (-0.02, 0.045, 0.0))),
    ("mt1 1mt 1meta 1met 1mth metatarsal1", Landmark("foot", "toes", (-0.01, -0.04, 0.01))),
    ("fhd", Landmark("head", MIDDLE_OF_SHOULDERS, (0.08, 0.07, 0.26), 0.06)),
    ("bhd", Landmark("head", MIDDLE_OF_SHOULDERS, (-0.07, 0.06, 0.22), 0.06)),
    ("hed head top vertex headtop", Landmark("head", MIDDLE_OF_SHOULDERS, (0.0, 0.0, 0.32), 0.06)),
)
LANDMARKS: Mapping[str, Landmark] = {word: mark for words, mark in _TABLE for word in words.split()}
"""By what is left of a name without its side."""

_SIDES = {"l": "left", "r": "right", "left": "left", "right": "right"}
_FALL_BACK = {
    "clavicle": "chest",
    "chest": "spine",
    "spine": "hips",
    "head": "neck",
    "neck": "chest",
    "toes": "foot",
    "hand": "forearm",
}
_WITHOUT_TOES = (0.14, 0.0, -0.05)
"""From the ankle to where toes begin, of a figure that has none [m]."""


def landmark(name: str) -> tuple[str, Landmark] | None:
    """Side ("left", "right", "centre") and landmark that a marker's name tells; None where it tells none."""
    text = re.sub(r"[^a-z0-9]", " ", name.rpartition(":")[2].lower()).strip()
    whole = text.replace(" ", "")
    for side, core in _readings(text, whole):
        if core in LANDMARKS and (side != "centre" or not _paired(LANDMARKS[core])):
            return side, LANDMARKS[core]
    return None


def _readings(text: str, whole: str) -> list[tuple[str, str]]:
    found = [("centre", whole)]
    words = text.split()
    for word, rest in ((words[0], words[1:]), (words[-1], words[:-1])) if len(words) > 1 else ():
        if word in _SIDES:
            found.append((_SIDES[word], "".join(rest)))
    for prefix in ("left", "right", "l", "r"):
        if whole.startswith(prefix):
            found.append((_SIDES[prefix], whole[len(prefix) :]))
    for suffix in ("left", "right", "l", "r"):
        if whole.endswith(suffix):
            found.append((_SIDES[suffix], whole[: -len(suffix)]))
    return found


def _paired(mark: Landmark) -> bool:
    """Whether there is one on either side."""
    return mark.on not in ("hips", "chest", "head") or mark.at == "thigh" or mark in (_FRONT, _BACK)


class Placing(NamedTuple):
    """A marker on a character."""

    body: int
    place: Array
    """In the body's frame [m] (3,)."""
    spread: float


def placed_on(character: Character, name: str, size: float) -> Placing | None:
    """Where a marker of that name usually sits on a character whose person is ``size`` times 1.75 m tall."""
    told = landmark(name)
    if told is None:
        return None
    side, mark = told
    known = roles(character)
    on, at = _role(known, mark.on, side), _spot(character, known, mark.at, side)
    if on is None or at is None:
        return None
    places, turns = character.rest_placement()
    ahead, out, up = _WITHOUT_TOES if mark.at == "toes" and _own(known, "toes", side) is None else (0.0,) * 3
    ahead, out, up = ahead + mark.offset[0], out + mark.offset[1], up + mark.offset[2]
    lateral = {"left": 1.0, "right": -1.0}.get(side, 0.0)
    outward = np.array([0.0, lateral, 0.0])
    if mark.on in ("upper_arm", "forearm"):
        outward = _outer(at - places[on], outward)
    offset = np.array([ahead, 0.0, up]) + out * outward
    spot = places[on] + mark.along * (at - places[on]) + size * offset
    return Placing(on, turns[on].T @ (spot - places[on]), size * mark.spread)


def _outer(bone: Array, outward: Array) -> Array:
    """The outer side of an arm at rest: up in a T-pose, outward where it hangs."""
    way = bone / max(float(np.linalg.norm(bone)), 1e-9)
    side = outward + np.array([0.0, 0.0, 1.0])
    side = side - (side @ way) * way
    return np.asarray(side / max(float(np.linalg.norm(side)), 1e-9))


def _own(known: Mapping[str, int], role: str, side: str) -> int | None:
    return known.get(role, known.get(f"{side} {role}"))


def _role(known: Mapping[str, int], role: str, side: str) -> int | None:
    for _ in range(1 + len(_FALL_BACK)):
        found = _own(known, role, side)
        if found is not None or role not in _FALL_BACK:
            return found
        role = _FALL_BACK[role]
    return None


def _spot(character: Character, known: Mapping[str, int], at: str, side: str) -> Array | None:
    """Where that joint is at rest, in the world."""
    places, _ = character.rest_placement()
    if at in (MIDDLE_OF_HIPS, MIDDLE_OF_SHOULDERS):
        part = "thigh" if at == MIDDLE_OF_HIPS else "upper_arm"
        both = [known[f"{s} {part}"] for s in ("left", "right") if f"{s} {part}" in known]
        return np.asarray(places[both].mean(axis=0)) if both else None
    body = _role(known, at, side)
    return None if body is None else np.asarray(places[body])
