"""Contacts at other frame rates, with other masses, in place, on other bodies, in pieces; how they are
called; and the time they take. Parts of ``python -m benchmarks.contacts``."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

import poise
from benchmarks.contact_labels import BELTS, MANNERS, TORN, WRONG_RATE
from benchmarks.contacts import CLIPS, DATA, Bars, half, load
from poise.arrays import Array
from poise.contacts.find import _found, find
from poise.contacts.support import Support
from poise.motion import Clip
from poise.operations.check import Check
from poise.plausibility.judge import judge

GRID = 60.0
"""Contacts are compared at so many times a second."""
PIECES = 2
"""Pieces that are cut out of each capture."""
FEET = ("left foot", "right foot")
OTHERS: tuple[tuple[str, dict[str, Any]], ...] = (
    *(
        ("threejs/RobotExpressive.glb", {"animation": a})
        for a in ("Idle", "Dance", "Wave", "Yes", "Standing")
    ),
    *(("khronos_gltf/Fox.glb", {"animation": a, "scale": 0.01}) for a in ("Survey", "Walk", "Run")),
    ("khronos_gltf/CesiumMan.glb", {}),
    ("threejs/pirouette.bvh", {}),
    ("fbx_ozz/pab_walk.fbx", {}),
)
"""Robots, animals and rigs of other makers, with how they are read: the fox is drawn in centimetres."""


def down(support: Support, seconds: float) -> Array:
    """Whether feet touch, on a grid of times (T, 2)."""
    dt = support.need.clip.dt
    times = np.arange(0.05, seconds - 0.05, 1 / GRID)
    found = np.zeros((len(times), 2), dtype=bool)
    for c in support.contacts:
        if c.part in FEET:
            found[:, FEET.index(c.part)] |= (times >= (c.start - 0.5) * dt) & (times <= (c.end + 0.5) * dt)
    return found


def agreement(a: Support, b: Support, seconds: float) -> float:
    """Intersection over union of foot contacts."""
    x, y = down(a, seconds), down(b, seconds)
    return float((x & y).sum() / max((x | y).sum(), 1))


def resampled(clip: Clip, fps: int) -> Clip:
    """At another rate."""
    times = np.arange(0.0, (clip.frames - 1) / clip.fps, 1 / fps)
    return clip.with_frames(clip.at(times), None).replaced(rate=Fraction(fps))


def compared(what: str, asked: float, chosen: list[str], bars: Bars, change: Callable[[Clip], Clip]) -> None:
    """Contacts of changed clips against those of the clips as they are."""
    found: dict[bool, list[tuple[float, str]]] = {True: [], False: []}
    for name in chosen:
        clip = load(name)
        value = agreement(find(clip, pace=1.0), find(change(clip), pace=1.0), clip.duration)
        found[half(name)].append((value, name))
    for tuned, said in ((True, "tuned on"), (False, "aside")):
        if values := found[tuned]:
            low = sorted(values)[:3]
            mean = float(np.mean([v for v, _ in values]))
            worst = ", ".join(f"{n} {v:.3f}" for v, n in low)
            bars.add(f"{what}, {said}", f"IoU ≥ {asked:g}", f"{mean:.3f} (worst {worst})", mean >= asked)


def frames(chosen: list[str], bars: Bars, seed: int) -> None:
    """At 20, 30 and 240 frames per second."""
    sound = [n for n in chosen if n not in TORN]
    for fps in (20, 30, 240):
        compared(f"{fps} fps", 0.94, sound, bars, lambda c, fps=fps: resampled(c, fps))


def masses(chosen: list[str], bars: Bars, seed: int) -> None:
    """With heavier legs, and heavier arms."""
    sound = [n for n in chosen if n not in TORN]
    for limbs, factor in ((("leg", "foot"), 1.4), (("arm", "hand"), 2.0)):
        compared(
            f"{limbs[0]}s × {factor:g}", 0.97, sound, bars, lambda c, l=limbs, f=factor: heavier(c, l, f)
        )


def heavier(clip: Clip, limbs: tuple[str, ...], factor: float) -> Clip:
    """With other masses of some limbs."""
    from poise.character.labels import labelled

    own = labelled(clip.character).bodies
    bodies = [
        b.replaced(mass=b.mass.scaled(factor)) if o.limb.split()[-1:] and o.limb.split()[-1] in limbs else b
        for b, o in zip(clip.character.bodies, own)
    ]
    return clip.replaced(character=clip.character.with_bodies(bodies))


def belts(chosen: list[str], bars: Bars, seed: int) -> None:
    """Walks made to go in place: the belt under them."""
    clips = {n: load(n) for n in BELTS if n in chosen}
    if (other := DATA / "cmu_cgspeed_bvh" / "02_01.bvh").exists():
        clips["02_01"] = poise.load(other, drop_tpose="auto")
    for bundled in ("walk", "run"):
        clips[bundled] = poise.clips.get(bundled)
    for name, clip in clips.items():
        still, true = in_place(clip)
        floor = find(still).world.floor
        speed = np.zeros(3) if floor is None else np.array(floor.velocity)
        off = float(np.linalg.norm(speed[:2] - true) / np.linalg.norm(true))
        bars.add(f"{name} in place: belt [m/s]", f"{np.round(true, 2)} ± 5 %",
                 f"{np.round(speed[:2], 2)}, {100 * off:.1f} % off", off <= 0.05)  # fmt: skip


def in_place(clip: Clip) -> tuple[Clip, Array]:
    """A walk without its travel, and the velocity of the belt that it would need (2,) [m/s]."""
    q = np.array(clip.q)
    t = np.arange(len(q)) * clip.dt
    if clip.loop:
        v = np.array(clip.travel.translation[:2]) / clip.duration
    else:
        v = np.polyfit(t, q[:, :2], 1)[0]
    q[:, :2] -= t[:, None] * v
    return clip.with_frames(q, None), -v


def manners(chosen: list[str], bars: Bars, seed: int) -> None:
    """How contacts touch, against labels read off pictures."""
    right, wrong = 0, []
    for name, part, at, want in MANNERS:
        path = CLIPS / f"{name}.bvh"
        if not path.exists() and name not in poise.clips.names():
            continue
        clip = load(name) if path.exists() else poise.clips.get(name)
        frame = at * clip.fps
        frames = (frame, frame + clip.frames) if clip.loop else (frame,)  # a loop's contacts go on beyond it
        found = find(clip).contacts
        own = [c for c in found if c.part == part and any(c.start <= f <= c.end for f in frames)]
        said = own[0].manner if own else "nothing"
        right += said == want
        print(f"{name:8s} {part:11s} {at:5.2f} s  {want:8s} found: {said}", flush=True)
        if said != want:
            wrong.append(f"{name} {part} {at:g} s: {said}, not {want}")
    if right or wrong:
        count = right + len(wrong)
        bars.add("manners of labelled contacts", "all", f"{right} of {count} {wrong or ''}", not wrong)


def bodies(chosen: list[str], bars: Bars, seed: int) -> None:
    """Robots, animals, rigs without toes or fingers, loops: what is said about them."""
    for path, options in OTHERS:
        clip = _other(path, options)
        if clip is not None:
            report = judge(clip, Check())
            asked = [q.words for q in report.questions]
            holds = report.plausible and not any("seat" in words or "step" in words for words in asked)
            print(f"{path} {clip.name}: {report.verdict}", flush=True)
            bars.add(f"{path} {clip.name}", "no step, no seat", f"{report.verdict}", holds)
    for name in ("walk", "run", "jump", "punch", "kick"):
        if name in poise.clips.names():
            report = judge(poise.clips.get(name), Check())
            bars.add(f"bundled {name}", "plausible", report.verdict, report.plausible)
    sound = [n for n in chosen if n not in TORN + WRONG_RATE]
    compared("no tips of toes and fingers", 0.94, sound[::3], bars, without_tips)


def _other(path: str, options: dict[str, Any]) -> Clip | None:
    if not (DATA / path).exists():
        print(f"{path} is not among the real clips")
        return None
    return poise.load(DATA / path, **options)


def without_tips(clip: Clip) -> Clip:
    """The same figure without the tips of its toes and fingers, as many rigs are."""
    from poise.character.labels import roles

    character = clip.character
    own = roles(character)
    ends = [own[f"{s} {p}"] for s in ("left", "right") for p in ("foot", "hand") if f"{s} {p}" in own]
    gone = {i for f in ends for i in character.subtree(f)}
    bodies = [
        b.replaced(points={n: p for n, p in b.points.items() if not np.linalg.norm(p) > 1e-3})
        if i in gone
        else b
        for i, b in enumerate(character.bodies)
    ]
    return clip.replaced(character=character.with_bodies(bodies))


def pieces(chosen: list[str], bars: Bars, seed: int) -> None:
    """Pieces cut out of good captures anywhere, half of them at a quarter of the rate: real people did these,
    too, and no limit was set on them."""
    rng = np.random.default_rng(seed)
    condemned, count = [], 0
    for name in [n for n in chosen if n not in TORN]:
        clip = load(name)
        for _ in range(PIECES):
            frames = min(clip.frames, int(rng.uniform(1.0, 4.0) * clip.fps))
            first = int(rng.integers(0, clip.frames - frames + 1))
            every = 4 if clip.fps > 100 and rng.random() < 0.5 else 1
            cut = clip.q[first : first + frames : every]
            report = judge(clip.with_frames(cut, None, rate=clip.rate / every), Check())
            count += 1
            if not report.plausible:
                condemned.append(f"{name}@{first}+{frames}/{every}")
                print(f"{condemned[-1]:20s} {report.verdict}", flush=True)
    bars.add("pieces of good captures condemned", "≤ 5 %", f"{len(condemned)} of {count} {condemned or ''}",
             len(condemned) <= 0.05 * count)  # fmt: skip


def speed(chosen: list[str], bars: Bars, seed: int) -> None:
    """Processor time a frame, and whether it grows with length."""
    worst, all_seconds, all_frames = (0.0, ""), 0.0, 0
    for name in chosen:
        clip = load(name)
        find(clip)  # kernels are there
        seconds = _timed(clip)
        worst = max(worst, (1e3 * seconds / clip.frames, name))
        all_seconds, all_frames = all_seconds + seconds, all_frames + clip.frames
    mean = 1e3 * all_seconds / all_frames
    bars.add("time a frame", "≤ 0.3 ms", f"{mean:.3f} ms in the mean, {worst[1]} {worst[0]:.3f}",
             worst[0] <= 0.3)  # fmt: skip
    long = max((load(n) for n in chosen), key=lambda c: c.frames)
    quarter = long.frames // 4
    per = [_timed(long.with_frames(long.q[: k * quarter], None)) / (k * quarter) for k in (1, 2, 4)]
    said = " / ".join(f"{1e3 * p:.3f}" for p in per)
    bars.add("time a frame at 1, 2, 4 times the length", "the same", said, per[2] < 1.5 * per[0])


def _timed(clip: Clip) -> float:
    """Processor seconds that a search takes, the better of two."""
    taken = []
    for _ in range(2):
        _found.cache_clear()
        start = time.process_time()
        find(clip)
        taken.append(time.process_time() - start)
    return min(taken)


PARTS: dict[str, Callable[[list[str], Bars, int], None]] = {
    "frames": frames,
    "masses": masses,
    "belts": belts,
    "manners": manners,
    "bodies": bodies,
    "pieces": pieces,
    "speed": speed,
}
