"""A camel of 150 degrees of freedom on the ice, and on its forelegs."""

from __future__ import annotations

from poise.gravity import EARTH
from poise.methods.plan.scene.partial_key import PartialKey
from poise.methods.plan.scene.scene import Scene
from poise.methods.plan.scene.segment import Flight, Segment, Stance

FORE = ("LeftForePastern", "RightForePastern")
HIND = ("LeftHindPastern", "RightHindPastern")
FEET = (*FORE, *HIND)
STILL, AS_IT_IS = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
"""No velocity, and no rotation."""
GRIP = 0.7
"""Friction of the ground, but for the ice."""
CALM = {
    "Neck*": 8.0,
    "Head": 8.0,
    "Hump*": 20.0,
    "Tail*": 10.0,
    "*Ear": 10.0,
    "Jaw": 10.0,
    "*Toe*": 300.0,  # feet land as one
}
"""Carried as they are."""
LEGS = {
    "*Scapula": 6.0,
    "*Humerus": 2.5,
    "*Radius": (0.5, 0.3, 0.5),
    "*Shin": (0.5, 0.3, 0.5),
    "*Cannon": (0.1, 0.05, 0.1),
    "*Pastern": (0.05, 0.02, 0.05),
}
"""They fold at their lower joints when they jump and land, not into the chest."""
OPTIONS = {"modes": 20, "rayleigh": (1.5, 0.005), "stiffer": {**CALM, **LEGS}}


def skating() -> Scene:
    """A jump on to the ice, then long slides on one side after the other."""
    take_off = PartialKey("com", velocity=(1.3, 0.0, 1.4), angular_momentum=(0.0, 0.0, 0.0))
    segments: list[Segment] = [
        Stance(0.9, FEET, [take_off], nodes=2, friction=GRIP, name="prepare"),
        Flight(FEET, nodes=2, name="air"),
        Stance(0.7, FEET, [PartialKey("com", velocity=(None, 0.2, None))], slide=0.3, nodes=2, name="land"),
    ]
    for k, side in enumerate(("Left", "Right", "Left"), start=1):
        other = "Right" if side == "Left" else "Left"
        out = 0.12 if other == "Left" else -0.12
        lifted = [
            PartialKey(f"{other}{leg}Pastern", at=0.4, position=(ahead, 1.2 * out, 0.22), relative=True)
            for leg, ahead in (("Fore", 0.12), ("Hind", -0.22))
        ]  # fmt: skip
        down = [
            PartialKey(
                f"{other}{leg}Pastern",
                position=(0.0, 0.0, 0.0),
                velocity=(None, None, 0.0),
                relative=True,
                orientation=AS_IT_IS,
            )
            for leg in ("Fore", "Hind")
        ]
        holds = [f"{side}ForePastern", f"{side}HindPastern"]
        soles = [f"{other}{leg}Pastern" for leg in ("Fore", "Hind")]
        segments.append(Stance(0.8, holds, [*lifted, *down], slide=0.25, above=soles, name=f"slide {k}"))
    segments.append(Stance(1.0, FEET, slide=1.5, rest=True, nodes=2, name="stop"))
    return Scene("camel", segments, FEET, 0.12, OPTIONS, "camel skating")


def hand_stand(rise: float = 1.75, turn: float = 0.7) -> Scene:
    """Up on the forelegs, down on all four into a crouch, and a jump that twists to the left.

    It takes off with so many metres per second, and lands turned by so much [rad].
    """
    up = [
        *(PartialKey(foot, position=(0.3, 0.0, 1.1), relative=True) for foot in HIND),
        PartialKey("com", velocity=STILL, weight=0.3),
    ]
    down = [
        PartialKey(foot, position=(0.0, 0.0, 0.0), orientation=AS_IT_IS, velocity=(0.0, 0.0, -0.1),
            angular_velocity=STILL, relative=True)
        for foot in HIND
    ]  # fmt: skip
    low = PartialKey("com", at=0.66, position=(None, None, -0.06), relative=True)
    leap = [
        # Legs are not stretched to their end, and the spin is what the time in the air needs: what is left to
        # do there is little.
        PartialKey("com", position=(None, None, 0.0), velocity=(0.2, 0.0, rise), relative=True),
        PartialKey("com", angular_momentum=(0.0, 0.0, None)),
        PartialKey("com", angular_velocity=(None, None, 0.5 * EARTH * turn / rise)),
        PartialKey("Spine3", orientation=AS_IT_IS, relative=True, weight=0.3),
    ]
    segments: list[Segment] = [
        Stance(1.2, FORE, up, nodes=2, above=HIND, friction=GRIP, name="hand stand"),
        Stance(0.9, FORE, down, above=HIND, friction=GRIP, name="down"),
        Stance(1.2, FEET, [low, *leap], least_push=0.6, friction=GRIP, name="prepare"),
        Flight(FEET, turn=(0.0, 0.0, turn), limits=True, name="air"),
        Stance(1.2, FEET, absorb=0.6, nodes=5, least_push=0.8, friction=GRIP, rest=True, name="land"),
    ]
    return Scene("camel", segments, FEET, 0.12, OPTIONS, "camel hand stand")
