"""What the stage is sent: the whole of it once, then what changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import poise
from poise import clips
from poise import constraints as c
from poise.character import Body, Character, Joint
from poise.character.skin import MorphTarget, Skin
from poise.kinematics import Kinematics
from poise.motion import Clip
from poise.operations.frozen_data import encoded
from poise.pictures.mesh import vertex_normals
from poise.project import Project
from poise.studio.packet import unpack
from poise.studio.server.frame_data import FrameData
from poise.studio.server.stage_data import StageData

Packets = list[tuple[dict[str, Any], dict[str, Any]]]


def solved(stage: StageData, project: Project, revision: int = 1) -> Packets:
    """Packets of a document made in full, in the order in which they are sent."""
    stage.move(project.assets.folder, dict(project.assets.blobs), project.assets.within)
    sent: list[bytes] = []
    found = stage.solve(
        encoded(project.document),
        revision,
        live=False,
        glance=True,
        progress=lambda what, part: None,
        cancel=lambda: False,
        show=sent.append,
    )
    return [unpack(packet) for packet in [*sent, *found.packets]]


def of_kind(packets: Packets, kind: str) -> Packets:
    return [(header, arrays) for header, arrays in packets if header["kind"] == kind]


def grimace(folder: Path) -> tuple[Project, Clip]:
    """A pyramid on one body with two expressions, over five frames, as a file."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, 1.0]])
    faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    morphs = (MorphTarget("up", [3], [[0, 0, 0.5]]), MorphTarget("aside", [1, 3], [[0.1, 0, 0], [0.3, 0, 0]]))
    skin = Skin(corners, faces, np.zeros((4, 1)), np.ones((4, 1)), np.eye(4)[None], morphs)
    one = Character("pyramid", [Body("base", None, Joint.free())], skin=skin, mass_source="none")
    weights = np.stack([np.linspace(0, 1, 5), np.linspace(1, 0, 5) ** 2], axis=1)
    clip = Clip(one, np.tile(one.rest_pose(), (5, 1)), 10, morphs=weights)
    poise.save(clip, folder / "pyramid.glb")
    project = poise.Project().add_clip("pyramid", folder / "pyramid.glb")
    return project.add("load", "face", clip="pyramid"), clip


def test_a_face_moves_as_its_weights_say(tmp_path):
    project, clip = grimace(tmp_path)
    packets = solved(StageData(), project)
    [(figure, looks)] = of_kind(packets, "figure")
    (_, sent), (_, more) = of_kind(packets, "poses")  # at a glance, and once all is known
    assert not len(more["poses"])
    assert figure["morphs"] == ["up", "aside"]
    np.testing.assert_allclose(sent["morphs"], clip.morphs, atol=1e-6)
    skin = clip.character.skin
    assert skin is not None
    for frame in range(5):
        drawn = np.asarray(looks["position"], dtype=np.float64).copy()
        for k, weight in enumerate(sent["morphs"][frame]):
            drawn[looks[f"morph{k}.at"]] += weight * looks[f"morph{k}.by"]
        expected = skin.shape(clip.morphs[frame])
        # The same points, in whatever order the file brought them back.
        gaps = np.linalg.norm(drawn[:, None] - expected[None], axis=2)
        assert gaps.min(axis=1).max() < 1e-5
        assert gaps.min(axis=0).max() < 1e-5


def test_light_falls_on_a_morphed_face_as_on_a_face_of_that_shape(tmp_path):
    project, _ = grimace(tmp_path)
    [(_, looks)] = of_kind(solved(StageData(), project), "figure")
    faces = looks["index"].reshape(-1, 3)
    shape = np.asarray(looks["position"], dtype=np.float64).copy()
    rest = vertex_normals(shape, faces)
    shape[looks["morph0.at"]] += looks["morph0.by"]
    turned = np.zeros_like(rest)
    turned[looks["morph0.lit"]] = looks["morph0.turn"]
    np.testing.assert_allclose(rest + turned, vertex_normals(shape, faces), atol=2e-3)


def test_weights_that_change_are_sent_and_others_not(tmp_path):
    project, _ = grimace(tmp_path)
    stage = StageData()
    solved(stage, project)
    project.set("face", muted=False)
    [(header, sent)] = of_kind(solved(stage, project, 2), "poses")
    assert sent["poses"].shape == (0, 1, 7)
    assert sent["morphs"].shape == (0, 2)
    data = stage._sent["result"]
    other = np.array(data.clip.morphs)
    other[3, -1] += 0.5  # as if frame 3 had been sent otherwise
    stage._sent["result"] = FrameData.of(data.clip.replaced(morphs=other), stage._figure.offset, physics=True)
    [(header, sent)] = of_kind(solved(stage, project, 3), "poses")
    assert header["first"] == 3
    assert sent["morphs"].shape == (1, 2)


