"""A jump touches a point: one constraint, and seven ways to spread what it changes.

(a) Inverse kinematics of one frame. (b, c) Displacement maps: a key at the touch, zero a sixth of a second
away, or at take-off and landing. (d, e) Whole-clip solves with keys that know nothing of the touch: five over
the clip, four over the flight. All of them fly back to where the jump landed before. (f) The hips' way
forward has a single free key, at the landing: they go on evenly and stay ahead. (g) That key made cheaper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import poise
from adapting import TRAIL, WAS, Stage, Strobe, mapped, path, posed, strobes
from poise import clips
from poise.arrays import Array
from poise.constraints import Constraint, pin
from poise.methods.adapt.result import AdaptResult
from poise.motion import Clip
from poise.operations.values.displacement import CurveKeys

HAND = "RightHandCentre"
TAKE_OFF, TOUCH, LANDING = 66, 80, 99
"""Frames."""
AWAY = (0.45, 0.0, -0.05)
"""From where the hand is to where it should be [m]."""
NEAR = 10
"""Frames from the touch to the zero keys of (b)."""
STAYS = 1e3
"""The key after the landing is so far away [s] that nothing is taken back."""
CHEAP = 0.03
"""Price of the hips' way in (g), beside what it costs to be seen."""


@dataclass(frozen=True, eq=False)
class Version:
    """One of the seven."""

    name: str
    words: str
    clip: Clip
    keys: Array
    """Times of the keys of the hips' way forward [s]."""
    free: Array
    """Which of them may change."""
    result: AdaptResult | None = None


@dataclass(frozen=True, eq=False)
class Jump:
    """The jump before, what it should touch, and all versions."""

    before: Clip
    place: Array
    versions: Mapping[str, Version]

    def miss(self, clip: Clip) -> float:
        """How far the hand passes the point [m]."""
        return float(np.linalg.norm(path(clip, HAND)[TOUCH] - self.place))

    def forward(self, clip: Clip) -> Array:
        """How far the hips are ahead of where they were (F,) [m]."""
        return np.asarray(clip.q[:, 0] - self.before.q[:, 0])

    def changed(self, clip: Clip) -> Array:
        """Frames that are not as before."""
        return np.flatnonzero(np.abs(clip.q - self.before.q).max(axis=1) > 1e-9)

    def shake(self, clip: Clip) -> float:
        """Largest acceleration that the change adds to any joint's angle [rad/s²]."""
        change = clip.character.manifold.minus(clip.q, self.before.q)[:, 3:]
        return float(np.abs(np.diff(change, 2, axis=0)).max() * clip.fps**2)


def touch(clip: Clip) -> Constraint:
    """The right hand is ahead of where it was."""
    return pin(HAND, path(clip, HAND)[TOUCH] + AWAY, float(clip.times[TOUCH]), name="touch")


@cache
def scene() -> Jump:
    """All seven."""
    clip = clips.get("planar_jump")
    wanted = touch(clip)
    place = wanted.target.at(clip.times[TOUCH : TOUCH + 1])[0]
    off, here, land = (float(clip.times[k]) for k in (TAKE_OFF, TOUCH, LANDING))
    pose = posed(clip, here, [wanted])
    single = np.where(np.arange(clip.frames)[:, None] == TOUCH, pose, clip.q)
    found = [Version("a", "one frame", clip.with_q(single), clip.times, np.arange(0))]
    near = NEAR / clip.fps
    for name, words, keys in (
        ("b", "map, keys 1/6 s away", (here - near, here, here + near)),
        ("c", "map over the flight", (off, here, land)),
    ):
        made = mapped(clip, {keys[0]: None, keys[1]: pose, keys[2]: None}, "zero")
        found.append(Version(name, words, made, np.array(keys), np.array([1])))

    def solved(name: str, words: str, seen: Array, free: Array, **options: Any) -> None:
        result = poise.adapt(clip, [wanted], basis="cubic", plants=False, **options)
        found.append(Version(name, words, result.clip, seen, free, result))

    five, four = np.linspace(0.0, clip.duration, 5), np.linspace(off, land, 4)
    solved("d", "solved, five keys", five, np.arange(5), key_spacing=five)
    solved("e", "solved over the flight", four, np.array([1, 2]), key_spacing=four)
    ahead = {"Hips.x": CurveKeys((off, land, STAYS), "linear", "zero"), "*": four}
    once = np.array([off, land])
    solved("f", "one key of the way", once, np.array([1]), key_spacing=ahead)
    cheap = {"Hips.x": CHEAP}
    solved("g", "that key cheaper", once, np.array([1]), key_spacing=ahead, prices=cheap)
    return Jump(clip, place, {v.name: v for v in found})


