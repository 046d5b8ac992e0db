"""How something thin hangs on a motion, without history: every frame is mixed from two short simulations.

A run starts as modelled, carried along by its bone, δ before it is first seen, and is seen for a time 2b:

    x(t) = w x_j(t) + (1 − w) x_j₋₁(t),    w from 0 to 1 over t_j … t_j + b,    run j from t_j − δ on

What cloth did more than δ + 2b ago is forgotten, so frames can be had in any order, alone or together, to the
same bits; and as runs are mixed smoothly nothing jumps, though cloth that folds is chaotic and two windows
that differ by a frame need not end alike. With b = δ/2 that costs four times the clip's duration, whatever δ
is. Mixing shortens what two runs hold apart and may put it into the body: frames are tidied afterwards.

Before its first frame a clip that does not loop is taken to come along evenly in its first pose. Where it
jumps as no body does (a rest pose before the motion), each take is draped for itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.dynamics.cloth.solids import Placed, Solid, placed
from poise.dynamics.cloth.stepping import Carrier, Manner, Walls, advance, tidy
from poise.errors import InputError
from poise.kinematics import body_velocities, forward
from poise.methods.loosen.simulate.reference import Reference
from poise.methods.loosen.wear.garment import Garment
from poise.motion import Clip, MeshClip, Travel
from poise.motion.takes import takes
from poise.watching import Progress
from poise.workers import algebra_on_one_thread, thread_count
from poise.world import Surface

ROW = 1 / 120
"""Longest time between rows of the table by which bones move [s]."""
FORGOTTEN = 0.05
"""What is left of a swing after a window."""
SHORTEST, LONGEST = 0.5, 3.0
"""Bounds of windows that are chosen [s]."""
SLIP = 0.75
"""How much of the wearer's pace the air around it has: cloth of a walker hangs, of a runner streams."""
STABLE = 1.4
"""A step times the bound of the highest frequency; leapfrog runs away at 2, with dampers a little before."""
CLOSE = 0.2
"""Share of the distance that cloth keeps from a body by which it is at least away from it when it is taut."""
STRETCH = 0.03
"""Frames that were mixed are stretched by no more than this."""


