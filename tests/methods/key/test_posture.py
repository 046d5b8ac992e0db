"""Legs bend before backs do, and straight legs bend smoothly."""

from __future__ import annotations

import numpy as np
import pytest

from poise import characters
from poise.character import Character, JointKind
from poise.handles import PointPosition
from poise.kinematics import Kinematics
from poise.methods.key.path.key import PathKey
from poise.methods.key.path.path import Path
from poise.methods.key.pose.posture import BEND, DEAR, LIGHT, SOFT, Supple, limber, posture_weights
from poise.methods.key.sheet.keyframes import Keyframes


def dip(figure: Character, depth: float) -> Keyframes:
    """Down and up again from the rest pose, whose legs are straight; no pose key says how."""
    rest = figure.rest_pose()
    up = Kinematics(figure, rest).com[0]
    path = Path((PathKey(0.0, up), PathKey(0.5, up - [0, 0, depth]), PathKey(1.0, up)))
    tracks = Keyframes(figure, rest).with_path(path)
    for side in ("Left", "Right"):
        for point in ("Heel", "Ball", "Toe"):
            tracks = tracks.pin(f"{side}{point}")
    return tracks


@pytest.mark.parametrize(
    "figure", [characters.planar_humanoid(), characters.humanoid()], ids=lambda c: c.name
)
def test_a_body_on_straight_legs_sinks_by_its_knees_without_a_jump(figure):
    times = np.linspace(0.0, 1.0, 121)
    found = dip(figure, 0.15).at(times)
    assert not found.report.warnings
    step = figure.manifold.minus(found.q[1:], found.q[:-1])
    assert np.abs(step).max() < 0.12
    assert np.abs(np.diff(step[5:-5], axis=0)).max() < 0.04, "smooth away from the very beginning"
    joints = found.q[:, [figure.coordinates(n).start for n in ("LeftLeg", "RightLeg")]]
    assert np.abs(joints[:, 0] - joints[:, 1]).max() < 1e-4, "both knees alike"
    assert joints[60].min() > 0.8
    com = Kinematics(figure, found.q).com
    assert np.abs(com[60, 2] - com[0, 2] + 0.15) < 1e-9


@pytest.mark.parametrize("depth", [0.2, 0.25])
def test_ankles_at_their_limits_make_no_jump(depth):
    """Deep on flat feet: beyond what the ankles can give heels, knees and hips have to find another way."""
    figure = characters.humanoid()
    found = dip(figure, depth).at(np.linspace(0.0, 1.0, 121))
    assert not found.report.warnings
    assert found.report.met
    assert np.abs(figure.manifold.minus(found.q[1:], found.q[:-1])).max() < 0.12


def test_the_trunk_is_dear_and_limbs_are_cheap():
    figure = characters.humanoid()
    weights = dict(zip(figure.dof_names, posture_weights(figure)))
    assert (
        weights["Hips.x"] == weights["LeftUpLeg.ry"] == weights["LeftArm.rx"] == weights["Head.rx"] == LIGHT
    )
    assert weights["Hips.ry"] == weights["Spine.ry"] == weights["Chest.rz"] == DEAR


def test_knees_and_elbows_of_held_limbs_are_never_quite_straight():
    figure = characters.planar_humanoid()
    soft = Supple(figure, [PointPosition("LeftToe"), PointPosition("RightHand")])
    for i, name in enumerate(figure.names):
        span = figure.dofs(i)
        changed = (figure.lower[span] != soft.character.lower[span]).any()
        changed |= (figure.upper[span] != soft.character.upper[span]).any()
        assert changed == (name in {"LeftLeg", "RightForeArm"}), name
    knee, elbow = figure.coordinates("LeftLeg").start, figure.coordinates("RightForeArm").start
    angles = np.linspace(-0.05, 2.0, 200)
    q = np.tile(figure.rest_pose(), (200, 1))
    q[:, knee], q[:, elbow] = angles, -angles
    out = soft.softened(q)
    assert (out[:, knee] >= SOFT).all()
    assert np.allclose(out[:, elbow], -out[:, knee], atol=1e-15), "an elbow bends the other way"
    far = angles >= 2 * SOFT
    assert np.array_equal(out[far], q[far])
    fine = np.linspace(-0.02, 0.2, 2001)
    q = np.tile(figure.rest_pose(), (2001, 1))
    q[:, knee] = fine
    slopes = np.diff(soft.softened(q)[:, knee]) / np.diff(fine)
    assert (slopes > -1e-12).all()
    assert np.abs(np.diff(slopes)).max() < 0.002, "smooth"
    assert Supple(figure, []).character is figure


def test_starts_are_inside_the_limits_and_leave_the_rest_alone():
    figure = characters.humanoid()
    q = figure.rest_pose()
    out = limber(figure, np.stack([q, q]))
    for i, body in enumerate(figure.bodies):
        span, dof = figure.coordinates(i), figure.dofs(i).start
        if body.joint.kind is not JointKind.HINGE:
            assert np.array_equal(out[:, span], [q[span]] * 2)
            continue
        low, high = figure.lower[dof], figure.upper[dof]
        room = min(BEND, 0.25 * (high - low))
        assert (out[:, span] >= low + room - 1e-12).all()
        assert (out[:, span] <= high - room + 1e-12).all()
    still = np.zeros(figure.nv, dtype=bool)
    assert np.array_equal(limber(figure, q, still), q)
