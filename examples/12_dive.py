"""A dive by the inertia handle: stretched, tucked, stretched, with one pose for all of the flight.

The centre of mass is a projectile. How widely the mass is spread is keyed: wide at take-off, narrow at the
top, wide at the entry. Each pose is the one nearest to a soft, half bent one that has this inertia. The body
turns head down by its angular momentum, fast while it is tucked; nobody keyed that either.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path as FilePath
from typing import Any

import numpy as np

import poise
from poise.arrays import Array
from poise.character import Character, presets
from poise.clips.author.leap import settled, sheet
from poise.clips.author.side_view import SideView
from poise.constraints import Report
from poise.handles import RotationalInertia
from poise.kinematics import Kinematics
from poise.methods.key.path.key import PathKey
from poise.methods.key.path.path import Path
from poise.methods.key.path.templates import ProjectileIII
from poise.methods.key.sheet.keyframes import Keyframes
from poise.motion import Clip

FPS = 60
BOARD = 3.0
"""Height of the platform over the water [m]."""
LEAVE, ENTER = 1.24, 2.2
"""Take-off, and about when the hands meet the water [s]."""
RISE = 0.38
"""Of the centre of mass, from take-off to the top [m]."""
WIDE, TUCKED, LONG = 0.452, 0.275, 0.460
"""Radius of gyration after take-off, at the top, at the entry [m]."""
APART = 4.0
"""In the picture the flight goes so much faster to the side [m/s]."""
TURN = 172.0
"""How far the body turns in the air [°]."""
SOFT = SideView(lean=8, flex=30, look=20, arm=110, elbow=25, hip=75, knee=80, sole=62, toes=80)
"""The pose of the flight."""
# fmt: off
SHEET = [
    #       lean  flex  look   arm  abd.  turn  elb.  palm   hip  knee  sole  toes
    (0.00,    1,    3,    2,    2,    8,   -8,   18,   14,  3.5, 10.4,    0,    0),
    (0.16,    1,    3,    2,    4,    8,   -8,   18,   14,  3.5, 10.5,    0,    0),
    (0.50,   -1,   -3,   -8,  142,    8,   -8,   12,   14,    2,   10,    0,    0),
    (0.68,   10,   10,    6,   66,    8,   -8,   14,   14,   26,   27,    0,    0),
    (0.84,   27,   19,   10,  -30,    8,   -8,   14,   14,   68,   66,    0,    0),
    (0.96,   31,   21,   12,  -42,    8,   -8,   12,   14,   86,   88,    3,    0),
    (1.06,   27,   15,    6,   28,    8,   -8,   30,   14,   79,   95,    9,    0),
    (1.12,   22,    8,    0,   86,    8,   -8,   26,   14,   60,   86,   16,    0),
    (1.18,   17,    2,   -5,  126,    8,   -8,   18,   14,   38,   64,   28,    0),
    (LEAVE,  14,   -3,   -6,  150,    8,   -8,   10,   14,   14,   24,   54,   22),
]
# fmt: on
PUSH = [
    (0.00, (0.0, 0.0), (0.0, 0.0)),
    (0.18, (0.0000, 0.0000), (0.000, 0.000)),
    (0.34, (0.0018, 0.0127), (0.034, 0.238)),
    (0.50, (0.0076, 0.0546), (0.005, 0.073)),
    (0.66, (-0.0000, 0.0103), (-0.090, -0.576)),
    (0.82, (-0.0094, -0.1123), (0.038, -0.900)),
    (0.96, (0.0228, -0.2275), (0.473, -0.599)),
    (1.06, (0.0887, -0.2420), (0.821, 0.498)),
    (1.15, (0.1708, -0.1234), (0.972, 2.210)),
]
"""Centre of mass from standing: time [s], place forward and up [m], velocity [m/s]."""
AWAY, UP = 0.26, 0.12
"""Where it leaves [m]."""
REACH, SPEED = 1.09, 1.0
"""Height of the centre of mass when the hands meet the water [m], and how fast it goes forward [m/s]."""
HOLD = {"Heel": (0.92, 0.1), "Ball": (1.18, 0.05), "Toe": (LEAVE, 0.0)}
"""Until when each part of the foot is held, and in what time it is let go [s]."""


@dataclass(frozen=True, eq=False)
class Dive:
    """The document and what came of it."""

    tracks: Keyframes
    clip: Clip
    report: Report

    @property
    def flight(self) -> tuple[float, float]:
        """Take-off and entry [s]."""
        return self.tracks.spins[0].start, self.tracks.spins[0].end


@lru_cache
def scene() -> Dive:
    """From the platform into the water."""
    tracks = document(presets.get("planar_humanoid"))
    baked = poise.key(tracks, fps=FPS)
    return Dive(tracks, baked.clip, baked.report)


def document(character: Character) -> Keyframes:
    """Poses and pins on the platform, path and inertia in the air."""
    poses = {t: view.of(character) for t, view in sheet(SHEET).items()}
    poses |= {t: SOFT.of(character) for t in (LEAVE + 0.3, ENTER)}
    feet = Kinematics(character, poses[0.0])
    stand = BOARD + float(feet.com[0, 2] - feet.point("LeftHeel")[0, 2])
    keys = [PathKey(t, (0.05 + x, 0.0, stand + z), (vx, 0.0, vz)) for t, (x, z), (vx, vz) in PUSH]
    top = stand + UP + RISE
    lasts = sum(math.sqrt(2 * (top - z) / 9.81) for z in (stand + UP, REACH))
    off = np.array([0.05 + AWAY, 0.0, stand + UP])
    keys.append(PathKey(LEAVE, tuple(off), None, ProjectileIII(top)))
    keys.append(PathKey(ENTER, (off[0] + SPEED * lasts, 0.0, REACH)))
    keys.append(PathKey(ENTER + 0.5, (off[0] + SPEED * lasts + 0.35, 0.0, -1.3), (0.3, 0.0, -1.5)))
    made = Keyframes(character, poses, path=Path(tuple(keys)), name="dive")
    rest = Kinematics(character, character.rest_pose())
    for side in ("Left", "Right"):
        ankle = rest.point(f"{side}Foot")[0]
        for part, (until, fade) in HOLD.items():
            place = (rest.point(side + part)[0] - ankle) * [1, 0, 0] + [0, ankle[1], BOARD]
            made = made.pin(side + part, at=(0.0, until), to=place, fade=fade)
    standing = settled(made.fixed())
    assert standing.path is not None
    leave, enter = LEAVE, standing.path.keys[-2].time
    own = float(gyration(character, standing.at([leave]).q)[0])
    middle = leave + math.sqrt(2 * RISE / 9.81)
    spread = {leave: own, leave + 0.09: WIDE, middle: TUCKED, middle + 0.18: TUCKED}
    spread |= {enter - 0.22: WIDE, enter: LONG, enter + 0.5: LONG}
    turn = math.radians(TURN / 2)
    return standing.with_inertia(spread).with_spin(
        leave, enter, orientation_end=(math.cos(turn), 0.0, math.sin(turn), 0.0)
    )


def gyration(character: Character, q: Array) -> Array:
    """Radius of gyration of poses [m] (F,)."""
    return RotationalInertia("gyration").bind(character).value(Kinematics(character, q))[:, 0]


def props() -> list[tuple[Any, str]]:
    """The platform and the water."""
    from poise.pictures.mesh import box

    platform = box((0.8, 0.6, 0.06)).placed((0.23 - 0.8, 0.0, BOARD - 0.06))
    column = box((0.12, 0.3, 0.5 * BOARD - 0.06)).placed((-0.95, 0.0, 0.5 * BOARD - 0.06))
    water = box((8.0, 1.5, 0.06)).placed((7.3, 0.0, -0.045))
    return [(platform, "stone"), (column, "stone"), (water, "cloth")]


def draw(folder: FilePath) -> list[FilePath]:
    """As in the paper's Fig. 10: the flight drawn apart; each circle is the radius of gyration."""
    from panels import reduced
    from poise.pictures import View, save_png
    from poise.pictures.marks import tube
    from poise.pictures.mesh import sphere, torus
    from stage import strobe

    found = scene()
    leave, enter = (round(FPS * t) for t in found.flight)
    frames = [0, 58, *np.linspace(leave, enter, 8).round().astype(int).tolist()]
    apart = np.maximum((np.array(frames) - leave) / FPS * APART, 0.0)[:, None] * [1.0, 0.0, 0.0]
    apart[:2, 0] = (-0.95, -0.5)
    com = Kinematics(found.clip.character, found.clip.q).com
    radius = gyration(found.clip.character, found.clip.q)
    near = np.array([0.0, -0.8, 0.0])  # drawn before the bodies
    upright = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    air = np.arange(leave, enter + 1)
    path = com[air] + near + (air - leave)[:, None] / FPS * np.array([APART, 0.0, 0.0])
    marks = [(tube(path, 0.009), "centre_of_mass")]
    for frame in frames[2:]:
        place = path[frame - leave]
        marks.append((sphere(0.035).placed(place), "centre_of_mass"))
        marks.append((torus(radius[frame], 0.008, detail=96).placed(place, upright), "metal"))
    side = View(-90.0, 0.3, orthographic=True)
    image = strobe(
        found.clip, frames, view=side, size=(1600, 1100), props=[*props(), *marks], shifts=apart, trails={}
    )
    folder.mkdir(parents=True, exist_ok=True)
    save_png(reduced(image), folder / "pk_dive.png")
    return [folder / "pk_dive.png"]


def film(folder: FilePath) -> FilePath:
    """The dive as it moves."""
    from poise.pictures import View
    from stage import film as filmed

    corners = [(-1.5, 0.0, 0.0), (3.0, 0.0, 5.4)]
    view = View(-90.0, 2.0, orthographic=True)
    path = folder / "pk_dive.mp4"
    return filmed(scene().clip, path, view=view, size=(640, 720), props=props(), around=corners)


if __name__ == "__main__":
    print(scene().report)
    print(*draw(FilePath("out")), film(FilePath("out")), sep="\n")
