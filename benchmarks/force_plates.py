"""Force plates as truth about contact: ``python -m benchmarks.force_plates [CAPTURE …]``.

Captures of ``shared/data/opencap_forces`` are fitted (``solve_markers``, the person's mass), and what Poise
finds in the fitted clip is held against plates that it never saw:

    contacts    when a foot's contact begins and ends, against its plate's force above ``LOADED`` [ms] box
    height of the surface found under the first frames of a drop jump, against the markers' own step [cm]
    force       vertical force that the motion needs (acceleration of the centre of mass + g, central
    differences of
                the clip as it is) times the mass that fits best, against the sum of all plates [body
                weights, rms]; in walks over frames in which every foot that touches stands on a plate

Bars: 30 ms, 3 cm, 0.2 BW (drop jumps), 0.08 BW (walks).
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import poise
from poise.arrays import Array
from poise.contacts.find import find
from poise.contacts.support import Support
from poise.formats.captures.mot import load_forces
from poise.kinematics import Kinematics
from poise.markers import ForcePlates
from poise.motion import Clip

DATA = Path(os.environ.get("DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
FOLDER = DATA / "opencap_forces"
MASS = 92.5
"""Of the person, by the plates [kg]: vertical force over what the motion needs, 91 to 95 in all six captures.
The model that comes with them says 75.3, which no plate confirms."""
LOADED = 40.0
"""A plate that carries more is stood upon [N]; noise is below 20."""
NEAR = 0.2
"""A foot this near to where a plate's force acts stands on it [m]."""


HEADING = (
    "capture     markers  events     begin       end       box    mass     force    peak",
    "             cm rms          worst ms  worst ms        cm      kg    BW rms      BW",
)


@dataclass(frozen=True)
class Row:
    """What was measured of one capture."""

    name: str
    marker_rms: float
    onsets: list[float]
    """Found minus measured beginnings of contact [s]."""
    ends: list[float]
    box: float | None
    """Found minus measured height [m]."""
    mass: float
    """By the plates [kg]."""
    force: float
    """[BW]"""
    peak: float

    def __str__(self) -> str:
        def worst(values: list[float]) -> str:
            return "–" if not values else f"{1000 * max(values, key=abs):+.0f}"

        box = "–" if self.box is None else f"{100 * self.box:+.1f}"
        return (
            f"{self.name:10s} {100 * self.marker_rms:8.2f} {len(self.onsets):7d} {worst(self.onsets):>9s} "
            f"{worst(self.ends):>9s} {box:>9s} {self.mass:7.1f} {self.force:9.3f} {self.peak:7.2f}"
        )


def judged(name: str) -> Row:
    """Fit a capture and compare."""
    result = poise.solve_markers(str(FOLDER / f"{name}.trc"), mass=MASS)
    clip, errors = result.clip, result.fit.errors
    plates = load_forces(FOLDER / f"{name}_forces.mot")
    support = find(clip)
    times = result.markers.times  # on the plates' clock
    measured = plates.at(times)
    on = _standing(clip, times, measured, plates)
    onsets, ends = _timing(clip, support, on)
    jump = name.startswith("DJ")
    mass, force, peak = _force(clip, support, measured, on, everything=jump)
    box = _box(clip, support, result.markers.positions) if jump else None
    return Row(name, float(np.sqrt(np.nanmean(errors**2))), onsets, ends, box, mass, force, peak)


def _feet(clip: Clip) -> dict[str, Array]:
    where = clip.character.placement(clip.q)
    found = {}
    for side in ("left", "right"):
        foot, toes = (clip.character.index(f"{side.title()}{part}") for part in ("Foot", "ToeBase"))
        found[side] = 0.5 * (where.positions[:, foot] + where.positions[:, toes])
    return found