class Drape:
    """A clip and something thin on it, ready to give any frames."""

    def __init__(
        self,
        clip: Clip,
        garment: Garment,
        solids: Sequence[Solid] = (),
        surfaces: Sequence[Surface] = (),
        window: float | str = "auto",
        *,
        finer: float = 1.0,
        began: float = 0.0,
    ) -> None:
        """``began``: when the clip begins among surfaces that move [s]."""
        self.clip, self.garment, self.surfaces = clip, garment, tuple(surfaces)
        self.solids = list(solids)
        self.body = clip.character.index(garment.bone)
        self.rows = max(2, math.ceil(clip.dt / ROW - 1e-9))
        """Of a frame."""
        self.row = clip.dt / self.rows
        self.steps = max(1, math.ceil(finer * self.row * garment.sheet.fastest / STABLE))
        """Of a row."""
        self.window = self._window(window)
        self._reference = Reference(clip)
        self._runs: dict[int, dict[int, Array]] = {}
        self.began = began
        cut = takes(clip)
        self._takes: list[tuple[range, Drape]] = []
        """Of a clip that jumps: each take's frames, draped for themselves."""
        if len(cut) > 1:
            self._takes = [
                (part, Drape(clip.with_q(clip.q[part.start : part.stop]), garment, solids, surfaces, window,
                             finer=finer, began=part.start * clip.dt))
                for part in cut
            ]  # fmt: skip

    def _window(self, asked: float | str) -> float:
        if not isinstance(asked, str):
            if not (np.isfinite(asked) and asked > 0):
                raise InputError(f"a window must be positive [s], not {asked}")
            return float(asked)
        decay = 0.5 * self.garment.drag
        chosen = math.log(1 / FORGOTTEN) / decay if decay > 0 else LONGEST
        return min(max(chosen, SHORTEST), LONGEST)

    # When runs begin and end -----------------------------------------------------------------

    @cached_property
    def _lead(self) -> int:
        """δ in frames."""
        return max(1, math.ceil(self.window * self.clip.fps))

    def _seen(self, run: int) -> int:
        """Frame from which on a run is seen; a loop's runs come again with it."""
        between = max(1, round(0.5 * self._lead))
        if not self.clip.loop:
            return run * between
        count = max(1, round(self.clip.frames / between))
        return math.floor(run * self.clip.frames / count)

    def _mixed(self, frame: int) -> tuple[int, float]:
        """The later of the two runs that a frame is mixed from, and its share."""
        run = next(k for k in range(frame + 1) if self._seen(k + 1) > frame)
        start, end = self._seen(run), self._seen(run + 1)
        s = (frame - start) / (end - start)
        return run, s * s * (3 - 2 * s)

    # The body --------------------------------------------------------------------------------

    def _tables(self, first: int, count: int) -> tuple[Carrier, Placed]:
        """The bone and the solids at ``count`` rows from row ``first`` on."""
        clip, sheet = self.clip, self.garment.sheet
        times = np.asarray(np.arange(first, first + count) * self.row, dtype=np.float64)
        before = np.minimum(times, 0.0) if not clip.loop else np.zeros(count)
        q, v = self._reference.table(times if clip.loop else np.maximum(times, 0.0))
        at = forward(clip.character, q)
        moving = body_velocities(clip.character, at, v)
        positions, rotations = at.positions, at.rotations
        velocity, spin = np.array(moving[:, :, :3]), np.array(moving[:, :, 3:])
        early = before < 0
        if early.any():
            start, rate = self._reference.table(np.zeros(1))
            pace = body_velocities(clip.character, forward(clip.character, start), rate)[0, self.body, :3]
            pace = pace * [1.0, 1.0, 0.0]
            velocity[early], spin[early] = pace, 0.0
            positions = positions + before[:, None, None] * pace
        own = [np.ascontiguousarray(a[:, self.body]) for a in (positions, rotations, velocity, spin)]
        carrier = Carrier(
            own[0],
            own[1],
            own[2],
            own[3],
            sheet.held,
            np.ascontiguousarray(sheet.points[sheet.held]),
        )
        return carrier, placed(self.solids, positions, rotations, velocity, spin)

    @cached_property
    def manner(self) -> Manner:
        """How it moves."""
        made = self.garment
        return Manner(
            made.gravity,
            made.drag,
            SLIP,
            made.friction,
            made.skin,
            made.sheet.thickness,
            self.row,
            self.steps,
            self._passes,
        )

    @cached_property
    def _passes(self) -> NDArray[np.bool_]:
        """Vertices that are modelled in a solid of the bone that holds them, (V, S): a root in a head."""
        points = self.garment.sheet.points
        out = np.zeros((len(points), len(self.solids)), dtype=np.bool_)
        for k, s in enumerate(self.solids):
            if s.body == self.body:
                over = np.abs((points - s.centre) @ s.turn) - s.core
                away = (
                    np.linalg.norm(np.maximum(over, 0), axis=1) + np.minimum(over.max(axis=1), 0) - s.radius
                )
                out[:, k] = away < self.garment.skin
        return out

    def _walls(self, x: Array, time: float) -> Walls:
        """The nearest surface of the world as a plane for each vertex."""
        time = self.began + time
        gaps, normals = zip(*(s.gap(x, time) for s in self.surfaces))
        nearest = np.argmin(gaps, axis=0)
        pick = np.arange(len(x))
        gap, normal = np.stack(gaps)[nearest, pick], np.stack(normals)[nearest, pick]
        moving = np.stack([s.velocity_at(x, time) for s in self.surfaces])[nearest, pick]
        offset = np.where(np.isfinite(gap), np.einsum("vi,vi->v", normal, x) - gap, -np.inf)
        return Walls(np.ascontiguousarray(normal), offset, np.ascontiguousarray(moving))

    # Runs ------------------------------------------------------------------------------------

    @cached_property
    def _no_walls(self) -> Walls:
        return Walls(np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3)))

    def run(self, number: int) -> dict[int, Array]:
        """Places (V, 3) at all frames at which a run is seen."""
        known = self._runs.get(number)
        if known is not None:
            return known
        sheet, start = self.garment.sheet, self._seen(number)
        end = self._seen(number + 2)
        if not self.clip.loop:
            end = min(end, self.clip.frames)
        first = (start - self._lead) * self.rows
        carrier, around = self._tables(first, (end - start + self._lead) * self.rows + 2)
        arm = sheet.points @ carrier.turn[0].T
        x, v = carrier.at[0] + arm, carrier.velocity[0] + np.cross(carrier.spin[0], arm)
        out = {}
        stop = 0
        for frame in range(start, end):
            until = (frame - start + self._lead) * self.rows
            each = 1 if self.surfaces else max(until - stop, 1)
            for row in range(stop, until, each):
                walls = self._walls(x, (first + row) * self.row) if self.surfaces else self._no_walls
                advance(
                    sheet.springs, sheet.points, carrier, around, walls, self.manner,
                    np.array([row, min(row + each, until)]), x, v,
                )  # fmt: skip
            stop = until
            if not np.isfinite(x).all():
                raise InputError(f"{self.garment.name!r} cannot be simulated on this motion (frame {frame})")
            out[frame] = x.copy()
        self._runs[number] = out
        return out

    @algebra_on_one_thread()
    def frames(self, chosen: Sequence[int], progress: Progress = lambda part: None) -> Array:
        """Places of the sheet's vertices [m], world, (k, V, 3)."""
        if self._takes:
            return self._by_take(chosen, progress)
        mixed = [self._mixed(frame) for frame in chosen]
        needed = sorted({run - back for run, _ in mixed for back in (0, 1)} - self._runs.keys())
        with ThreadPoolExecutor(max(1, min(thread_count(), len(needed) or 1))) as pool:
            for done, _ in enumerate(pool.map(self.run, needed), 1):
                progress(done / (len(needed) + 1))
        out = np.empty((len(chosen), *self.garment.sheet.points.shape))
        for k, (frame, (run, share)) in enumerate(zip(chosen, mixed)):
            out[k] = share * self.run(run)[frame] + (1 - share) * self.run(run - 1)[frame]
            walls = self._walls(out[k], frame * self.clip.dt) if self.surfaces else self._no_walls
            carrier, around = self._tables(frame * self.rows, 2)
            close = self.manner._replace(skin=CLOSE * self.manner.skin)
            tidy(self.garment.sheet.springs, carrier, around, walls, close, STRETCH, out[k : k + 1])
        return out

    def _by_take(self, chosen: Sequence[int], progress: Progress) -> Array:
        out = np.empty((len(chosen), *self.garment.sheet.points.shape))
        wanted = np.asarray(chosen)
        for k, (part, drape) in enumerate(self._takes):
            mine = np.flatnonzero((wanted >= part.start) & (wanted < part.stop))
            if len(mine):
                out[mine] = drape.frames((wanted[mine] - part.start).tolist())
            progress((k + 1) / len(self._takes))
        return out

    def mesh(self, places: Array) -> MeshClip:
        """What is seen of it at all frames, its vertices at places (F, V, 3)."""
        clip, made = self.clip, self.garment
        on_the_spot = clip.travel == Travel() or not (np.any(clip.travel.translation) or clip.travel.yaw)
        return MeshClip(
            made.mesh(places), made.faces, clip.rate, name=made.name,
            loop=clip.loop and on_the_spot, colours=made.colour,
        )  # fmt: skip
