"""What all segments of a synthesis share, and the footings they find again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.dynamics.modal import Rayleigh
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.plan.model.affine_figure import CENTRE, AffineFigure
from poise.methods.plan.model.ground_frame import GroundFrame
from poise.methods.plan.model.linear_dynamics import Footing
from poise.methods.plan.model.modal_spline import ModalSpline
from poise.methods.plan.model.start_state import StartState
from poise.methods.plan.scene.hold import Hold
from poise.methods.plan.scene.partial_key import PERSON
from poise.methods.plan.scene.springs import released
from poise.methods.plan.solve.projection import Places, current_places, hold_exactly
from poise.world import World


@dataclass(eq=False)
class Settings:
    """What is asked for, and a store of what it leads to."""

    character: Character
    reference: Array
    """q0 (nq,): the pose all motion is told from, and comes to rest in."""
    stiffness: Array
    damping: Rayleigh
    modes: int
    key_weight: float
    """γ of a person."""
    refine: int
    world: World = field(default_factory=World.flat)
    """What is there; the reference pose stands on z = 0."""
    told: Callable[[], None] = lambda: None
    """Called at every step of a search; it may end the search by raising."""
    limbs: frozenset[int] = frozenset()
    """Bodies of limbs that carry the figure in one segment or another."""
    _footings: dict[tuple[bytes, tuple[Hold, ...]], Footing] = field(default_factory=dict)

    @cached_property
    def figure(self) -> AffineFigure:
        """The character about its reference pose."""
        return AffineFigure(self.character, self.reference)

    @property
    def gammas(self) -> tuple[float, ...]:
        """γ in stages, scaled with the character's mass."""
        last = self.key_weight * max(self.character.total_mass / PERSON, 1.0)
        return tuple(last * f for f in (1e-3, 1e-1, 1.0))

    def footing(self, q0: Array, holds: Sequence[Hold]) -> Footing:
        """Modes and warp about q0, worked out once."""
        key = (q0.tobytes(), tuple(holds))
        if key not in self._footings:
            self._footings[key] = Footing.at(
                self.character, q0, holds, self.stiffness_on(q0, holds), self.damping, at_least=self.modes
            )
        return self._footings[key]

    def stiffness_on(self, q0: Array, holds: Sequence[Hold]) -> Array:
        """Of the joints (nv, nv), loose in limbs that carry the figure elsewhere, but not here."""
        idle = self.limbs - carriers(self.character, holds)
        return released(self.character, q0, self.stiffness, idle) if idle else self.stiffness

    def steered(self, footing: Footing) -> int:
        """How many modes the splines steer."""
        return min(self.modes, len(footing.modes))

    def spline(self, footing: Footing, nodes: Array, start: StartState, *, hard_end: bool) -> ModalSpline:
        """Splines of the modes through nodes [s], from a state."""
        return ModalSpline(
            footing.modes.eigenvalues,
            footing.half_damping,
            nodes,
            start.modal,
            self.steered(footing),
            hard_end=hard_end,
        )

    def placed(self, q: Array, holds: Sequence[Hold], name: str) -> tuple[GroundFrame, Array]:
        """Where on the ground the reference pose stands, and how it must bend, to hold what q holds."""
        character = self.character
        now, usual = (current_places(character, p, holds) for p in (q, self.reference))
        frame = _aligned(character, q, self.reference, now, usual)
        local = frame.moved(character, q[None], back=True)[0]
        wanted = current_places(character, local, holds)
        off = np.abs(wanted.positions - usual.positions).max(initial=0.0)
        turned = [
            np.abs(a - b).max()
            for h, a, b in zip(holds, wanted.rotations, usual.rotations)
            if h.turns(character)
        ]
        if max(off, *turned, 0.0) < 1e-11:
            return frame, self.reference
        bent, _, left = hold_exactly(self.figure, self.reference[None], wanted, most=60)
        if left > 1e-8:
            held = ", ".join(h.what for h in holds)
            raise InputError(
                f"segment {name!r} holds {held} where the figure cannot stand: its reference pose, bent as "
                f"far as it will, stays {left:.3g} m or rad away"
            )
        return frame, bent[0]


def carriers(character: Character, holds: Iterable[Hold]) -> frozenset[int]:
    """Bodies whose joints are between what is held and the root."""
    found: set[int] = set()
    for hold in holds:
        body = 0 if hold.what == CENTRE else character.point(hold.what).body
        while body > 0:
            found.add(body)
            body = int(character.parents[body])
    return frozenset(i for i in found if character.bodies[i].joint.kind in (JointKind.HINGE, JointKind.BALL))


def limbs(character: Character, holds: Iterable[Hold]) -> frozenset[int]:
    """Those of them that are below the last fork: legs, but not the trunk that several of them bear."""
    found = carriers(character, holds)
    above = [int(character.parents[i]) for i in found]
    forks = {i for i in above if above.count(i) > 1}
    trunk = carriers(character, (Hold(character.names[i]) for i in forks))
    return found - trunk


def _aligned(character: Character, q: Array, reference: Array, now: Places, usual: Places) -> GroundFrame:
    """The shift and heading that bring the reference pose's held things nearest to where they are."""
    turns = [a @ b.T for h, a, b in zip(now.holds, now.rotations, usual.rotations) if h.turns(character)]
    if not turns:
        turns = [
            Kinematics(character, q).rotations[0, 0] @ Kinematics(character, reference).rotations[0, 0].T
        ]
    sine = sum(t[1, 0] - t[0, 1] for t in turns)
    cosine = sum(t[0, 0] + t[1, 1] for t in turns)
    if len(now.positions) > 1:  # where several things are says more than how they are turned
        a = now.positions - now.positions.mean(axis=0)
        b = usual.positions - usual.positions.mean(axis=0)
        reach = float((b[:, :2] ** 2).sum())
        if reach > 1e-6:
            sine = (b[:, 0] * a[:, 1] - b[:, 1] * a[:, 0]).sum()
            cosine = (b[:, :2] * a[:, :2]).sum()
    heading = float(np.arctan2(sine, cosine))
    if abs(heading) < 1e-13 or character.bodies[0].joint.kind is JointKind.PLANAR:
        heading = 0.0
    turned = GroundFrame(np.zeros(3), heading)
    shift = (now.positions - turned.to_world(usual.positions)).mean(axis=0)
    shift[np.abs(shift) < 1e-13] = 0.0
    return GroundFrame(shift, heading)
