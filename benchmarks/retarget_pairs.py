"""Retargeting every human to every other, as a table.

``python -m benchmarks.retarget_pairs [SOURCE,…] [TARGET,…] [--save FILE] [--against FILE]``

Each pair is judged by placement alone, which the solver does not share. *Bones*: the angle between the
source's and the target's: the median over all, then the median and 98 % of the frames of the limb that is
farthest off. *Soles*: how far the lowest flesh of a foot is below the ground, or higher above it than the
source's, while that stands (1 % and 99 % of those frames), and how far it sinks at all, for 1.75 m of
stature. *Slide*: how fast that flesh moves then, the source's scaled. *Jerk*: of the joints, over that of
bare angles. A pair is *within* the bars if all bones are at most 10° off half of the time and 30° at 98 %,
soles within 1 cm and slide at most 1.5 times the source's (and 5 mm/s); lines that the report calls missed
follow. Files are those of ``shared/data`` beside the checkout (or in ``$DATA``), motions at 30 frames per
second, eight seconds at most. ``--save`` keeps the figures, ``--against`` says which pairs became better or
worse than kept ones.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import poise
from benchmarks.ground import DATA
from poise.arrays import Array
from poise.character import Character
from poise.character.labels import roles
from poise.character.limbs import centres
from poise.contacts.patches import FOOT, patches
from poise.errors import InputError
from poise.motion import Clip, operators
from poise.workers import algebra_on_one_thread

HUMANS = {
    "cmu": "cmu_cgspeed_bvh/02_01.bvh",
    "amc": "cmu_asfamc/02_01.amc",
    "pirouette": "threejs/pirouette.bvh",
    "toolbox": "bvh_toolbox/walk01.bvh",
    "freebvh": "bvh_python/test_freebvh.bvh",
    "makehuman": "makehuman/walk1.bvh",
    "bench": "makehuman/benchmark.bvh",
    "pybvh": "pybvh/bvh_test1.bvh",
    "cesium": "khronos_gltf/CesiumMan.glb",
    "robot": "threejs/RobotExpressive.glb",
    "fbx": "fbx_ozz/pab_walk.fbx",
    "mjcf": "mjcf_mujoco/humanoid.xml",
    "dmc": "mjcf_dm_control/humanoid_CMU.xml",
}
"""Who performs."""
MOTIONS = {
    "walk": "cmu_cgspeed_bvh/02_01.bvh",
    "cartwheel": "cmu_cgspeed_bvh/49_06.bvh",
    "punch": "cmu_cgspeed_bvh/143_23.bvh",
    "dance": "threejs/pirouette.bvh",
    "amc": "cmu_asfamc/02_01.amc",
    "jump": "cmu_cgspeed_bvh/16_01.bvh",
    "fbx": "fbx_ozz/pab_walk.fbx",
    "cesium": "khronos_gltf/CesiumMan.glb",
    "toolbox": "bvh_toolbox/walk01.bvh",
    "makehuman": "makehuman/walk1.bvh",
    "robot": "threejs/RobotExpressive.glb",
}
"""What is performed."""
RATE, LONGEST = 30, 240
"""Frames per second of what is performed, and frames at most."""
USUAL, WORST, DEEP, SLIDE, STILL = 10.0, 30.0, 0.01, 1.5, 0.005
"""The bars: degrees, degrees, metres, times the source's, metres per second."""
LOW, SLOW = 0.03, 0.3
"""The source's foot stands where it is no higher above its lowest [m], and no faster [m/s], for 1.75 m of
stature."""
BRIEF = 3
"""Frames."""
BONES = [
    (f"{side} {a}", f"{side} {b}")
    for side in ("left", "right")
    for a, b in (("upper_arm", "forearm"), ("forearm", "hand"), ("thigh", "shin"), ("shin", "foot"))
]


@dataclass(frozen=True)
class Pair:
    """What came of one motion on one figure."""

    met: bool
    usual: float
    """Of the bone that is farthest off half of the time [degrees]."""
    worst: float
    """At 98 % of the frames [degrees]."""
    median: float
    """Over all bones and frames [degrees]."""
    soles: tuple[float, float]
    """Lowest flesh of feet that stand: below the ground, above the source's; 1 % and 99 % [m]."""
    sunk: float
    """The deepest at all [m]."""
    slide: tuple[float, float]
    """The source's, scaled, and the result's [m/s]."""
    jerk: float
    seconds: float
    missed: tuple[str, ...]

    @property
    def within(self) -> bool:
        """All bars."""
        return self.directed and self.stands and self.still

    @property
    def directed(self) -> bool:
        return self.usual <= USUAL and self.worst <= WORST

    @property
    def stands(self) -> bool:
        return max(-self.soles[0], self.soles[1]) <= DEEP

    @property
    def still(self) -> bool:
        return self.slide[1] <= SLIDE * self.slide[0] + STILL

    def __str__(self) -> str:
        marks = "".join("✓" if ok else "✗" for ok in (self.directed, self.stands, self.still))
        low, high, sunk = (100 * v for v in (*self.soles, self.sunk))
        return (
            f"{marks} {'met   ' if self.met else 'missed'} "
            f"bones {self.median:4.1f} {self.usual:4.1f} {self.worst:5.1f}°  "
            f"soles {low:5.1f} {high:5.1f} ({sunk:5.1f}) cm  "
            f"slide {100 * self.slide[0]:5.1f} → {100 * self.slide[1]:5.1f} cm/s  jerk {self.jerk:4.2f}  "
            f"{self.seconds:4.1f} s  {'; '.join(self.missed)}"
        )


