"""How a soft body sways on a bone that moves, frame by frame without history.

    y_KD(t) = Simulate(bone, t, δ):   start in balance with gravity at t − δ, follow the bone until t

Every step of the bone is a matrix (``dynamics.elastic.stepping``), a window is a chain of them, with
quadratic forces beside (``dynamics.elastic.chains``): any frame can be had alone, and has the same bits alone
or among others. Outside its frames a clip that does not loop is taken to go on evenly, without turning:
nothing jerks the body at the first frame. Where a clip jumps as no body does (a rest pose before the motion),
each take is a clip of its own.
"""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray
from poise.dynamics.elastic.chains import run_chains, settle
from poise.dynamics.elastic.inertia import Drive, drive_of
from poise.dynamics.elastic.placing import place_points
from poise.dynamics.elastic.stepping import transitions
from poise.errors import InputError, UnknownNameError
from poise.kinematics import body_velocities, forward
from poise.methods.loosen.simulate.reference import Reference
from poise.methods.loosen.wear.attachment import Attachment, Embedded
from poise.methods.loosen.window.duration import window_seconds
from poise.motion import Clip, MeshClip, Travel
from poise.motion.takes import take_at, takes
from poise.workers import algebra_on_one_thread, for_ranges

if TYPE_CHECKING:
    from poise.methods.loosen.wear.window import Choice

STEP = 1 / 120
"""Longest step [s]; never more than half a frame."""
PER_ROW = 2
"""Steps of a row, the matrix of several steps, at most: quadratic forces are looked at once a row."""

Window = float | str | ArrayLike
"""Seconds, one for each frame, "auto" (one for the clip) or "adaptive" (as each frame needs)."""


