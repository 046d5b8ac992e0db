"""A loose face: a mesh that moves."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np

from poise.arrays import Array
from poise.constraints import Report
from poise.methods.loosen.face.face import Face
from poise.motion import MeshClip
from poise.operations.result import Result

if TYPE_CHECKING:
    from poise.formats.options import WriteOptions


class FaceResult(Result):
    """The loose face as a mesh, and how far it went from the animation, which ``clip`` still is."""

    anew: ClassVar[bool] = True

    def __init__(self, face: Face, report: Report | None = None) -> None:
        super().__init__(face.clip, report)
        self.face = face

    @cached_property
    def mesh(self) -> MeshClip:
        """All frames of the loose face."""
        return self.face.mesh()

    @property
    def shown(self) -> MeshClip:
        """What a picture shows."""
        return self.mesh

    def drawn(self) -> dict[str, Any]:
        return {"count": 4, "style": "solid", "view": "front", "size": (1280, 480)}

    @cached_property
    def deviation(self) -> Array:
        """How far each vertex is from where it was animated [m], (F, N)."""
        animated = self.face.kinematic(self.clip.times)
        return np.asarray(np.linalg.norm(self.mesh.vertices - animated, axis=2))

    def at(self, time: float) -> Array:
        """The loose vertices at a time [s], (N, 3)."""
        return self.face.states([time])[0]

    def save(self, path: str | Path, **options: Unpack[WriteOptions]) -> Path:
        """Write the mesh."""
        return self.mesh.save(path, **options)

    def facts(self) -> dict[str, Any]:
        if self.report is not None:
            return super().facts()
        frame, vertex = np.unravel_index(int(np.argmax(self.deviation)), self.deviation.shape)
        return {
            "frames": self.mesh.frames,
            "fps": self.clip.fps,
            "met": self.met,
            "vertices": self.mesh.vertices.shape[1],
            "window_s": self.face.seconds,
            "largest_deviation_m": float(self.deviation.max()),
            "largest_at": {"vertex": int(vertex), "frame": int(frame)},
            "mean_deviation_m": float(self.deviation.mean()),
        }

    def __str__(self) -> str:
        if self.report is not None:
            return str(self.report)
        told, moved = self.facts(), self.deviation
        return (
            f"a face of {told['vertices']} vertices, {told['frames']} frames\n"
            f"vertices moved by {1e3 * moved.mean():.2f} mm on average, at most {1e3 * moved.max():.1f} mm "
            f"(vertex {told['largest_at']['vertex']} at frame {told['largest_at']['frame']})"
        )
