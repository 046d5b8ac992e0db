"""Monkey bars: seven pendulum swings from bar to bar, a leap off the last one, and a landing.

The centre of mass swings about the bar in hand, by the pendulum's law; short Hermites lead from one swing to
the next, a projectile to the floor. A handful of poses says how the body is held, pins keep hands on bars and
feet on the floor. The pose of every moment is solved from these.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path as FilePath

import numpy as np

import poise
from poise.arrays import Array
from poise.character import Character, presets
from poise.constraints import Report
from poise.handles import PointPosition
from poise.methods.key.path.key import PathKey
from poise.methods.key.path.path import Path
from poise.methods.key.path.templates import Hermite, Pendulum, ProjectileI
from poise.methods.key.pose.values import pose
from poise.methods.key.sheet.keyframes import Keyframes
from poise.methods.key.sheet.pin import NUMBER, Pin, space_of
from poise.methods.key.sheet.track import Track
from poise.motion import Clip
from poise.pictures import Mesh, View, save_png

GRAVITY = 9.81
LENGTH = 1.0
"""Of the pendulum: from the bar to the centre of mass [m]."""
HEIGHT = 2.55
"""Of the bars [m]."""
SWINGS = 7
BACK = np.radians(32.0)
"""The first swing starts from rest, this far back [rad]; all others have its energy."""
ANGLE = np.radians(22.0)
"""Hands change at this angle, before and after [rad]."""
SPEED = float(np.sqrt(2 * GRAVITY * LENGTH * (np.cos(ANGLE) - np.cos(BACK))))
"""Of the centre of mass there [m/s]."""
LINK = 0.2
"""From one swing to the next [s]."""
REACH, RELEASE = 0.24, 0.18
"""How long the gain of a hand rises before it holds, and falls after [s]."""
VIEW = View(-84.0, 4.0, orthographic=True)
LINGER = 0.2
"""Both hands hold the first bar so long [s]."""
FLIGHT, ABSORB, SINK, RISE, SETTLE, REST = 0.43, 0.17, 0.16, 0.62, 0.5, 0.3
"""Off the last bar, into the crouch, and a little deeper, up from it, upright, and at rest [s]."""
STEP = 0.16
"""Ankles land so far ahead of the centre of mass [m]."""

POSES: dict[str, dict[str, object]] = {
    "hang": {  # both hands on the first bar
        "Hips": (0, 0, "20 deg"), "Spine": "4 deg", "Chest": "2 deg", "Neck": "-12 deg", "Head": "-12 deg",
        "HoldArm": "-158 deg", "HoldForeArm": "-8 deg", "HoldHand": "-10 deg",
        "FreeArm": "-158 deg", "FreeForeArm": "-8 deg", "FreeHand": "-10 deg",
        "HoldUpLeg": "14 deg", "HoldLeg": "38 deg", "HoldFoot": "35 deg",
        "FreeUpLeg": "2 deg", "FreeLeg": "50 deg", "FreeFoot": "30 deg",
    },
    "catch": {  # the next bar in hand, the other hand lets go
        "Hips": (0, 0, "18 deg"), "Spine": "2 deg", "Chest": "-8 deg", "Neck": "-8 deg", "Head": "-10 deg",
        "HoldArm": "-160 deg", "HoldForeArm": "-4 deg", "HoldHand": "-4 deg",
        "FreeArm": "-168 deg", "FreeForeArm": "-36 deg", "FreeHand": "-8 deg",
        "HoldUpLeg": "-20 deg", "HoldLeg": "64 deg", "HoldFoot": "26 deg",
        "FreeUpLeg": "-12 deg", "FreeLeg": "52 deg", "FreeFoot": "28 deg",
    },
    "trail": {  # legs trail behind
        "Hips": (0, 0, "10 deg"), "Spine": "4 deg", "Chest": "0 deg", "Neck": "-8 deg", "Head": "-10 deg",
        "HoldArm": "-166 deg", "HoldForeArm": "-8 deg", "HoldHand": "-6 deg",
        "FreeArm": "-120 deg", "FreeForeArm": "-60 deg", "FreeHand": "-24 deg",
        "HoldUpLeg": "4 deg", "HoldLeg": "52 deg", "HoldFoot": "34 deg",
        "FreeUpLeg": "-4 deg", "FreeLeg": "60 deg", "FreeFoot": "32 deg",
    },
    "under": {  # through the bottom of the swing
        "Hips": (0, 0, "-8 deg"), "Spine": "2 deg", "Chest": "-4 deg", "Neck": "-4 deg", "Head": "-8 deg",
        "HoldArm": "-165 deg", "HoldForeArm": "-6 deg", "HoldHand": "0 deg",
        "FreeArm": "-66 deg", "FreeForeArm": "-66 deg", "FreeHand": "-16 deg",
        "HoldUpLeg": "-10 deg", "HoldLeg": "56 deg", "HoldFoot": "28 deg",
        "FreeUpLeg": "-30 deg", "FreeLeg": "72 deg", "FreeFoot": "22 deg",
    },
    "reach": {  # legs lead, the free hand goes for the next bar
        "Hips": (0, 0, "-17 deg"), "Spine": "2 deg", "Chest": "-6 deg", "Neck": "4 deg", "Head": "-4 deg",
        "HoldArm": "-171 deg", "HoldForeArm": "-9 deg", "HoldHand": "6 deg",
        "FreeArm": "-114 deg", "FreeForeArm": "-30 deg", "FreeHand": "-8 deg",
        "HoldUpLeg": "-24 deg", "HoldLeg": "46 deg", "HoldFoot": "24 deg",
        "FreeUpLeg": "-56 deg", "FreeLeg": "76 deg", "FreeFoot": "18 deg",
    },
    "leap": {  # off the last bar
        "Hips": (0, 0, "-20 deg"), "Spine": "2 deg", "Chest": "-4 deg", "Neck": "6 deg", "Head": "2 deg",
        "HoldArm": "-168 deg", "HoldForeArm": "-8 deg", "HoldHand": "6 deg",
        "FreeArm": "-76 deg", "FreeForeArm": "-35 deg", "FreeHand": "-8 deg",
        "HoldUpLeg": "-40 deg", "HoldLeg": "58 deg", "HoldFoot": "22 deg",
        "FreeUpLeg": "-58 deg", "FreeLeg": "70 deg", "FreeFoot": "18 deg",
    },
    "flight": {
        "Hips": (0, 0, "-12 deg"), "Spine": "2 deg", "Spine1": "0 deg", "Chest": "0 deg", "Neck": "8 deg",
        "Head": "10 deg",
        "HoldArm": "-144 deg", "HoldForeArm": "-26 deg", "HoldHand": "6 deg",
        "FreeArm": "-100 deg", "FreeForeArm": "-30 deg", "FreeHand": "-8 deg",
        "HoldUpLeg": "-50 deg", "HoldLeg": "56 deg", "HoldFoot": "12 deg",
        "FreeUpLeg": "-56 deg", "FreeLeg": "60 deg", "FreeFoot": "12 deg",
    },
    "land": {  # on the balls of the feet, knees a little bent
        "Hips": (0, 0, "2 deg"), "Spine": "11 deg", "Spine1": "10 deg", "Chest": "8 deg", "Neck": "2 deg",
        "Head": "2 deg",
        "HoldArm": "-88 deg", "HoldForeArm": "-24 deg", "FreeArm": "-78 deg", "FreeForeArm": "-24 deg",
        "HoldUpLeg": "-48 deg", "HoldLeg": "38 deg", "HoldFoot": "16 deg",
        "FreeUpLeg": "-48 deg", "FreeLeg": "44 deg", "FreeFoot": "10 deg",
    },
    "absorb": {
        "Hips": (0, 0, "30 deg"), "Spine": "14 deg", "Spine1": "10 deg", "Chest": "8 deg", "Neck": "-6 deg",
        "Head": "-8 deg",
        "HoldArm": "-62 deg", "HoldForeArm": "-30 deg", "FreeArm": "-52 deg", "FreeForeArm": "-34 deg",
        "HoldUpLeg": "-108 deg", "HoldLeg": "98 deg", "HoldFoot": "-21 deg",
        "FreeUpLeg": "-106 deg", "FreeLeg": "102 deg", "FreeFoot": "-27 deg",
    },
    "crouch": {
        "Hips": (0, 0, "36 deg"), "Spine": "16 deg", "Spine1": "12 deg", "Chest": "8 deg", "Neck": "-16 deg",
        "Head": "-18 deg",
        "HoldArm": "-34 deg", "HoldForeArm": "-38 deg", "FreeArm": "-24 deg", "FreeForeArm": "-42 deg",
        "HoldUpLeg": "-111 deg", "HoldLeg": "104 deg", "HoldFoot": "-29 deg",
        "FreeUpLeg": "-109 deg", "FreeLeg": "107 deg", "FreeFoot": "-33 deg",
    },
    "rise": {
        "Hips": (0, 0, "4 deg"), "Spine": "2 deg", "Spine1": "2 deg", "Chest": "0 deg", "Neck": "-2 deg",
        "Head": "-4 deg",
        "HoldArm": "14 deg", "HoldForeArm": "-22 deg", "FreeArm": "18 deg", "FreeForeArm": "-18 deg",
        "HoldUpLeg": "-10 deg", "HoldLeg": "10 deg", "HoldFoot": "-4 deg",
        "FreeUpLeg": "-10 deg", "FreeLeg": "10 deg", "FreeFoot": "-4 deg",
    },
    "stand": {
        "Hips": (0, 0, "1 deg"), "Head": "3 deg",
        "HoldArm": "-4 deg", "HoldForeArm": "-16 deg", "FreeArm": "2 deg", "FreeForeArm": "-14 deg",
        "HoldUpLeg": "-5 deg", "HoldLeg": "6 deg", "HoldFoot": "-2 deg",
        "FreeUpLeg": "-5 deg", "FreeLeg": "6 deg", "FreeFoot": "-2 deg",
    },
}  # fmt: skip
"""Joint angles; "Hold" is the side of the hand that holds on."""


@dataclass(frozen=True, eq=False)
class Swing:
    """One bar, held by one hand."""

    bar: Array  # (3,)
    start: float
    end: float
    hand: str
    other: str


@dataclass(frozen=True, eq=False)
class MonkeyBar:
    """The document, its clip, and what came of it."""

    tracks: Keyframes
    clip: Clip
    report: Report
    swings: tuple[Swing, ...]


def swing_time(back: float, forward: float) -> float:
    """How long the pendulum takes from one angle to another [s]: ∫ L dφ / v(φ)."""
    # φ = m + r sin u takes away the infinite slope of a start from rest.
    u, weight = np.polynomial.legendre.leggauss(60)
    middle, reach = 0.5 * (forward + back), 0.5 * (forward - back)
    phi = middle + reach * np.sin(0.5 * np.pi * u)
    v = np.sqrt(2 * GRAVITY * LENGTH * (np.cos(phi) - np.cos(BACK)))
    return float(0.5 * np.pi * weight @ (LENGTH * reach * np.cos(0.5 * np.pi * u) / v))


def swings() -> tuple[Swing, ...]:
    """Bars as far apart as the swings and the links between them carry."""
    found, t = [], 0.0
    apart = 2 * LENGTH * np.sin(ANGLE) + SPEED * np.cos(ANGLE) * LINK
    for k in range(SWINGS):
        lasts = swing_time(-ANGLE if k else -BACK, ANGLE)
        hands = ("Right", "Left") if k % 2 == 0 else ("Left", "Right")
        found.append(Swing(np.array([k * apart, 0.0, HEIGHT]), t, t + lasts, *hands))
        t += lasts + LINK
    return tuple(found)


def hanging(bar: Array, angle: float) -> tuple[Array, Array]:
    """The centre of mass at an angle of the swing, and its velocity."""
    speed = np.sqrt(max(2 * GRAVITY * LENGTH * (np.cos(angle) - np.cos(BACK)), 0.0))
    place = bar + LENGTH * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    return place, speed * np.array([np.cos(angle), 0.0, np.sin(angle)])


def path(hung: tuple[Swing, ...]) -> Path:
    """Pendulum, Hermite, pendulum … projectile, and Hermites to rest."""
    keys = []
    for k, swing in enumerate(hung):
        place, velocity = hanging(swing.bar, -ANGLE if k else -BACK)
        keys.append(PathKey(swing.start, tuple(place), tuple(velocity), Pendulum(swing.bar)))
        after = ProjectileI() if swing is hung[-1] else Hermite()
        # Where it arrives, and how fast, the template knows better.
        keys.append(PathKey(swing.end, tuple(hanging(swing.bar, ANGLE)[0]), None, after))
    (off, speed), t = hanging(hung[-1].bar, ANGLE), hung[-1].end
    down = off + speed * FLIGHT - [0.0, 0.0, 0.5 * GRAVITY * FLIGHT**2]
    ankle = down[0] + STEP
    keys += [
        PathKey(t + FLIGHT, tuple(down)),
        PathKey(t + FLIGHT + ABSORB, (ankle - 0.005, 0.0, 0.64), (0.25, 0.0, -0.35)),
        PathKey(t + FLIGHT + ABSORB + SINK, (ankle + 0.04, 0.0, 0.61), (0.0, 0.0, 0.06)),
        PathKey(t + FLIGHT + ABSORB + SINK + 0.5 * RISE, (ankle + 0.035, 0.0, 0.86)),
        PathKey(t + FLIGHT + ABSORB + SINK + RISE, (ankle + 0.02, 0.0, 0.994), (0.0, 0.0, 0.03)),
        PathKey(t + FLIGHT + ABSORB + SINK + RISE + SETTLE, (ankle + 0.01, 0.0, 0.998), (0.0, 0.0, 0.0)),
        PathKey(t + FLIGHT + ABSORB + SINK + RISE + SETTLE + REST, (ankle + 0.01, 0.0, 0.998)),
    ]
    return Path(tuple(keys), gravity=GRAVITY)


def posed(character: Character, name: str, hand: str, other: str) -> Array:
    """A pose of the list for one who holds on with that hand."""
    joints = {j.replace("Hold", hand).replace("Free", other): v for j, v in POSES[name].items()}
    return pose(character, joints)


def grip(name: str, hand: str, bar: Array, start: float, end: float) -> Pin:
    """A hand at a bar: it is drawn there while it reaches, and let go quickly."""
    gains = {start - REACH: 0.0, start: 1.0, end: 1.0, end + RELEASE: 0.0}
    handle = PointPosition(f"{hand}HandCentre", "xz")
    return Pin(handle, Track.of(space_of(handle), bar[[0, 2]]), Track.of(NUMBER, gains), name)


def document() -> tuple[Keyframes, tuple[Swing, ...]]:
    """Everything that is keyed."""
    character, hung = presets.get("planar_humanoid"), swings()
    way = path(hung)
    keys = {}
    for k, swing in enumerate(hung):
        lasts = swing.end - swing.start
        hands = (swing.hand, swing.other)
        keys[swing.start] = posed(character, "catch" if k else "hang", *hands)
        for name, part in (("trail", 0.25), ("under", 0.6)) if k else (("under", 0.66),):
            keys[swing.start + part * lasts] = posed(character, name, *hands)
        keys[swing.end] = posed(character, "leap" if swing is hung[-1] else "reach", *hands)
    keys[LINGER] = keys[0.0]
    last = hung[-1]
    hands, t = (last.hand, last.other), last.end
    for name, after in (
        ("flight", 0.5 * FLIGHT), ("land", FLIGHT), ("absorb", FLIGHT + ABSORB),
        ("crouch", FLIGHT + ABSORB + SINK), ("rise", FLIGHT + ABSORB + SINK + RISE),
        ("stand", FLIGHT + ABSORB + SINK + RISE + SETTLE),
        ("stand", FLIGHT + ABSORB + SINK + RISE + SETTLE + REST),
    ):  # fmt: skip
        keys[t + after] = posed(character, name, *hands)
    poses = Track.of(character.manifold, keys)
    landing = poses.index_at(t + FLIGHT)  # legs give way at once, as the path does
    tracks = Keyframes(character, poses.changed(landing, ease="ease-out"), path=way, name="monkey bar")
    pins = [grip(f"bar {k}", swing.hand, swing.bar, swing.start, swing.end) for k, swing in enumerate(hung)]
    pins.append(grip("both hands", hung[0].other, hung[0].bar, 0.0, LINGER))
    tracks = tracks.replaced(pins=pins)
    lands, rests = t + FLIGHT, tracks.span[1]
    ankle = way.at([lands]).position[0, 0] + STEP
    for side, ahead in (("Left", -0.02), ("Right", 0.02)):
        for point, x, late in (("Ball", 0.125, 0.0), ("Heel", -0.055, 0.05)):
            handle, place = PointPosition(f"{side}{point}", "xz"), (ankle + ahead + x, 0.0)
            tracks = tracks.pin(handle, at=(lands + late, rests), to=place, fade=0.08, name=f"{side} {point}")
    return tracks, hung


@lru_cache
def scene(fps: int = 60) -> MonkeyBar:
    """Bake it."""
    tracks, hung = document()
    baked = poise.key(tracks, fps=fps)
    return MonkeyBar(tracks, baked.clip, baked.report, hung)


def props(hung: tuple[Swing, ...]) -> list[tuple[Mesh, str]]:
    """Rungs, a rail and posts behind."""
    from poise.pictures.mesh import capsule

    first, last = hung[0].bar[0], hung[-1].bar[0]
    made = [(capsule(s.bar - [0, 0.30, 0], s.bar + [0, 0.45, 0], 0.017), "metal") for s in hung]
    made.append((capsule((first, 0.45, HEIGHT), (last, 0.45, HEIGHT), 0.024), "metal"))
    made += [(capsule((x, 0.45, 0.0), (x, 0.45, HEIGHT), 0.03), "metal") for x in (first, last)]
    return made


def draw(folder: FilePath) -> list[FilePath]:
    """As in the paper's Fig. 1: the whole passage in one picture."""
    from panels import reduced
    from stage import strobe

    found = scene()
    last, rate = found.swings[-1].end, found.clip.fps
    times = [t for s in found.swings for t in (s.start + 0.06, s.end + 0.02)]
    ends = [last + 0.7 * FLIGHT, last + FLIGHT + ABSORB, found.clip.duration]
    frames = [round(t * rate) for t in (*times, *ends)]
    shifts = np.zeros((len(frames), 3))
    shifts[-3:, 0] = 0.2, 0.5, 1.2  # set apart, to be seen
    picture = strobe(
        found.clip, frames, view=VIEW, size=(2000, 760), props=props(found.swings), shifts=shifts, margin=0.02
    )
    folder.mkdir(parents=True, exist_ok=True)
    save_png(reduced(picture), folder / "pk_monkey_bar.png")
    return [folder / "pk_monkey_bar.png"]


def film(folder: FilePath) -> FilePath:
    """The motion, as an MP4."""
    import stage

    found = scene()
    room = np.array([[-1.2, 0.0, 0.0], [1.2, 0.0, HEIGHT + 0.1]])
    path, look = folder / "pk_monkey_bar.mp4", View(-78.0, 5.0)
    return stage.film(found.clip, path, view=look, props=props(found.swings), follow=0.5, around=room)


if __name__ == "__main__":
    print(scene().report)
    print(*draw(FilePath("out")), film(FilePath("out")), sep="\n")
