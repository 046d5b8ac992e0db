"""A clip made ready for drawing: every body's place in every frame, the figure, the ground."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray
from poise.character import Point
from poise.character.stance import Pose, stance
from poise.errors import InputError
from poise.motion import Clip, MeshClip
from poise.pictures.figures import Figure, figure
from poise.pictures.ground import EXACT, floor_height
from poise.pictures.views import View, heading, view

if TYPE_CHECKING:
    from poise.kinematics import Kinematics
    from poise.pictures.scene import Layer

CENTRE_OF_MASS = "centre of mass"
"""Name under which trails know the centre of mass."""


class Performance:
    """Poses of a clip at its frames, or at any other ``times`` (F,) [s], with the skin's morph weights.

    A mesh clip performs as the character it is. ``meshes`` are drawn along with the figure, in the same world
    and at the same times. The floor of the picture is z = 0; the motion of a file is lowered or lifted to
    stand on it. ``floor`` tells its height in a world [m], under a motion between two corners, if there is
    one.
    """

    def __init__(
        self,
        clip: Clip | MeshClip,
        *,
        detail: int,
        times: Array | None = None,
        ground: bool = True,
        meshes: Sequence[MeshClip] = (),
        floor: Callable[[Array, Array], float | None] | None = None,
    ) -> None:
        clip = clip.as_clip(0.0) if isinstance(clip, MeshClip) else clip
        self.clip = clip
        self.character = clip.character
        self.q = clip.q if times is None else clip.at(times)
        at, turns = clip.character.placement(self.q)
        self.morphs = clip.morphs if times is None else clip.morphs_at(times)  # (F, m) or None
        self.figure: Figure = figure(clip.character, detail=detail, pose=self._stance(at, turns))
        pace = float(clip.rate)
        if times is not None and len(times) > 1:
            pace = 1.0 / float(times[1] - times[0])
        level = floor(at.min(axis=(0, 1)), at.max(axis=(0, 1))) if floor is not None else None
        lift = 0.0
        if ground:
            lift = self._lift(pace, at, turns) if level is None else -level
        self.offset = np.array([0.0, 0.0, lift])
        self.positions: Array = at + self.offset  # (F, n, 3)
        self.rotations: Array = turns  # (F, n, 3, 3)
        moments = clip.times if times is None else times
        self.companions = tuple(
            Performance(mesh, detail=detail, times=moments, ground=False) for mesh in meshes
        )

    @cached_property
    def kinematics(self) -> Kinematics:
        """What follows from the poses: centre of mass, points; where the file has them, not on our floor."""
        from poise.kinematics import Kinematics

        return Kinematics(self.character, self.q)

    @property
    def frames(self) -> int:
        """Number of poses."""
        return len(self.positions)

    @cached_property
    def stature(self) -> float:
        """Extent of the figure [m]: the largest side of its box, averaged over some frames."""
        cloud = self.cloud(self.some_frames(12))
        return max(float(np.ptp(cloud, axis=1).max(axis=1).mean()), 1e-6)

    @cached_property
    def heading(self) -> float:
        """Which way the motion goes or the character faces [deg]."""
        return heading(self.character, self.positions, self.rotations)

    def view(self, name: str | View) -> View:
        """A view turned to where this motion goes."""
        chosen = view(name, self.character)
        if chosen.in_world:
            return chosen
        return View(chosen.azimuth + self.heading, chosen.elevation, chosen.orthographic)

    @cached_property
    def first(self) -> int:
        """The first frame of the motion itself: 1 where frame 0 is a rest pose put before it, else 0.

        The reader's note tells; that the pose still leaps is looked up, for the clip may have been cut.
        """
        notes = self.clip.source.notes if self.clip.source is not None else ()
        if self.frames < 4 or not any(note.startswith("frame 0 is a rest pose") for note in notes):
            return 0
        local = self.positions[:12] - self.positions[:12, :1]
        steps = np.linalg.norm(np.diff(local, axis=0), axis=2).mean(axis=1)
        return int(steps[0] > 3.0 * steps[1:].max())

    def some_frames(self, count: int) -> list[int]:
        """Up to ``count`` frames spread evenly over all."""
        return sorted({int(round(f)) for f in np.linspace(0, self.frames - 1, min(count, self.frames))})

    def cloud(self, frames: ArrayLike) -> Array:
        """Points (len(frames), K, 3) that bound the figure."""
        chosen = np.asarray(frames, dtype=np.int64)
        morphs = self.morphs[chosen] if self.morphs is not None else None
        own = self.figure.cloud(self.positions[chosen], self.rotations[chosen], morphs)
        return np.concatenate([own, *(c.cloud(frames) + self.offset for c in self.companions)], axis=1)

    def point(self, name: str | Point) -> Array:
        """Path (F, 3) of a body, a named point, a role ("right hand") or the centre of mass."""
        from poise.character.labels import point_named, roles

        if name == CENTRE_OF_MASS:
            return self.kinematics.com + self.offset
        if isinstance(name, str) and name not in self.character.points and name in roles(self.character):
            name = point_named(self.character, name)
        return self.kinematics.point(name) + self.offset

    def put(
        self, layer: Layer, frame: int, *, shift: ArrayLike = (0.0, 0.0, 0.0), whiten: float = 0.0
    ) -> None:
        """Add the figure at a frame, moved by ``shift``."""
        self.figure.put(
            layer,
            self.positions[frame] + np.asarray(shift),
            self.rotations[frame],
            morphs=self.morphs[frame] if self.morphs is not None else None,
            whiten=whiten,
        )
        for companion in self.companions:
            companion.put(layer, frame, shift=np.asarray(shift) + self.offset, whiten=whiten)

    def frame(self, number: int) -> int:
        """A frame number, negative ones counted from the end."""
        found = number + self.frames if number < 0 else number
        if not 0 <= found < self.frames:
            raise InputError(f"frame {number} does not exist: the clip has frames 0 … {self.frames - 1}")
        return found

    def _stance(self, positions: Array, rotations: Array) -> Pose | None:
        """A pose by which a bare skeleton can be read; nothing for characters that have looks."""
        character = self.character
        if character.skin is not None or any(body.shapes for body in character.bodies):
            return None
        return stance(character, positions, rotations)

    def _lift(self, rate: float, positions: Array, rotations: Array) -> float:
        """What puts the floor of the motion at z = 0 [m].

        Motions made here have their floor at z = 0 and keep it, unless they are nowhere near it.
        """

        def cloud(chosen: IntArray) -> Array:
            morphs = self.morphs[chosen] if self.morphs is not None else None
            return self.figure.cloud(positions[chosen], rotations[chosen], morphs)

        floor, size = floor_height(cloud, len(positions), rate)
        near = (-0.08, 0.15) if self.clip.source is None else (-EXACT, EXACT)
        return 0.0 if near[0] * size < floor < near[1] * size else -floor
