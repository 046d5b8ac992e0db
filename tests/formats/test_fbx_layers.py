"""Layers of an FBX take, against formulas of the tests' own (SciPy's rotations)."""

from __future__ import annotations

import numpy as np
import pytest
from fbx_made import layered
from scipy.spatial.transform import Rotation

import poise
from poise.formats.fbx.records import read_records
from poise.kinematics import Kinematics
from poise.manifold import so3

TURNED = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""y up, z ahead → z up, x ahead."""


def euler(angles):
    """Order 2 turns about y, then z, then x."""
    return Rotation.from_euler("yzx", np.asarray(angles)[:, [1, 2, 0]], degrees=True)


def found(path, **options):
    clip = poise.load(path, mass=False, front="kept", **options)
    where = Kinematics(clip.character, clip.q).positions
    return [where[:, clip.character.index(n)] for n in ("Hips", "Foot")]


def expected(moves, turns):
    hips = moves / 100
    foot = hips + ([0, -40, 0] + turns.apply([0, -40, 5])) / 100
    return [hips @ TURNED.T, foot @ TURNED.T]


def agree(path, moves, turns):
    for have, want in zip(found(path), expected(moves, turns), strict=True):
        assert np.abs(have - want).max() < 1e-6


@pytest.mark.parametrize("base", [True, False])
@pytest.mark.parametrize("weight", [None, 30.0])
def test_additive_layers_turn_on(tmp_path, weight, base):
    said = {} if weight is None else {"Weight": weight}
    turns, moves = layered(tmp_path / "x.fbx", base=base, BlendMode=0, **said)
    share = 1.0 if weight is None else weight / 100
    more = Rotation.from_rotvec(share * euler(turns[1]).as_rotvec())
    agree(tmp_path / "x.fbx", moves[0] + share * moves[1], euler(turns[0]) * more)


def test_additive_by_channel(tmp_path):
    turns, moves = layered(tmp_path / "x.fbx", BlendMode=0, RotationAccumulationMode=1, Weight=50.0)
    agree(tmp_path / "x.fbx", moves[0] + 0.5 * moves[1], euler(turns[0] + 0.5 * turns[1]))


def test_override(tmp_path):
    turns, moves = layered(tmp_path / "x.fbx", BlendMode=1, Weight=30.0)
    agree(tmp_path / "x.fbx", moves[1], euler(turns[1]))


def test_override_lets_through_what_its_weight_leaves(tmp_path):
    share = np.linspace(0, 1, 13)
    turns, moves = layered(tmp_path / "x.fbx", weight=100 * share, BlendMode=2)
    low, up = euler(turns[0]), euler(turns[1])
    mixed = low * Rotation.from_rotvec(share[:, None] * (low.inv() * up).as_rotvec())
    agree(tmp_path / "x.fbx", (1 - share)[:, None] * moves[0] + share[:, None] * moves[1], mixed)


@pytest.mark.parametrize("said", [{"Mute": 1}, {"Weight": 0.0}])
def test_layers_without_a_voice(tmp_path, said):
    turns, moves = layered(tmp_path / "x.fbx", BlendMode=0, **said)
    agree(tmp_path / "x.fbx", moves[0], euler(turns[0]))
    notes = poise.load(tmp_path / "x.fbx", mass=False).source.notes
    assert any("muted: Up" in n for n in notes) == ("Mute" in said)


def test_a_solo_layer_is_heard_alone(tmp_path):
    turns, moves = layered(tmp_path / "x.fbx", BlendMode=1, Solo=1)
    agree(tmp_path / "x.fbx", moves[1], euler(turns[1]))
    edited = bent(poise.load(tmp_path / "x.fbx", mass=False, front="kept"))
    told = " ".join(poise.formats.losses(edited, tmp_path / "new.fbx"))
    assert "lowest layer of the take is muted" in told


def bent(clip):
    q = np.array(clip.q)
    own = clip.character.coordinates(clip.character.index("Knee"))
    turn = so3.exp(np.linspace(0.1, 0.4, len(q))[:, None] * np.array([0.0, 1.0, 0.0]))
    q[:, own.stop - 4 : own.stop] = so3.multiply(q[:, own.stop - 4 : own.stop], turn)
    return clip.replaced(q=q)


@pytest.mark.parametrize("mute", [0, 1])
def test_an_edit_of_layers_is_what_is_read_back(tmp_path, mute):
    layered(tmp_path / "x.fbx", BlendMode=0, Weight=60.0, Mute=mute)
    clip = poise.load(tmp_path / "x.fbx", mass=False, front="kept")
    clip.save(tmp_path / "same.fbx")
    assert (tmp_path / "same.fbx").read_bytes() == (tmp_path / "x.fbx").read_bytes()
    edited = bent(clip)
    edited.save(tmp_path / "new.fbx")
    want = Kinematics(edited.character, edited.q).positions[:, edited.character.index("Foot")]
    assert np.abs(found(tmp_path / "new.fbx")[1] - want).max() < 1e-6
    was, now = (read_records(p).top.get("Objects").inside for p in (tmp_path / "x.fbx", tmp_path / "new.fbx"))
    kept = {r.values[0] for r in now}
    gone = [r.name for r in was if r.values[0] not in kept]
    assert gone.count("AnimationCurveNode") == (1 if mute else 2), "the knee's, in layers that are heard"
