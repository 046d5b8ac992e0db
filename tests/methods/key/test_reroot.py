"""Limited changes: Algorithm 2 against its own words; the six cases of Fig. 8, in the plane and in space."""

from __future__ import annotations

import numpy as np
import pytest
from jumps import standing

from poise.character import Character, JointKind
from poise.character.presets import humanoid, planar_humanoid
from poise.errors import InputError, UnknownNameError
from poise.handles import PointPosition
from poise.kinematics import Kinematics
from poise.methods.key.pose.drag import drag
from poise.methods.key.pose.local_root import free_joints, included
from poise.methods.key.pose.solver import PoseSolver
from poise.methods.key.pose.task import Task
from random_trees import random_character


def path(character: Character, a: int, b: int) -> list[int]:
    """The nodes from a to b in the tree, both ends included."""

    def ancestry(i: int) -> list[int]:
        line = [i]
        while character.parents[line[-1]] >= 0:
            line.append(int(character.parents[line[-1]]))
        return line

    up, down = ancestry(a), ancestry(b)
    meeting = next(i for i in up if i in down)
    return up[: up.index(meeting) + 1] + down[: down.index(meeting)][::-1]


def as_printed(character: Character, local: int, dragged: int) -> set[int]:
    """Algorithm 2, line by line."""
    marked = set()
    main = path(character, dragged, local)
    for node in range(len(character.bodies)):
        if set(path(character, node, local)) & set(main) - {local}:
            marked.add(node)
    if marked:
        samples = {set(path(character, n, local)) <= set(path(character, n, 0)) for n in marked}
        assert len(samples) == 1, "any included node may be the sample"
        if samples.pop():
            marked.add(local)
    return marked


@pytest.mark.parametrize("seed", range(12))
def test_the_included_nodes_are_those_of_the_algorithm(seed):
    rng = np.random.default_rng(seed)
    character = random_character(rng, int(rng.integers(2, 14)))
    n = len(character.bodies)
    for local in range(n):
        for dragged in range(n):
            names = character.names[local], character.names[dragged]
            if local == dragged:
                with pytest.raises(InputError, match="local root"):
                    included(character, *names)
                continue
            wanted = as_printed(character, local, dragged)
            assert set(np.flatnonzero(included(character, *names)).tolist()) == wanted
            free = free_joints(character, *names)
            for i in range(n):
                slides = 3 if i == 0 else 0  # the roots of these characters are free
                expected = [i in wanted and k >= slides for k in range(character.bodies[i].joint.nv)]
                assert free[character.dofs(i)].tolist() == expected


def test_names_that_do_not_exist():
    with pytest.raises(UnknownNameError, match="did you mean 'Chest'"):
        included(humanoid(), "Cehst", "LeftHand")
    with pytest.raises(UnknownNameError, match="LeftHand"):
        included(humanoid(), "Chest", "LeftHnad")


def test_no_root_translates():
    for kind, slides in (
        (JointKind.PLANAR, 2),
        (JointKind.FREE, 3),
        (JointKind.SLIDE, 1),
        (JointKind.BALL, 0),
    ):
        character = random_character(np.random.default_rng(1), 4, root=kind, branching=0.0)
        free = free_joints(character, "b2", "b0")
        assert not free[:slides].any()
        assert free[slides : character.bodies[0].joint.nv].all()


# Fig. 8 ----------------------------------------------------------------------------------------------


def placed(character: Character, q) -> tuple:
    kin = Kinematics(character, q)
    return kin, kin.positions[0], kin.rotations[0]


def moved(character: Character, before, after) -> set[str]:
    """Bodies that are not where they were."""
    _, p, r = placed(character, before)
    _, p2, r2 = placed(character, after)
    far = np.abs(p2 - p).max(axis=1) + np.abs(r2 - r).max(axis=(1, 2)) > 1e-8
    return {name for name, is_far in zip(character.names, far) if is_far}


def below(character: Character, body: str) -> set[str]:
    return {character.names[i] for i in character.subtree(body)}


