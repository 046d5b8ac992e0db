"""Constraints on poses and on what they carry, as a function of a correction's coefficients u.

    z(u) = (pose ⊖ pose as animated, offsets of soft points on their bones)      at the constraints' times

is what takes a simulation, and nearly linear; residuals r(z) follow from it by kinematics alone. Velocities
are differences of neighbouring frames, as for skeletons: what one sees, of the soft points in the world.
Between frames a pose is the clip's curve, and a soft point on the line between its frames, as in a
``MeshClip``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from poise.arrays import Array, IntArray
from poise.constraints import Constraint
from poise.curves import TangentCurve
from poise.handles import AttachmentPoint
from poise.kinematics import Carried, Dressed, Kinematics
from poise.methods.loosen.hit.correction import Layout
from poise.methods.loosen.hit.residuals import Rows, rows_of
from poise.methods.loosen.hit.seen import at_the_time
from poise.methods.loosen.simulate.simulator import Simulator
from poise.methods.loosen.wear.attachment import Attachment
from poise.methods.loosen.wear.sway import Window, sway_of, windows_of
from poise.motion import Clip, edit
from poise.operations.loosen import Loosen


class AttachedProblem:
    """What is asked of a clip and what it carries."""

    def __init__(
        self,
        clip: Clip,
        constraints: Sequence[Constraint],
        attachments: Sequence[Attachment],
        layout: Layout,
        *,
        loose: Loosen | None,
        window: Window,
        large: bool,
    ) -> None:
        self.clip, self.constraints, self.layout = clip, tuple(constraints), layout
        self.attachments = {a.name: a for a in attachments}
        self.loose, self.large = loose, large
        self._skeleton = None if loose is None else self._skeleton_windows(loose)
        self.rows, self.times = rows_of(clip, self.constraints)
        """At which states are looked at [s], (T,)."""
        self.points = self._soft_points()
        """Points of attachments that constraints speak of, and at which of the times, by attachment."""
        ends = len(self.times) * clip.character.nv + np.cumsum(
            [0, *(3 * len(s) for s in self.points.values())]
        )
        self._where = {key: slice(a, b) for key, a, b in zip(self.points, ends[:-1], ends[1:])}
        base = self.carrier(np.zeros(self.unknowns))
        self.windows = {a.name: windows_of(sway_of(base, a, large=large), window) for a in attachments}
        """Of each frame [s], by attachment."""
        self.start = base.at(self.times)
        """Poses as animated (or loosened), (T, nq)."""
        self.simulations = 0
        self.told: Callable[[], None] = lambda: None
        """Called before every simulation; it may stop the search."""

    def _soft_points(self) -> dict[Carried, IntArray]:
        looked: dict[Carried, list[IntArray]] = {}
        for rows in self.rows:
            handle = rows.constraint.handle
            if isinstance(handle, AttachmentPoint):
                found = looked.setdefault((handle.attachment, handle.place), [])
                found.append(rows.sight.states)
        order = list(self.attachments)
        keys = sorted(looked, key=lambda key: order.index(key[0]))
        return {key: np.unique(np.concatenate(looked[key])) for key in keys}

    def _skeleton_windows(self, loose: Loosen) -> Array:
        from poise.methods.loosen.window.windows import windows_of as skeleton_windows

        return skeleton_windows(Simulator(self.clip, loose.spec, loose), loose.window)

    @property
    def unknowns(self) -> int:
        """How many."""
        return len(self.layout.unknowns[0])

    def curve(self, u: Array) -> TangentCurve:
        """The correction."""
        return TangentCurve(self.layout.basis, self.layout.coefficients(u))

    def largest(self, u: Array) -> float:
        """The largest coefficient of a correction [rad or m]."""
        return float(np.abs(self.layout.coefficients(u)).max(initial=0.0))

    def animation(self, u: Array) -> Clip:
        """The clip with the correction applied at its frames."""
        return edit.apply(self.curve(u), self.clip, wrap=self.clip.loop) if np.any(u) else self.clip

    def carrier(self, u: Array) -> Clip:
        """The motion that carries attachments."""
        if self.loose is None or self._skeleton is None:
            return self.animation(u)
        simulator = Simulator(self.clip, self.loose.spec, self.loose, correction=self.curve(u))
        return self.clip.with_q(simulator.states(self.clip.times, self._skeleton)[0])

    # States and what they mean ---------------------------------------------------------------

    def states(self, u: Array) -> Array:
        """z: each attachment is simulated once, at all times its points are looked at."""
        self.told()
        carrier = self.carrier(u)
        z = [carrier.character.manifold.minus(carrier.at(self.times), self.start).ravel()]
        for name, worn in self.attachments.items():
            mine = {key: states for key, states in self.points.items() if key[0] == name}
            if not mine:
                continue
            every = np.unique(np.concatenate(list(mine.values())))
            motion = sway_of(carrier, worn, large=self.large)
            frames = np.rint(self.times[every] * carrier.fps).astype(np.int64)
            last = carrier.frames - 1
            frames = frames % (last + 1) if carrier.loop else np.clip(frames, 0, last)
            found = motion.states(self.times[every], self.windows[name][frames])
            self.simulations += len(every)
            for (_, place), states in mine.items():
                at = motion.local(found[np.searchsorted(every, states)], motion.embedded(np.array([place])))
                z.append((at[:, 0] - place).ravel())
        return np.concatenate(z)

    def poses(self, zs: Array, rows: Rows) -> Dressed:
        """Poses of several z (B, N) at a constraint's times (T,), with the soft points it speaks of, B·T."""
        character, count = self.clip.character, len(zs)
        size = len(self.times) * character.nv
        q = character.manifold.plus(self.start, zs[:, :size].reshape(count, -1, character.nv))  # (B, T, nq)
        look = rows.sight
        seen, v = look(character.manifold, self.clip.dt, q, moving=rows.moving)
        flat = seen.reshape(-1, character.nq)
        moved: dict[Carried, Array] = {}
        moving: dict[Carried, Array] = {}
        handle = rows.constraint.handle
        if isinstance(handle, AttachmentPoint):
            key = (handle.attachment, handle.place)
            offsets = self._offsets(zs, key)
            if look.share is not None:
                ends = self._path(handle, q[:, look.state], offsets[:, look.state])  # (B, T, 2, 3)
                at = ends[:, :, 0] + look.share[:, None] * (ends[:, :, 1] - ends[:, :, 0])
                moved[key] = self._offset_of(handle, flat, at.reshape(-1, 3))
                moving[key] = (np.diff(ends, axis=2) / self.clip.dt).reshape(-1, 3)
            else:
                moved[key] = offsets[:, look.state].reshape(-1, 3)
                if rows.moving:
                    path = self._path(handle, q[:, look.around], offsets[:, look.around])  # (B, T, 3, 3)
                    moving[key] = at_the_time(np.diff(path, axis=2) / self.clip.dt, look).reshape(-1, 3)
        return Dressed(
            character,
            flat,
            None if v is None else v.reshape(-1, character.nv),
            displacements=moved,
            point_velocities=moving,
        )

    def _offset_of(self, handle: AttachmentPoint, q: Array, place: Array) -> Array:
        """How far from its place at rest a point at world places (n, 3) is, in the bone's axes."""
        kin, body = Kinematics(self.clip.character, q), self.clip.character.index(handle.bone)
        arm = np.einsum("fij,fi->fj", kin.rotations[:, body], place - kin.positions[:, body])
        return np.asarray(arm - np.array(handle.place))

    def _offsets(self, zs: Array, key: Carried) -> Array:
        """Where a point is from its place at rest, in the bone's axes, (B, T, 3); nan where not looked at."""
        out = np.full((len(zs), len(self.times), 3), np.nan)
        out[:, self.points[key]] = zs[:, self._where[key]].reshape(len(zs), -1, 3)
        return out

    def _path(self, handle: AttachmentPoint, q: Array, offsets: Array) -> Array:
        """Where a point is in the world, (…, 3), at poses (…, nq) with offsets (…, 3)."""
        key = (handle.attachment, handle.place)
        kin = Dressed(
            self.clip.character,
            q.reshape(-1, q.shape[-1]),
            displacements={key: offsets.reshape(-1, 3)},
        )
        whole = AttachmentPoint(handle.attachment, handle.bone, handle.place)
        return whole.value(kin).reshape(offsets.shape)

    def measure(self, zs: Array) -> Array:
        """Weighted violations of several z (B, N), (B, r)."""
        parts = []
        for rows in self.rows:
            c, times = rows.constraint, np.tile(rows.times, len(zs))
            error = c.violation(c.error(self.poses(zs, rows), times))
            parts.append(rows.weight * error.reshape(len(zs), -1))
        return np.concatenate(parts, axis=1)

    def margins(self, zs: Array) -> Array:
        """How far several z (B, N) cross each bound, weighted; negative within, (B, k)."""
        parts = []
        for rows in self.rows:
            c, times = rows.constraint, np.tile(rows.times, len(zs))
            error = c.error(self.poses(zs, rows), times).reshape(len(zs), len(rows.times), -1)
            for off in (error - np.asarray(c.upper), np.asarray(c.lower) - error):
                parts.append(rows.weight * off[..., np.isfinite(off).all(axis=(0, 1))].reshape(len(zs), -1))
        return np.concatenate(parts, axis=1)
