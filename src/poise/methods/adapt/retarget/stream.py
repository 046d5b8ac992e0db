"""Retargeting frame by frame: a performer who is captured now, a game that runs.

Every frame is put on the target as a whole clip would be (``transfer``), hinges going on from the last frame.
Feet that stand are held: a foot of the source that is low and slow stands, its counterpart stays where it
was, and what it lacks,

    o = lock − ankle,      fading by exp(−dt / ``FADE``) once the foot leaves,

is reached by turning the leg (damped least squares). Nothing ahead is known, so the body does not prepare;
``poise.retarget`` does, and measures what it made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, checked
from poise.character import Character, JointKind
from poise.character.labels import path_from_root
from poise.errors import InputError
from poise.kinematics.forward import placed
from poise.methods.adapt.plants.detect import leg_length
from poise.methods.adapt.retarget.correspondence import correspond
from poise.methods.adapt.retarget.fitting import follow
from poise.methods.adapt.retarget.transfer import Transfer
from poise.motion import Clip
from poise.motion.hung_feet import hanging

LOW, SLOW = 0.06, 0.45
"""A foot stands that is no higher above its stand than this, over the leg's length, and no faster [1/s]."""
CALM, HELD = 0.03, 2.0
"""Speeds are smoothed over so long [s]; a foot that stands goes on so until it is so many times as high or
fast."""
STRETCH = 0.99
"""Part of its length that a leg is stretched to at most."""
FADE = 0.08
"""How fast a foot that leaves goes back to where it would be [s]."""
GIVE = 0.25
"""A foot that would have to be held farther away than this, over the leg's length, is let go."""
STEPS, DAMPING = 4, 1e-3
"""Of the turning of a leg."""


@dataclass
class _Foot:
    """One foot on its way."""

    ours: int
    theirs: int
    hip: int
    """The first body of the leg."""
    length: float
    """From hip to ankle [m]."""
    dofs: IntArray
    """Of the leg that turns it, in v."""
    last: Array | None = None
    lock: Array | None = None
    speed: float = 0.0
    """Of the source's ankle, smoothed [m/s]."""
    offset: Array = field(default_factory=lambda: np.zeros(3))