def test_a_motion_that_stands_on_none_has_no_reference_any_more():
    project = poise.Project().add_clip("walk", "walk").add("load", "walk", clip="walk")
    project.add("adapt", "reach", plants=False)
    stage = StageData()
    roles = [(h["role"], h["total"] > 0) for h, _ in of_kind(solved(stage, project), "poses")]
    assert roles == [("result", True), ("reference", True), ("result", True)], "first what is not yet solved"
    project.do({"do": "remove-layer", "layer": "reach"})
    roles = [(h["role"], h["total"] > 0) for h, _ in of_kind(solved(stage, project, 2), "poses")]
    assert roles == [("reference", False), ("result", True)]
    roles = [h["role"] for h, _ in of_kind(solved(stage, project, 3), "poses")]
    assert roles == ["result"], "it is said once"


def test_what_is_carried_is_on_the_stage(tmp_path):
    project = poise.Project().add_clip("punch", "punch").add("load", "punch", clip="punch")
    weight = {"kind": "load", "time": 0.3, "body": "LeftHand", "mass": 2.0, "place": [0.0, 0.0, -0.1]}
    project.add("perform", "struck", follow=True, disturbances=[weight], duration=0.6)
    stage = StageData()
    packets = solved(stage, project)
    [(header, sent)] = of_kind(packets, "prop")
    assert (header["solid"], header["number"], header["count"]) == ("sphere", 0, 1)
    assert header["size"][0] == 0.1
    [(figure, _)] = of_kind(packets, "figure")
    hand = next(k for k, b in enumerate(figure["bodies"]) if b["name"] == "LeftHand")
    *_, poses = (a["poses"] for h, a in of_kind(packets, "poses") if h["role"] == "result")
    there = np.arange(len(poses)) / 60 >= 0.3 - 1e-9
    assert np.isnan(sent["places"][~there, 0]).all()
    away = sent["places"][there, :3] - poses[there, hand, :3]
    np.testing.assert_allclose(np.linalg.norm(away, axis=1), 0.1, atol=1e-5)
    assert not of_kind(solved(stage, project, 2), "prop")  # nothing is sent twice
    assert [h["kind"] for h, _ in map(unpack, stage.everything())].count("prop") == 1
    project.set("struck", muted=True)
    [(header, _)] = of_kind(solved(stage, project, 3), "prop")
    assert header["count"] == 0
    project.set("struck", muted=False)
    assert of_kind(solved(stage, project, 4), "prop")
    solved(stage, grimace(tmp_path)[0], 5)  # the browser clears its stage for another figure
    assert of_kind(solved(stage, project, 6), "prop")


def test_a_first_picture_does_not_wait_for_what_is_solved():
    project = Project().add_clip("walk", "walk").add("load", "walk", clip="walk")
    project.add("loosen", "loose", tension="relaxed")
    packets = of_kind(solved(StageData(), project), "poses")
    first, last = (arrays["poses"] for header, arrays in packets if header["role"] == "result")
    walk = clips.get("walk")
    there = Kinematics(walk.character, walk.q).positions
    np.testing.assert_allclose(np.diff(first[..., :3], axis=1), np.diff(there, axis=1), atol=1e-5)
    assert np.abs(last[..., :3] - first[-len(last) :, :, :3]).max() > 1e-3


@pytest.mark.parametrize(("first", "last"), [(0, 4), (30, 41), (110, 115), (0, 115), (57, 57)])
def test_frames_that_stayed_need_not_be_worked_out_again(first, last):
    punch, lift = clips.get("punch"), np.array([0.0, 0.0, 0.1])
    q = np.array(punch.q)
    manifold, rng = punch.character.manifold, np.random.default_rng(1)
    q[first:last] = manifold.plus(q[first:last], 0.1 * rng.normal(size=(last - first, manifold.nv)))
    edited = punch.with_q(q)
    before = FrameData.of(punch, lift, physics=True)
    quick, whole = (FrameData.of(edited, lift, known, physics=True) for known in (before, None))
    assert quick.changed == ((first, last) if last > first else (0, 0))
    for name in ("places", "com", "momentum", "inertia"):
        np.testing.assert_array_equal(getattr(quick, name), getattr(whole, name), err_msg=name)


