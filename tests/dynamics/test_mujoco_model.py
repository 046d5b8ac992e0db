"""Characters as MuJoCo models: layout, massless bodies, limits, passive forces, shapes and points."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from poise import dynamics
from poise.arrays import Array
from poise.character import Body, Character, Joint, JointKind, Mass, Shape
from poise.dynamics.mujoco_model import model, to_mjcf
from poise.errors import InputError, MissingDependencyError
from random_trees import random_character, random_mass, random_rotation, random_state

mujoco = pytest.importorskip("mujoco")


def agree(character: Character, seed: int = 0, tolerance: float = 1e-10) -> Any:
    """Forward dynamics equal on random states; returns the MuJoCo model."""
    q, v, tau = random_state(np.random.default_rng(seed), character, 4)
    built = model(character)
    wanted = dynamics.forward_dynamics(character, q, v, tau)
    for f in range(4):
        data = mujoco.MjData(built)
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q[f], v[f], tau[f]
        mujoco.mj_forward(built, data)
        assert_allclose(data.qacc, wanted[f], atol=tolerance * max(1.0, float(np.abs(wanted).max())))
    return built


def placed(rng: np.random.Generator) -> dict[str, Array]:
    return {"offset": rng.normal(scale=0.3, size=3), "rest": random_rotation(rng)}


def massless_chain(rng: np.random.Generator, *joints: Joint) -> Character:
    """trunk – massless bodies on ``joints`` – a massive hinge – a massive ball, all placed at random."""
    bodies = [Body("trunk", None, Joint.free(), mass=random_mass(rng), **placed(rng))]
    for k, joint in enumerate(joints):
        bodies.append(Body(f"virtual{k}", bodies[-1].name, joint, **placed(rng)))
    hinge, ball = Joint.hinge(rng.normal(size=3)), Joint.ball()
    bodies.append(Body("arm", bodies[-1].name, hinge, mass=random_mass(rng), **placed(rng)))
    bodies.append(Body("hand", "arm", ball, mass=random_mass(rng), **placed(rng)))
    return Character("chain", bodies)


@pytest.mark.parametrize(
    "joints",
    [
        (Joint.hinge((1, 0, 0)),),
        (Joint.hinge((1, 2, 0)), Joint.hinge((0, 1, 3))),
        (Joint.slide((1, 2, 3)), Joint.hinge((0, 1, 3), armature=0.2), Joint.slide((0, 0, 1))),
        (Joint.planar(),),
        (Joint.hinge((0, 1, 1)), Joint.planar(armature=(0.1, 0.2, 0.3))),
    ],
)
def test_massless_bodies_are_merged_exactly(joints: tuple[Joint, ...], rng: np.random.Generator) -> None:
    character = massless_chain(rng, *joints)
    built = agree(character)
    names = [built.body(i).name for i in range(1, built.nbody)]
    assert names == ["trunk", "arm", "hand"]
    assert built.body("arm").jntnum[0] > len(joints)


def test_massless_bodies_that_cannot_merge_get_the_least_mass(rng: np.random.Generator) -> None:
    character = massless_chain(rng, Joint.ball())
    built = agree(character, tolerance=1e-9)
    assert 0 < built.body("virtual0").mass[0] <= 1e-14
    leaf = Body("leaf", "hand", Joint.hinge((1, 0, 0), armature=0.1), points={"tip": (0, 0, 1)})
    built = agree(Character("leafy", [*character.bodies, leaf]), tolerance=1e-9)
    assert built.body("leaf").mass[0] <= 1e-14
    knob = {"joint": Joint.hinge((1, 0, 0)), "points": {"knob": (1, 0, 0)}}
    pointed = [b.replaced(**knob) if b.name == "virtual0" else b for b in character.bodies]
    built = agree(Character("pointed", pointed), tolerance=1e-9)
    assert built.site("knob").bodyid[0] == built.body("virtual0").id


def test_welded_children_lend_their_mass(rng: np.random.Generator) -> None:
    bodies = [
        Body("root", None, Joint.hinge((0, 1, 0)), **placed(rng)),
        Body("weight", "root", Joint.fixed(), mass=random_mass(rng), **placed(rng)),
    ]
    built = agree(Character("lent", bodies))
    assert built.body("root").mass[0] == 0


def test_point_masses_and_flat_bodies_are_taken() -> None:
    bodies = [Body("plate", None, Joint.free(), mass=Mass(1.0, inertia=(0.1, 0.2, 0.3)))]
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    flat = Mass(1.0, inertia=turn @ np.diag([0.1, 0.2, 0.3]) @ turn.T)
    bodies.append(Body("tilted", "plate", Joint.ball(), (0, 0, 1), mass=flat))
    bodies.append(Body("bob", "tilted", Joint.hinge((0, 1, 0)), (1, 0, 0), mass=Mass(1.0, (0, 0, -1))))
    agree(Character("thin", bodies), tolerance=1e-9)


def test_rest_pose_is_the_reference(rng: np.random.Generator) -> None:
    for root in (JointKind.FREE, JointKind.PLANAR):
        kinds = [JointKind.HINGE, JointKind.BALL, JointKind.SLIDE, JointKind.PLANAR]
        character = random_character(rng, 9, kinds=kinds, root=root)
        assert_allclose(model(character).qpos0, character.rest_pose(), atol=1e-14)


def forward_kinematics(character: Character, q: Array) -> tuple[Array, Array]:
    """Origins and rotations of links, as the tree's docstring says."""
    from poise.character.tree import LINK_BALL, LINK_HINGE, LINK_SLIDE, LINK_TRANSLATION
    from poise.manifold import so3

    tree = character.tree
    x, r = np.zeros((len(tree.parent), 3)), np.zeros((len(tree.parent), 3, 3))
    for i, p in enumerate(tree.parent):
        base, turn = (x[p], r[p]) if p >= 0 else (np.zeros(3), np.eye(3))
        own, shift, a = np.eye(3), np.zeros(3), tree.q_start[i]
        if tree.kind[i] == LINK_HINGE:
            own = so3.to_matrix(so3.exp(tree.axis[i] * q[a]))
        elif tree.kind[i] == LINK_BALL:
            own = so3.to_matrix(q[a : a + 4])
        elif tree.kind[i] == LINK_SLIDE:
            shift = tree.rest[i] @ tree.axis[i] * q[a]
        elif tree.kind[i] == LINK_TRANSLATION:
            shift = q[a : a + 3]
        x[i] = base + turn @ (tree.offset[i] + shift)
        r[i] = turn @ tree.rest[i] @ own
    return x[tree.link], r[tree.link]


