"""Random directions, none chosen: limbs led from a key pose across their reach, to 1.4 of it, do not jump.

Where the limb alone, the trunk at rest, can serve or point at every target within its joint limits, no pose
of the sweep jumps. Where it can in the end but not on the whole way, none does beyond 0.9 of the reach.
Other directions are left out: there a target leaves the range of a joint, not the reach of a limb, and two
poses may serve it as well.
"""

from __future__ import annotations

import numpy as np
import pytest
from sweeps import KeySweep

from poise import characters, load
from poise.character import Character, JointKind

GAINS = (0.5, 0.75, 0.9, 0.99, 1.0)
POISE = {
    "tips": {"LeftHand": "LeftArm", "LeftFoot": "LeftUpLeg"},
    "trunk": ("Hips", "Chest"),
    "other": "RightHeel",
}
CMU = {"tips": {"lhand": "lhumerus", "lfoot": "lfemur"}, "trunk": ("root", "thorax"), "other": "rfoot"}
MANY = 3
"""Sweeps of each tip."""


def assert_sweeps(figure: Character, names: dict, seed: int) -> None:
    """Random directions, gains, and trunks pinned or not, cold and warm."""
    rng = np.random.default_rng(seed)
    flat = figure.bodies[0].joint.kind is JointKind.PLANAR
    for tip, root in names["tips"].items():
        done = 0
        while done < MANY:
            way, gain, pinned = rng.normal(size=3), float(rng.choice(GAINS)), rng.random() < 0.5
            if flat:
                way[1] = 0.0
            pins = names["trunk"] if pinned else names["trunk"][:1]
            sweep = KeySweep(figure, tip, root, way, (*pins, names["other"]))
            if not sweep.served(np.ones(1)).all():
                continue
            done += 1
            shares = sweep.shares()
            among = sweep.distance(shares[1:]) > 0.9
            if sweep.served(shares[:: len(shares) // 25]).all():
                among[:] = True
            alone = sweep.cold(sweep.pose, shares, gain)
            led = sweep.warm(alone[0], shares, gain)
            sweep.assert_no_jump(sweep.cold, shares, alone, gain, among=among, most=2)
            sweep.assert_no_jump(sweep.warm, shares, led, gain, among=among, most=2)


@pytest.mark.parametrize("seed", [11, 12, 13, 14])
def test_in_space(seed):
    assert_sweeps(characters.humanoid(), POISE, seed)


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_in_a_plane(seed):
    assert_sweeps(characters.planar_humanoid(), POISE, seed)


def test_of_a_captured_skeleton(shared_data):
    assert_sweeps(load(shared_data / "cmu_asfamc" / "02_01.amc").character, CMU, 13)


def test_no_frame_strays_on_its_own(shared_data):
    """Up behind the head a valley is flat, steps are refused and short ones follow: there is more to go."""
    figure = load(shared_data / "cmu_asfamc" / "02_01.amc").character
    sweep = KeySweep(figure, "lhand", "lhumerus", np.array([-0.342, -0.516, 0.785]), ("root", "rfoot"))
    shares = np.linspace(0.5, 0.65, 120)
    assert sweep.change(sweep.cold(sweep.pose, shares, 0.99)).max() < 0.1