def test_a_first_glance_shows_what_compiled_kinematics_shows():
    project = poise.Project().add_clip("walk", "walk").add("load", "walk", clip="walk")
    stage = StageData()
    header, glance = of_kind(solved(stage, project.add("loosen", "loose")), "poses")[0]
    assert (header["role"], header["total"]) == ("result", len(glance["poses"]))
    data = stage.evaluator.made(project.document, "walk").clip
    exact = FrameData.of(data, np.array([0.0, 0.0, header["lift"]]), physics=False)
    np.testing.assert_allclose(glance["poses"].reshape(data.frames, -1), exact.places, atol=2e-7)


def test_a_project_without_layers_clears_the_stage():
    project = poise.Project().add_clip("walk", "walk").add("load", "walk", clip="walk")
    stage = StageData()
    whole = solved(stage, project)
    project.do({"do": "remove-layer", "layer": "walk"})
    [(header, arrays)] = solved(stage, project, 2)
    assert (header["kind"], header["bodies"], arrays) == ("figure", [], {})
    assert [unpack(p)[0] for p in stage.everything()] == [header]  # also for who comes back
    assert stage.weighed() == []
    project.undo()
    again = solved(stage, project, 3)
    assert [h["kind"] for h, _ in again] == [h["kind"] for h, _ in whole]  # nothing is taken as known


def test_a_new_solver_sends_nothing_half_done_over_what_is_seen():
    """Who looks has it solved and dressed: the raw motion, or one without its hat, would be a step back."""
    project = poise.Project().add_clip("walk", "walk").add("load", "walk", clip="walk")
    project.add("loosen", "loose").add("wear", "hat", to="Head")
    shown: list[bytes] = []
    found = StageData().solve(
        encoded(project.document),
        1,
        live=False,
        progress=lambda what, part: None,
        cancel=lambda: False,
        show=shown.append,
    )
    assert shown == []
    kinds = [unpack(packet)[0]["kind"] for packet in found.packets]
    assert kinds == ["figure", "poses", "physics", "poses", "soft"]


def test_what_is_worn_says_whose_it_is_and_where_its_points_rest():
    project = poise.Project().add_clip("walk", "walk").add("load", "walk", clip="walk")
    project.add("wear", "hat", to="Head").add("wear", "tail", mesh="ponytail")
    [(hat, drawn), (tail, thin)] = of_kind(solved(StageData(), project), "soft")
    assert (hat["layer"], tail["layer"]) == ("hat", "tail")
    assert drawn["rest"].shape == drawn["shape"].shape[1:]
    # It sways about where it rests, by much less than its size.
    size = np.ptp(drawn["rest"], axis=0).max()
    assert np.abs(drawn["shape"].mean(axis=0) - drawn["rest"]).max() < 0.3 * size
    assert "rest" not in thin, "nobody can bring a ponytail anywhere"
    # The point next to its tip is one that constraints can be about.
    worn = project.made().attached[0].attachment
    far = int(np.argmax(np.linalg.norm(drawn["rest"] - worn.held_at, axis=1)))
    np.testing.assert_allclose(drawn["rest"][far], worn.point("tip").place, atol=1e-6)


def test_a_layer_that_fails_is_named_and_the_rest_is_on_the_stage():
    late = [c.pin("RightHandCentre", [0.5, 0.0, 1.2], 99.0)]
    project = Project().add_clip("p", "punch").add("load", "take", clip="p")
    project.add("adapt", "aim", constraints=late).add("loosen", "loose", window=0.2)
    stage = StageData()
    stage.move(project.assets.folder, {})

    def made(*, live: bool) -> Any:
        return stage.solve(
            encoded(project.document), 1, live=live, progress=lambda *of: None, cancel=lambda: False
        )

    found = made(live=False)
    assert list(found.failures) == ["aim"]
    assert "99" in found.failures["aim"]
    assert not found.met
    (_, arrays) = of_kind([unpack(p) for p in found.packets], "poses")[-1]
    assert len(arrays["poses"]) == clips.get("punch").frames
    project.set("loose", tension="firm", gesture="drag")
    quick = made(live=True)
    assert list(quick.failures) == ["aim"], "while something is dragged it stays so"
    assert "aim" not in stage.evaluator.computed
    project.set("aim", constraints=[c.pin("RightHandCentre", [0.5, 0.0, 1.2], 0.5)])
    mended = made(live=False)
    assert mended.failures == {}
    assert stage.evaluator.computed["aim"] == 1