def motion(path: str) -> Clip:
    """A motion as it is given away."""
    options = {"drop_tpose": True} if "cgspeed" in path else {}
    clip = poise.load(str(DATA / path), **options)
    if clip.fps > RATE + 1:
        clip = operators.resample(clip, RATE)
    return clip.with_q(clip.q[:LONGEST]) if clip.frames > LONGEST else clip


def directions(clip: Clip) -> dict[str, Array]:
    """Unit vectors along bones (F, 3)."""
    places, turns = clip.character.placement(clip.q)
    at, known = centres(clip.character, np.asarray(places), np.asarray(turns)), roles(clip.character)
    found = {}
    for a, b in BONES:
        if a in known and b in known:
            way = at[:, known[b]] - at[:, known[a]]
            found[a] = way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-9)
    return found


def feet(clip: Clip) -> dict[str, Array]:
    """Lowest places of the flesh of each foot's patches (F, K, 3)."""
    skin, (places, turns) = patches(clip.character), clip.character.placement(clip.q)
    found = {}
    for part in skin.parts:
        own = skin.of_part(part)
        if skin.kind[own[0]] == FOOT:
            way = np.einsum("fkij,kj->fki", turns[:, skin.body[own]], skin.place[own])
            found[part] = places[:, skin.body[own]] + way - skin.radius[own, None] * [0.0, 0.0, 1.0]
    return found


def standing(places: Array, dt: float, size: float) -> Array:
    """Whether a foot stands (F,): its lowest flesh (F, K, 3) is low and slow for a while."""
    down = np.argmin(places[..., 2], axis=1)
    lowest = places[np.arange(len(places)), down]
    steps = np.linalg.norm(np.diff(places, axis=0), axis=2)[np.arange(len(places) - 1), down[:-1]] / dt
    speed = np.maximum(np.append(steps, steps[-1:]), np.append(steps[:1], steps))
    found = (lowest[:, 2] < np.percentile(lowest[:, 2], 2) + LOW * size) & (speed < SLOW * size)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], found.astype(int), [0]])))
    for first, end in zip(edges[::2], edges[1::2]):
        if end - first < BRIEF:
            found[first:end] = False
    return found


def creep(places: Array, down: Array, dt: float) -> Array:
    """Speed over the ground of the flesh that is lowest, between frames in which the foot stands."""
    both = down[1:] & down[:-1]
    low = np.argmin(places[:-1, :, 2] + places[1:, :, 2], axis=1)
    steps = np.linalg.norm(np.diff(places[..., :2], axis=0), axis=2)[np.arange(len(low)), low]
    return np.asarray(steps[both] / dt)


def jerk(clip: Clip) -> float:
    """Third differences of joints, root mean square."""
    return float(np.sqrt((np.diff(clip.character.placement(clip.q).positions, 3, axis=0) ** 2).mean()))


@algebra_on_one_thread()
def judged(clip: Clip, target: Character) -> Pair:
    """One pair."""
    began = time.process_time()
    result = poise.retarget(clip, target)
    seconds = time.process_time() - began
    made, scale = result.clip, result.transfer.scale
    one, other = directions(clip), directions(made)
    off = {
        b: np.degrees(
            np.arctan2(np.linalg.norm(np.cross(one[b], other[b]), axis=1), (one[b] * other[b]).sum(axis=1))
        )
        for b in one.keys() & other.keys()
    }
    ours, theirs = feet(clip), feet(made)
    size, tall = patches(clip.character).scale, patches(target).scale
    heights, speeds, sunk = [np.zeros(0)], ([np.zeros(0)], [np.zeros(0)]), 0.0
    for part in ours.keys() & theirs.keys():
        down = standing(ours[part], clip.dt, size)
        own, high = (places[part][..., 2].min(axis=1) for places in (ours, theirs))
        above = (own - np.percentile(own, 2)) / size
        heights.append(
            (np.minimum(high / tall, 0.0) + np.maximum(high / tall - np.maximum(above, 0.0), 0.0))[down]
        )
        sunk = min(sunk, float(theirs[part][..., 2].min()) / tall)
        speeds[0].append(scale * creep(ours[part], down, clip.dt))
        speeds[1].append(creep(theirs[part], down, clip.dt))
    stood = np.concatenate(heights) if sum(map(len, heights)) else np.zeros(1)
    slides = [float(np.mean(s)) if len(s) else 0.0 for s in map(np.concatenate, speeds)]
    report = result.report
    return Pair(
        met=bool(report.met),
        usual=max((float(np.median(a)) for a in off.values()), default=0.0),
        worst=max((float(np.percentile(a, 98)) for a in off.values()), default=0.0),
        median=float(np.median(np.concatenate(list(off.values())))) if off else 0.0,
        soles=(float(np.percentile(stood, 1)), float(np.percentile(stood, 99))),
        sunk=sunk,
        slide=(slides[0], slides[1]),
        jerk=jerk(made) / max(jerk(result.transfer.clip_on_target()), 1e-12),
        seconds=seconds,
        missed=tuple(
            f"{o.name} {o.error:.3g} {o.unit}" for o in report.outcomes if not o.met and o.priority <= 1
        ),
    )


