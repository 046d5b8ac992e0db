"""A project to look at: a boxer who has had a few, and still hits.

punch        the bundled punch
aim          the opponent is taller: the fist goes higher and further left, both feet stay where they are
drunk        trunk and arms hang on slack springs: the fist comes late and low
hit          what the slack body follows is changed so that the fist arrives all the same
stand        slack legs let the feet slip; they are put back, and the fist stays on its target
hat          sways on top of it all
"""

from __future__ import annotations

from dataclasses import replace

from poise.project.project import Project

POINT, TIME = "RightHandCentre", 0.85
"""What hits, and when [s]."""
TENSION = {
    "*": "drunk",
    "Head": "relaxed",
    "left leg": "tense",
    "right leg": "tense",
    "left foot": "tense",
    "right foot": "tense",
}


TALLER = (-0.03, 0.1, 0.12)
"""Where the target is, beside where the animated fist goes [m]."""


def drunken_boxer() -> Project:
    """The project, in memory."""
    from poise import clips
    from poise.constraints import Always, FootPlant, pin
    from poise.project.commands import SetField

    punch = clips.get("punch")
    fist = pin(POINT, target(), TIME, name="fist on target")
    # The rear foot turns on its ball, the heel up.
    standing = [
        FootPlant({"LeftHeel": Always(), "LeftBall": Always()}, name="front foot"),
        FootPlant({"RightBall": Always()}, name="ball of the rear foot"),
    ]
    plants = [replace(plant, place=plant.estimate(punch)) for plant in standing]
    project = Project().do(SetField(field="name", value="drunken boxer"))
    project.add_clip("punch", "punch").add("source", "punch", clip="punch")
    project.add("adaptation", "aim", plants=False, constraints=[*plants, fist], floor=True)
    project.add("kinodynamics", "drunk", tension=TENSION)
    project.add("targets", "hit", constraints=[fist])
    project.add("adaptation", "stand", plants=False, constraints=[*plants, fist], floor=True)
    project.add("attachment", "hat", to="Head")
    return project


def target() -> tuple[float, float, float]:
    """Where the fist is to be [m]."""
    from poise import clips
    from poise.kinematics import Kinematics

    punch = clips.get("punch")
    there = Kinematics(punch.character, punch.at(TIME)).point(POINT)[0].tolist()
    return there[0] + TALLER[0], there[1] + TALLER[1], there[2] + TALLER[2]
