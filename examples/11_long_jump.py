"""A standing long jump, authored as in the paper: a hint, an automatic fix, a pose changed in mid-flight.

The animator keys poses, pins the feet, and says where the centre of mass leaves the ground, where it lands
and how high it flies between. Raised higher, the flight takes longer than the keys leave: a hint says by how
much, and the fix moves the landing, with everything after it. A pose changed in the air leaves the centre of
mass on its parabola.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path as FilePath
from typing import Any

import numpy as np

import poise
from poise.character import presets
from poise.clips.author.leap import Leap, settled, sheet
from poise.clips.author.side_view import SideView
from poise.kinematics import Kinematics
from poise.methods.key.path.templates import ProjectileIII
from poise.methods.key.sheet.key import TrackKey
from poise.methods.key.sheet.keyframes import Keyframes
from poise.motion import Clip

FPS = 60
CELL = (798, 440)
"""Of the picture [px]."""
END = 3.1
"""[s]"""
LEAVE, LAND = 1.30, 1.72
"""Take-off, and where the landing is keyed at first [s]."""
FLAT, HIGH = 0.11, 0.20
"""Apex of the first draft, and as it should be, over standing [m]."""
# fmt: off
SHEET = [
    #        lean  flex  look   arm  abd.  turn  elb.  palm   hip  knee  sole  toes
    (0.000,    1,    3,    2,    2,    8,   -8,   18,   14,    4, 10.6,    0,    0),
    (0.200,    1,    3,    2,    6,    9,   -8,   18,   14,  4.2, 10.8,    0,    0),
    (0.460,  0.5,   -1,   -4,   85,   14,  -20,   25,    8,  3.4,  9.8,    0,    0),
    (0.620, 11.5, 11.5,    6,   22,   14,  -14,   24,   12, 25.6, 23.6,    0,    0),
    (0.800,   33,   24,   10,  -46,   15,   -8,   16,   18, 75.4,   63,    0,    0),
    (0.940,   44,   26,   20,  -62,   16,   -8,   14,   20, 104.8,   89,    0,    0),
    (1.060,   45,   24,   20,  -24,   16,  -14,   24,   18,  106,  101,    5,    0),
    (1.140,   40,   17,    7,   48,   15,  -28,   38,   10,   94,  102,   14,    0),
    (1.220, 33.5,    5,   -7,  112,   13,  -36,   32,    5,   63,   87,   25,    0),
    (1.260, 31.5,   -1,  -11,  132, 12.5,  -38,   26,    3,   42,   67,   33,    0),
    (LEAVE,   30,   -6,  -12,  145,   12,  -40,   20,    2,   19, 39.5, 47.5, 13.5),
    (1.390,   27,  -10,   -6,  160,   12,  -41,   18,    1,    4,   38,   76,   76),
    (1.510,   20,    3,    6,  144,   18,  -36,   28,    4,   58,   88,   66,   66),
    (1.610,   16,   14,   12,  104,   22,  -24,   30,    8,   82,   58,   -4,   -4),
    (1.680,   14,   18,   14,   70,   24,  -18,   28,    9,   70,   12,  -30,  -30),
    ( LAND,   15,   21,   15,   48,   24,  -16,   30,   10,   70,   22,  -28,  -34),
    (1.755,   19,   27,   18,   33,   24,  -14,   32,   11,   95,   61,   -9,  -10),
    (1.785, 22.5, 30.5, 19.5,   26,   24,  -14,   32,   11,  108,   80,    0,    0),
    (1.840,   28,   34,   20,   24,   22,  -12,   34,   12,  122,  104,    0,    0),
    (1.940,   36,   34,   20,   48,   22,  -16,   32,   12,  123,  113,    0,    0),
    (2.080,   42,   32,   24,   72,   20,  -18,   30,   12,  116,  106,    0,    0),
    (2.300,   34,   26,   11,   50,   17,  -10,   30,   13,   90,   87,    0,    0),
    (2.600,    9,   10,    3,    2,   10,   -8,   22,   14,   30,   43,    0,    0),
    (2.900,    1,    3,    2,    2,    8,   -8,   18,   14,    4, 10.6,    0,    0),
]
# fmt: on
LEAP = Leap(
    poses=sheet(SHEET),
    leave=LEAVE,
    land=LAND,
    apex=FLAT,
    push=[
        (0.00, (0.0, 0.0), (0.0, 0.0)),
        (0.18, (0.0, 0.0), (0.0, 0.0)),
        (0.32, (0.0026, 0.0076), (0.057, 0.163)),
        (0.46, (0.0106, 0.0298), (0.001, -0.012)),
        (0.62, (-0.0018, -0.0199), (-0.108, -0.524)),
        (0.78, (-0.0083, -0.1200), (0.076, -0.703)),
        (0.94, (0.0226, -0.2391), (0.263, -0.774)),
        (1.07, (0.0750, -0.3182), (0.666, -0.265)),
        (1.19, (0.2247, -0.2603), (2.054, 1.494)),
    ],
    take_off=(0.52, -0.03),
    touch_down=(2.0263, -0.20),
    cushion=[
        (0.05, (2.1713, -0.3349), (2.697, -2.245)),
        (0.12, (2.3289, -0.4259), (1.783, -0.530)),
        (0.22, (2.4513, -0.4255), (0.806, 0.225)),
        (0.36, (2.5192, -0.3939), (0.231, 0.357)),
        (0.58, (2.5261, -0.2523), (-0.075, 0.806)),
        (0.88, (2.5046, -0.0429), (-0.046, 0.429)),
        (1.18, (2.50, 0.0), (0.0, 0.0)),
    ],
    hold={"Heel": (0.97, 0.1), "Ball": (1.265, 0.03), "Toe": (LEAVE, 0.0)},
    down={"Heel": (0.0, 0.0), "Ball": (0.065, 0.03), "Toe": (0.065, 0.03)},  # heels first
    hop=2.5,
    until=3.2,
    stance={"Left": (0.002, 0.108, 5.0), "Right": (-0.002, -0.108, -5.5)},
)
ARC = len(LEAP.push)
"""Index of the take-off among the keys of the path."""
HUNG = SideView(
    lean=-4,
    flex=-14,
    look=-16,
    arm=155,
    abduct=16,
    turn=-40,
    elbow=16,
    palm=0,
    hip=-10,
    knee=82,
    sole=92,
    toes=92,
)
"""Another pose for the middle of the flight: hanging in the air with the chest out."""


@dataclass(frozen=True, eq=False)
class LongJump:
    """The steps of the work, each a document."""

    draft: Keyframes
    """A flat jump, well timed."""
    raised: Keyframes
    """With the apex where it should be; the landing is keyed too early."""
    fixed: Keyframes
    """With the landing when the arc ends."""
    edited: Keyframes
    """With another pose in mid-flight."""
    height: float
    """Of the apex [m]."""

    @property
    def flight(self) -> tuple[float, float]:
        """Take-off and landing of the well timed jump [s]."""
        spin = self.fixed.spins[0]
        return spin.start, spin.end

    def clip(self, tracks: Keyframes) -> Clip:
        """A document as a clip."""
        return poise.key(tracks, fps=FPS, end=END).clip


@lru_cache
def scene() -> LongJump:
    """Draft, raise, fix, edit."""
    character = presets.get("humanoid")
    draft = LEAP.written(character).fixed()
    assert draft.path is not None
    apex = float(draft.path.at([0.0]).position[0, 2]) + HIGH
    raised = draft.with_path(draft.path.with_template(ARC, ProjectileIII(apex)))
    fixed = settled(raised.fixed())
    middle = np.mean([fixed.spins[0].start, fixed.spins[0].end])
    keys = fixed.pose_track.keys
    chosen = min(range(len(keys)), key=lambda k: abs(keys[k].time - middle))
    other = tuple(HUNG.of(character).tolist())
    edited = fixed.replaced(poses=fixed.pose_track.insert(TrackKey(keys[chosen].time, other), over=True))
    return LongJump(draft, raised, fixed, edited, apex)


def draw(folder: FilePath) -> list[FilePath]:
    """The jump; hint and fix, as in the paper's Figs. 5 and 6; a pose edited in mid-flight, as in Fig. 9."""
    from panels import reduced
    from poise.pictures import View, save_png
    from stage import strobe

    found = scene()
    wrong, right, other = settled(found.raised), found.fixed, found.edited
    assert found.raised.path is not None
    clip, (leave, land) = found.clip(right), (round(FPS * t) for t in found.flight)
    frames = [0, 57, 70, leave, leave + 12, land - 9, land, land + 9, 170]
    ahead = np.array([(x, 0.0, 0.0) for x in (-1.7, -1.15, -0.55, 0, 0, 0, 0.25, 0.75, 1.35)])
    top = strobe(clip, frames, view=View(-78.0, 7.0), size=(2 * CELL[0] + 4, 500), shifts=ahead, trails={})
    rows = [
        (
            _arc(wrong, "hint", found.raised.path.hints[0].words),
            _arc(right, "fixed", f"the landing is now at {found.flight[1]:.2f} s"),
        ),
        (
            _arc(right, "a pose in mid-flight", ""),
            _arc(other, "edited", "the centre of mass is where it was"),
        ),
    ]
    gap = np.full((CELL[1], 4, 3), 244, dtype=np.uint8)
    line = np.full((4, top.shape[1], 3), 244, dtype=np.uint8)
    stack = [part for a, b in rows for part in (line, np.concatenate([a, gap, b], axis=1))]
    folder.mkdir(parents=True, exist_ok=True)
    save_png(reduced(np.concatenate([top, *stack])), folder / "pk_long_jump.png")
    return [folder / "pk_long_jump.png"]