def pairs(sources: list[str], targets: list[str]) -> Iterator[tuple[str, str, Clip, Character]]:
    """Motions and figures, but not a file on its own figure."""
    figures: dict[str, Character] = {}
    for source in sources:
        if not (DATA / MOTIONS[source]).exists():
            print(f"{source:<10} is not there: {DATA / MOTIONS[source]}")
            continue
        clip = motion(MOTIONS[source])
        for target in targets:
            if HUMANS[target] == MOTIONS[source] or not (DATA / HUMANS[target]).exists():
                continue
            if target not in figures:
                figures[target] = poise.load(str(DATA / HUMANS[target])).character
            yield source, target, clip, figures[target]


def summary(found: dict[str, Pair]) -> str:
    """All pairs in a few lines."""
    rows = list(found.values())
    if not rows:
        return "no pairs"
    said = sum(not r.within and not r.met for r in rows)
    directed, stands, still = (sum(getattr(r, bar) for r in rows) for bar in ("directed", "stands", "still"))
    median, usual, worst, shaken = (
        np.median([getattr(r, what) for r in rows]) for what in ("median", "usual", "worst", "jerk")
    )
    return (
        f"{len(rows)} pairs, {sum(r.within for r in rows)} within all bars: bones {directed}, "
        f"soles {stands}, slide {still}, met {sum(r.met for r in rows)}; beyond, {said} say so\n"
        f"bones: median of medians {median:.2f}°, of the farthest {usual:.2f}°, worst {worst:.1f}°; "
        f"jerk {shaken:.3f}; CPU {sum(r.seconds for r in rows):.0f} s"
    )


def compared(old: Pair, new: Pair) -> str:
    """What became better or worse by more than noise; nothing if nothing did."""
    rows = (
        ("bones", old.usual, new.usual, 1.0),
        ("worst", old.worst, new.worst, 3.0),
        ("soles cm", 100 * max(-old.soles[0], old.soles[1]), 100 * max(-new.soles[0], new.soles[1]), 0.5),
        ("sunk cm", -100 * old.sunk, -100 * new.sunk, 0.5),
        ("slide cm/s", 100 * old.slide[1], 100 * new.slide[1], 1.0),
        ("jerk", old.jerk, new.jerk, 0.1),
    )
    said = [
        f"{'worse' if b > a else 'better'} {name} {a:.1f} → {b:.1f}"
        for name, a, b, least in rows
        if abs(b - a) > least
    ]
    if old.met != new.met:
        said.insert(0, "now met" if new.met else "now missed")
    return ", ".join(said)


def main() -> None:
    """Print the table."""
    words = sys.argv[1:]
    save = Path(words.pop(words.index("--save") + 1)) if "--save" in words else None
    against = Path(words.pop(words.index("--against") + 1)) if "--against" in words else None
    words = [w for w in words if not w.startswith("--")]
    sources = words[0].split(",") if words and words[0] not in ("", "all") else list(MOTIONS)
    targets = words[1].split(",") if len(words) > 1 else list(HUMANS)
    kept = json.loads(against.read_text()) if against is not None else {}
    found: dict[str, Pair] = {}
    changes = []
    for source, target, clip, character in pairs(sources, targets):
        key = f"{source} → {target}"
        try:
            found[key] = judged(clip, character)
        except InputError as refusal:
            print(f"{key:<22} refused: {refusal}", flush=True)
            continue
        print(f"{key:<22} {found[key]}", flush=True)
        if key in kept and (change := compared(_pair(kept[key]), found[key])):
            changes.append(f"{key:<22} {change}")
        if save is not None:
            before = json.loads(save.read_text()) if save.exists() else {}
            save.write_text(json.dumps(before | {k: asdict(v) for k, v in found.items()}, indent=1))
    print(summary(found))
    if against is not None:
        print("\n".join(["against what was kept:", *(changes or ["nothing changed"])]))


def _pair(data: dict[str, object]) -> Pair:
    """From what was kept."""
    return Pair(**{k: tuple(v) if isinstance(v, list) else v for k, v in data.items()})  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
