"""What comes of fitting a character to markers."""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.character.labels import labelled
from poise.markers import Markers
from poise.methods.markers.solve import MarkerFit
from poise.motion.clip import Clip
from poise.motion.source import Source
from poise.operations.result import Result

FAR = 0.03
"""A fit whose markers are farther off in the mean square is not to be trusted [m]."""
SHOWN = 5
"""Markers that the words name: the worst."""


def fitted_clip(fit: MarkerFit, markers: Markers) -> Clip:
    """The motion, with what there is to say of it."""
    source = markers.source
    late = [f"its first frame is {markers.start:g} s into the recording"] if markers.start else []
    notes = (*(source.notes if source else ()), *late, *_notes(fit))
    where = Source(
        source.path if source else "", source.format if source else "", source.unit if source else 1.0,
        source.up if source else "z", notes,
    )  # fmt: skip
    return Clip(labelled(fit.character), fit.q, markers.rate, name=markers.name or "markers", source=where)


def _notes(fit: MarkerFit) -> list[str]:
    said = [f"{len(fit.names)} markers fitted with {fit.character.name}, {100 * fit.rms:.2f} cm off (rms)"]
    lost = float(1.0 - np.isfinite(fit.targets[:, :, 0]).mean())
    if lost:
        said.append(f"{100 * lost:.1f} % of the markers are lost")
    doubted = int(fit.doubted.sum())
    if doubted:
        worst = np.argsort(-fit.doubted.sum(axis=0), kind="stable")[:3]
        named = ", ".join(fit.names[k] for k in worst if fit.doubted[:, k].any())
        said.append(f"{doubted} positions were not believed ({named})")
    if fit.idle:
        said.append(f"left out, being hardly ever seen: {', '.join(fit.idle[:6])}")
    return said


class MarkerResult(Result):
    """A character's motion and how well it explains the markers.

    Examples:
        >>> captured = poise.solve_markers("captured.trc", mass=75.3)
        >>> print(captured.missed)
    """

    anew = True

    def __init__(self, fit: MarkerFit, markers: Markers) -> None:
        super().__init__(fitted_clip(fit, markers), met=fit.rms <= FAR)
        self.fit = fit
        """The character as it was fitted, its poses and errors."""
        self.markers = markers
        """The capture."""

    @property
    def missed(self) -> tuple[str, ...]:
        """What went wrong, in words."""
        if self.met:
            return ()
        return (f"markers are {100 * self.fit.rms:.1f} cm off (rms), more than {100 * FAR:g} cm",)

    def filmed(self) -> dict[str, Any]:
        """Markers beside the figure."""
        from poise.markers.mesh import marker_mesh

        return {"meshes": [marker_mesh(self.markers)]}

    def facts(self) -> dict[str, Any]:
        """Errors by marker, scales by bone, and what was not believed."""
        fit, errors = self.fit, self.fit.errors
        off = np.sqrt(np.nanmean(errors**2, axis=0))
        who = fit.character
        return super().facts() | {
            "markers": len(fit.names),
            "rms_m": fit.rms,
            "size": fit.proportions.whole,
            "lost": float(1.0 - np.isfinite(fit.targets[:, :, 0]).mean()),
            "doubted": int(fit.doubted.sum()),
            "by_marker": {
                name: {
                    "joint": who.names[fit.points.body[k]],
                    "place_m": [float(v) for v in fit.points.place[k]],
                    "rms_m": float(off[k]),
                    "doubted_frames": int(fit.doubted[:, k].sum()),
                }
                for k, name in enumerate(fit.names)
            },
            "bone_scales": {
                who.names[i]: float(s) for i, s in enumerate(fit.proportions.scales) if who.parents[i] >= 0
            },
        }

    def __str__(self) -> str:
        fit = self.fit
        off = np.sqrt(np.nanmean(fit.errors**2, axis=0))
        worst = [k for k in np.argsort(-off, kind="stable") if np.isfinite(off[k])][:SHOWN]
        named = ", ".join(f"{fit.names[k]} {100 * off[k]:.1f} cm" for k in worst)
        lines = [str(self.clip), *(f"  {note}" for note in _notes(fit)), f"  farthest off: {named}"]
        lines.append(f"  size {fit.proportions.whole:.3f} of the character's")
        return "\n".join([*lines, *(f"  {m}" for m in self.missed)])
