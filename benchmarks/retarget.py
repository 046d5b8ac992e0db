"""Retargeting against per-frame inverse kinematics (mink, as GMR uses it), on the same pairs.

mink gets what it needs: our correspondence and the wanted rotations (GMR has them from tables made by hand),
places of hips, hands and feet scaled by the legs, the target's joint limits, and ten steps a frame from the
last one. Judged by plain placement: how far bones point elsewhere than the source's, and how fast the points
of feet slide that should stand. (The bundled walk on a smaller twin is the easy case: angles alone do.)

    python -m benchmarks --only retarget
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import poise
from poise import characters, clips, load
from poise.character import Character, JointKind
from poise.character.labels import roles
from poise.constraints import FootPlant
from poise.dynamics.mujoco_model import model
from poise.manifold import so3
from poise.methods.adapt.retarget.correspondence import correspond
from poise.methods.adapt.retarget.stream import RetargetStream
from poise.methods.adapt.retarget.transfer import Transfer
from poise.motion import Clip, operators

STEPS = 10
"""Of mink, for each frame."""
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
BONES = [
    (f"{side} {a}", f"{side} {b}")
    for side in ("left", "right")
    for a, b in (("upper_arm", "forearm"), ("forearm", "hand"), ("thigh", "shin"), ("shin", "foot"))
]


def row(key: str, value: float, unit: str, ratio: float | None = None) -> dict[str, Any]:
    """One metric, lower is better; ``ratio``: mink's over ours."""
    numbers = {"value": value, "unit": unit, "direction": "lower", "peer": ratio and "mink", "ratio": ratio}
    return {"key": f"retarget/{key}", **numbers}


def by_mink(clip: Clip, target: Character) -> Clip:
    """The clip on the target by mink, frame by frame."""
    import mink

    transfer = Transfer(clip, correspond(clip.character, target, {}))
    plan, source = transfer.plan, transfer.source
    built = model(target, gravity=(0.0, 0.0, 0.0))
    known = transfer.pairing.roles()
    ends = {known[r][1] for r in known if r.endswith((" foot", " hand"))}
    tasks, wanted = [], []
    named = {built.body(i).name for i in range(built.nbody)}  # massless hinges are joints of their body there
    for body in np.flatnonzero(plan.first >= 0):
        name = target.names[body]
        if name not in named:
            continue
        place = 10.0 if body in ends or body == 0 else 0.0
        tasks.append(mink.FrameTask(name, "body", position_cost=place, orientation_cost=1.0, lm_damping=1.0))
        wanted.append((int(body), int(plan.first[body])))
    posture = mink.PostureTask(built, cost=1e-3)
    start = transfer.clip_on_target()
    configuration = mink.Configuration(built, q=start.q[0])
    posture.set_target(start.q[0])
    limits, found = [mink.ConfigurationLimit(built)], []
    for f in range(clip.frames):
        for task, (body, by) in zip(tasks, wanted):
            turn = source.rotations[f, by] @ plan.by_first[body]
            place = transfer.moved(source.positions[f, by])
            task.set_target(
                mink.SE3.from_rotation_and_translation(mink.SO3(so3.from_matrix(turn)), np.asarray(place))
            )
        for _ in range(STEPS):
            step = mink.solve_ik(configuration, [*tasks, posture], 0.1, "daqp", damping=1e-3, limits=limits)
            configuration.integrate_inplace(step, 0.1)
        found.append(np.array(configuration.q))
    return Clip(target, np.array(found), clip.rate)


def directions_off(source: Clip, result: Clip) -> np.ndarray:
    """Angles between bones of source and result, over all bones and frames [degrees]."""
    found = []
    places = [c.character.placement(c.q).positions for c in (source, result)]
    known = [roles(c.character) for c in (source, result)]
    for a, b in BONES:
        if all(r in k for r in (a, b) for k in known):
            ways = [p[:, k[b]] - p[:, k[a]] for p, k in zip(places, known)]
            one, other = (w / np.linalg.norm(w, axis=1, keepdims=True) for w in ways)
            found.append(np.degrees(np.arccos(np.clip((one * other).sum(axis=1), -1.0, 1.0))))
    return np.concatenate(found)


def slide(plants: Sequence[FootPlant], result: Clip) -> float:
    """Mean speed over the ground of the points that should stand, while they should [m/s]."""
    character, speeds = result.character, []
    places, turns = character.placement(result.q)
    for plant in plants:
        for name, when in plant.intervals.items():
            point = character.point(name)
            frames = np.unique(np.rint(when.times(result) * result.fps).astype(int))
            frames = frames[(frames >= 0) & (frames < result.frames)]
            way = (places[:, point.body] + turns[:, point.body] @ point.position)[frames, :2]
            speeds.append(np.linalg.norm(np.diff(way, axis=0), axis=1) * float(result.rate))
    return float(np.concatenate(speeds).mean())


def pairs() -> list[tuple[str, Clip, Character]]:
    """Sources and targets: bundled ones, captures and MuJoCo's figures where they are."""
    short = characters.humanoid()
    bodies = [
        b.replaced(
            offset=0.8 * np.asarray(b.offset), points={n: 0.8 * np.asarray(p) for n, p in b.points.items()}
        )
        for b in short.bodies
    ]
    small = short.with_bodies(bodies, name="small")
    found = [("walk", operators.resample(operators.unroll(clips.get("walk"), 2), 30), small)]
    if SHARED.is_dir():
        walk = load(SHARED / "cmu_cgspeed_bvh" / "02_01.bvh", drop_tpose=True)
        walk = operators.resample(walk, 30)
        for name, path in (
            ("mujoco humanoid", "mjcf_mujoco/humanoid.xml"),
            ("humanoid_CMU", "mjcf_dm_control/humanoid_CMU.xml"),
        ):
            found.append((f"captured walk, {name}", walk, load(SHARED / path).character))
        found.append(("captured walk", walk, characters.humanoid()))
    return [p for p in found if p[2].bodies[0].joint.kind is JointKind.FREE]


def run() -> list[dict[str, Any]]:
    """Slide and directions beside mink's, and what a frame of a stream costs."""
    rows = []
    for name, clip, target in pairs():
        result = poise.retarget(clip, target)
        peer = by_mink(clip, target)
        ours, theirs = slide(result.plants, result.clip), slide(result.plants, peer)
        rows.append(row(f"{name}: slide", 100 * ours, "cm/s", theirs / max(ours, 1e-6)))
        off = [float(np.median(directions_off(clip, c))) for c in (result.clip, peer)]
        rows.append(row(f"{name}: bones, median", off[0], "°", off[1] / max(off[0], 1e-6)))
        worst = [float(np.percentile(directions_off(clip, c), 98)) for c in (result.clip, peer)]
        rows.append(row(f"{name}: bones, 98 %", worst[0], "°", worst[1] / max(worst[0], 1e-6)))
    _, clip, target = pairs()[0]
    poise.retarget(clip, target)
    began = time.process_time()
    poise.retarget(clip, target)
    rows.append(row("a frame of a whole clip", 1e3 * (time.process_time() - began) / clip.frames, "ms"))
    stream = RetargetStream(clip.character, target, float(clip.rate), warm_up=clip)
    stream.frame(clip.q[0])
    began = time.process_time()
    for q in clip.q:
        stream.frame(q)
    rows.append(row("a frame of a stream", 1e3 * (time.process_time() - began) / clip.frames, "ms"))
    return rows
