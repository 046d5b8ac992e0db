"""Faces by the operations of bodies: what is meant, what is refused, and what comes of it."""

from __future__ import annotations

import numpy as np
import pytest
from face_cases import acting

import poise
from poise import clips
from poise.clips import faces as bundled
from poise.errors import InputError
from poise.kinematics import baked_skin
from poise.methods.loosen.face.face import Face
from poise.methods.loosen.face.hit import hit
from poise.methods.loosen.face.material import Flesh
from poise.methods.loosen.face.result import FaceResult
from poise.methods.loosen.face.target import Target
from poise.motion import operators
from poise.operations.declare import complaints
from poise.operations.hit import Hit
from poise.operations.loosen import Loosen
from poise.operations.situation import Situation
from poise.operations.values.face_target import FaceTarget

CLIP = acting(nod=0.3)
BUST = operators.trim(bundled.get("smile"), 0.4, 1.0)
"""It has a neck, and weighs something."""


def test_a_face_is_known_by_what_moves_it():
    assert isinstance(poise.loosen(BUST, window=0.3), FaceResult)
    assert not isinstance(poise.loosen(BUST, window=0.3, part="body"), FaceResult)
    still = BUST.replaced(morphs=np.tile(BUST.morphs[0], (BUST.frames, 1)))
    assert not isinstance(poise.loosen(still, window=0.3), FaceResult), "nothing moves"
    assert isinstance(poise.loosen(still, window=0.3, part="face"), FaceResult)


def test_tension_ratio_and_firmness_are_its_flesh():
    for asked, meant in (
        ({"tension": "loose"}, "loose"),
        ({"tension": 2.5}, Flesh(2.5)),
        ({"tension": poise.Spring(2.5, 0.3)}, Flesh(2.5, 0.3)),
        ({"tension": 2.5, "ratio": 0.4, "firmness": 0.0}, Flesh(2.5, 0.4, 0.0)),
        (
            {"tension": {"*": 2.0, "chin": "tense"}, "ratio": 0.5},
            {"*": Flesh(2.0, 0.5), "chin": Flesh(8.0, 0.5, 14.0)},
        ),
    ):
        found = poise.loosen(CLIP, window=0.6, **asked)
        np.testing.assert_array_equal(found.mesh.vertices, Face(CLIP, meant, 0.6).mesh().vertices)


def test_it_is_declared_in_full():
    for declared in (Loosen, Hit, FaceTarget):
        assert complaints(declared) == []


def test_targets_as_data_are_those_of_the_search():
    asked = [
        {"region": "*", "at": 0.4},
        {"region": ["cheekLeft", "chin"], "at": 1.0, "shape": {"chin": 0.5}, "name": "grin"},
        {"region": "chin", "at": 1.6, "shape": 0, "rate": True, "tolerance": 0.01},
    ]
    wanted = [
        Target(0.4),
        Target(1.0, ["cheekLeft", "chin"], {"chin": 0.5}, name="grin"),
        Target(1.6, "chin", 0, rate=True, tolerance=0.01),
    ]
    for options, given in (({}, {}), ({"width": 0.5}, {"width": 0.5}), ({"widths": {"grin": 0.4}},) * 2):
        found = poise.hit(CLIP, asked, 3.0, 0.8, **options)
        same = hit(Face(CLIP, 3.0, 0.8), wanted, **given)
        assert [o.name for o in found.report.outcomes] == [
            "face at 0.4 s",
            "grin",
            "velocity of chin at 1.6 s",
        ]
        assert found.met
        np.testing.assert_array_equal(found.mesh.vertices, same.mesh.vertices)
    shape = CLIP.character.skin.shape([0.5] * 4)
    placed = poise.hit(CLIP, [{"region": "*", "at": 1.0, "shape": shape}], 3.0, 0.8)
    np.testing.assert_allclose(placed.face.states([1.0], rest=True)[0], shape, atol=1e-6)


