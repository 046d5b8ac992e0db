"""The papers' numbers about feet and smoothness, under their usual names, with all that they depend on.

They look at joints alone, at a rate and over a floor of their own: a clean captured walk scores a foot
skating ratio of 0.5 that falls to 0.15 when the floor is 3 cm lower. So each number says its rate, floor
and joints, and the slide of contacts that Poise found comes first.

| name                 | by               | what is measured                                                |
|----------------------|------------------|-----------------------------------------------------------------|
| foot skating ratio   | GMD, OmniControl | frames with a toe below 5 cm faster than 0.5 m/s, 20 fps        |
| Penetrate, Float     | PhysDiff         | lowest point below, above the floor beyond 5 mm, mean [mm]      |
| Skate                | PhysDiff         | way of toes within 5 mm of the floor in two frames [mm/frame]   |
| FS                   | NeMF, OMOMO      | way times 2 − 2^(h/H), ankles (H 8 cm), toes (4 cm) [cm/frame]  |
| jitter, acceleration | WHAM, GVHMR      | third and second differences of joints [m/s³, m/s²]             |
| PFC                  | EDGE             | acceleration of the root times ways of both feet, · 10⁴         |

All but the first at 30 fps. WHAM and GVHMR print a tenth of the jitter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character.labels import roles
from poise.contacts.support import Support
from poise.motion.clip import Clip

SKATING_RATE, USUAL_RATE = 20.0, 30.0
"""Frames per second at which the papers measure."""
LOW, FAST, WINDOW = 0.05, 0.5, 5
"""A toe below this [m] and faster than this [m/s], now and in the mean of so many frames, skates."""
MARGIN = 0.005
"""PhysDiff's margin about the floor [m]."""
ANKLE, TOE = 0.08, 0.04
"""NeMF's heights below which ankles and toes slide [m]."""


@dataclass(frozen=True)
class Metric:
    """One number with what it depends on."""

    name: str
    value: float | None
    """None: there is nothing to measure: too few frames, or joints that never come near the floor."""
    unit: str
    by: str
    rate: float
    """Frames per second."""
    floor: float
    """Its height [m]."""
    joints: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self) | {"joints": list(self.joints)}

    def __str__(self) -> str:
        said = "–" if self.value is None else f"{self.value:.4g} {self.unit}".rstrip()
        joints = ", ".join(self.joints[:4]) + (" …" if len(self.joints) > 4 else "")
        return (
            f"  {self.name:22s} {said:16s} {self.by}; {self.rate:g} fps, floor {self.floor:+.3f} m, {joints}"
        )


def paper_metrics(clip: Clip, support: Support) -> tuple[Metric, ...]:
    """Ours first, then the papers'."""
    known, names = roles(clip.character), clip.character.names
    toes = [known.get(f"{s} toes", known.get(f"{s} foot")) for s in ("left", "right")]
    ankles = [known.get(f"{s} foot") for s in ("left", "right")]
    floor = floor_height(clip, support)
    ours = _contact_slide(clip, support, floor)
    smooth = _joints(clip, USUAL_RATE)
    jitter, faster = (_difference(smooth, order, USUAL_RATE) for order in (3, 2))

    def at_30(name: str, value: float | None, unit: str, by: str, joints: Sequence[str]) -> Metric:
        return Metric(name, value, unit, by, USUAL_RATE, floor, tuple(joints))

    rest = [
        at_30("jitter", jitter, "m/s³", "WHAM, GVHMR (they print a tenth)", names),
        at_30("acceleration", faster, "m/s²", "WHAM", names),
    ]
    low = _lowest(clip, USUAL_RATE) - floor
    points = tuple(clip.character.points)
    under, over = np.maximum(-low, 0.0), np.maximum(low, 0.0)
    sink, hover = (float(1000 * np.where(v > MARGIN, v, 0.0).mean()) for v in (under, over))
    depth = [
        Metric(
            "Penetrate", sink, "mm", "PhysDiff (joints and points for vertices)", USUAL_RATE, floor, points
        ),
        Metric("Float", hover, "mm", "PhysDiff (joints and points for vertices)", USUAL_RATE, floor, points),
    ]
    if None in toes or None in ankles:
        return (ours, *depth, *rest)
    feet = [int(t) for t in toes if t is not None]
    heels = [int(a) for a in ankles if a is not None]
    toe_names, foot_names = tuple(names[t] for t in feet), tuple(names[k] for k in (*heels, *feet))
    ankle, toe = smooth[:, heels], smooth[:, feet]
    ratio = _skating(_joints(clip, SKATING_RATE)[:, feet], floor)
    return (
        ours,
        Metric("foot skating ratio", ratio, "", "GMD, OmniControl", SKATING_RATE, floor, toe_names),
        *depth,
        at_30("Skate", _skate(toe, floor), "mm/frame", "PhysDiff", toe_names),
        at_30("FS", _sliding(ankle, toe, floor), "cm/frame", "NeMF, OMOMO", foot_names),
        *rest,
        at_30(
            "PFC",
            _physical_foot_contact(smooth[:, 0], ankle, toe),
            "",
            "EDGE, · 10⁴",
            (names[0], *foot_names),
        ),
    )


