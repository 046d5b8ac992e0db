"""The poses of a document at any times, each solved for itself.

Times at which the same tracks act form one batch. A batch's tasks, by strictness:

    level 0   centre of mass at its path           level 1   inertia at its keys
    soft      pins by their gains; path and inertia while they let go; last the carried pose

Spins cut time into epochs: what happens after a spin depends on how it ended, what happens up to its end does
not. Epoch by epoch, a spin is worked out once from the motion in it, and then the motion after it is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import Array, IntArray, checked
from poise.character import JointKind
from poise.handles import CentreOfMass, Handle, PointPosition
from poise.kernels.compile_log import working_time
from poise.kinematics import Kinematics
from poise.methods.key.pose.posture import Supple, posture
from poise.methods.key.pose.solver import PoseSolver
from poise.methods.key.pose.task import Task
from poise.methods.key.sheet.easing import smooth
from poise.methods.key.sheet.key import TICK
from poise.methods.key.sheet.pin import Pin
from poise.methods.key.sheet.track import Track
from poise.methods.key.spin.entry_and_exit import Flight

if TYPE_CHECKING:
    from poise.constraints import Report
    from poise.methods.key.frames.transition import Passage
    from poise.methods.key.sheet.keyframes import Keyframes

Progress = Callable[[int, int], None]
"""Called with (times done, times in all); it stops the work by raising ``CancelledError``."""
RETURN = 0.7
"""The share of a fade in which a strict track goes back to what the pose has; in the rest its gain falls."""
TURN = 1e-8
"""How well a spin's rotation is followed [rad]; solved poses are smooth to little more."""

FIRM = 4.0
"""The pull of a pin from which on it gives way [m⁻¹, rad⁻¹]. At no distance is it twice as much, and a spine
(3 rad⁻² a joint, joints a quarter of a metre apart) pulled along itself buckles only at about 12."""
_BATCH = 256  # times solved between two calls of progress


@dataclass(frozen=True, eq=False)
class Evaluated:
    """Poses at times."""

    times: Array
    """[s] (T,)."""
    q: Array
    """(T, nq)"""
    report: Report
    again: Callable[[Array], Report]
    """The report on other poses (T, nq) at these times."""


@dataclass(frozen=True, eq=False)
class Pull:
    """What one track asks for over T times."""

    name: str
    handle: Handle
    level: int | None
    targets: Array  # (T, size)
    gains: Array  # (T,): 0 where it does not act
    beyond: Array
    """How far outside its keys a strict track is at each time [s], (T,)."""
    across: Array
    """How far off the plane of a planar character its target lies [m], which is left out, (T,)."""
    fading: bool = False
    """Whether this is a strict track letting go."""


@dataclass(frozen=True, eq=False)
class Solving:
    """What the solver made of T times."""

    q: Array  # (T, nq)
    iterations: IntArray  # (T,)
    settled: NDArray[np.bool_]  # (T,)


