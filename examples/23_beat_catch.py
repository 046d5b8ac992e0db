"""Catching a ball: one key, the hand at the ball's place at its time; undisturbed, and hit on the way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import poise
from poise.arrays import Array
from poise.character import presets
from poise.clips.author.puppet import Puppet
from poise.kinematics import Kinematics
from poise.methods.perform.result import PerformResult
from poise.methods.perform.script import sound
from poise.methods.perform.script.pose import JointPose
from poise.methods.perform.script.script import Script
from poise.methods.perform.script.timed_pose import TimedPose
from poise.operations.values.disturbance import ThrowAt

WHEN = 0.9
"""When the ball can be caught [s]."""
WHERE = np.array([0.50, -0.24, 1.42])
ARRIVES = np.array([-4.2, 0.15, -2.2])
"""The ball's velocity then [m/s]."""
RADIUS, HEAVY = 0.045, 0.1
"""Of the ball to be caught and of the other [m]."""
HIT = 0.62
"""When the other ball comes [s]."""
DOWN = np.array([0.0, 0.0, -9.81])
PALM = "RightHandCentre"


@dataclass(frozen=True, eq=False)
class Catch:
    """A performance and how far the hand is from the ball when it matters."""

    result: PerformResult

    @property
    def distance(self) -> float:
        """At the time of the catch [m]."""
        q = self.result.trace.q[int(np.argmin(np.abs(self.result.trace.times - WHEN)))]
        return float(np.linalg.norm(Kinematics(presets.get("humanoid"), q).point(PALM)[0] - WHERE))


def ball(t: float) -> Array:
    """Where the ball to be caught is; once caught it stays in the hand (see ``held``)."""
    s = t - WHEN
    return WHERE + ARRIVES * s + 0.5 * DOWN * s * s


def standing() -> JointPose:
    """At ease."""
    return Script.bundled("ymca").library["Rest"]


def catching() -> JointPose:
    """The right hand where the ball will be."""
    character = presets.get("humanoid")
    puppet = Puppet(character)
    kin = Kinematics(character, standing().on(character, character.rest_pose()))
    chest = character.index("Chest")
    place, turn = kin.positions[:, chest], kin.rotations[:, chest]
    arm = puppet.arm_reach(
        "Right", place, turn, WHERE[None], np.array([[-0.2, -0.7, -1.0]]), np.array([-0.6])
    )
    return JointPose({name: values[0] for name, values in arm.items()}, "catch")


@cache
def scene(*, disturbed: bool = False, control: str = "full") -> Catch:
    """One key; perhaps another ball."""
    character = presets.get("humanoid")
    keys = [TimedPose(catching(), WHEN, style="lively")]
    throws = []
    if disturbed:
        calm = scene().result.clip
        elbow = Kinematics(character, calm.at(HIT)).point("RightHand")[0]
        throws = [
            ThrowAt(
                HIT, "RightHand", (-6.0, 1.0, 0.5), flight=0.45, mass=3.0, radius=HEAVY, name="heavy"
            ).thrown(elbow)
        ]
    result = poise.perform(
        character=character,
        script=keys,
        control=control,
        from_pose=standing(),
        disturbances=throws,
        duration=1.5,
        ground=disturbed,
    )
    return Catch(result)


def held(result: PerformResult, t: float) -> Array:
    """Where the ball is: flying, then in the hand."""
    if t < WHEN:
        return ball(t)
    return np.asarray(Kinematics(result.clip.character, result.clip.at(t)).point(PALM)[0])


def draw(folder: Path) -> list[Path]:
    """The catch, undisturbed above and hit below."""
    from beat_tables import box, rows
    from panels import Framing, Panel
    from poise.pictures import View
    from poise.pictures.mesh import sphere

    items = []
    for disturbed in (False, True):
        found = scene(disturbed=disturbed)
        result = found.result
        row = []
        for t in (0.45, 0.62, 0.72, 0.82, WHEN):
            at = round(t * result.clip.fps)
            meshes = [(sphere(RADIUS).placed(held(result, t)), "target")]
            meshes += [
                (sphere(HEAVY).placed(f.pose(t).place), "shoe")
                for f in result.thrown
                if f.track is not None and f.track.there(t)
            ]
            how = "hit" if disturbed else "calm"
            apart = f"{1e3 * found.distance:.1f} mm from it" if found.distance > 1e-4 else "caught"
            note = apart if t == WHEN else f"{t:.2f} s"
            row.append(Panel(result.clip, at, how, note, meshes=meshes))
        items.append(row)
    look = Framing(View(-58.0, 8.0), (300, 380), around=box((-0.3, -0.6, 0.0), (1.2, 0.4, 2.0)), margin=0.02)
    return [rows(items, folder / "beat_catch.png", look)]


def film(folder: Path) -> Path:
    """The disturbed catch: a thud and a catch."""
    from poise.pictures import Prop, View, video
    from poise.pictures.mesh import sphere

    result = scene(disturbed=True).result
    thud = [sound.Note(t.time, sound.pitch("C2"), 0.2, 1.5) for t in result.touches]
    noise = sound.write(
        folder / "beat_catch.wav", sound.render([*thud, sound.Note(WHEN, 0.0)], result.clip.duration + 0.5)
    )

    def props(t: float) -> list[Prop]:
        out = [Prop(sphere(RADIUS), "target", held(result, t), np.eye(3))]
        heavy = result.thrown[0]
        if heavy.track is None or not heavy.track.there(t):
            return out
        return [*out, Prop(sphere(HEAVY), "shoe", heavy.pose(t).place, np.eye(3))]

    return video(
        result.clip,
        folder / "beat_catch.mp4",
        view=View(-58.0, 8.0),
        props=props,
        sound=noise,
        size=(720, 600),
    )


if __name__ == "__main__":
    for disturbed in (False, True):
        found = scene(disturbed=disturbed)
        print(f"{'hit' if disturbed else 'undisturbed'}: {1e3 * found.distance:.4f} mm from the ball")
        print(found.result.report)
    print(*draw(Path("out")), film(Path("out")), sep="\n")