class Sway:
    """A clip and what one of its bones carries, ready to give the state at any time."""

    def __init__(self, clip: Clip, attachment: Attachment, *, step: float = STEP) -> None:
        if not (np.isfinite(step) and step > 0):
            raise InputError(f"the step must be positive, not {step} s")
        self.clip, self.attachment = clip, attachment
        self.body = clip.character.index(attachment.bone)
        self.rows = max(1, math.ceil(clip.dt / (PER_ROW * step) - 1e-9))
        """Of a frame."""
        # Two steps a frame at least: one would miss the noise between a capture's frames.
        self.per_row = max(-(-2 // self.rows), math.ceil(clip.dt / (self.rows * step) - 1e-9))
        self.per_frame = self.rows * self.per_row
        self.h = clip.dt / self.per_frame
        self._reference = Reference(clip)
        cut = takes(clip)
        self.takes: tuple[tuple[range, Sway], ...] = ()
        """Of a clip that jumps: each take's frames, and how it sways there."""
        if len(cut) > 1:
            self.takes = tuple(
                (part, type(self)(clip.with_q(clip.q[part.start : part.stop]), attachment, step=step))
                for part in cut
            )

    # The bone --------------------------------------------------------------------------------

    def bone(self, times: Array) -> tuple[Array, Array, Array, Array]:
        """Rotation (T, 3, 3), position, velocity and angular velocity (T, 3) of the bone, world axes."""
        q, v = self._reference.table(times)
        at = forward(self.clip.character, q)
        moving = body_velocities(self.clip.character, at, v)[:, self.body]
        return (
            np.ascontiguousarray(at.rotations[:, self.body]),
            np.ascontiguousarray(at.positions[:, self.body]),
            moving[:, :3],
            moving[:, 3:],
        )

    def drive(self, times: Array) -> tuple[Drive, Array]:
        """What the body feels between times one step apart (K + 1,), and the bone's rotations there."""
        clip, gravity = self.clip, self.attachment.gravity
        if not clip.loop:
            times = np.clip(times, 0.0, clip.duration)
        rotations, _, velocity, spin = self.bone(times)
        drive = drive_of(rotations, velocity, spin, self.h, gravity)
        if not clip.loop:
            apart = np.diff(times) < 0.5 * self.h
            drive.channels[apart] = 0.0
            drive.channels[apart, :3] = -np.einsum("kji,j->ki", rotations[:-1][apart], gravity)
            drive.spin[apart] = 0.0
        return drive, rotations

    def rest(self, rotations: Array) -> Array:
        """States (T, 2m) in balance with gravity on a bone turned so, (T, 3, 3)."""
        balanced = self._balance(rotations).sum(axis=1)
        return np.concatenate([balanced, np.zeros_like(balanced)], axis=1)

    def _balance(self, rotations: Array) -> Array:
        """The same coordinates by their first and second order, (T, 2, m)."""
        model = self.attachment.model
        change = -np.einsum("kji,j->ki", rotations, self.attachment.gravity) - model.load
        out = np.empty((len(rotations), 2, len(model)))
        settle(change, model.eigenvalues, model.gains, model.couplings, model.pulls, out)
        return out

    def transitions(self, first: int, last: int) -> tuple[Array, Array]:
        """Rows of frames first … last − 1, and balance (…, 2, m) at frames first … last."""
        return self._rows(self.grid_times(first, last))

    def grid_times(self, first: int, last: int) -> Array:
        """Times of all steps from frame ``first`` to frame ``last`` [s]."""
        steps = np.arange(first * self.per_frame, last * self.per_frame + 1)
        return np.asarray(steps * self.h, dtype=np.float64)

    def _rows(self, times: Array) -> tuple[Array, Array]:
        drive, rotations = self.drive(times)
        table = transitions(self.attachment.model, drive, self.h, self.per_row)
        return table, self._balance(rotations[:: self.per_frame])

    # States ----------------------------------------------------------------------------------

    def lengths(self, window: ArrayLike, count: int) -> IntArray:
        """Whole frames of each of ``count`` windows [s]."""
        return np.maximum(1, np.rint(window_seconds(window, count) * self.clip.fps)).astype(np.int64)

    @algebra_on_one_thread()
    def states(self, times: ArrayLike, window: ArrayLike) -> Array:
        """Modal coordinates and their velocities at times [s], (T, 2m)."""
        at = np.atleast_1d(np.asarray(times, dtype=np.float64))
        if not np.isfinite(at).all():
            raise InputError("times must be finite")
        if not self.takes:
            return self._states(at, window)
        seconds = window_seconds(window, len(at))
        which = np.array([take_at(self.clip, t) for t in at * self.clip.fps], dtype=np.int64)
        found: list[tuple[IntArray, Array]] = []
        for k, (part, sway_) in enumerate(self.takes):
            mine = np.flatnonzero(which == k)
            if len(mine):
                found.append((mine, sway_._states(at[mine] - part.start * self.clip.dt, seconds[mine])))
        out = np.empty((len(at), found[0][1].shape[1] if found else 0))
        for places, values in found:
            out[places] = values
        return out

    def _states(self, at: Array, window: ArrayLike) -> Array:
        """The same of a clip that does not jump."""
        lengths = self.lengths(window, len(at))
        x = at * self.clip.fps
        near = np.rint(x)
        on_frame = np.abs(x - near) < 1e-6
        out = np.empty((len(at), 2 * len(self.attachment.model)))
        if on_frame.any():
            end = near[on_frame].astype(np.int64)
            start = end - lengths[on_frame]
            first = int(start.min())
            table, rest = self.transitions(first, int(end.max()))
            out[on_frame] = self._chains(table, start - first, lengths[on_frame], rest[start - first])
        for k in np.flatnonzero(~on_frame):
            steps = int(lengths[k]) * self.per_frame
            table, rest = self._rows(at[k] + np.arange(-steps, 1) * self.h)
            out[k] = self._chains(table, np.array([0]), lengths[k : k + 1], rest[:1])[0]
        return out

    def _chains(self, table: Array, start: IntArray, count: IntArray, begin: Array) -> Array:
        """Ends of windows of ``count`` frames from frames ``start`` of a table on, (W, 2m)."""
        order = np.argsort(start, kind="stable")  # neighbours run side by side
        found = np.empty((len(start), table.shape[1]))
        for_ranges(
            run_chains, len(start), table, self.attachment.model.pulls, self.h * self.per_row,
            start[order] * self.rows, count[order] * self.rows, begin[order], found, grain=64,
        )  # fmt: skip
        out = np.empty_like(found)
        out[order] = found
        return out

    def local(self, states: Array, points: Embedded) -> Array:
        """Points in the bone's frame [m], (T, P, 3)."""
        turn = np.broadcast_to(np.eye(3), (len(states), 3, 3))
        return self._placed(states, points, np.ascontiguousarray(turn), np.zeros((len(states), 3)))

    @algebra_on_one_thread()
    def world(self, times: ArrayLike, window: ArrayLike, points: Embedded | None = None) -> Array:
        """Points (all vertices) in the world at times [s], (T, P, 3)."""
        at = np.atleast_1d(np.asarray(times, dtype=np.float64))
        rotations, positions, _, _ = self.bone(at)
        states = self.states(at, window)
        return self._placed(states, points or self.vertices, rotations, positions)

    def farthest(self, vertices: Array) -> float:
        """How far vertices at the clip's frames (F, N, 3) get from where the bone takes them at rest [m]."""
        rotations, positions, _, _ = self.bone(np.asarray(self.clip.times))
        rest = np.einsum("fij,jn->fni", rotations, self.vertices.rest) + positions[:, None]
        return float(np.linalg.norm(vertices - rest, axis=2).max())

    @cached_property
    def vertices(self) -> Embedded:
        """All vertices of the attachment."""
        return self.attachment.vertices

    def embedded(self, places: Array) -> Embedded:
        """Material points of the attachment by their places at rest on the bone, (P, 3)."""
        return self.attachment.embedded(places)

    @property
    def bending(self) -> Array:
        """Θ: how directions of derivatives follow from modes, (r, b, b)."""
        return self.attachment.model.bending

    def _placed(self, states: Array, points: Embedded, rotations: Array, positions: Array) -> Array:
        q = np.ascontiguousarray(states[:, : states.shape[1] // 2])
        out = np.empty((len(q), points.rest.shape[1], 3))
        for_ranges(place_points, len(q), q, self.bending, *points, rotations, positions, out, grain=16)
        return out


@algebra_on_one_thread()
def windows_of(motion: Sway, window: Window) -> Array:
    """Window of each frame [s], (F,)."""
    frames = motion.clip.frames
    if isinstance(window, str):
        if window not in ("auto", "adaptive"):
            raise UnknownNameError("window", window, ("auto", "adaptive"))
        parts = [part.clip for _, part in motion.takes] or [motion.clip]
        choices = [_chosen(part, motion.attachment) for part in parts]
        if window == "adaptive":
            return np.concatenate([choice.windows for choice in choices])
        return np.full(frames, max(choice.seconds for choice in choices))
    seconds = np.asarray(window, dtype=np.float64)
    if seconds.ndim > 1 or (seconds.ndim == 1 and len(seconds) != frames):
        raise InputError(
            f"windows must be one number or one for each of {frames} frames, not {seconds.shape}"
        )
    motion.lengths(seconds, frames)
    return np.array(np.broadcast_to(seconds, (frames,)))


@lru_cache(maxsize=8)
def _chosen(clip: Clip, attachment: Attachment) -> Choice:
    """Windows as the clip needs them; scrubbing asks again and again."""
    from poise.methods.loosen.wear.window import choose

    return choose(Sway(clip, attachment))


def sway_of(clip: Clip, attachment: Attachment, *, large: bool = False) -> Sway:
    """The motion of an attachment; ``large`` by corotated forces instead of first and second order."""
    if not large:
        return Sway(clip, attachment)
    from poise.methods.loosen.wear.large_sway import LargeSway

    return LargeSway(clip, attachment)


@algebra_on_one_thread()
def sway(clip: Clip, attachment: Attachment, window: Window = "auto", *, large: bool = False) -> MeshClip:
    """The attachment's moving mesh on a clip, in the world.

    ``large`` is for motions of more than 6 % of its size (``QUICK_REACH``): slower, and right for them.
    """
    motion = sway_of(clip, attachment, large=large)
    vertices = motion.world(clip.times, windows_of(motion, window))
    on_the_spot = clip.travel == Travel() or not (np.any(clip.travel.translation) or clip.travel.yaw)
    return MeshClip(
        vertices, attachment.surface.faces, clip.rate, name=attachment.name,
        loop=clip.loop and on_the_spot, colours=attachment.colour,
    )  # fmt: skip


@algebra_on_one_thread()
def sway_state(
    clip: Clip, attachment: Attachment, time: float, window: Window = "auto", *, large: bool = False
) -> Array:
    """The attachment's vertices at one time [m], world, (N, 3): what scrubbing shows.

    The window is the one that ``sway`` gives the nearest frame, so at frames both agree to the bit.
    """
    motion = sway_of(clip, attachment, large=large)
    if not np.isfinite(time):
        raise InputError("times must be finite")
    frame = round(time * clip.fps)
    frame = frame % clip.frames if clip.loop else min(max(frame, 0), clip.frames - 1)
    return motion.world([time], windows_of(motion, window)[frame])[0]
