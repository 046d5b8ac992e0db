"""How the mass of a human body is spread: segment tables and the distribution they imply.

The table gives for every segment its mass as a fraction of the body's, the centre of mass along
the segment from its proximal end, and three radii of gyration, all in units of segment length:

    P. de Leva (1996). Adjustments to Zatsiorsky–Seluyanov's segment inertia parameters.
    Journal of Biomechanics 29 (9), 1223–1230, table 4.

A radius of gyration is a sum of spreads, ``r_sagittal² = k_y² + k_z²`` and so on, hence the spread
along each axis follows, with z along the segment, x forward, y sideways:

    k_z² = (r_sagittal² + r_transverse² − r_longitudinal²) / 2,   k_y² = r_sagittal² − k_z², …

Rigs cut segments differently (four spine bones, a split thigh). So a segment is treated as a
density along its length: the Beta distribution on [0, 1] with the table's mean and variance k_z².
Any cut into slabs then adds up exactly to the table's mass, centre and inertia.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.arrays import Array
from poise.character.beta_distribution import share_below
from poise.character.body import Mass


@dataclass(frozen=True)
class Segment:
    """One row of the table; all but the mass fraction in units of the segment's length."""

    name: str
    length: float
    """Mean length over mean stature."""
    fraction: float
    """Mass over body mass."""
    centre: float
    """Centre of mass from the proximal end."""
    sagittal: float
    """Radius of gyration about the sagittal (forward) axis."""
    transverse: float
    """Radius of gyration about the transverse (sideways) axis."""
    longitudinal: float
    """Radius of gyration about the segment's own axis."""

    @cached_property
    def spread(self) -> Array:
        """Variances (k_x², k_y², k_z²): forward, sideways, along, (3,)."""
        a, b, c = self.sagittal**2, self.transverse**2, self.longitudinal**2
        along = 0.5 * (a + b - c)
        return np.array([b - along, a - along, along])

    def slab(self, start: float, end: float) -> tuple[float, float, Array]:
        """Share of the segment's mass between two cuts, its centre and its variances.

        Cuts are in segment lengths from the proximal end; everything before 0 or after 1 is empty.
        The variances are (forward, sideways, along) about the slab's own centre.
        """
        start, end = min(max(start, 0.0), 1.0), min(max(end, 0.0), 1.0)
        mean = self.centre
        weight = mean * (1 - mean) / self.spread[2] - 1
        a, b = mean * weight, (1 - mean) * weight
        # x·Beta(a, b) is the mean times Beta(a+1, b), and once more for x².
        square = mean * (a + 1) / (a + b + 1)

        def between(a: float, b: float) -> float:
            return share_below(end, a, b) - share_below(start, a, b)

        share = between(a, b)
        if share <= 1e-12:
            return 0.0, 0.5 * (start + end), np.array([*self.spread[:2], 0.0])
        centre = mean * between(a + 1, b) / share
        along = max(square * between(a + 2, b) / share - centre**2, 0.0)
        return share, centre, np.array([*self.spread[:2], along])


# name, length [mm] of the mean subject, mass [%], centre [%], radii of gyration [%]: sagittal,
# transverse, longitudinal. The ends are joint centres, and of the trunk: mid-hip (MIDH), navel
# (OMPH), xiphoid (XYPH), seventh cervical vertebra (CERV). The trunk and the head are turned round
# to count from below.
_MALE_STATURE, _FEMALE_STATURE = 1741.0, 1735.0
_MALE = (
    ("lower trunk", 145.7, 11.17, 100 - 61.15, 61.5, 55.1, 58.7),
    ("middle trunk", 215.5, 16.33, 100 - 45.02, 48.2, 38.3, 46.8),
    ("upper trunk", 242.1, 15.96, 100 - 50.66, 50.5, 32.0, 46.5),
    ("head", 242.9, 6.94, 100 - 50.02, 30.3, 31.5, 26.1),
    ("upper arm", 281.7, 2.71, 57.72, 28.5, 26.9, 15.8),
    ("forearm", 268.9, 1.62, 45.74, 27.6, 26.5, 12.1),
    ("hand", 187.9, 0.61, 36.24, 28.8, 23.5, 18.4),
    ("thigh", 422.2, 14.16, 40.95, 32.9, 32.9, 14.9),
    ("shank", 440.3, 4.33, 43.95, 25.1, 24.6, 10.2),
    ("foot", 258.1, 1.37, 44.15, 25.7, 24.5, 12.4),
)
_FEMALE = (
    ("lower trunk", 181.5, 12.47, 100 - 49.20, 43.3, 40.2, 44.4),
    ("middle trunk", 205.3, 14.65, 100 - 45.12, 43.3, 35.4, 41.5),
    ("upper trunk", 228.0, 15.45, 100 - 50.50, 46.6, 31.4, 44.9),
    ("head", 243.7, 6.68, 100 - 48.41, 27.1, 29.5, 26.1),
    ("upper arm", 275.1, 2.55, 57.54, 27.8, 26.0, 14.8),
    ("forearm", 264.3, 1.38, 45.59, 26.1, 25.7, 9.4),
    ("hand", 170.1, 0.56, 34.27, 24.4, 20.8, 15.4),
    ("thigh", 368.5, 14.78, 36.12, 36.9, 36.4, 16.2),
    ("shank", 438.6, 4.81, 43.52, 26.7, 26.3, 9.2),
    ("foot", 228.3, 1.29, 40.14, 29.9, 27.9, 13.9),
)
ONCE = ("lower trunk", "middle trunk", "upper trunk", "head")
"""Segments a body has once; all others it has on both sides."""


def _table(
    rows: tuple[tuple[str, float, float, float, float, float, float], ...], stature: float
) -> dict[str, Segment]:
    return {name: Segment(name, length / stature, *(x / 100 for x in rest)) for name, length, *rest in rows}


TABLES: dict[str, dict[str, Segment]] = {
    "male": _table(_MALE, _MALE_STATURE),
    "female": _table(_FEMALE, _FEMALE_STATURE),
}
"""Segments by name for "male" and "female"."""

BODY_MASS_INDEX = 22.5
"""Mass over squared stature of a healthy adult [kg/m²]: gives the mass where only the height is known."""


def placed(
    share: float, spread: Array, length: float, mass: float, centre: Array, along: Array, forward: Array
) -> Mass:
    """A slab as a rigid mass in the frame of ``centre``, ``along`` and ``forward``.

    ``spread`` holds variances (forward, sideways, along) in units of ``length``; ``mass`` is the
    whole segment's [kg].
    """
    z = along / np.linalg.norm(along)
    x = forward - (forward @ z) * z
    x = x / np.linalg.norm(x)
    axes = np.stack([x, np.cross(z, x), z], axis=1)  # columns
    kx, ky, kz = spread * length**2
    moments = np.array([ky + kz, kx + kz, kx + ky])
    return Mass(share * mass, centre, share * mass * (axes * moments) @ axes.T)