def _arc(tracks: Keyframes, title: str, note: str) -> Any:
    """Take-off, mid-flight and landing, the path of the centre of mass and, in red, how high it should go."""
    from poise.pictures import View
    from poise.pictures.contact_sheet import labelled
    from poise.pictures.marks import rod, tube
    from poise.pictures.mesh import sphere
    from stage import strobe

    start, end = tracks.spins[0].start, tracks.spins[0].end
    times = np.linspace(start, end, 41)
    clip = Clip(tracks.character, tracks.at(times).q, 40 / (end - start))
    near = np.array([0.0, -0.5, 0.0])  # drawn before the bodies
    path = Kinematics(clip.character, clip.q).com + near
    height = scene().height
    props = [(tube(path, 0.008), "centre_of_mass")]
    props += [(sphere(0.035).placed(path[k]), "centre_of_mass") for k in (0, 20, 40)]
    props.append((rod(near + [0.75, 0, height], near + [1.75, 0, height], width=0.01), "target"))
    corners = [(x, 0.0, z) for x in (-0.1, 3.0) for z in (0.0, 2.3)]
    side = View(-90.0, 0.5, orthographic=True)
    image = strobe(clip, [0, 20, 40], view=side, size=CELL, props=props, trails={}, around=corners)
    return labelled(image, title, note)


def film(folder: FilePath) -> FilePath:
    """The jump as it moves."""
    from poise.pictures import View
    from stage import film as filmed

    return filmed(scene().clip(scene().fixed), folder / "pk_long_jump.mp4", view=View(-72.0, 8.0), follow=0.3)


if __name__ == "__main__":
    found = scene()
    print(*(found.raised.path.hints if found.raised.path else ()), sep="\n")
    print(f"fixed: from {found.flight[0]:.3f} to {found.flight[1]:.3f} s")
    print(poise.key(found.fixed, fps=FPS, end=END).report)
    print(*draw(FilePath("out")), film(FilePath("out")), sep="\n")