def by(character: Character, q, point: str, way: tuple[float, float, float]):
    place = Kinematics(character, q).point(point)[0]
    return place + (np.array(way) * (1, 0, 1) if character is planar_humanoid() else way)


FEET = ("LeftFoot", "RightFoot")


@pytest.fixture(params=["plane", "space"])
def figure(request):
    """(a) A default pose, knees a little bent, with feet to be pinned."""
    character = planar_humanoid() if request.param == "plane" else humanoid()
    q = standing(character, flex=0.3)
    middle = "Spine1" if request.param == "plane" else "Chest"
    return character, q, middle


def pins_hold(character: Character, q, result, points=FEET) -> bool:
    here, there = Kinematics(character, q), Kinematics(character, result.q)
    return max(np.abs(there.point(p) - here.point(p)).max() for p in points) < 1e-9


def test_nothing_dragged_anywhere_changes_nothing(figure):
    character, q, middle = figure  # (a)
    for root in (None, middle):
        result = drag(
            character, q, "RightHand", by(character, q, "RightHand", (0, 0, 0)), root=root, pins=FEET
        )
        assert np.abs(character.manifold.minus(result.q, q)).max() < 1e-9
        assert result.report.met


def test_without_a_local_root_the_whole_body_follows(figure):
    character, q, _ = figure  # (b)
    goal = by(character, q, "RightHand", (0.55, 0.2, -0.3))
    result = drag(character, q, "RightHand", goal, pins=FEET)
    assert result.report.met, str(result.report)
    assert pins_hold(character, q, result)
    assert {"Hips", "Head", "LeftLeg", "RightLeg", "RightHand"} <= moved(character, q, result.q)


def test_a_local_root_in_the_spine_for_the_lower_body(figure):
    character, q, middle = figure  # (c)
    for point, way, held in (
        ("RightFoot", (0.15, 0.0, 0.2), ["LeftFoot"]),
        ("LeftLeg", (0.05, 0.0, 0.02), ["RightFoot"]),
    ):
        result = drag(character, q, point, by(character, q, point, way), root=middle, pins=held)
        assert result.report.met, str(result.report)
        assert pins_hold(character, q, result, held)
        changed = moved(character, q, result.q)
        assert not changed & below(character, middle), "the upper body stays where it is in the world"
        assert point in changed


def test_the_same_local_root_for_the_upper_body(figure):
    character, q, middle = figure  # (d)
    result = drag(
        character, q, "RightHand", by(character, q, "RightHand", (0.2, 0.1, 0.2)), root=middle, pins=FEET
    )
    assert result.report.met, str(result.report)
    changed = moved(character, q, result.q)
    assert changed <= below(character, middle)
    assert "RightHand" in changed
    # The printed algorithm turns the local root; here it stays where other limbs hang from it.
    alone = all(included(character, middle, "RightHand")[character.subtree(middle)])
    assert (middle in changed) == alone
    outside = [
        i
        for i in range(character.nv)
        if character.names[character.dof_body[i]] not in below(character, middle)
    ]
    assert np.array_equal(character.manifold.minus(result.q, q)[outside], np.zeros(len(outside)))


def test_a_local_root_at_the_hip_isolates_the_leg(figure):
    character, q, _ = figure  # (e)
    goal = by(character, q, "RightFoot", (0.2, 0.0, 0.15))
    result = drag(character, q, "RightFoot", goal, root="RightUpLeg", pins=["LeftFoot"])
    assert result.report.met, str(result.report)
    assert moved(character, q, result.q) <= below(character, "RightUpLeg")
    assert {"RightUpLeg", "RightFoot"} <= moved(character, q, result.q)


def test_the_same_local_root_for_everything_else(figure):
    character, q, _ = figure  # (f)
    goal = by(character, q, "RightHand", (0.3, 0.1, -0.2))
    result = drag(character, q, "RightHand", goal, root="RightUpLeg", pins=FEET)
    assert result.report.met, str(result.report)
    assert pins_hold(character, q, result)
    changed = moved(character, q, result.q)
    assert not changed & below(character, "RightUpLeg"), "no effect on the excluded limb"
    assert {"RightHand", "Head"} <= changed
    joints = np.abs(character.manifold.minus(result.q, q))
    assert joints[character.dofs("RightUpLeg")].max() == 0.0
    assert joints[character.dofs("RightLeg")].max() == 0.0