def test_what_is_written_is_the_mesh_and_the_clip_is_the_animation(tmp_path):
    found = poise.loosen(CLIP, "loose", 0.8)
    assert found.clip is CLIP
    back = poise.load(found.save(tmp_path / "face.npz"))
    wanted = found.mesh
    np.testing.assert_allclose(baked_skin(back).vertices, wanted.vertices, atol=1.1e-4 * wanted.size)
    with pytest.raises(InputError, match="no skeleton"):
        found.save(tmp_path / "face.bvh")
    facts = found.facts()
    frame, vertex = facts["largest_at"]["frame"], facts["largest_at"]["vertex"]
    moved = np.linalg.norm(found.mesh.vertices - baked_skin(CLIP).vertices, axis=2)
    assert moved[frame, vertex] == pytest.approx(facts["largest_deviation_m"]) == moved.max()
    assert f"vertex {vertex} at frame {frame}" in str(found)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"gravity": "off"}, "'gravity': it is for bodies"),
        ({"world": "ground"}, "'world': it is for bodies"),
        ({"tension": [(0.0, "firm"), (1.0, "loose")]}, "cannot be keyed"),
        ({"tension": poise.Spring(stiffness=3.0)}, "no stiffness"),
        ({"tension": {"nose": 3.0}}, "no region named 'nose'"),
        ({"window": [0.1] * 51}, "one number"),
        ({"window": "adaptive"}, "no window named 'adaptive'"),
        ({"ratio": -0.1}, "'ratio'"),
        ({"firmness": -1.0}, "'firmness'"),
    ],
)
def test_what_a_face_does_not_have_is_refused(options, why):
    with pytest.raises(InputError, match=why):
        poise.loosen(CLIP, **{"window": 0.8, **options})


def test_faces_and_bodies_are_not_mixed_up():
    walk, pin = clips.get("walk"), poise.constraints.pin("Head", (0, 0, 1.6), 0.3)
    mouth = {"region": "mouth*", "at": 0.3}
    for call, why in (
        (lambda: poise.loosen(walk, part="face"), "no morph targets"),
        (lambda: poise.loosen(walk, firmness=3.0), "'firmness': it is for faces"),
        (lambda: poise.loosen(walk, ratio=0.3), "'ratio': it is for faces"),
        (lambda: poise.hit(walk, [mouth]), "regions are for faces"),
        (lambda: poise.hit(CLIP, [pin]), "entry 0 is for a body"),
        (lambda: poise.hit(CLIP, [mouth, pin]), "entry 1 is for a body"),
        (lambda: poise.hit(CLIP, [mouth], joints=["Head"]), "'joints': it is for bodies"),
        (lambda: poise.hit(CLIP, [mouth | {"tme": 1}]), "entry 0: .*'tme'"),
        (lambda: poise.hit(CLIP, [{"region": "*"}]), "entry 0: .*'at' is missing"),
        (lambda: poise.hit(CLIP, [mouth], widths={"nose": 0.3}), "no constraint is named 'nose'"),
    ):
        with pytest.raises(InputError, match=why):
            call()


def test_a_layer_loosens_the_body_or_where_it_is_told_the_face(tmp_path):
    """A loose face is a motion there: its shapes are morph targets beside those of the animation."""
    path = BUST.save(tmp_path / "face.npz")
    project = poise.Project().add_clip("face", str(path)).add("load", "take", clip="face")
    project.add("loosen", "loose", window=0.3)
    loose = project.clip()
    np.testing.assert_array_equal(loose.q, poise.loosen(BUST, window=0.3, part="body").clip.q)
    np.testing.assert_array_equal(loose.morphs, BUST.morphs)
    project.set("loose", part="face")
    face = project.clip()
    np.testing.assert_array_equal(face.q, BUST.q)
    assert face.morph_names[: len(BUST.morph_names)] == BUST.morph_names
    wanted = np.asarray(poise.loosen(BUST, window=0.3, part="face").mesh.vertices)
    size = np.linalg.norm(np.ptp(BUST.character.skin.vertices, axis=0))
    assert np.abs(np.asarray(baked_skin(face).vertices) - wanted).max() < 1e-4 * size
    assert np.abs(np.asarray(baked_skin(BUST).vertices) - wanted).max() > 1e-3 * size


def test_a_step_of_a_batch_hands_on_a_body():
    from poise.operations.result import Result
    from poise.operations.running import run

    found = run(Loosen(window=0.3), Situation(Result(BUST)))
    np.testing.assert_array_equal(found.clip.q, poise.loosen(BUST, window=0.3, part="body").clip.q)
