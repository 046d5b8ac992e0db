"""A motion put on another skeleton, bone by bone.

    R_target(t) = R_source(t) · R_source,rest⁻¹ · C · R_target,rest

C solves for the difference of the rest poses: it turns the target's bones, as they rest, into the directions
of the source's. Where several bones leave a joint (hips, chest) C is their best fit; where one does it is the
shortest turn after that of the joint above. Feet rest flat on the ground, wherever their joints are: they
only turn to the same heading. Joints that cannot turn as asked come as near as they can, within limits; balls
above hinges are turned about their bones so that elbows and knees bend in the plane they should.

Lengths are scaled by the ratio of the legs, about the ground: hips keep their height above the ankles.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.adapt.retarget.correspondence import Correspondence
from poise.motion import Clip, Travel

TOUCHING = 0.01
"""Joints so close [m] are one joint in parts."""
STRAIGHT, BENT = 0.1, 0.35
"""Sine of a limb's bend below which its plane is unknown, above which it is known."""
FARTHEST = 2.0
"""A hinge that would have to be turned farther than this [rad] bends the wrong way: leave it."""
SHORT = 1e-3
"""Bones shorter than this [m] have no direction."""


@dataclass(frozen=True, eq=False)
class Transfer:
    """A clip on its way to another skeleton."""

    clip: Clip
    pairing: Correspondence

    @cached_property
    def source(self) -> Kinematics:
        """The performance."""
        return Kinematics(self.clip.character, self.clip.q)

    @cached_property
    def scale(self) -> float:
        """How much larger the target is: by its legs, else by all its bones."""
        known = self.pairing.roles()
        lengths = np.zeros(2)
        for side in ("left", "right"):
            leg = [known.get(f"{side} {part}") for part in ("thigh", "shin", "foot")]
            if None not in leg:
                for k, character in enumerate((self.pairing.source, self.pairing.target)):
                    rest = character.rest_placement()[0][[joint[k] for joint in leg if joint is not None]]
                    lengths[k] += np.linalg.norm(np.diff(rest, axis=0), axis=1).sum()
        if not lengths.all():
            for k, character in enumerate((self.pairing.source, self.pairing.target)):
                lengths[k] = np.linalg.norm(np.ptp(character.rest_placement()[0], axis=0))
        return float(lengths[1] / lengths[0])

    @cached_property
    def ground(self) -> tuple[float, float]:
        """Heights that correspond: of the source's ankles when lowest, of the target's at rest [m]."""
        feet = [pair for role, pair in self.pairing.roles().items() if role.endswith(" foot")]
        if not feet:
            return 0.0, 0.0
        low = min(float(np.percentile(self.source.positions[:, s, 2], 2)) for s, _ in feet)
        rest = self.pairing.target.rest_placement()[0][:, 2]
        sole = sole_height(self.pairing.target)
        return low, float(np.mean([rest[t] for _, t in feet])) - sole

    def moved(self, points: Array) -> Array:
        """Places of the source (…, 3) in the target's world."""
        low, high = self.ground
        return self.scale * (points - [0.0, 0.0, low]) + [0.0, 0.0, high]

    def clip_on_target(self) -> Clip:
        """Every joint turned as its counterpart, hips where they belong."""
        target = self.pairing.target
        wanted = self._wanted()
        self._open_hinges(wanted)
        q = np.tile(target.rest_pose(), (self.clip.frames, 1))
        turns: list[Array] = []
        for i, body in enumerate(target.bodies):
            up = int(target.parents[i])
            base = np.eye(3) if up < 0 else turns[up]
            base = base @ (np.eye(3) if _absolute(body.joint.kind) else so3.to_matrix(np.asarray(body.rest)))
            asked = wanted.get(i)
            if asked is None and body.joint.kind is JointKind.HINGE:
                asked = wanted.get(self._same_joint(i))
            local = None if asked is None else so3.from_matrix(np.swapaxes(base, -1, -2) @ asked)
            own = q[:, target.coordinates(i)]
            if local is not None:
                _turn(body.joint.kind, np.asarray(body.joint.axis), target, i, local, own)
            turns.append(base @ _rotation(body.joint.kind, np.asarray(body.joint.axis), own))
        self._put_hips(q)
        clip = self.clip
        return Clip(
            target, q, clip.rate, loop=clip.loop, travel=self._travel(), name=clip.name, source=clip.source
        )

    def _wanted(self) -> dict[int, Array]:
        """World rotations (F, 3, 3) of the target's bodies that have counterparts."""
        rest, own = (c.rest_placement()[1] for c in (self.pairing.source, self.pairing.target))
        turn = self._alignment()
        return {
            t: self.source.rotations[:, s] @ (rest[s].T @ turn[t] @ own[t])
            for t, s in self.pairing.pairs.items()
        }

    def _open_hinges(self, wanted: dict[int, Array]) -> None:
        """Turn balls about their bones so that hinges below them (elbows, knees) bend the way they should."""
        target = self.pairing.target
        places, rest = target.rest_placement()
        for hinge in self.pairing.pairs:
            ball, joint = int(target.parents[hinge]), target.bodies[hinge].joint
            ends = self.pairing.below(hinge)
            if joint.kind is not JointKind.HINGE or ball not in wanted or len(ends) != 1:
                continue
            if target.bodies[ball].joint.kind is not JointKind.BALL:
                continue
            bone = wanted[ball] @ rest[ball].T @ _unit(places[hinge] - places[ball])  # (F, 3)
            after = wanted[hinge] @ rest[hinge].T @ _unit(places[ends[0]] - places[hinge])
            axis = (
                wanted[ball] @ so3.to_matrix(np.asarray(target.bodies[hinge].rest)) @ np.asarray(joint.axis)
            )
            span = target.dofs(hinge)
            forward = 1.0 if target.upper[span][0] >= -target.lower[span][0] else -1.0
            normal = forward * np.cross(bone, after)
            bent = np.linalg.norm(normal, axis=1)
            turn = np.arctan2(
                np.sum(np.cross(axis, normal) * bone, axis=1),
                np.sum(axis * normal, axis=1) - np.sum(axis * bone, axis=1) * np.sum(normal * bone, axis=1),
            )
            # A limb that is nearly straight does not tell which way it bends.
            sure = np.clip((bent - STRAIGHT) / (BENT - STRAIGHT), 0.0, 1.0)
            share = sure**2 * (3.0 - 2.0 * sure) * (np.abs(turn) < FARTHEST)
            wanted[ball] = so3.to_matrix(so3.exp((share * turn)[:, None] * bone)) @ wanted[ball]

    def _alignment(self) -> dict[int, Array]:
        """C of every body of the target that has a counterpart (3, 3)."""
        ours, theirs = (c.rest_placement()[0] for c in (self.pairing.source, self.pairing.target))
        feet = {t for role, (_, t) in self.pairing.roles().items() if role.endswith((" foot", " toes"))}
        found: dict[int, Array] = {-1: np.eye(3)}
        for t, s in self.pairing.pairs.items():
            above = found[self.pairing.above(t)]
            ways = [
                (ours[self.pairing.pairs[k]] - ours[s], theirs[k] - theirs[t]) for k in self.pairing.below(t)
            ]
            ways = [(a, above @ b) for a, b in ways if min(np.linalg.norm(a), np.linalg.norm(b)) > SHORT]
            found[t] = _carry(ways, flat=t in feet) @ (found[self._trunk(t)] if t in feet else above)
        return found

    def _trunk(self, body: int) -> int:
        """The first body above that has a counterpart."""
        way = [body]
        while (up := self.pairing.above(way[-1])) >= 0:
            way.append(up)
        return way[-1] if len(way) > 1 else -1

    def _same_joint(self, body: int) -> int:
        """The body with a counterpart of which a hinge is a part; −1 for none."""
        places = self.pairing.target.rest_placement()[0]
        near = [
            k for k in self.pairing.below(self.pairing.above(body)) if k in self.pairing.target.subtree(body)
        ]
        near = [k for k in near if np.linalg.norm(places[k] - places[body]) < TOUCHING]
        return near[0] if near else -1

    def _put_hips(self, q: Array) -> None:
        """Move the root so that the middle of the hip joints is where the source has it."""
        known = self.pairing.roles()
        anchors = [known[r] for r in ("left thigh", "right thigh") if r in known]
        if len(anchors) < 2:
            t, s = next(iter(self.pairing.pairs.items()))
            anchors = [(s, t)]
        target = self.pairing.target
        goal = self.moved(np.mean([self.source.positions[:, s] for s, _ in anchors], axis=0))
        here = np.mean([Kinematics(target, q).positions[:, t] for _, t in anchors], axis=0)
        if target.bodies[0].joint.kind is JointKind.FREE:
            q[:, :3] += goal - here
        elif target.bodies[0].joint.kind is JointKind.PLANAR:
            q[:, :2] += (goal - here)[:, [0, 2]]

    def _travel(self) -> Travel:
        travel = self.clip.travel
        return Travel(self.scale * np.asarray(travel.translation), travel.yaw)