class RetargetStream:
    """Give a motion to another character, one frame after the other."""

    def __init__(
        self,
        source: Character,
        target: Character,
        fps: float,
        *,
        map: Mapping[str, str] | None = None,
        warm_up: Clip | None = None,
        feet: bool = True,
    ) -> None:
        """``warm_up``: some of the source's motion, which tells how it stands where its rest does not."""
        if not fps > 0:
            raise InputError(f"frames per second must be positive, not {fps}")
        clip = warm_up or Clip(source, source.rest_pose()[None], 30)
        if clip.character.nq != source.nq:
            raise InputError("the motion to warm up with must be the source's own")
        self._given, self._handed = hanging(source), hanging(target)
        if self._given is not None:
            source, clip = self._given.hung, self._given.there(clip)
        if self._handed is not None:
            target = self._handed.hung
        self.source, self.target, self.dt = source, target, 1.0 / fps
        """Both with their feet under their shins."""
        self.transfer = Transfer(clip, correspond(source, target, map or {}))
        self._plan = self.transfer.plan
        self._leg = leg_length(source)
        self._free = np.array(target.rest_pose()[None])
        """As the source has it, before feet are held: where hinges go on from."""
        self._q = self._free.copy()
        self._turns = np.zeros((1, len(target.bodies), 3, 3))
        self._warm = False
        known = self.transfer.pairing.roles()
        self._hips = [known[r] for r in ("left thigh", "right thigh") if r in known]
        self._feet = [
            self._foot(*known[f"{side} foot"], [known[f"{side} {p}"][1] for p in ("thigh", "shin", "foot")])
            for side in ("left", "right")
            if feet and all(f"{side} {p}" in known for p in ("thigh", "shin", "foot"))
        ]

    def _foot(self, ours: int, theirs: int, leg: list[int]) -> _Foot:
        """The joints between the hips' own body and the ankle turn it."""
        way = path_from_root(self.target, int(self.target.parents[theirs]))[1:]
        carried = [t for _, t in self._hips]
        first = next((k for k, i in enumerate(way) if set(self.target.subtree(i)) & set(carried)), 0)
        dofs = [d for i in way[first:] for d in range(*self.target.dofs(i).indices(self.target.nv))]
        places = self.target.rest_placement().positions[leg]
        length = float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
        return _Foot(ours, theirs, leg[0], length, np.array(dofs, dtype=np.int64))

    def frame(self, q: ArrayLike) -> Array:
        """The target's configuration (nq,) for the source's (nq,)."""
        given = checked(q, "q", (self.source.nq,))[None]
        if self._given is not None:
            given = self._given.poses(given)
        ours = placed(self.source, np.ascontiguousarray(given))
        follow(self._plan, np.ascontiguousarray(ours.rotations), self._free, self._turns, self._warm)
        self._warm = True
        self._q[:] = self._free
        self._put_hips(np.asarray(ours.positions[0]))
        if self._feet:
            self._hold(np.asarray(ours.positions[0]))
        return self._q[0].copy() if self._handed is None else self._handed.own_poses(self._q)[0]

    def _put_hips(self, ours: Array) -> None:
        root = self.target.bodies[0].joint.kind
        pairs = (
            self._hips
            if len(self._hips) == 2
            else [next((s, t) for t, s in self.transfer.pairing.pairs.items())]
        )
        if root not in (JointKind.FREE, JointKind.PLANAR):
            return
        here = np.asarray(placed(self.target, self._q).positions[0])
        goal = self.transfer.moved(np.mean([ours[s] for s, _ in pairs], axis=0))
        way = goal - np.mean([here[t] for _, t in pairs], axis=0)
        if root is JointKind.FREE:
            self._q[0, :3] += way
        else:
            self._q[0, :2] += way[[0, 2]]

    def _hold(self, ours: Array) -> None:
        """Feet that stand stay where they stood."""
        place = placed(self.target, self._q)
        here = np.asarray(place.positions[0])
        low, high = self.transfer.ground
        for foot in self._feet:
            at, was = ours[foot.ours], foot.last
            foot.last = at.copy()
            speed = 0.0 if was is None else float(np.linalg.norm(at - was)) / self.dt
            foot.speed += min(1.0, self.dt / CALM) * (speed - foot.speed)
            loose = 1.0 if foot.lock is None else HELD
            stands = at[2] - low < loose * LOW * self._leg and foot.speed < loose * SLOW * self._leg
            stands = stands and was is not None
            ankle = here[foot.theirs]
            if stands and foot.lock is None:
                foot.lock = ankle + foot.offset
                foot.lock[2] = max(float(foot.lock[2]), high)
            if foot.lock is not None:
                away = foot.lock - ankle
                if not stands or float(np.linalg.norm(away)) > GIVE * self._leg * self.transfer.scale:
                    foot.lock = None
                else:
                    foot.offset = away
            if foot.lock is None:
                foot.offset = foot.offset * np.exp(-self.dt / FADE)
        moved = [foot for foot in self._feet if float(np.abs(foot.offset).max()) > 1e-5]
        if not moved:
            return
        goals = {foot.theirs: self._within_reach(foot, here) for foot in moved}
        for _ in range(STEPS):
            self._turn_legs(moved, goals)

    @staticmethod
    def _within_reach(foot: _Foot, here: Array) -> Array:
        """Where a foot is held, no farther from the hip than the leg is long; (3,)."""
        goal, hip = here[foot.theirs] + foot.offset, here[foot.hip]
        most = max(STRETCH * foot.length, float(np.linalg.norm(here[foot.theirs] - hip)))
        away = float(np.linalg.norm(goal - hip))
        return np.asarray(hip + (goal - hip) * min(1.0, most / max(away, 1e-9)))

    def _turn_legs(self, moved: list[_Foot], goals: Mapping[int, Array]) -> None:
        """One step of damped least squares for all feet that are held."""
        place = placed(self.target, self._q)
        positions, axes = np.asarray(place.positions[0]), np.asarray(place.axes[0])
        step = np.zeros(self.target.nv)
        owners = self.target.dof_body
        for foot in moved:
            ankle = positions[foot.theirs]
            arms = ankle - positions[owners[foot.dofs]]
            rows = np.cross(axes[foot.dofs], arms)  # (k, 3)
            inner = rows.T @ rows + DAMPING * np.eye(3)
            step[foot.dofs] = rows @ np.linalg.solve(inner, goals[foot.theirs] - ankle)
        self._q[0] = self.target.manifold.plus(self._q[0], np.clip(step, -0.3, 0.3))
        self._keep_limits(moved)

    def _keep_limits(self, moved: list[_Foot]) -> None:
        """Hinges of legs within their limits."""
        for foot in moved:
            for d in foot.dofs:
                body = int(self.target.dof_body[d])
                if self.target.bodies[body].joint.kind is JointKind.HINGE:
                    c = self.target.coordinates(body).start
                    self._q[0, c] = min(max(self._q[0, c], self.target.lower[d]), self.target.upper[d])
