"""Mixamo's, Unreal's and Maya's habits in FBX files of our own making: joints are where they were put."""

from __future__ import annotations

import numpy as np
import pytest
from fbx_conventions import JOINTS, conventions, truth, write

import poise
from poise.character.labels import roles
from poise.kinematics import Kinematics
from poise.manifold import so3

NAMES = sorted(conventions())


@pytest.fixture(scope="module")
def motion():
    return truth()


def places(clip):
    where = Kinematics(clip.character, clip.q).positions
    return {name: where[:, clip.character.index(name)] for name in clip.character.names}


@pytest.mark.parametrize("name", NAMES)
def test_joints_are_where_they_were_put(tmp_path, motion, name):
    how = conventions()[name]
    clip = poise.load(write(tmp_path / "x.fbx", how, motion))
    assert (clip.name, clip.frames, clip.rate) == (how.take, 25, 24)
    found = places(clip)
    worst = max(np.abs(found[how.names(role)] - motion.in_metres(role)).max() for role, *_ in JOINTS)
    assert worst < 5e-6, "x is ahead, z up, metres"


@pytest.mark.parametrize("name", NAMES)
def test_bodies_are_known_by_their_names_and_helpers_are_none(tmp_path, motion, name):
    how = conventions()[name]
    clip = poise.load(write(tmp_path / "x.fbx", how, motion))
    known = {
        str(role): clip.character.names[k] for role, k in roles(clip.character).items() if np.isscalar(k)
    }
    taken = set(known.values())
    for role in ("hips", "head", "l_thigh", "l_shin", "l_foot", "r_arm", "r_fore", "r_hand"):
        assert how.names(role) in taken, (role, known)
    assert not any(n.startswith("ik_") for n in taken)


@pytest.mark.parametrize("name", NAMES)
def test_an_edit_goes_back_into_the_file(tmp_path, motion, name):
    how = conventions()[name]
    path = write(tmp_path / "x.fbx", how, motion)
    clip = poise.load(path)
    clip.save(tmp_path / "same.fbx")
    assert (tmp_path / "same.fbx").read_bytes() == path.read_bytes()
    q = np.array(clip.q)
    own = clip.character.coordinates(clip.character.index(how.names("r_arm")))
    q[:, own.stop - 4 : own.stop] = so3.multiply(
        q[:, own.stop - 4 : own.stop], so3.exp(np.array([0.2, 0.1, -0.3]))
    )
    edited = clip.replaced(q=q)
    assert poise.formats.losses(edited, tmp_path / "new.fbx") == ()
    edited.save(tmp_path / "new.fbx")
    ours, theirs = places(edited), places(poise.load(tmp_path / "new.fbx"))
    assert max(np.abs(ours[n] - theirs[n]).max() for n in ours) < 5e-6
    still = how.names("l_hand")
    assert np.abs(theirs[still] - motion.in_metres("l_hand")).max() < 5e-6


def test_geometric_transforms_move_the_mesh_alone(tmp_path):
    """A mesh 3 cm aside of its model, turned and twice as large: bones and children do not notice."""
    from fbx_made import MadeFbx
    from scipy.spatial.transform import Rotation

    from poise.formats.fbx.records import Record

    made = MadeFbx()
    root = made.model("Hips", Lcl_Translation=(0.0, 90.0, 0.0))
    card = made.model(
        "Card", root, "Mesh", GeometricTranslation=(3.0, 0.0, 1.0), GeometricRotation=(0.0, 0.0, 30.0),
        GeometricScaling=(2.0, 2.0, 2.0),
    )  # fmt: skip
    made.model("Tip", card, Lcl_Translation=(0.0, 5.0, 0.0))
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    inside = (
        Record("Vertices", (corners.ravel(),)),
        Record("PolygonVertexIndex", (np.array([0, 1, -3], np.int32),)),
    )
    made.link(made.thing("Geometry", "Card", "Mesh", *inside), card)
    clip = poise.load(made.write(tmp_path / "x.fbx"), mass=False, front="kept")
    turn = Rotation.from_euler("z", 30, degrees=True)
    expected = turn.apply(2.0 * corners) + [3, 90, 1]
    found = np.asarray(clip.character.skin.vertices)[:, [1, 2, 0]] * 100
    assert np.abs(np.sort(found, axis=0) - np.sort(expected, axis=0)).max() < 1e-5
    assert np.allclose(places(clip)["Tip"][0][[1, 2, 0]] * 100, [0, 95, 0], atol=1e-6)
