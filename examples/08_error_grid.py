"""A grid of targets in front of the puncher: those within reach are hit, the others said to be out of reach.

What no pose can reach, no motion can: for each target inverse kinematics gives a bound from below, and the
dynamic fist ends within a hair of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise import clips
from poise.arrays import Array
from poise.constraints import Report, pin
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.hit import HitResult, hit
from poise.motion import Clip
from poise.operations.hit import Hit

FIST = "RightHandCentre"
CONTACT = 51
AIMED = Hit(constraints=(), tension="relaxed", window=0.5)
NEAR, FAR = (0.55, 1.45), (0.75, 2.05)
"""Extent of the grid: ahead (x) and up (z) [m]."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Errors and reports over the targets (rows: height, columns: distance ahead)."""

    x: Array
    z: Array
    error: Array  # (Z, X) [m], after 6 iterations
    final: Array  # (Z, X) [m]
    reports: list[list[Report]]

    @property
    def met(self) -> Array:
        """(Z, X) bool."""
        return np.array([[r.met for r in row] for row in self.reports])


def target(x: float, z: float) -> Array:
    """A target straight ahead."""
    return np.array([x, 0.0, z])


def aimed(clip: Clip, place: Array, start: HitResult | None = None) -> HitResult:
    """Aim the relaxed punch at a place."""
    return hit(clip, [pin(FIST, place, CONTACT * clip.dt)], AIMED, start=start)


def scene(columns: int = 5, rows: int = 5) -> Grid:
    """Aim at every target of the grid."""
    clip = clips.get("punch")
    xs, zs = np.linspace(*NEAR, columns), np.linspace(*FAR, rows)
    error, final, reports = np.empty((rows, columns)), np.empty((rows, columns)), []
    for i, z in enumerate(zs):
        reports.append([])
        for k, x in enumerate(xs):
            result = aimed(clip, target(x, z))
            history = result.solution.history
            error[i, k] = history[min(6, len(history) - 1)]
            final[i, k] = result.report.outcomes[0].error
            reports[-1].append(result.report)
    return Grid(xs, zs, error, final, reports)


def nearest(clip: Clip, place: Array, starts: int = 6, seed: int = 1) -> float:
    """How near any pose with the animated root brings the fist: the best of several searches [m]."""
    from scipy.optimize import least_squares

    character, rng = clip.character, np.random.default_rng(seed)
    begin = clip.q[CONTACT]
    point = character.point(FIST)
    kin = Kinematics(character, begin)
    moving = np.flatnonzero(np.abs(kin.point_jacobian(point)[0]).max(axis=0) > 1e-9)
    moving = moving[moving >= character.dofs(0).stop]

    def off(u: Array) -> Array:
        v = np.zeros(character.nv)
        v[moving] = u
        return Kinematics(character, character.manifold.plus(begin, v)).point(point)[0] - place

    found = [
        least_squares(off, rng.normal(scale=0.4 * (k > 0), size=len(moving)), xtol=1e-12, gtol=1e-12)
        for k in range(starts)
    ]
    return float(min(np.linalg.norm(f.fun) for f in found))


def draw(folder: Path) -> list[Path]:
    """As in the paper's Fig. 9: the error after six iterations, the edge of reach marked."""
    from matplotlib.colors import LogNorm

    from panels import figure, save_figure

    found = scene(25, 25)
    made, axes = figure(5.2, 5.0)
    mesh = axes.pcolormesh(
        100 * found.x,
        100 * found.z,
        100 * np.maximum(found.error, 1e-12),
        norm=LogNorm(1e-8, 1e2),
        cmap="viridis",
    )
    axes.contour(100 * found.x, 100 * found.z, found.met, levels=[0.5], colors="w", linestyles="--")
    axes.plot([93.3], [139.5], "o", color="tab:red", ms=6)
    axes.annotate("animated", (93.3, 139.5), (6, 6), textcoords="offset points", color="w", fontsize=8)
    axes.text(138, 84, "out of reach", color="k", ha="center", fontsize=9)
    axes.set(xlabel="target ahead [cm]", ylabel="target's height [cm]", aspect="equal")
    made.colorbar(mesh, label="distance after 6 iterations [cm]")
    return [save_figure(made, folder / "kd_error_grid.png")]


if __name__ == "__main__":
    found = scene()
    for z, row in reversed(list(zip(found.z, found.final))):
        print(f"z = {z:.2f} m:", "  ".join(f"{100 * e:9.2e}" for e in row), "cm")
    print(*draw(Path("out")), sep="\n")