def draw(folder: Path) -> list[Path]:
    """As the paper's Fig. 4 and 5."""
    from poise.pictures import View

    found = scene()
    span = slice(TAKE_OFF - 10, LANDING + 45)

    def ways(clip: Clip, colour: str) -> list[tuple[Array, str]]:
        return [(path(clip, point)[span], colour) for point in (HAND, "Hips")]

    items = [Strobe(found.before, [TOUCH], "before", trails=ways(found.before, WAS), targets=[found.place])]
    items += [
        Strobe(
            v.clip,
            [TOUCH],
            f"({v.name})",
            v.words,
            ghosts=[(found.before, [TOUCH])],
            trails=[*ways(found.before, WAS), *ways(v.clip, TRAIL)],
            targets=[found.place],
        )
        for v in found.versions.values()
    ]
    around = [(x, 0.0, z) for x in (-0.15, 1.15) for z in (0.0, 2.62)]
    look = Stage(View(-82.0, 5.0), (370, 520), columns=4, width=0.014, around=around)
    return [strobes(items, folder / "adapt_jump.png", look), _curves(found, folder / "adapt_jump_curves.png")]


def _curves(found: Jump, out: Path) -> Path:
    """The way of the hips, and what was added to it."""
    from matplotlib import pyplot

    from panels import figure, save_figure

    made, _ = figure(9.0, 4.4)
    made.clear()
    t = found.before.times
    for number, v in enumerate([x for x in found.versions.values() if x.name != "a"], 1):
        axes = made.add_subplot(2, 3, number)
        axes.spines[["top", "right"]].set_visible(False)
        axes.plot(t, found.before.q[:, 0], color="#9aa3ad", lw=1.4, label="before")
        axes.plot(t, v.clip.q[:, 0], color="#1f4e79", lw=1.6, label="hips, after")
        added = found.forward(v.clip)
        axes.plot(t, added, color="#d1495b", lw=1.6, label="added")
        at = np.interp(v.keys, t, added)
        locked = np.setdiff1d(np.arange(len(v.keys)), v.free)
        axes.plot(v.keys[v.free], at[v.free], "D", color="#d1495b", ms=7)
        axes.plot(v.keys[locked], at[locked], "D", color="#d1495b", ms=3.5)
        axes.axvline(t[TOUCH], color="#c8ccd2", lw=0.8, zorder=0)
        axes.set_title(f"({v.name})", loc="left", fontsize=10)
        axes.set_ylim(-0.2, 0.62)
        axes.tick_params(labelsize=8)
        if number == 1:
            axes.legend(frameon=False, fontsize=8, loc="upper left")
        if number > 3:
            axes.set_xlabel("time [s]", fontsize=9)
        if number in (1, 4):
            axes.set_ylabel("forward [m]", fontsize=9)
    pyplot.figure(made.number)
    return save_figure(made, out)


if __name__ == "__main__":
    jump = scene()
    for v in jump.versions.values():
        ahead = jump.forward(v.clip)
        changed = jump.changed(v.clip)
        took = "" if v.result is None else f", {1e3 * v.result.seconds:.0f} ms"
        print(
            f"({v.name}) {v.words:24s} misses {1e3 * jump.miss(v.clip):.2f} mm; frames "
            f"{changed[0]}–{changed[-1]} of {v.clip.frames}; hips ahead {100 * ahead[TOUCH]:.1f} cm at the "
            f"touch, {100 * ahead[LANDING]:.1f} cm at the landing; adds {jump.shake(v.clip):.0f} rad/s²{took}"
        )
    print(*draw(Path("out")), sep="\n")
