"""Fig. 11: a creature of 28 bodies posed by its inertia; the predator pose."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import example

from poise.kinematics import Kinematics

hugger = example("13_face_hugger")


@pytest.fixture(scope="module")
def creature():
    return hugger.scene()


def everything(creature):
    return [*creature.spread.items(), *creature.predator.items()]


def toes(creature, result):
    """Places of all toes, left ones first, (8, 3)."""
    kin = Kinematics(creature.character, result.q)
    return np.array([kin.point(f"{side}Toe{n}")[0] for side in ("Left", "Right") for n in range(1, 5)])


def reach(creature, result) -> float:
    """From the hindmost knee to the foremost [m]."""
    kin = Kinematics(creature.character, result.q)
    return float(kin.point("LeftTibia1")[0, 0] - kin.point("LeftTibia4")[0, 0])


def moment(character, q) -> float:
    """Σ m |r − c|² + I about y, from the bodies themselves."""
    kin = Kinematics(character, q)
    own = [body.mass for body in character.bodies]
    mass = np.array([m.mass for m in own])
    place = np.array([p + r @ m.centre for p, r, m in zip(kin.positions[0], kin.rotations[0], own)])
    arm = (place - mass @ place / mass.sum())[:, [0, 2]]
    turned = [(r @ m.inertia @ r.T)[1, 1] for r, m in zip(kin.rotations[0], own)]
    return float(mass @ (arm**2).sum(axis=1) + sum(turned))


def test_inertia_is_met(creature):
    for part, result in everything(creature):
        wanted = part * creature.inertia
        assert abs(creature.value(result) - wanted) < 1e-9 * wanted
        assert moment(creature.character, result.q) == pytest.approx(wanted, rel=1e-9)


def test_left_and_right_stay_alike(creature):
    character = creature.character
    left = [b.name for b in character.bodies if b.side == "left"]
    assert len(left) == 12
    for _, result in everything(creature):
        for name in left:
            other = character.coordinates(name.replace("Left", "Right"))
            assert np.abs(result.q[character.coordinates(name)] - result.q[other]).max() < 1e-6


def test_more_inertia_opens_the_legs_and_less_closes_them(creature):
    assert list(creature.spread) == sorted(creature.spread)
    knees = [reach(creature, result) for result in creature.spread.values()]
    assert np.diff(knees).min() > 0.01
    assert knees[-1] > 2 * knees[0]
    low = [np.ptp(toes(creature, creature.spread[part])[:, 0]) for part in (0.55, 1.0, 1.45)]
    assert np.diff(low).min() > 0.15


def test_every_leg_takes_part(creature):
    rest = creature.character.rest_pose()
    for part, result in creature.spread.items():
        bent = np.abs(result.q - rest)
        for n in range(1, 5):
            joints = [
                creature.character.coordinates(f"Left{bone}{n}").start for bone in ("Coxa", "Femur", "Tibia")
            ]
            assert bent[joints].max() > 0.05 or part == 1.0


def test_at_rest_nothing_moves(creature):
    assert np.abs(creature.spread[1.0].q - creature.character.rest_pose()).max() < 1e-12


def test_pins_hold_and_the_tail_is_led(creature):
    rest = Kinematics(creature.character, creature.character.rest_pose())
    for result in creature.predator.values():
        kin = Kinematics(creature.character, result.q)
        for toe in hugger.PINS:
            assert np.abs(kin.point(toe) - rest.point(toe)).max() < 1e-9
        assert np.abs(kin.point("TailTip") - rest.point("TailTip") - hugger.LEAD).max() < 1e-9


def test_the_predator_crouches_above_the_floor(creature):
    assert list(creature.predator) == sorted(creature.predator, reverse=True)
    knees = [reach(creature, result) for result in creature.predator.values()]
    assert np.diff(knees).max() < -0.02, "drawn in as the inertia falls"
    assert min(toes(creature, result)[:, 2].min() for result in creature.predator.values()) > -0.01


def test_limits_hold_and_it_is_quick(creature):
    lower, upper = creature.character.lower, creature.character.upper
    for _, result in everything(creature):
        assert (lower - 1e-9 <= result.q).all()
        assert (result.q <= upper + 1e-9).all()
        assert result.report.details["settled"]
        assert result.report.iterations <= 80
