"""Fig. 8: limited changes. What is left out stays, pins hold, the dragged point arrives; in 2-D and 3-D."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

from poise.kinematics import Kinematics

EXACT = 1e-9


@pytest.fixture(scope="module", params=["plane", "space"])
def changes(request):
    return example("09_limited_changes").scene(space=request.param == "space")


def parts(changes) -> dict[str, set[int]]:
    """What each drag leaves out, by the paper's words."""
    character = changes.character
    everything = set(range(len(character.bodies)))
    middle = next(d.asked.root for d in changes.after if d.asked.name == "(c)")
    upper, leg = set(character.subtree(middle)), set(character.subtree("RightUpLeg"))
    return {"(b)": set(), "(c)": upper, "(d)": everything - upper, "(e)": everything - leg, "(f)": leg}


def places(changes, q):
    kin = Kinematics(changes.character, q)
    return kin, kin.positions[0], kin.rotations[0]


def moved(changes, dragged):
    """How far each body's place and orientation change, (n,)."""
    _, p, r = places(changes, changes.before)
    _, p2, r2 = places(changes, dragged.result.q)
    return np.maximum(np.abs(p2 - p).max(axis=1), np.abs(r2 - r).max(axis=(1, 2)))


def test_both_feet_stand_on_the_floor_before(changes):
    kin = Kinematics(changes.character, changes.before)
    soles = [f"{side}{part}" for side in ("Left", "Right") for part in ("Heel", "Ball", "Toe")]
    assert max(abs(kin.point(p)[0, 2]) for p in soles) < EXACT


def test_the_dragged_point_arrives(changes):
    for dragged in changes.after:
        there = Kinematics(changes.character, dragged.result.q).point(dragged.asked.point)[0]
        assert np.linalg.norm(there - dragged.target) < EXACT, dragged.asked.name
        assert np.linalg.norm(dragged.asked.way) > 0.3, "a drag worth the name"
        assert dragged.result.report.met


def test_pins_hold(changes):
    here = Kinematics(changes.character, changes.before)
    for dragged in changes.after:
        there = Kinematics(changes.character, dragged.result.q)
        for point in dragged.asked.pins:
            assert np.abs(there.point(point) - here.point(point)).max() < EXACT, (dragged.asked.name, point)


def test_what_is_left_out_does_not_move(changes):
    for dragged in changes.after:
        out = parts(changes)[dragged.asked.name]
        assert out <= set(dragged.still)
        if out:
            assert moved(changes, dragged)[sorted(out)].max() < EXACT, dragged.asked.name


def test_joints_left_out_keep_their_angles(changes):
    character = changes.character
    for dragged in changes.after:
        change = character.manifold.minus(dragged.result.q, changes.before)
        for body in parts(changes)[dragged.asked.name] - {0}:
            assert (np.abs(change[character.dofs(body)]) < 1e-15).all(), (
                dragged.asked.name,
                character.names[body],
            )


def test_without_a_local_root_the_whole_body_changes(changes):
    whole = changes.after[0]
    assert whole.asked.root is None
    on_the_floor = {n for n in changes.character.names if "Foot" in n or "Toe" in n}
    for name, far in zip(changes.character.names, moved(changes, whole)):
        assert far > 0.02 or name in on_the_floor, name


def test_the_other_side_of_the_root_does_change(changes):
    """The same local root, both ways: what one drag leaves alone the other moves."""
    index = changes.character.index
    far = {d.asked.name: moved(changes, d) for d in changes.after}
    assert far["(c)"][[index("Hips"), index("RightLeg"), index("RightFoot")]].min() > 0.01
    assert far["(d)"][[index("RightArm"), index("RightHand")]].min() > 0.1
    assert far["(e)"][index("RightFoot")] > 0.1
    assert far["(f)"][[index("Head"), index("RightHand")]].min() > 0.1


def test_joint_limits_hold(changes):
    character = changes.character
    for dragged in changes.after:
        for i, body in enumerate(character.bodies):
            if body.joint.nv == 1:
                angle = dragged.result.q[character.coordinates(i)]
                low, high = character.lower[character.dofs(i)], character.upper[character.dofs(i)]
                assert (low - EXACT <= angle).all(), (dragged.asked.name, body.name)
                assert (angle <= high + EXACT).all(), (dragged.asked.name, body.name)
