"""Parts of the extension that know nothing of Blender: plans of rigs, options from cards, jobs, the zip."""

from __future__ import annotations

import importlib
import json
import re
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def addon(tmp_path_factory):
    """The extension's modules, as they lie in the zip."""
    sys.path.insert(0, str(ROOT / "blender"))
    try:
        folder = importlib.import_module("build").staged(tmp_path_factory.mktemp("addon"))
    finally:
        sys.path.pop(0)
    sys.path.insert(0, str(folder.parent))
    try:
        yield lambda name: importlib.import_module(f"poise_addon.{name}")
    finally:
        sys.path.pop(0)


def bones(rigs, *told):
    """Bones from (name, parent, deforms)."""
    names = [name for name, *_ in told]
    return [rigs.Bone(n, names.index(p) if p else -1, d, ()) for n, p, d in told]


def test_bones_that_deform_make_the_figure(addon):
    rigs = addon("rigs")
    told = bones(
        rigs, ("root", "", False), ("hips", "root", True), ("spine", "hips", True), ("ik", "root", False),
        ("leg", "hips", True), ("prop", "", True),
    )  # fmt: skip
    plan = rigs.plan_of(told)
    assert [(b.name, b.parent, b.tip) for b in plan.bodies] == [
        ("hips", -1, False),
        ("spine", 0, True),
        ("leg", 0, True),
    ]
    assert "1 bones" in plan.note


def test_bones_between_those_that_deform_are_kept(addon):
    rigs = addon("rigs")
    told = bones(
        rigs,
        ("centre", "", False),
        ("upper", "centre", True),
        ("mid", "upper", False),
        ("hand", "mid", True),
        ("leg", "centre", True),
    )
    assert [b.name for b in rigs.plan_of(told).bodies] == ["centre", "upper", "mid", "hand", "leg"]


def test_bones_within_another_are_pieces_of_it(addon):
    """By where they lie, or by their names; not those that go on from its end, or beside it."""
    rigs = addon("rigs")
    lines = {
        "arm": ("", (0, 0, 0), (1, 0, 0)), "arm_stretch": ("arm", (0.5, 0, 0), (1, 0, 0)),
        "second half": ("arm_stretch", (0.6, 0, 0), (1, 0, 0)),
        "muscle": ("arm", (0.2, 0.2, 0), (0.7, 0.2, 0)),
        "forearm": ("arm", (1, 0, 0), (2, 0, 0)), "lowerarm_twist_01_l": ("forearm", (1, 0, 0), (1, 0, 1)),
        "hand": ("forearm", (2, 0, 0), (2, 0, 0)), "nub": ("forearm", (1.5, 0, 0), (1.5, 0, 0)),
    }  # fmt: skip
    names = list(lines)
    listed = [
        rigs.Bone(name, names.index(up) if up else -1, True, (), head, tail)
        for name, (up, head, tail) in lines.items()
    ]
    assert rigs.plan_of(listed).pieces == ("arm_stretch", "second half", "lowerarm_twist_01_l")


def test_controls_mean_the_bones_they_move(addon):
    rigs = addon("rigs")
    told = [rigs.Bone(name, -1 if k == 0 else 0, True, ()) for k, name in enumerate(("root.x", "hand.l"))]
    for control, body in (("c_hand_ik.l", "hand.l"), ("c_hand_fk.l", "hand.l"), ("DEF-hand.l", "hand.l")):
        assert rigs.body_for(rigs.plan_of(told), control).name == body
    assert rigs.body_for(rigs.plan_of(told), "c_foot_ik.l") is None


def test_an_armature_without_bones_is_said(addon):
    rigs = addon("rigs")
    with pytest.raises(rigs.NoFigureError, match="no bones"):
        rigs.plan_of([])


def test_rigify_is_known_by_its_bones(addon):
    rigs = addon("rigs")
    told = [("root", "", False), ("torso", "root", False)]
    told += [
        (f"{kind}spine{k}", "root", kind == "DEF-")
        for kind in ("ORG-", "DEF-")
        for k in ("", ".001", ".002", ".003", ".004", ".005", ".006")
    ]
    for side in "LR":
        told += [
            (f"ORG-shoulder.{side}", "ORG-spine.003", False),
            (f"shoulder.{side}", "ORG-spine.003", False),
        ]
        for part in ("upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe"):
            told += [(f"ORG-{part}.{side}", "root", False), (f"{part}_fk.{side}", "root", False)]
        told += [(f"ORG-f_index.01.{side}", "root", False), (f"f_index.01.{side}", "root", False)]
    listed = bones(rigs, *told)
    listed.append(rigs.Bone("thigh_parent.L", 0, False, ("IK_FK", "FK_limb_follow")))
    plan = rigs.plan_of(listed)
    names = [b.name for b in plan.bodies]
    assert plan.kind == "rigify"
    assert plan.rigid
    assert names[:7] == ["hips", "spine.001", "spine.002", "spine.003", "neck", "neck.001", "head"]
    assert plan.bodies[names.index("shoulder.L")].parent == names.index("spine.003")
    assert plan.bodies[names.index("f_index.01.R")].parent == names.index("hand.R")
    assert {c.bone for c in plan.controls} >= {
        "torso",
        "thigh_fk.L",
        "toe_fk.R",
        "shoulder.L",
        "f_index.01.L",
    }
    assert [(s.property, s.value) for s in plan.switches] == [("IK_FK", 1.0), ("FK_limb_follow", 0.0)]
    assert all(b.parent < k for k, b in enumerate(plan.bodies))


