"""What ``ground`` makes of clips, judged by MuJoCo: ``python -m benchmarks.ground [NAME …]``.

The judge shares nothing with the solver but the contacts, which are found in the clip as it is given: the
root wrench is MuJoCo's (``mj_inverse`` at central differences of the frames handed out), its distance from
the contacts' cone SciPy's (``nnls``; friction 1, patches of 2 cm). A sample is *bad* where more than 0.05
body weights or 0.03 body weights·m are missing. Clips are bundled ones, scenes of ``plan`` ("scene four
steps"), or captures of ``shared/data`` beside the checkout, which are judged at 60 frames per second,
filtered as the method filters them before and as they are handed out after. *Torque* is that of the joint
that needs most of a person's strength, at its 99 %.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import poise
from poise import clips
from poise.arrays import Array, IntArray
from poise.character import Character
from poise.character.human_strength import joint_limits
from poise.character.labels import roles
from poise.contacts.differentiated_clip import Mask
from poise.contacts.find import find
from poise.contacts.support import Support
from poise.kinematics import Kinematics
from poise.methods.ground.calmed import calmed
from poise.methods.ground.grounding import grounded
from poise.motion import Clip
from poise.operations.ground import Ground
from poise.world import World

DATA = Path(os.environ.get("DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
NAMES = (
    "walk", "jump", "punch", "scene four steps", "scene side jump", "16_01", "02_01", "49_06", "16_15",
    "64_01",
    "76_06", "02_04", "07_01", "13_33", "77_09", "79_10", "82_07", "113_08", "run", "scene somersault",
    "87_04",
)  # fmt: skip
FRICTION, PATCH = 1.0, 0.02
FORCE, MOMENT = 0.05, 0.03
EVEN, EDGES = 0.02, 16
"""Price of pushes, for joint torques: of all that carry, the most even; and how many a patch has."""
BLURRED = 0.05
"""Seconds after touch-down and before lift-off in which nothing is called a slide."""
TRIM = 3
"""Samples at either end that are not judged."""


@dataclass(frozen=True)
class Judged:
    """One clip, in the units of the table."""

    bad: float
    force: float
    moment: float
    outside: float
    friction: float
    slide: float
    change: float
    furthest: float
    head: float
    jerk: float
    torque: float
    """Of the joint that needs most of its strength, at its 99 %."""


def named(name: str) -> Clip:
    """A clip by the name that the table has for it."""
    if name.startswith("scene "):
        planned: Clip = poise.plan(name[6:]).clip
        return planned
    if name in clips.names():
        return clips.get(name)
    for folder in ("cmu_cgspeed_bvh", "cmu_wild"):
        if (path := DATA / folder / f"{name}.bvh").exists():
            return poise.load(str(path))
    raise SystemExit(f"there is no clip {name!r} (captures are looked for in {DATA})")


def inverse(character: Character, q: Array, dt: float) -> tuple[Array, Array]:
    """Force and moment about the world's origin that surroundings give (F − 2, 6) [N, N·m], and the
    generalised forces without them (F − 2, nv), by MuJoCo."""
    import mujoco

    from poise.dynamics.mujoco_model import model

    made = model(character, contacts=False, limits=False, passive=False)
    made.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    data = mujoco.MjData(made)
    out, before, after = np.zeros((len(q) - 2, 6)), np.zeros(made.nv), np.zeros(made.nv)
    free = np.zeros((len(q) - 2, made.nv))
    for f in range(1, len(q) - 1):
        mujoco.mj_differentiatePos(made, before, dt, q[f - 1], q[f])
        mujoco.mj_differentiatePos(made, after, dt, q[f], q[f + 1])
        data.qpos[:], data.qvel[:], data.qacc[:] = q[f], 0.5 * (before + after), (after - before) / dt
        mujoco.mj_inverse(made, data)
        root, free[f - 1] = data.qfrc_inverse[:6], data.qfrc_inverse
        turn = data.xmat[1].reshape(3, 3)
        out[f - 1, :3] = root[:3]
        out[f - 1, 3:] = turn @ root[3:] + np.cross(data.xpos[1], root[:3])
    return out, free


@dataclass(frozen=True, eq=False)
class Judge:
    """Judges frames of one clip by the contacts that were found in it."""

    clip: Clip
    support: Support
    whole: bool = False
    """Whether the world is known: nothing unseen is there."""

    def frames(self, q: Array) -> tuple[Array, IntArray, float]:
        """Frames at 60 per second (three rounds of a loop), their numbers in the clip, seconds between."""
        clip, need = self.clip, self.support.need
        if clip.loop:
            number = np.arange(-clip.frames, 2 * clip.frames)
            q = clip.travel.apply(clip.character, q[number % clip.frames], number // clip.frames)
            return q, number, clip.dt
        step = max(1, round(clip.fps / 60))
        number = np.arange(-need.lead, -need.lead + need.frames, step)
        return q[number], number, clip.dt * step

    def touching(self, number: IntArray) -> tuple[Mask, Mask]:
        """Which patches touch, by the clip as given, and which frames are left to something unseen."""
        patches, count = self.support.need.patches, self.clip.frames
        shifts = (-count, 0, count) if self.clip.loop else (0,)
        on, free = np.zeros((len(number), len(patches)), bool), np.zeros(len(number), bool)
        for shift in shifts:
            at = number + shift
            for contact in self.support.contacts:
                for touch in contact.touches:
                    span = (at >= touch.start) & (at <= touch.end)
                    on[:, patches.names.index(touch.patch)] |= span
                if contact.manner in ("grips", "pushes") and not self.whole:
                    free |= (at >= contact.start) & (at <= contact.end)
            for unseen in () if self.whole else self.support.unseen:
                free |= (at >= unseen.start) & (at <= unseen.end)
        return on, np.convolve(free, np.ones(3), "same") > 0.5

    def judged(self, q: Array) -> Judged:
        """Frames of the clip, or of what was made of it (F, nq)."""
        from scipy.optimize import nnls

        frames, number, dt = self.frames(q)
        given = self.frames(np.asarray(self.clip.q))[0]
        character, patches, radius = self.clip.character, self.support.need.patches, self.support.need.radius
        kin, was = Kinematics(character, frames), Kinematics(character, given)
        weight = character.total_mass * 9.81
        need, bare = inverse(character, frames, dt)
        need /= weight
        limits = joint_limits(character)
        effort = list[list[float]]()
        on, free = self.touching(number)
        wide = on.copy()
        wide[1:] |= on[:-1]
        wide[:-1] |= on[1:]
        row = np.clip(number + self.support.need.lead, 0, self.support.need.frames - 1)
        normal = self.support.normal[row]
        skin = patches.places(kin) - radius[:, None] * normal
        own = slice(self.clip.frames, 2 * self.clip.frames) if self.clip.loop else slice(TRIM + 1, -TRIM - 1)
        force, moment, outside, friction = [], [], [], []
        for f in range(1, len(frames) - 1)[slice(own.start - 1, own.stop if own.stop < 0 else own.stop - 1)]:
            if free[f]:
                continue
            ks = np.flatnonzero(wide[f])
            at = skin[f, ks].mean(axis=0) if len(ks) else kin.com[f]
            w = need[f - 1].copy()
            w[3:] -= np.cross(at, w[:3])
            left = w
            tau = bare[f - 1].copy()
            if len(ks):
                cone = _cone(skin[f, ks] - at, normal[f, ks])
                scaled = cone / np.array([1.0] * 3 + [0.3] * 3)[:, None]
                push, _ = nnls(scaled, w / np.array([1.0] * 3 + [0.3] * 3), maxiter=40 * cone.shape[1])
                left = w - cone @ push
                tau -= self._felt(kin, f, ks, cone, w, at) * weight
                if w[2] > 0.2:
                    friction.append(float(np.hypot(w[0], w[1]) / w[2]))
                    point = np.array([-w[4], w[3]]) / w[2]
                    outside.append(_outside(skin[f, ks, :2] - at[:2], point) > PATCH)
            sizes = [float(np.linalg.norm(tau[character.dofs(i)])) for i in limits]
            effort.append([size / most for size, (_, most) in zip(sizes, limits.values())])
            force.append(float(np.linalg.norm(left[:3])))
            moment.append(float(np.linalg.norm(left[3:])))
        way = np.linalg.norm(kin.positions - was.positions, axis=2)[own]
        head = roles(character).get("head")
        turn = 0.0
        if head is not None:
            between = np.einsum("fji,fjk->fik", was.rotations[own][:, head], kin.rotations[own][:, head])
            cosine = np.clip((np.trace(between, axis1=1, axis2=2) - 1) / 2, -1, 1)
            turn = float(np.degrees(np.arccos(cosine).max()))
        bad = np.mean((np.array(force) > FORCE) | (np.array(moment) > MOMENT)) if force else 0.0
        return Judged(
            100 * float(bad), _rms(force), _rms(moment), 100 * float(np.mean(outside)) if outside else 0.0,
            max(friction, default=0.0), 100 * self._slide(kin, skin, on, dt, own), 100 * _rms(way),
            100 * float(way.max()), turn, _jerk(kin, own) / max(_jerk(was, own), 1e-12),
            float(np.percentile(effort, 99, axis=0).max()) if effort and limits else 0.0,
        )  # fmt: skip

    def _felt(self, kin: Kinematics, f: int, ks: IntArray, cone: Array, need: Array, at: Array) -> Array:
        """What joints feel of the most even pushes of patches that give a wrench about a point (nv,)."""
        from scipy.optimize import nnls

        character, body = self.clip.character, self.support.need.patches.body[ks]
        scale = np.array([1.0] * 3 + [0.3] * 3)
        priced = np.vstack([cone / scale[:, None], EVEN * np.eye(cone.shape[1])])
        push, _ = nnls(priced, np.append(need / scale, np.zeros(cone.shape[1])), maxiter=40 * cone.shape[1])
        out = np.zeros(character.nv)
        for i in joint_limits(character):
            beyond = np.repeat(np.isin(body, character.subtree(i)), EDGES)
            force, moment = np.split(cone[:, beyond] @ push[beyond], 2)
            moment = moment + np.cross(at - kin.positions[f, i], force)
            out[character.dofs(i)] = kin.placement.axes[f, character.dofs(i)] @ moment
        return out

    def _slide(self, kin: Kinematics, skin: Array, on: Mask, dt: float, own: slice) -> float:
        """Speed of the stillest patch of every part that touches [m/s], root mean square."""
        patches, speeds = self.support.need.patches, list[float]()
        turns = np.einsum("fkij,fklj->fkil", kin.rotations[1:], kin.rotations[:-1])[:, patches.body]
        reach = (skin - kin.positions[:, patches.body])[:-1]
        moved = kin.positions[1:, patches.body] + np.einsum("fkij,fkj->fki", turns, reach) - skin[:-1]
        speed = np.linalg.norm(moved, axis=2) / dt
        moving = {
            c.part for c in self.support.contacts if c.manner in ("slides", "pivots", "grips", "pushes")
        }
        for part in patches.parts:
            if part in moving:
                continue
            ks = patches.of_part(part)
            inner = np.full(len(on), True)  # the detector's filter blurs touch-down and lift-off
            for frame in np.flatnonzero(np.diff(on[:, ks].any(axis=1))):
                inner[max(0, frame - round(BLURRED / dt) + 1) : frame + 1 + round(BLURRED / dt)] = False
            both = (on[1:] & on[:-1])[:, ks] & inner[1:, None] & inner[:-1, None]
            least = np.where(both, speed[:, ks], np.inf).min(axis=1)[own.start : own.stop]
            speeds += [float(s) for s in least if np.isfinite(s)]
        return _rms(speeds)


def _cone(places: Array, normals: Array) -> Array:
    """Wrenches of unit pushes (6, 16 K): edges of friction cones at the corners of patches."""
    columns = []
    for at, n in zip(places, normals):
        u = np.cross(n, [1.0, 0.0, 0.0] if abs(n[0]) < 0.9 else [0.0, 1.0, 0.0])
        u /= np.linalg.norm(u)
        v = np.cross(n, u)
        for i, j in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            corner = at + PATCH * np.sqrt(0.5) * (i * u + j * v)
            for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                f = n + FRICTION * np.sqrt(0.5) * (a * u + b * v)
                columns.append(np.concatenate([f, np.cross(corner, f)]))
    return np.array(columns).T


def _outside(points: Array, at: Array) -> float:
    """How far a place lies outside the hull of points [m], by the nearest of their convex combinations."""
    from scipy.optimize import nnls

    far = 1e3  # shares that add up to one, nearly
    system = np.vstack([points.T, far * np.ones(len(points))])
    return float(nnls(system, np.append(at, far))[1])


def _jerk(kin: Kinematics, own: slice) -> float:
    return _rms(np.diff(kin.positions[own], 3, axis=0))


def _rms(values: Array | list[float]) -> float:
    return float(np.sqrt(np.mean(np.square(values)))) if np.size(values) else 0.0


def judge(clip: Clip, world: World | None = None) -> Judge:
    """The judge of a clip."""
    return Judge(clip, find(clip, world), world is not None)


def line(name: str, judged: Judged, more: str) -> str:
    """A row of the table."""
    j = judged
    return (
        f"{name:<24} {j.bad:5.1f} {j.force:6.3f} {j.moment:7.4f} {j.outside:6.1f} {j.friction:5.2f} "
        f"{j.slide:6.2f} {j.change:6.2f} {j.furthest:6.1f} {j.head:5.0f} {j.jerk:5.2f} {j.torque:6.2f}  "
        f"{more}"
    )


def main() -> None:
    """Print the table."""
    print(f"{'':<24} bad %  BW rms  BW·m  ZMP % fric.  slide change   most head° jerk torque")
    for name in sys.argv[1:] or NAMES:
        clip = named(name)
        world = World.flat(0.0) if name in clips.names() or name.startswith("scene ") else None
        own = judge(clip, world)
        print(line(f"{name} before", own.judged(np.asarray(calmed(clip, Ground()))), ""), flush=True)
        start = time.process_time()
        result = grounded(clip, Ground(), world)
        spent = time.process_time() - start
        more = f"{result.outcome} {result.reason} {clip.frames} frames, {spent:.1f} s"
        again = grounded(result.clip, Ground(), world) if result.changed else result
        more += f"; again {100 * again.cost.rms * again.changed:.2f} cm"
        print(line(f"{name} after", own.judged(np.asarray(result.clip.q)), more), flush=True)


if __name__ == "__main__":
    main()