class Evaluation:
    """One document, ready to be asked for poses; solvers and flights are kept."""

    def __init__(self, keyframes: Keyframes) -> None:
        self.keyframes = keyframes
        self.passages: tuple[Passage, ...] = ()
        self.path = keyframes.acting_path
        self.supple = Supple(keyframes.character, [pin.handle for pin in keyframes.pins if pin.acts])
        self.spins = keyframes.spins
        self._flights: list[Flight] = []
        self._solvers: dict[tuple[Task, ...], PoseSolver] = {}
        self._placed: dict[tuple[str, int], Track] = {}

    def passing(self, passages: Sequence[Passage]) -> Evaluation:
        """The same document with more passages over its folds."""
        if not passages:
            return self
        out = copy(self)
        out.passages = (*self.passages, *passages)
        out._flights, out._placed = [], {}  # spins turn with the motion in them
        return out

    def poses(self, times: Array) -> Array:
        """(T, nq): those of ``at`` alone."""
        return self._everything(times, None)[1].q

    def at(self, times: ArrayLike, *, progress: Progress | None = None) -> Evaluated:
        """Poses at times [s] and a report on them."""
        from poise.methods.key.sheet.report import report_on

        began = working_time()
        t = checked(np.atleast_1d(times), "times", (None,))
        pulls, found = self._everything(t, progress)
        report = report_on(self, t, pulls, found, working_time() - began)

        def again(q: Array) -> Report:
            return report_on(self, t, pulls, replace(found, q=q), report.seconds)

        return Evaluated(t, found.q, report, again)

    def _everything(self, times: Array, progress: Progress | None) -> tuple[list[Pull], Solving]:
        """What was wanted at all times, and the solved and turned motion."""
        nq, count = self.keyframes.character.nq, len(times)
        out = Solving(np.empty((count, nq)), np.zeros(count, np.int64), np.ones(count, np.bool_))
        epochs, done = self.epochs(times), 0
        pulls: dict[str, Pull] = {}
        for epoch in np.unique(epochs):
            which = np.flatnonzero(epochs == epoch)
            asked = self.pulls(times[which], int(epoch))

            def step(part: int, before: int = done) -> None:
                if progress is not None:
                    progress(before + part, count)

            found = self.solve(times[which], asked, int(epoch), step)
            inside = self.inside(times[which])
            if inside.any():
                found.q[inside] = self.flight(int(epoch)).turned(times[which][inside], found.q[inside])
            out.q[which], out.iterations[which], out.settled[which] = found.q, found.iterations, found.settled
            for pull in asked:
                whole = pulls.setdefault(pull.name, _blank(pull, count))
                whole.targets[which], whole.gains[which] = pull.targets, pull.gains
                whole.across[which] = pull.across
            done += len(which)
        return list(pulls.values()), out

    # Spins -------------------------------------------------------------------------------------

    def epochs(self, times: Array) -> IntArray:
        """(T,): how many spins have ended."""
        ends = np.array([spin.end for spin in self.spins])
        return np.searchsorted(ends - TICK, times, side="right").astype(np.int64)

    def inside(self, times: Array) -> NDArray[np.bool_]:
        """(T,): whether a spin is under way; its own ends are not in it."""
        within = np.zeros(len(times), dtype=np.bool_)
        for spin in self.spins:
            within |= (times > spin.start + TICK) & (times < spin.end - TICK)
        return within

    def flight(self, index: int) -> Flight:
        """A spin with its rotation, found when first asked for."""
        while len(self._flights) <= index:
            self._flights.append(self._found_flight(len(self._flights)))
        return self._flights[index]

    def _found_flight(self, k: int) -> Flight:
        spin, room = self.spins[k], self.keyframes.fade
        lead = min([room, *(0.5 * (spin.start - other.end) for other in self.spins[max(k - 1, 0) : k])])
        follow = min([room, *(0.5 * (other.start - spin.end) for other in self.spins[k + 1 : k + 2])])
        corners = [*self.keyframes.key_times, *(t for p in self.passages for t in (p.start, p.end))]
        breaks = sorted({t for t in corners if spin.start < t < spin.end})

        def motion(times: Array) -> Array:
            return self.solve(times, self.pulls(times, k), k).q

        found = spin.rotation(self.keyframes.character, motion, breaks=breaks, accuracy=TURN)
        return Flight(spin, found, max(lead, 0.0), max(follow, 0.0))

    # What each track wants ---------------------------------------------------------------------

    def carried(self, times: Array, epoch: int, *, eased: bool = True) -> Array:
        """(T, nq): the pose track carried by path and spins; ``eased``: winding up and following through."""
        character = self.keyframes.character
        q = self.keyframes.pose_track.at(times)
        root = character.bodies[0].joint.kind
        if self.path is not None and root in (JointKind.FREE, JointKind.PLANAR) and len(times):
            near = np.clip(times, *self.path.span)  # beyond the path's ends, as at its ends
            held = Kinematics(character, self.keyframes.pose_track.at(near)).com
            way = self.path.at(near).position - held  # (T, 3)
            q[:, : 3 if root is JointKind.FREE else 2] += way if root is JointKind.FREE else way[:, [0, 2]]
        for k in range(epoch):
            q = self.flight(k).after(times, q, eased=eased)
        if eased and epoch < len(self.spins):
            start = self.spins[epoch].start
            if ((times < start) & (times > start - self.keyframes.fade)).any():
                q = self.flight(epoch).before(times, q)
        return q

    def pulls(self, times: Array, epoch: int) -> list[Pull]:
        """Everything but the pose, strictest first."""
        keyframes, inertia = self.keyframes, self.keyframes.inertia
        found: list[Pull] = []
        if not len(times):
            return found
        kin = Kinematics(keyframes.character, self.carried(times, epoch))
        if self.path is not None:
            axes = "xz" if keyframes.character.bodies[0].joint.kind is JointKind.PLANAR else "xyz"
            handle, beyond = CentreOfMass(axes), _beyond(times, self.path.span)
            place = self.path.at(times).position[:, ["xyz".index(a) for a in axes]]
            goal = np.where((beyond == 0.0)[:, None], place, handle.value(kin))
            found += self._strict("centre of mass", handle, 0, goal, beyond)
        if inertia is not None and inertia.acts:
            beyond = _beyond(times, inertia.values.span)
            near = np.clip(times, *inertia.values.span)
            goal = inertia.values.at(near)
            outside = beyond > 0.0
            if outside.any():  # from the last value to what the pose has by itself
                own = inertia.handle.value(kin)[outside]
                end = Kinematics(keyframes.character, self.carried(near[outside], epoch, eased=False))
                left = smooth(1.0 - beyond[outside] / max(RETURN * keyframes.fade, TICK))
                goal[outside] = own + left[:, None] * (goal[outside] - inertia.handle.value(end))
            found += self._strict("inertia", inertia.handle, 1, goal, beyond)
        for pin in keyframes.pins:
            if pin.acts:
                goal = self._targets(pin, epoch).at(times)
                across = _across(pin.handle, kin)
                own = pin.handle.value(kin)[:, across]
                off = np.abs(goal[:, across] - own).max(axis=1, initial=0.0)
                goal[:, across] = own
                nothing = np.zeros(len(times))
                found.append(Pull(pin.name, pin.handle, None, goal, pin.gain(times), nothing, off))
        return found

    def _strict(self, name: str, handle: Handle, level: int, goal: Array, beyond: Array) -> list[Pull]:
        """A strict task within its keys, and a soft one that fades beyond them."""
        inside = beyond == 0.0
        fade, nothing = max(self.keyframes.fade, TICK), np.zeros(len(goal))
        fading = np.where(inside, 0.0, smooth((1.0 - beyond / fade) / (1.0 - RETURN)))
        return [
            Pull(name, handle, level, goal, inside.astype(np.float64), beyond, nothing),
            Pull(f"{name}, letting go", handle, None, goal, fading, beyond, nothing, fading=True),
        ]

    def _targets(self, pin: Pin, epoch: int) -> Track:
        """The pin's targets with places for those left to be found, which is done once."""
        character = self.keyframes.character
        if (pin.name, epoch) in self._placed:
            return self._placed[pin.name, epoch]

        def places(times: Array) -> Array:
            epochs = np.minimum(self.epochs(times), epoch)
            rows = [self.carried(times[i : i + 1], int(e), eased=False) for i, e in enumerate(epochs)]
            return pin.handle.bind(character).value(Kinematics(character, np.concatenate(rows)))

        return self._placed.setdefault((pin.name, epoch), pin.targets.resolved(places))

    # Solving -------------------------------------------------------------------------------------

    def solve(
        self, times: Array, pulls: Sequence[Pull], epoch: int, step: Callable[[int], None] | None = None
    ) -> Solving:
        """The carried poses, held limbs softened, pulled; one batch for each set of tracks that act."""
        q, count, done = self.supple.softened(self.carried(times, epoch)), len(times), 0
        over = np.zeros(count, dtype=np.bool_)
        for passage in self.passages:
            where = passage.inside(times) & (passage.epoch == epoch)
            q[where] = passage.poses(times[where], q[where])
            pulls = [passage.asked(pull, times, where) for pull in pulls]
            over |= where
        iterations, settled = np.zeros(count, dtype=np.int64), np.ones(count, dtype=np.bool_)
        acting = np.array([pull.gains > 0.0 for pull in pulls], dtype=np.bool_).reshape(len(pulls), count).T
        for pattern in np.unique(acting, axis=0):
            which = np.flatnonzero((acting == pattern).all(axis=1))
            chosen = [pull for pull, acts in zip(pulls, pattern) if acts]
            for first in range(0, len(which), _BATCH):
                part = which[first : first + _BATCH]
                done += len(part)
                if not chosen:  # a pose as keyed, but one on the way over a fold keeps to the limits
                    part = part[over[part]]
                if len(part):
                    targets = [pull.targets[part] for pull in chosen]
                    gains = [pull.gains[part] for pull in chosen]
                    solved = self._solver(chosen).solve(q[part], q[part], targets, gains)
                    q[part], iterations[part], settled[part] = solved.q, solved.iterations, solved.settled
                if step is not None:
                    step(done)
        return Solving(q, iterations, settled)

    def _solver(self, pulls: Sequence[Pull]) -> PoseSolver:
        tasks = tuple(Task(p.handle, p.level, most=np.inf if p.fading else FIRM) for p in pulls)
        if tasks not in self._solvers:
            figure = self.supple.character
            self._solvers[tasks] = PoseSolver(figure, tasks, pose_weight=posture(figure))
        return self._solvers[tasks]


def _across(handle: Handle, kin: Kinematics) -> list[int]:
    """Rows of a handle across the plane of a planar character: it stays there, whatever a pin asks."""
    if kin.character.bodies[0].joint.kind is not JointKind.PLANAR or not isinstance(handle, PointPosition):
        return []
    moves = handle.jacobian(Kinematics(kin.character, kin.q[:1]))[0].any(axis=1)  # (axes,)
    return [row for row, axis in enumerate(handle.axes) if axis == "y" and not moves[row]]


def _beyond(times: Array, span: tuple[float, float]) -> Array:
    """(T,): how far outside the span [s]."""
    far = np.maximum(np.maximum(span[0] - times, times - span[1]), 0.0)
    return np.where(far < TICK, 0.0, far)


def _blank(pull: Pull, count: int) -> Pull:
    """The same track over other times, not yet acting."""
    targets = np.zeros((count, pull.targets.shape[1]))
    gains, beyond, across = np.zeros((3, count))
    return Pull(pull.name, pull.handle, pull.level, targets, gains, beyond, across, pull.fading)