def test_every_option_becomes_a_field_and_defaults_are_left_out(addon):
    options = addon("options")
    for card in options.known_cards().values():
        fields = options.fields(card)
        values = {f.property: f.arguments["default"] for f in fields}
        told = {f.option["name"] for f in fields} | set(options.OWN)
        assert told >= {o["name"] for o in card["options"]}
        for field in fields:
            if field.kind == "ENUM":
                words = [item[0] for item in field.arguments["items"]]
                assert field.arguments["default"] in words, field
                assert len(set(words)) == len(words)
        own = {o["name"]: "given" for o in card["options"] if o["required"]}
        needed = {o["name"] for o in card["options"] if o["required"]} - set(options.OWN)
        if not needed:
            assert options.collected(card, values, own) == {
                "do": card["name"],
                **{k: v for k, v in own.items() if k in options.OWN},
            }


def test_what_is_set_is_sent(addon):
    options = addon("options")
    card = options.known_cards()["loosen"]
    values = {f.property: f.arguments["default"] for f in options.fields(card)}
    values |= {
        "k_tension": "NUMBER", "o_tension": float(np.float32(2.3)), "k_window": "adaptive", "o_order": "1",
        "o_contacts": "OFF", "o_joint_limits": False, "o_touching": "left arm",
    }  # fmt: skip
    assert options.collected(card, values, {}) == {
        "do": "loosen", "tension": 2.3, "window": "adaptive", "order": 1, "contacts": False,
        "joint_limits": False, "touching": "left arm",
    }  # fmt: skip


def test_what_must_be_given_is_asked_for(addon):
    options, client = addon("options"), addon("client")
    with pytest.raises(client.PoiseProblem, match="needs constraints"):
        options.collected(options.known_cards()["hit"], {}, {})


def test_a_job_goes_on_in_steps_and_is_put_right_when_cancelled(addon):
    job, tidied = addon("job"), []

    def work(count):
        try:
            for k in range(count):
                yield k / count, f"step {k}"
            return "result"
        finally:
            tidied.append(count)

    done = job.Job(work(3))
    assert [done.poll(0.0) for _ in range(4)] == ["running"] * 3 + ["done"]
    assert done.result == "result"
    stopped = job.Job(work(5))
    stopped.poll(0.0)
    stopped.cancel()
    assert (stopped.state, stopped.poll(0.0), tidied) == ("cancelled", "cancelled", [3, 5])

    def fails():
        yield 0.0, ""
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        job.Job(fails()).finish()


def test_rotations_survive_matrices(addon):
    algebra = addon("algebra")
    turns = np.random.default_rng(0).normal(size=(200, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    scaled = algebra.matrices_of(turns) * np.array([0.5, 2.0, 3.0])
    found = algebra.turns_of(scaled)
    assert np.abs(np.abs(np.sum(found * turns, axis=1)) - 1).max() < 1e-14
    assert algebra.uniform_scale(np.diag([2.0, 2.0, 2.0, 1.0])) == 2.0
    assert algebra.uniform_scale(np.diag([1.0, 1.0, 2.0, 1.0])) is None
    assert algebra.uniform_scale(np.diag([1.0, 1.0, -1.0, 1.0])) is None


def test_only_one_module_imports_bpy():
    found = [
        p.name
        for p in (ROOT / "blender" / "poise_addon").glob("*.py")
        if re.search(r"^\s*import bpy", p.read_text(), re.M)
    ]
    assert found == ["blender.py"]


def test_the_zip_holds_what_it_needs(tmp_path):
    sys.path.insert(0, str(ROOT / "blender"))
    try:
        path = importlib.import_module("build").build(tmp_path)
    finally:
        sys.path.pop(0)
    with zipfile.ZipFile(path) as packed:
        names = set(packed.namelist())
        cards = json.loads(packed.read("operations.json"))
        own = [packed.read(name).decode() for name in names if name.endswith(".py")]
    assert not any(re.search(r"^\s*(from|import) poise", text, re.M) for text in own), "Blender has no Poise"
    assert {
        "blender_manifest.toml",
        "LICENSE",
        "client.py",
        "link.py",
        "operations.json",
        "__init__.py",
        "blender.py",
    } <= names
    assert {"loosen", "hit", "adapt", "retarget", "check", "fix", "wear"} <= {c["name"] for c in cards}
