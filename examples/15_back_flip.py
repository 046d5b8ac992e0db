"""A back flip: the body turns in the air as angular momentum wants it, and lands on its feet.

The flight is posed as if the body did not turn: stretched, tucked, opened. The centre of mass is a projectile
with a height; a spin finds the momentum that turns the body once backwards and brings it down as posed.
Nobody keyed how fast it turns: the tuck does that.
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
from poise.kinematics import Kinematics
from poise.methods.key.path.key import PathKey
from poise.methods.key.path.path import Path
from poise.methods.key.path.templates import ProjectileIII
from poise.methods.key.pose.values import pose
from poise.methods.key.sheet.keyframes import Keyframes
from poise.methods.key.sheet.track import Track
from poise.motion import Clip
from poise.pictures import View, save_png

APEX = 1.66
"""Height of the centre of mass at the top [m]."""
FEET = 0.09
"""Half the distance between them [m]."""
BACK = 0.42
"""How far behind its place it lands [m]."""
READY, SWING, CROUCH, PUSH, DRIVE, LEAP = 0.25, 0.65, 1.08, 1.24, 1.306, 1.34
"""Times of poses before the flight; the leap ends it [s]."""
ABSORB, SINK, RISE, SETTLE, REST = 0.14, 0.34, 0.95, 1.5, 1.8
"""Times of poses after the landing [s]."""
GRAVITY = 9.81
STILL = (0.0, 0.0, 0.0)
VIEW = View(84.0, 5.0, orthographic=True)

POSES: dict[str, dict[str, float | tuple[float, float, float]]] = {
    "stand": {
        "Hips": 0, "Spine": 1, "Chest": 0, "Head": 2, "Arm": (-78, 0, -6), "ForeArm": 14,
        "UpLeg": -5, "Leg": 9, "Ankle": 4,
    },
    "swing": {  # arms up in front
        "Hips": -2, "Spine": -3, "Chest": -3, "Head": 0, "Arm": (10, 0, -82), "ForeArm": 12,
        "UpLeg": -4, "Leg": 9, "Ankle": 3,
    },
    "crouch": {  # arms far back
        "Hips": 44, "Spine": 16, "Chest": 10, "Head": -30, "Arm": (-66, 0, 44), "ForeArm": 8,
        "UpLeg": -110, "Leg": 99, "Ankle": 33,
    },
    "push": {  # arms lead, legs follow
        "Hips": 12, "Spine": 4, "Chest": 2, "Head": -14, "Arm": (14, 0, -80), "ForeArm": 10,
        "UpLeg": -64, "Leg": 80, "Ankle": 28,
    },
    "drive": {
        "Hips": -6, "Spine": -4, "Chest": -3, "Head": -12, "Arm": (58, 0, -52), "ForeArm": 10,
        "UpLeg": -26, "Leg": 54, "Ankle": 2, "ToeBase": 20,
    },
    "leap": {  # leaning back, on the toes
        "Hips": -12, "Spine": -7, "Chest": -5, "Head": -12, "Arm": (80, 0, -24), "ForeArm": 10,
        "UpLeg": -4, "Leg": 22, "Ankle": -28, "ToeBase": 34,
    },
    "stretch": {
        "Hips": -16, "Spine": -8, "Chest": -6, "Head": -10, "Arm": (88, 0, -12), "ForeArm": 8,
        "UpLeg": 4, "Leg": 8, "Ankle": -44, "ToeBase": 14,
    },
    "gather": {  # knees on their way up, into the tuck
        "Hips": 0, "Spine": 27, "Chest": 20, "Head": 14, "Arm": (-46, 0, -68), "ForeArm": 56,
        "UpLeg": -112, "Leg": 116, "Ankle": -22, "ToeBase": 0,
    },
    "tuck": {
        "Hips": 0, "Spine": 26, "Chest": 20, "Head": 16, "Arm": (-50, 0, -66), "ForeArm": 62,
        "UpLeg": -120, "Leg": 126, "Ankle": -20, "ToeBase": 0,
    },
    "open": {
        "Hips": 14, "Spine": 12, "Chest": 8, "Head": -4, "Arm": (-34, 0, -66), "ForeArm": 26,
        "UpLeg": -66, "Leg": 64, "Ankle": -10, "ToeBase": 6,
    },
    "land": {  # on the balls of the feet
        "Hips": 20, "Spine": 12, "Chest": 8, "Head": -8, "Arm": (-28, 0, -76), "ForeArm": 18,
        "UpLeg": -48, "Leg": 38, "Ankle": -2, "ToeBase": 12,
    },
    "absorb": {
        "Hips": 42, "Spine": 16, "Chest": 10, "Head": -20, "Arm": (-44, 0, -64), "ForeArm": 22,
        "UpLeg": -104, "Leg": 92, "Ankle": 30,
    },
    "sink": {
        "Hips": 44, "Spine": 17, "Chest": 11, "Head": -26, "Arm": (-60, 0, -40), "ForeArm": 26,
        "UpLeg": -108, "Leg": 96, "Ankle": 32,
    },
    "rise": {
        "Hips": 2, "Spine": 0, "Chest": -2, "Head": 2, "Arm": (-70, 0, 14), "ForeArm": 18,
        "UpLeg": -8, "Leg": 10, "Ankle": 4,
    },
}  # fmt: skip
"""Angles [°]: bows of the trunk, rotation vectors of the left arm (the right one mirrors it), flexions."""


@dataclass(frozen=True, eq=False)
class BackFlip:
    """The document, its clip, and what came of it."""

    tracks: Keyframes
    clip: Clip
    report: Report
    leaves: float
    """The feet leave the floor [s]."""
    lands: float
    """They are back [s]."""

    @property
    def times(self) -> Array:
        """Of the frames [s]."""
        return np.asarray(np.arange(len(self.clip.q)) * self.clip.dt, dtype=np.float64)

    def turning(self, times: Array) -> tuple[Array, Array, Array]:
        """Angular momentum, inertia and turning of the whole body about y, its centre of mass (T,) each."""
        step = 2e-5
        before, now, after = (self.tracks.at(times + h).q for h in (-step, 0.0, step))
        manifold = self.clip.character.manifold
        velocity = (manifold.minus(after, now) - manifold.minus(before, now)) / (2 * step)
        kin = Kinematics(self.clip.character, now, velocity)
        momentum = kin.momentum[:, 3:]
        turning: Array = np.linalg.solve(kin.inertia, momentum[:, :, None])[:, 1, 0].astype(np.float64)
        return momentum[:, 1], kin.inertia[:, 1, 1], turning


def posed(character: Character, name: str) -> Array:
    """A pose of the list, both sides alike."""
    joints: dict[str, object] = {}
    for joint, value in POSES[name].items():
        if joint == "Hips":
            joints[joint] = (0.0, 0.0, 0.0, 0.0, np.radians(value), 0.0)
        elif joint in ("Spine", "Chest", "Head"):
            joints[joint] = (0.0, np.radians(value), 0.0)
        elif joint == "UpLeg":
            joints |= {f"{side}UpLeg": (0.0, np.radians(value), 0.0) for side in ("Left", "Right")}
        elif joint == "Arm":
            x, y, z = np.radians(value)
            joints |= {"LeftArm": (x, y, z), "RightArm": (-x, y, -z)}
        else:
            joints |= {f"{side}{joint}": np.radians(value) for side in ("Left", "Right")}
    return pose(character, joints)


def over(character: Character, q: Array, ball: float) -> tuple[float, ...]:
    """The centre of mass of a pose whose balls of the feet are on the floor at that x [m]."""
    kin = Kinematics(character, q)
    return tuple(kin.com[0] - kin.point("LeftBall")[0] * [1.0, 0.0, 1.0] + [ball, 0.0, 0.0])


def document() -> tuple[Keyframes, float, float]:
    """Everything that is keyed; when the flight starts and ends."""
    character = presets.get("humanoid")

    def centre(name: str, ball: float = 0.0) -> tuple[float, ...]:
        return over(character, posed(character, name), ball)

    flight = (
        PathKey(0.0, centre("stand")),
        PathKey(READY, centre("stand")),
        PathKey(SWING, centre("swing")),
        PathKey(CROUCH, centre("crouch"), (0.2, 0.0, 0.0)),
        PathKey(LEAP, centre("leap"), template=ProjectileIII(APEX)),
        PathKey(LEAP + 0.7, centre("land", -BACK)),
    )
    up = Path(flight, gravity=GRAVITY).fixed()  # the apex says how long the flight lasts
    lands = up.keys[-1].time
    aloft = lands - LEAP
    keys = {
        0.0: "stand", READY: "stand", SWING: "swing", CROUCH: "crouch", PUSH: "push", DRIVE: "drive",
        LEAP: "leap", LEAP + 0.08: "stretch",
        LEAP + 0.36 * aloft: "gather", LEAP + 0.6 * aloft: "tuck", LEAP + 0.85 * aloft: "open", lands: "land",
        lands + ABSORB: "absorb", lands + SINK: "sink", lands + RISE: "rise", lands + SETTLE: "stand",
        lands + REST: "stand",
    }  # fmt: skip
    poses = Track.of(character.manifold, {t: posed(character, name) for t, name in keys.items()})
    poses = poses.changed(poses.index_at(lands), ease="ease-out")
    landed = {ABSORB: (0.1, 0.0, -0.25), SINK: STILL, 0.5 * (SINK + RISE): None}
    landed |= {RISE: STILL, SETTLE: STILL, REST: STILL}
    way = up
    for after, velocity in landed.items():  # on the floor it goes as the poses have it
        place = over(character, poses.at([lands + after])[0], -BACK)
        way = way.insert(PathKey(lands + after, place, velocity))
    tracks = Keyframes(character, poses, path=way, fade=0.1, name="back flip")
    for side, y in (("Left", FEET), ("Right", -FEET)):
        for point, ahead in (("Toe", 0.07), ("Ball", 0.0), ("Heel", -0.18)):
            heel = point == "Heel"  # leaves first and comes down last
            up_to, from_on, fade = (PUSH, lands + 0.06, 0.06) if heel else (LEAP, lands, 0.0)
            tracks = tracks.pin(f"{side}{point}", at=(0.0, up_to), to=(ahead, y, 0.0), fade=fade)
            tracks = tracks.pin(
                f"{side}{point}", at=(from_on, lands + REST), to=(ahead - BACK, y, 0.0), fade=fade
            )
    return tracks.with_spin(LEAP, lands, turns=-1), LEAP, lands


@lru_cache
def scene(fps: int = 60) -> BackFlip:
    """Bake it."""
    tracks, leaves, lands = document()
    baked = poise.key(tracks, fps=fps)
    return BackFlip(tracks, baked.clip, baked.report, leaves, lands)


def draw(folder: FilePath) -> list[FilePath]:
    """The flip set out in a row, evenly in time while in the air; and why it turns fast when it does."""
    from panels import reduced
    from stage import strobe

    found = scene()
    times = [0.0, CROUCH, *np.linspace(found.leaves, found.lands, 8), found.lands + SINK, found.lands + REST]
    shifts = np.outer(np.arange(len(times)), [-0.84, 0.0, 0.0])
    shifts[:2] += [-0.25, 0.0, 0.0]
    frames = [round(t * found.clip.fps) for t in times[:-1]] + [len(found.clip.q) - 1]
    picture = strobe(found.clip, frames, view=VIEW, size=(2000, 640), shifts=shifts, margin=0.02)
    folder.mkdir(parents=True, exist_ok=True)
    save_png(reduced(picture), folder / "pk_back_flip.png")
    return [folder / "pk_back_flip.png", _draw_turning(found, folder / "pk_back_flip_turning.png")]


def _draw_turning(found: BackFlip, path: FilePath) -> FilePath:
    """Turning against inertia over the flight."""
    from panels import figure, save_figure

    t = np.linspace(found.leaves + 1e-3, found.lands - 1e-3, 240)
    _, inertia, turning = found.turning(t)
    made, axes = figure(7.0, 3.2)
    other = axes.twinx()
    other.spines["top"].set_visible(False)
    axes.plot(t - found.leaves, -turning, color="#d6552b", lw=2.2)
    other.plot(t - found.leaves, inertia, color="#2b5583", lw=2.2)
    axes.set(xlabel="time in the air [s]", ylim=(0, 14))
    other.set(ylim=(0, 17))
    axes.set_ylabel("turning backwards [rad/s]", color="#d6552b")
    other.set_ylabel("inertia about y [kg·m²]", color="#2b5583")
    return save_figure(made, path)


def film(folder: FilePath) -> FilePath:
    """The motion, as an MP4."""
    import stage

    return stage.film(scene().clip, folder / "pk_back_flip.mp4", view=View(62.0, 6.0), size=(720, 720))


if __name__ == "__main__":
    print(scene().report)
    print(*draw(FilePath("out")), film(FilePath("out")), sep="\n")