def test_a_local_root_that_carries_other_limbs_is_left_alone(figure):
    """Only the arm moves: the chest, the other arm and the head stay, pinned or not."""
    character, q, _ = figure
    goal = by(character, q, "RightHand", (0.1, 0.0, 0.1))
    for pins in ([], ["LeftHand"]):
        result = drag(character, q, "RightHand", goal, root="Chest", pins=pins)
        joints = np.abs(character.manifold.minus(result.q, q))
        assert joints[character.dofs("Chest")].max() == 0.0
        changed = moved(character, q, result.q)
        assert "RightHand" in changed
        assert not {"Chest", "LeftHand", "Head"} & changed
        assert not pins or pins_hold(character, q, result, pins)


def test_out_of_reach_comes_as_near_as_it_can(figure):
    character, q, _ = figure
    goal = by(character, q, "RightFoot", (2.0, 0.0, 0.0))
    result = drag(character, q, "RightFoot", goal, root="RightUpLeg")
    assert not result.report.met
    hip, foot = (Kinematics(character, result.q).point(p)[0] for p in ("RightUpLeg", "RightFoot"))
    reach = np.linalg.norm(foot - hip)
    assert np.linalg.norm(goal - foot) == pytest.approx(np.linalg.norm(goal - hip) - reach, abs=5e-3)


def test_a_stretched_limb_bends():
    """From straight legs no small step leads to bent ones."""
    character = humanoid()
    q = character.rest_pose()
    result = drag(
        character, q, "RightFoot", by(character, q, "RightFoot", (0.15, 0.0, 0.2)), root="RightUpLeg"
    )
    assert result.report.met


@pytest.mark.parametrize("figure", [planar_humanoid(), humanoid()], ids=lambda c: c.name)
@pytest.mark.parametrize("way", [(0.2, 0.1), (0.4, 0.2), (0.4, 0.4)])
def test_a_stretched_leg_is_led_to_what_is_within_reach(figure, way):
    """From a dead straight knee no small step bends it: at once, such drags end 6 to 36 cm short."""
    q = figure.rest_pose()
    root = "Spine1" if "Spine1" in figure.names else "Spine"
    target = Kinematics(figure, q).point("RightFoot")[0] + [way[0], 0.0, way[1]]
    result = drag(figure, q, "RightFoot", target, root=root, pins=["LeftHeel", "LeftToe"])
    assert result.report.met, str(result.report)
    assert np.abs(Kinematics(figure, result.q).point("RightFoot")[0] - target).max() < 1e-6


@pytest.mark.parametrize("figure", [planar_humanoid(), humanoid()], ids=["plane", "space"])
@pytest.mark.parametrize("dragged", ["LeftHand", "Head", "Hips"])
def test_what_can_be_reached_is_reached(figure, dragged):
    """Targets that some pose on the same footholds has; the drag starts from straight legs."""
    axes = "xz" if figure is planar_humanoid() else "xyz"
    rest, pins = figure.rest_pose(), ["LeftHeel", "LeftToe", "RightHeel", "RightToe"]
    held = [PointPosition(p, axes) for p in pins]
    kin = Kinematics(figure, rest)
    wild = 0.5 * np.random.default_rng(1).normal(size=(24, figure.nv))
    wild = figure.manifold.plus(np.tile(rest, (24, 1)), wild)
    solver = PoseSolver(figure, [Task(h, 0) for h in held])
    solved = solver.solve(wild, wild, [h.value(kin)[0] for h in held])
    on_foot = np.max([np.abs(e).max(axis=1) for e in solved.errors], axis=0) < 1e-8
    assert on_foot.sum() > 16
    for place in Kinematics(figure, solved.q[on_foot]).point(dragged):
        assert drag(figure, rest, dragged, place, pins=pins).report.met