def _standing(clip: Clip, times: Array, measured: Array, plates: ForcePlates) -> dict[str, Array]:
    """Frames in which each foot stands on a loaded plate."""
    when = np.clip(np.rint((times - plates.start) * float(plates.rate)).astype(int), 0, len(plates.point) - 1)
    point = plates.point[when]
    loaded = measured[:, :, 2] > LOADED
    feet = _feet(clip)
    away = {s: np.linalg.norm((x[:, None] - point)[:, :, :2], axis=2) for s, x in feet.items()}
    sides = list(feet)
    out = {}
    for side in sides:
        other = sides[1 - sides.index(side)]
        mine = loaded & (away[side] < NEAR) & (away[side] <= away[other])
        out[side] = mine.any(axis=1)
    return out


def _found(clip: Clip, support: Support) -> dict[str, Array]:
    """Frames in which each foot touches, as contacts say."""
    out = {side: np.zeros(clip.frames, dtype=bool) for side in ("left", "right")}
    for contact in support.contacts:
        side = (
            "left" if "left" in contact.part.lower() else "right" if "right" in contact.part.lower() else ""
        )
        if side and ("foot" in contact.part.lower() or "toe" in contact.part.lower()):
            out[side][contact.start : contact.end + 1] = True
    return out


def _edges(on: Array) -> tuple[Array, Array]:
    change = np.diff(on.astype(int))
    return np.flatnonzero(change > 0) + 1, np.flatnonzero(change < 0) + 1


def _timing(clip: Clip, support: Support, on: dict[str, Array]) -> tuple[list[float], list[float]]:
    """For every beginning and end on a plate, the nearest found one; far ones count as they are."""
    found = _found(clip, support)
    onsets, ends = [], []
    for side in on:
        for kind, (mine, theirs) in enumerate(zip(_edges(found[side]), _edges(on[side]))):
            for edge in theirs:
                near = mine[np.abs(mine - edge).argmin()] if len(mine) else clip.frames
                (onsets, ends)[kind].append(float((near - edge) * clip.dt))
    return onsets, ends


def _force(
    clip: Clip, support: Support, measured: Array, on: dict[str, Array], *, everything: bool
) -> tuple[float, float, float]:
    """The person's mass as the plates tell [kg]; how far the motion's vertical force is off; peak [BW]."""
    total = measured[:, :, 2].sum(axis=1)
    height = Kinematics(clip.character, clip.q).com[:, 2]
    needed = np.full(clip.frames, 9.81)  # per kilogram
    needed[1:-1] += np.diff(height, 2) / clip.dt**2
    frames = np.arange(clip.frames)
    keep = (frames > 3) & (frames < clip.frames - 4) & (total > LOADED)
    if not everything:
        touching = _found(clip, support)
        for side in on:
            keep &= ~touching[side] | on[side]
    mass = float(needed[keep] @ total[keep] / (needed[keep] @ needed[keep]))
    off = np.sqrt(np.mean((mass * needed[keep] - total[keep]) ** 2))
    return mass, float(off) / (mass * 9.81), float(total.max()) / (mass * 9.81)


def _box(clip: Clip, support: Support, markers: Array) -> float | None:
    """Height of the surface under the first frames, against how far the feet's markers come down from it."""
    first = next((c for c in support.contacts if c.start < 10 and "foot" in c.part.lower()), None)
    if first is None:
        return None
    low = np.nanmin(markers[:, :, 2], axis=1)
    measured = float(low[:20].mean() - np.sort(low)[: clip.frames // 5].mean())
    ground = min((c.place[2] for c in support.contacts if "foot" in c.part.lower()), default=0.0)
    return float(first.place[2] - ground) - measured


def main(names: list[str]) -> int:
    """Print the table; 1 where a bar is missed."""
    if not FOLDER.is_dir():
        print("the captures (shared/data/opencap_forces beside the checkout) are not here")
        return 0
    for line in HEADING:
        print(line)
    missed = False
    for name in names or ["DJ1", "DJ4", "DJ5", "walking2", "walking3", "walking4"]:
        row = judged(name)
        print(row, flush=True)
        limit = 0.2 if name.startswith("DJ") else 0.08
        late = max(map(abs, [*row.onsets, *row.ends]), default=0.0)
        missed |= late > 0.03 or row.force > limit or (row.box is not None and abs(row.box) > 0.03)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
