"""A motion put on another skeleton, bone by bone.

    R_target(t) = R_source(t) · R_source,0⁻¹ · C · R_target,0

C solves for how differently the two are built (``alignment``), in the poses 0 in which they are compared
(``reference_pose``). Joints that cannot turn as asked come as near as they can, within limits (``fitting``).

Lengths are scaled by the ratio of the legs, about the ground: hips keep their height above the ankles.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.character.feet_at_rest import feet_at_rest
from poise.character.labels import roles
from poise.contacts.patches import FOOT, patches
from poise.kinematics import Kinematics
from poise.methods.adapt.retarget.alignment import Alignment
from poise.methods.adapt.retarget.correspondence import Correspondence
from poise.methods.adapt.retarget.fitting import follow
from poise.methods.adapt.retarget.planning import plan
from poise.methods.adapt.retarget.reference_pose import reference
from poise.methods.adapt.retarget.turning import Plan
from poise.motion import Clip, OriginalFile, Source, Travel


@dataclass(frozen=True, eq=False)
class Transfer:
    """A clip on its way to another skeleton."""

    clip: Clip
    pairing: Correspondence
    low: float | None = None
    """Height of the source's ankles when it stands [m], where that is known."""
    onto: Clip | None = None
    """A motion of the target, where there is one: it tells how the target stands if its rest does not."""

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
        low = self.low
        if low is None:
            low = min(float(np.percentile(self.source.positions[:, s, 2], 2)) for s, _ in feet)
        rest = self.pairing.target.rest_placement()[0][:, 2]
        return low, float(np.mean([rest[t] - sole_height(self.pairing.target, t) for _, t in feet]))

    def moved(self, points: Array) -> Array:
        """Places of the source (…, 3) in the target's world."""
        low, high = self.ground
        return self.scale * (points - [0.0, 0.0, low]) + [0.0, 0.0, high]

    @cached_property
    def alignment(self) -> Alignment:
        """Both skeletons side by side."""
        source, target = self.pairing.source, self.pairing.target
        return Alignment(self.pairing, reference(source, self.clip), reference(target, self.onto))

    @cached_property
    def plan(self) -> Plan:
        """How the target's joints follow the source's."""
        return plan(self.alignment)

    def clip_on_target(self) -> Clip:
        """Every joint turned as its counterpart, hips where they belong."""
        target, clip = self.pairing.target, self.clip
        q = np.tile(target.rest_pose(), (clip.frames, 1))
        turns = np.zeros((clip.frames, len(target.bodies), 3, 3))
        follow(self.plan, np.ascontiguousarray(self.source.rotations), q, turns, False)
        self._put_hips(q)
        source = _own_file(self.onto) or clip.source
        return Clip(
            target, q, clip.rate, loop=clip.loop, travel=self._travel(), name=clip.name, source=source
        )

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


def _own_file(onto: Clip | None) -> Source | None:
    """The target's own file, which takes the motion in: one that has no motion yet to lose."""
    source = None if onto is None else onto.source
    if source is None or not isinstance(source.payload, OriginalFile) or source.animations:
        return None
    return source.without_frames()


def sole_height(character: Character, body: int | None = None) -> float:
    """Height at rest of the sole under a body of a foot [m], or of the lower of both; else of all there is.

    Each foot has its own: legs of captured people are not quite equal, and rest poses do not stand. A sole is
    the lower side of flesh or shapes: robots' ankles are motors a hand above the ground.
    """
    places, turns = feet_at_rest(character)
    feet = [character.subtree(foot) for role, foot in roles(character).items() if role.endswith(" foot")]
    own = [foot for foot in feet if body in foot] or feet or [list(range(len(places)))]
    bodies = {i for foot in own for i in foot}
    skin = patches(character)
    under = (skin.kind == FOOT) & np.isin(skin.body, list(bodies))
    if under.any():
        return float((skin.rest[:, 2] - skin.radius)[under].min())
    points = [p for p in character.points.values() if p.body in bodies]
    return float(np.min([(places[p.body] + turns[p.body] @ p.position)[2] for p in points]))