def sole_height(character: Character) -> float:
    """Of the lowest point of a character at rest [m]: where it stands."""
    places, turns = character.rest_placement()
    own = [places[p.body] + turns[p.body] @ p.position for p in character.points.values()]
    return float(np.min([p[2] for p in [*places, *own]]))


def _unit(v: Array) -> Array:
    return np.asarray(v / max(float(np.linalg.norm(v)), 1e-12))


def _absolute(kind: JointKind) -> bool:
    """Whether a joint's coordinates hold its whole rotation, rest included."""
    return kind in (JointKind.FREE, JointKind.PLANAR)


def _turn(kind: JointKind, axis: Array, target: Character, body: int, local: Array, own: Array) -> None:
    """Write a wanted rotation (F, 4) into the coordinates of a joint (F, nq), as near as it can come."""
    lower, upper = target.lower[target.dofs(body)], target.upper[target.dofs(body)]
    if kind is JointKind.FREE:
        own[:, 3:] = so3.continuous(local)
    elif kind is JointKind.BALL:
        turn = so3.log(local)
        kept = np.clip(turn, lower, upper)
        own[:] = so3.continuous(np.where((kept == turn).all(axis=1)[:, None], local, so3.exp(kept)))
    elif kind in (JointKind.HINGE, JointKind.PLANAR):
        axis = axis if kind is JointKind.HINGE else np.array([0.0, 1.0, 0.0])
        angle = 2.0 * np.arctan2(local[:, 1:] @ axis, local[:, 0])
        angle = np.unwrap(np.mod(angle + np.pi, 2.0 * np.pi) - np.pi)
        own[:, -1] = np.clip(angle, lower[-1], upper[-1])


