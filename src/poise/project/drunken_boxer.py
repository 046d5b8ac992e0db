"""A project to look at: a boxer who has had a few, and still hits.

punch        the bundled punch
aim          the opponent is taller: the fist goes higher and further left, both feet stay where they are
hit          trunk and arms hang on slack springs, so that the fist would come late and low; what the slack
             body follows is changed so that it arrives all the same
stand        slack legs let the feet slip; they are put back, and the fist stays on its target
hat          sways on top of it all
"""

from __future__ import annotations

import math

from poise.operations.values.tension import Spring
from poise.project.project import Project

POINT, TIME = "RightHandCentre", 0.85
"""What hits, and when [s]."""
TENSION: dict[str, str | float | Spring] = {
    "*": "drunk",
    "Head": "relaxed",
    "left leg": "tense",
    "right leg": "tense",
    "left foot": "tense",
    "right foot": "tense",
}


TARGET = (0.903, 0.0995, 1.515)
"""Where the fist is to be [m]: a hand's breadth higher and further left than where the animated one goes."""
FRONT, REAR = (0.13, 0.135, -0.1 * math.pi), (-0.27, -0.125, 0.0)
"""Where the animated feet stand: x, y [m] and heading [rad]. Written down, not looked up in the clip: so the
project is there at once."""


def drunken_boxer() -> Project:
    """The project, in memory."""
    from poise.constraints import Always, FootPlace, FootPlant, pin
    from poise.project.commands import SetField

    fist = pin(POINT, TARGET, TIME, name="fist on target")
    # The rear foot turns on its ball, the heel up.
    front = {"LeftHeel": Always(), "LeftBall": Always()}
    plants = [
        FootPlant(front, FootPlace(*FRONT), name="front foot"),
        FootPlant({"RightBall": Always()}, FootPlace(*REAR), name="ball of the rear foot"),
    ]
    project = Project().do(SetField(field="name", value="drunken boxer"))
    project.add_clip("punch", "punch").add("load", "punch", clip="punch")
    project.add("adapt", "aim", plants=False, constraints=[*plants, fist], floor=True)
    project.add("hit", "hit", constraints=[fist], tension=TENSION)
    project.add("adapt", "stand", plants=False, constraints=[*plants, fist], floor=True)
    project.add("wear", "hat", to="Head")
    return project
