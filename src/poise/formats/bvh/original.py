"""The file a clip was read from, kept so that whatever was not edited is written back byte for byte."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character
from poise.formats.bvh.hierarchy import FileJoint
from poise.formats.bvh.meaning import Binding
from poise.formats.bvh.motion import Span


@dataclass(frozen=True, eq=False)
class Skeleton:
    """What of a character decides how its configurations are written."""

    names: tuple[str, ...]
    kinds: tuple[int, ...]
    placement: Array
    """Offset, rest rotation and axis of each body, (n, 10)."""
    points: tuple[dict[str, tuple[float, ...]], ...]
    """Named points of each body."""

    @classmethod
    def of(cls, character: Character) -> Skeleton:
        """The skeleton of a character."""
        rows = [np.concatenate([b.offset, b.rest, b.joint.axis]) for b in character.bodies]
        points = tuple(
            {n: tuple(np.asarray(p).tolist()) for n, p in b.points.items()} for b in character.bodies
        )
        kinds = tuple(int(b.joint.kind) for b in character.bodies)
        return cls(character.names, kinds, np.array(rows), points)

    def still_in(self, other: Skeleton) -> bool:
        """Whether the other is equal to the last bit, but for points that may have been added to it."""
        return (
            self.names == other.names
            and self.kinds == other.kinds
            and np.array_equal(self.placement, other.placement)
            and all(mine.items() <= theirs.items() for mine, theirs in zip(self.points, other.points))
        )


@dataclass(frozen=True, eq=False)
class Original:
    """Bytes of the file, what they mean, and the configurations that were made of them."""

    data: bytes
    joints: tuple[FileJoint, ...]
    bindings: tuple[Binding, ...]
    skeleton: Skeleton
    values: Array
    """Channel values of the clip's frames, (F, C) [degrees, file units]."""
    spans: IntArray
    """Where the clip's frames stand, (F, 2)."""
    first_frame_at: int
    """Where the first frame of the file stands (the clip may begin later)."""
    frames_span: Span
    time_span: Span
    rate: Fraction
    q: Array
    """(F, nq)"""
    whole: bool
    """Whether the clip has all frames of the file."""
    absolute: bool
    """Whether position channels replace OFFSET."""