def _rotation(kind: JointKind, axis: Array, own: Array) -> Array:
    """Rotation of a joint (F, 3, 3) from its coordinates (F, nq)."""
    if kind is JointKind.FREE:
        return so3.to_matrix(own[:, 3:])
    if kind is JointKind.BALL:
        return so3.to_matrix(own)
    if kind is JointKind.HINGE:
        return so3.to_matrix(so3.exp(own * axis))
    if kind is JointKind.PLANAR:
        return so3.to_matrix(so3.exp(own[:, 2:] * np.array([0.0, 1.0, 0.0])))
    return np.broadcast_to(np.eye(3), (len(own), 3, 3))


def _carry(ways: list[tuple[Array, Array]], *, flat: bool) -> Array:
    """The rotation (3, 3) that takes second directions to first ones: shortest for one, best fit for more."""
    if flat:
        ways = [(a * [1, 1, 0], b * [1, 1, 0]) for a, b in ways]
        ways = [(a, b) for a, b in ways if min(np.linalg.norm(a), np.linalg.norm(b)) > 0.02]
    units = [(a / np.linalg.norm(a), b / np.linalg.norm(b)) for a, b in ways]
    if not units:
        return np.eye(3)
    if len(units) == 1:
        return so3.to_matrix(so3.between(units[0][1], units[0][0]))
    # Wahba's problem, by singular values.
    u, _, vt = np.linalg.svd(sum(np.outer(a, b) for a, b in units))
    return np.asarray(u @ np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ vt))]) @ vt)
