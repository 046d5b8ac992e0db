"""Something thin on a motion: the garment, and how it hangs there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.arrays import Array
from poise.dynamics.cloth import Solid
from poise.kinematics import Kinematics
from poise.methods.loosen.wear.drape import Drape
from poise.methods.loosen.wear.garment import Garment
from poise.motion import Clip, MeshClip
from poise.watching import Progress
from poise.world import Surface


@dataclass(frozen=True, eq=False)
class Draped:
    """A garment on a motion."""

    attachment: Garment
    clip: Clip
    window: float | str
    solids: tuple[Solid, ...] = ()
    surfaces: tuple[Surface, ...] = ()

    @cached_property
    def drape(self) -> Drape:
        """The simulation, which remembers its runs."""
        return Drape(self.clip, self.attachment, self.solids, self.surfaces, self.window)

    @cached_property
    def places(self) -> Array:
        """The sheet's own vertices at all frames [m], world, (F, V, 3)."""
        return self.drape.frames(range(self.clip.frames))

    def simulate(self, progress: Progress) -> None:
        """Have all frames made; they are remembered, what was told of them is not."""
        self.__dict__["places"] = self.drape.frames(range(self.clip.frames), progress)

    @cached_property
    def mesh(self) -> MeshClip:
        """Its moving mesh, in the world."""
        return self.drape.mesh(self.places)

    @cached_property
    def _local(self) -> Array:
        """The sheet's vertices in the frame of its bone, (F, V, 3)."""
        kin = Kinematics(self.clip.character, self.clip.q)
        bone = self.drape.body
        return np.asarray((self.places - kin.positions[:, bone, None]) @ kin.rotations[:, bone])

    @cached_property
    def farthest(self) -> float:
        """How far it leaves its modelled shape [m]."""
        return float(np.linalg.norm(self._local - self.attachment.sheet.points, axis=2).max())

    @property
    def stretch(self) -> float:
        """The largest strain of an edge, over all frames."""
        return float(self._strains.max(initial=0.0))

    @property
    def tightest(self) -> int:
        """The frame at which it is stretched most."""
        return int(self._strains.argmax())

    @cached_property
    def _strains(self) -> Array:
        """The largest strain of an edge at each frame, (F,)."""
        springs = self.attachment.sheet.springs
        edge = springs.edge
        long = np.linalg.norm(self.places[:, edge[:, 0]] - self.places[:, edge[:, 1]], axis=2)
        loose = ~(springs.held[edge[:, 0]] & springs.held[edge[:, 1]])
        return np.asarray((long / springs.length - 1)[:, loose].max(axis=1, initial=0.0))

    @cached_property
    def depth(self) -> float:
        """How deep a free vertex is in the body at most [m], but for roots that are modelled in it."""
        kin = Kinematics(self.clip.character, self.clip.q)
        deepest, rooted = 0.0, self.drape.manner.passes
        for k, s in enumerate(self.solids):
            free = self.places[:, ~(self.attachment.sheet.springs.held | rooted[:, k])]
            turn = kin.rotations[:, s.body] @ s.turn
            centre = kin.positions[:, s.body] + kin.rotations[:, s.body] @ s.centre
            over = np.abs((free - centre[:, None]) @ turn) - s.core
            away = np.linalg.norm(np.maximum(over, 0), axis=2) + np.minimum(over.max(axis=2), 0) - s.radius
            deepest = max(deepest, -float(away.min(initial=0.0)))
        return deepest

    @property
    def nbytes(self) -> int:
        """Of its mesh, at all frames."""
        return 24 * self.clip.frames * (len(self.attachment.faces) + 2 * len(self.attachment.sheet.points))