def test_points_and_bodies_stand_where_ours_do(rng: np.random.Generator) -> None:
    plain = random_character(rng, 12)
    bodies = [b.replaced(points={f"tip of {b.name}": rng.normal(size=3)}) for b in plain.bodies]
    character = Character("pointed", bodies)
    built = model(character)
    q = random_state(rng, character, 1)[0][0]
    data = mujoco.MjData(built)
    data.qpos[:] = q
    mujoco.mj_kinematics(built, data)
    x, r = forward_kinematics(character, q)
    for i, body in enumerate(character.bodies):
        assert_allclose(data.body(body.name).xpos, x[i], atol=1e-12)
        assert_allclose(data.body(body.name).xmat.reshape(3, 3), r[i], atol=1e-12)
        name, point = next(iter(body.points.items()))
        assert_allclose(data.site(name).xpos, x[i] + r[i] @ np.asarray(point), atol=1e-12)


def test_limits_and_passive_forces() -> None:
    weight = Mass(1.0, (0, 0, -0.5), (0.1, 0.1, 0.1))
    knee = Joint.hinge((0, 1, 0), -0.5, np.inf, damping=0.3, stiffness=2.0)
    bodies = [
        Body("trunk", None, Joint.planar(damping=(1, 2, 3)), (0.5, 0.1, 1.0), mass=weight),
        Body("shin", "trunk", knee, mass=weight),
        Body("head", "trunk", Joint.ball(damping=(0.1, 0.2, 0.3), armature=(1, 2, 3)), mass=weight),
    ]
    character = Character("limited", bodies)
    built = model(character)
    assert_allclose(built.dof_damping.ravel()[:7], [1, 2, 3, 0.3, 0.1, 0.2, 0.3])
    assert_allclose(built.dof_armature, character.tree.armature)
    shin = built.joint("shin")
    assert shin.limited[0] == 1
    assert_allclose(shin.range, [-0.5, 1e9])
    assert_allclose(np.ravel(shin.stiffness)[0], 2.0)
    assert built.joint("trunk.x").limited[0] == 0
    free = model(character, limits=False, passive=False)
    assert not free.jnt_limited.any()
    assert not free.dof_damping.any()


def test_shapes_collide_only_when_asked() -> None:
    shapes = (
        Shape.sphere((0, 0, 0), 0.1),
        Shape.capsule((0, 0, 0), (0, 0, 1), 0.1),
        Shape.capsule((0, 0, 0), (0, 0, 0), 0.1),
        Shape.cylinder((0, 0, 0), (1, 0, 0), 0.1),
        Shape.ellipsoid((0, 0, 0), (0.1, 0.2, 0.3)),
        Shape.box((0, 1, 0), (0.1, 0.2, 0.3)),
    )
    one = Character(
        "solid", [Body("all", None, Joint.free(), mass=Mass.of_shapes(shapes, mass=3), shapes=shapes)]
    )
    seen, solid = model(one), model(one, contacts=True)
    assert seen.ngeom == solid.ngeom == len(shapes)
    assert not seen.geom_contype.any()
    assert solid.geom_contype.all()
    assert_allclose(solid.body("all").mass, 3.0)  # shapes add nothing to the mass given
    assert seen.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_CONTACT
    assert not solid.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_CONTACT


def test_odd_names_survive() -> None:
    weight = Mass(1.0, inertia=(1, 1, 1))
    bodies = [Body("world", None, Joint.free(), mass=weight)]
    bodies.append(Body('a<b & "c"', "world", Joint.ball(), mass=weight))
    built = model(Character("né <x>", bodies))
    assert built.body('a<b & "c"').id == 2


def test_without_mujoco_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    character = Character("c", [Body("b", None, Joint.free(), mass=Mass(1, inertia=(1, 1, 1)))])
    real = builtins.__import__

    def refuse(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "mujoco":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingDependencyError, match=r"poise\[contact\]"):
        model(character)
    assert 'type="free"' in to_mjcf(character)


def test_what_mujoco_refuses_is_an_input_error(monkeypatch: pytest.MonkeyPatch) -> None:
    import mujoco

    character = Character("odd", [Body("a", None, Joint.free(), mass=Mass(1.0, inertia=(1, 1, 1)))])
    # A real refusal by MuJoCo itself: a name it cannot have twice.
    twice = to_mjcf(character).replace("</worldbody>", '<body name="a"/></worldbody>')
    monkeypatch.setattr("poise.dynamics.mujoco_model.to_mjcf", lambda *_, **__: twice)
    with pytest.raises(ValueError, match="repeated name"):
        mujoco.MjModel.from_xml_string(twice)
    with pytest.raises(InputError, match="MuJoCo cannot take 'odd'"):
        model(character)
