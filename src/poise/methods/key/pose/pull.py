"""A point pulled about while somebody watches: each answer goes on from the last, and none takes long.

What ``drag`` asks for in full is asked for here with a few steps at a time: pins hold strictly, then the
point goes where it is pulled, then the pose is as it was. Where a target is out of reach ``drag`` tries other
ways; that is done when the point is let go.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked
from poise.character import Character
from poise.constraints import Constraint, pin
from poise.constraints.constraint import constrain
from poise.handles import CentreOfMass
from poise.handles.place import point_of
from poise.kinematics import Kinematics
from poise.methods.key.pose.drag import drag, movable
from poise.methods.key.pose.solver import PoseSolver
from poise.methods.key.pose.task import Task
from poise.workers import algebra_on_one_thread

QUICK = 24
"""Most steps of an answer while a point is pulled: the pose is there after 12 as a rule."""
NEAR = 1e-6
"""How near is near enough meanwhile [m]."""


class Pull:
    """One point of one pose; ``pins`` stay where they are, ``balanced`` keeps the centre of mass above its
    place."""

    def __init__(
        self,
        character: Character,
        q: ArrayLike,
        point: str,
        *,
        pins: Sequence[str] = (),
        root: str | None = None,
        balanced: bool = False,
    ) -> None:
        self.character, self.point, self.root = character, point, root
        self.begin = checked(q, "q", (character.nq,))
        kin = Kinematics(character, self.begin)
        moving, self._free = movable(character, root, point)
        self.pins = [p for p in pins if p != point and moving[point_of(character, p).body]]
        self._held: list[Constraint] = [pin(p, kin.point(p)[0], 0.0) for p in self.pins]
        if balanced:
            self._held.append(constrain(CentreOfMass("xy"), kin.com[0, :2], 0.0, name="balance"))
        here = kin.point(point)[0]
        tasks = [Task(c.handle, 0, c.weight) for c in self._held]
        tasks.append(Task(pin(point, here, 0.0).handle, 1, 1.0))
        self._solver = PoseSolver(character, tasks, free=self._free)
        still = np.zeros(1)
        self._targets = [c.target_at(kin, still) for c in self._held]
        self.balanced = balanced
        self.q: Array = np.array(self.begin)
        """The last answer."""

    @algebra_on_one_thread()
    def to(self, place: ArrayLike) -> float:
        """Pull the point there; how far it is from there then [m]."""
        goal = checked(place, "place", (3,))
        found = self._solver.solve(
            self.q, self.begin, [*self._targets, goal], accuracy=NEAR, iterations=QUICK, warm=True
        )
        self.q = np.array(found.q[0])
        return self.off(goal)

    def settle(self, place: ArrayLike) -> float:
        """The same in full: exact where it can be."""
        goal = checked(place, "place", (3,))
        if self.balanced:
            targets = [*self._targets, goal]
            self.q = np.array(self._solver.solve(self.q, self.begin, targets, warm=True).q[0])
        else:
            self.q = np.array(
                drag(self.character, self.begin, self.point, goal, root=self.root, pins=self.pins).q
            )
        return self.off(goal)

    def off(self, place: Array) -> float:
        """How far the point is from a place [m]."""
        return float(np.linalg.norm(Kinematics(self.character, self.q).point(self.point)[0] - place))
