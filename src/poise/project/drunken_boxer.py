"""A project to look at: a boxer who has had a few, and still hits.

punch        the bundled punch
feet         both feet are kept where they stand
drunk        trunk and arms hang on slack springs: the fist comes late, and 60 cm too low
hit          what the slack body follows is changed so that the fist arrives all the same
stand        slack legs let the feet slip; they are put back, and the fist stays on its target
"""

from __future__ import annotations

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


def drunken_boxer() -> Project:
    """The project, in memory."""
    from dataclasses import replace

    from poise import clips
    from poise.constraints import pin
    from poise.kinematics import Kinematics
    from poise.methods.adaptation import detect
    from poise.project.commands import SetField

    punch = clips.get("punch")
    place = Kinematics(punch.character, punch.at(TIME)).point(POINT)[0]
    fist = pin(POINT, place, TIME, name="fist on target")
    plants = [replace(plant, place=plant.estimate(punch)) for plant in detect(punch)]
    project = Project().do(SetField(field="name", value="drunken boxer"))
    project.add_clip("punch", "punch").add("source", "punch", clip="punch")
    project.add("adaptation", "feet", plants=False, constraints=plants, floor=True)
    project.add("kinodynamics", "drunk", tension=TENSION)
    project.add("targets", "hit", constraints=[fist])
    project.add("adaptation", "stand", plants=False, constraints=[*plants, fist], floor=True)
    return project
