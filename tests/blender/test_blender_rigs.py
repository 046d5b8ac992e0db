"""Rigs of others in the real Blender module: linked, stretched, with controls of their own."""

# ruff: noqa: F401, F811  (a fixture is imported, and named by tests)
from __future__ import annotations

import pytest
from blender_process import ROOT, blender

pytestmark = pytest.mark.timeout(1200)


def test_linked_armatures(blender):
    """Refused as they are, with the remedy; with a library override they are armatures like others."""
    found = blender.experiment("overridden")
    assert "library override" in found["linked"]
    assert found["is override"]
    assert found["overridden"] == ""
    assert found["loosened"] > 0.01
    assert found["back"] == 0.0


def test_arms_that_stretch_and_controls_along(blender):
    """IK arms of Rigify stretch: the hand is at its mark all the same, and IK controls can be keyed along."""
    found = blender.experiment("snapped")
    assert found["stretch"] > 0.005
    assert found["unchanged"] <= 1e-5
    assert found["reached"] <= 1e-5
    assert found["apart"] <= 1e-5


def test_rigs_as_auto_rig_pro_builds_them(blender):
    """Bones that deform are keyed, those that twist and stretch stay where they are on their limb."""
    found = blender.experiment("auto_rig_pro")
    assert found["unchanged"]["moved"] <= 2e-6  # Blender's IK leaves rotations that are off by 1e-5
    assert found["unchanged"]["same"]
    assert found["unchanged"]["restored"]
    assert found["slides"] <= 0.01
    assert found["loosened"] > 0.02
    assert found["reached"] <= 1e-5
    assert found["torn"] <= 1e-5
    assert found["same"]
    assert found["back"] == 0.0
    assert not [path for path in found["controls"] if "_fk" in path or "_ik" in path]


def test_controls_of_unknown_rigs_are_found(blender):
    """By moving them: FK controls, the switch to them, IK controls; only they are keyed, bodies follow."""
    every = blender.experiment("control_rigs")
    for style, fk, ik in (
        ("arp", "c_hand_fk.r", "c_hand_ik.r"),
        ("mixamo", "Ctrl_Hand_FK_Right", "Ctrl_Hand_IK_Right"),
    ):
        found = every[style]
        hand = next(body for body, control in found["controls"].items() if control == fk)
        assert found["kind"] == "controls"
        assert found["unchanged"]["moved"] <= 1e-5
        assert found["unchanged"]["same"]
        assert found["unchanged"]["restored"]
        assert [value for *_, value in found["switches"]] == [1.0] * 4
        assert found["snapped"][hand] == ik
        bones, stilled = found["seen"]
        assert not stilled
        assert {fk, ik} <= set(bones), "the IK control for its switch"
        assert not [name for name in bones if name.startswith(("mixamorig:", "arm", "hand", "thigh"))]
        assert found["slides"] <= 0.01
        assert found["loosened"] > 0.02
    bare = every["bare"]
    assert bare["kind"] == "plain", "IK alone: bones are keyed, their constraints stilled"
    assert len(bare["seen"][1]) == 12
    assert all(path.endswith(".influence") for path in bare["seen"][1])
    for style, found in every.items():
        assert found["reached"] <= 1e-5, style
        assert found["torn"] <= 1e-5, style
        assert found["same"], style
        assert found["back"] == 0.0, style
    assert every["arp"]["along"] <= 1e-5


def test_controls_that_do_not_obey_are_given_up(blender):
    found = blender.experiment("limited_controls")
    assert [found["before"], found["after"]] == ["controls", "plain"]
    assert found["unchanged"]["moved"] <= 1e-5
    assert found["unchanged"]["restored"]
    assert found["foot"] <= 1e-6
    assert found["hand"] > 0.02
    assert "off by" not in found["message"]
    assert found["stilled"]
    assert all(path.endswith(".mute") for path in found["stilled"] if "Copy Rotation" in path), "driven"
    assert found["tracks"] == ["rigAction", "Poise loosen"]
    assert found["actions"] == ["Poise loosen", "rigAction"]
    assert found["same"]


def test_figures_of_others(blender):
    """Blender's importers, other people's figures: unchanged motion comes back, and all can be loosened."""
    data = ROOT.parent / "shared" / "data"
    names = (
        "khronos_gltf/CesiumMan.glb",
        "khronos_gltf/Fox.glb",
        "threejs/RobotExpressive.glb",
        "fbx_ozz/pab_walk.fbx",
    )
    files = [data / name for name in names if (data / name).is_file()]
    if not files:
        pytest.skip("needs sample files in shared/data beside the checkout")
    found = blender.experiment("strangers", *files)
    assert set(found) == {file.name for file in files}
    for name, one in found.items():
        assert one["moved"] <= 1e-6, name
        assert one["same"], name
        assert one["restored"], name
        assert one["loosen"].startswith("Loosen"), name