def floor_height(clip: Clip, support: Support) -> float:
    """Where feet stand lowest, as contacts found it; else the lowest point of all frames [m]."""
    spots = [c.place[2] for c in support.contacts if "foot" in c.part or "toe" in c.part]
    return float(min(spots)) if spots else float(_lowest(clip, USUAL_RATE).min())


def _contact_slide(clip: Clip, support: Support, floor: float) -> Metric:
    """Way of what stands, over the time for which it stands, weighted by that [mm/s]."""
    standing = [c for c in support.contacts if c.manner in ("stands", "rolls") and c.end > c.start]
    times = np.array([(c.end - c.start) * clip.dt for c in standing])
    ways = np.array([c.way for c in standing])
    value = float(1000 * ways.sum() / times.sum()) if standing else 0.0
    parts = tuple(dict.fromkeys(c.part for c in standing))
    return Metric(
        "slide of contacts", value, "mm/s", "Poise: parts that carry, while they do", clip.fps, floor, parts
    )


def _joints(clip: Clip, rate: float) -> Array:
    """Positions of all joints at a rate (F, n, 3)."""
    return clip.character.placement(clip.at(_times(clip, rate))).positions


def _times(clip: Clip, rate: float) -> Array:
    return np.arange(max(1, int(np.floor(clip.duration * rate + 1e-6)) + 1)) / rate


def _lowest(clip: Clip, rate: float) -> Array:
    """Height of the lowest joint or point in each frame (F,)."""
    where = clip.character.placement(clip.at(_times(clip, rate)))
    heights = [
        where.positions[:, p.body, 2] + where.rotations[:, p.body, 2] @ p.position
        for p in clip.character.points.values()
    ]
    return np.min(heights, axis=0)


def _skating(toes: Array, floor: float) -> float | None:
    """GMD's ratio of frames, of toes (F, 2, 3)."""
    if len(toes) < 2:
        return None
    speed = np.linalg.norm(np.diff(toes[:, :, :2], axis=0), axis=2) * SKATING_RATE
    before, after = WINDOW // 2, (WINDOW - 1) // 2
    padded = np.pad(speed, ((before, after), (0, 0)))  # as long as it was, however short that is
    mean = np.stack([np.convolve(s, np.full(WINDOW, 1 / WINDOW), "valid") for s in padded.T], axis=1)
    low = toes[:, :, 2] - floor < LOW
    skates = low[1:] & low[:-1] & (speed > FAST) & (mean > FAST)
    return float(skates.any(axis=1).mean())


def _skate(toes: Array, floor: float) -> float | None:
    """PhysDiff's way of toes that touch in two frames [mm/frame]; none where no toe comes so low."""
    touch = np.abs(toes[:, :, 2] - floor) <= MARGIN
    both = touch[1:] & touch[:-1]
    way = np.linalg.norm(np.diff(toes[:, :, :2], axis=0), axis=2)
    return float(1000 * way[both].mean()) if both.any() else None


def _sliding(ankles: Array, toes: Array, floor: float) -> float | None:
    """NeMF's foot sliding [cm/frame]."""
    if len(toes) < 2:
        return None
    parts = []
    for joints, limit in ((ankles, ANKLE), (toes, TOE)):
        height = np.maximum(joints[:-1, :, 2] - floor, 0.0)
        way = np.linalg.norm(np.diff(joints[:, :, :2], axis=0), axis=2)
        weight = np.where(height < limit, 2.0 - 2.0 ** (height / limit), 0.0)
        parts.append((way * weight).mean(axis=0))
    return float(100 * np.mean(parts))


def _difference(joints: Array, order: int, rate: float) -> float | None:
    """Mean size of differences over time."""
    if len(joints) <= order:
        return None
    return float(np.linalg.norm(np.diff(joints, order, axis=0), axis=2).mean() * rate**order)


def _physical_foot_contact(root: Array, ankles: Array, toes: Array) -> float | None:
    """EDGE's score: the root accelerates while neither foot stands."""
    if len(root) < 3:
        return None
    acceleration = np.diff(root, 2, axis=0) * USUAL_RATE**2
    acceleration[:, 2] = np.maximum(acceleration[:, 2], 0.0)
    size = np.linalg.norm(acceleration, axis=1)
    size = size / max(float(size.max()), 1e-12)
    way = [np.linalg.norm(np.diff(x[1:, :, :2], axis=0), axis=2) for x in (ankles, toes)]
    least = np.minimum(way[0], way[1])  # (F − 2, 2)
    return float(1e4 * (least[:, 0] * least[:, 1] * size).mean())
