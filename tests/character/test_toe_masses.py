"""A foot with a bone for its toes: the table's foot is cut at their joint, and its parts add up to it."""

from __future__ import annotations

import numpy as np
import pytest
from skeletons import human

from poise.character import Body, Character, Mass
from poise.character.masses import with_guessed_masses
from poise.manifold import so3


def whole(character: Character, *names: str) -> Mass:
    """Mass, world centre and inertia of some bodies in the rest pose."""
    at, turn = character.rest_placement()
    index = [character.index(name) for name in names]
    return Mass.combined([character.bodies[i].mass.moved(at[i], so3.from_matrix(turn[i])) for i in index])


def without_toes(character: Character) -> Character:
    """The same with the tips of the toes as points of the feet."""
    bodies = []
    for body in character.bodies:
        if body.name.endswith("Toe"):
            continue
        points = {f"{body.name} tip": (0.2, 0.0, -0.05)} if body.name.endswith("Foot") else body.points
        bodies.append(Body(body.name, body.parent, body.joint, body.offset, points=points))
    return Character(character.name, bodies, mass_source="none")


@pytest.mark.parametrize("side", ["Left", "Right"])
def test_foot_and_toes_are_the_foot(side):
    plain = human()
    cut = whole(with_guessed_masses(plain, total=70.0), f"{side}Foot", f"{side}Toe")
    one = whole(with_guessed_masses(without_toes(plain), total=70.0), f"{side}Foot")
    assert cut.mass == pytest.approx(one.mass)
    np.testing.assert_allclose(cut.centre, one.centre, atol=1e-9)
    np.testing.assert_allclose(cut.inertia, one.inertia, atol=1e-9)


def test_the_cut_is_at_the_joint():
    """Both parts lie on their own side of it, and the toes are the smaller."""
    character = with_guessed_masses(human(), total=70.0)
    at, _ = character.rest_placement()
    joint = at[character.index("LeftToe")][0]
    foot, toes = whole(character, "LeftFoot"), whole(character, "LeftToe")
    assert foot.centre[0] < joint < toes.centre[0]
    assert 0 < toes.mass < 0.5 * foot.mass
