"""``poise loosen`` and ``poise hit`` on faces, as a user meets them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from command_line import run

import poise
from poise.cli.typed_values import typed
from poise.clips import faces
from poise.errors import InputError
from poise.kinematics import baked_skin
from poise.methods.loosen.face.face import Face
from poise.methods.loosen.face.material import Flesh
from poise.operations.declare import fields_of
from poise.operations.hit import Hit


@pytest.fixture(scope="module")
def face_file(tmp_path_factory):
    """A short face as an animator would export it."""
    clip = poise.motion.operators.trim(faces.get("smile"), 0.4, 1.4)
    return clip.save(tmp_path_factory.mktemp("faces") / "smile.glb")


def test_loosen_recognises_a_face(capsys, tmp_path, face_file, monkeypatch):
    quick = {"size": (160, 60), "quality": poise.pictures.VIDEO}  # the picture is not what is tested here
    drawn = poise.pictures.strobe
    monkeypatch.setattr("poise.pictures.strobe_picture.strobe", lambda mesh, **o: drawn(mesh, **o | quick))
    target, picture = tmp_path / "loose.glb", tmp_path / "loose.png"
    code, out, _ = run(
        capsys, "loosen", str(face_file), "-o", str(target), "--tension", "*=2.5,eye*=12", "--ratio", "0.3",
        "--window", "0.8", "--picture", str(picture), "--json",
    )  # fmt: skip
    assert code == 0
    facts = json.loads(out)
    assert facts["vertices"] == len(faces.bust().skin.vertices)
    assert 1e-3 < facts["largest_deviation_m"] < 0.05
    assert picture.stat().st_size > 1_000
    clip = poise.load(face_file)
    wanted = Face(clip, {"*": Flesh(2.5, 0.3), "eye*": Flesh(12, 0.3)}, 0.8).mesh()
    got = baked_skin(poise.load(target))
    np.testing.assert_allclose(got.vertices, wanted.vertices, atol=1.1e-4 * wanted.size)


def test_hit_takes_regions(capsys, tmp_path, face_file):
    target = tmp_path / "hit.glb"
    code, out, _ = run(
        capsys, "hit", str(face_file), "-o", str(target), "--at", "pose@0.32", "--at", "mouth*@0.8~0",
        "--at", "brow*@0.6=browUpLeft:1", "--window", "0.8", "--json",
    )  # fmt: skip
    assert code == 0
    report = json.loads(out)
    assert report["met"]
    assert len(report["outcomes"]) == 4
    got, wanted = baked_skin(poise.load(target)), baked_skin(poise.load(face_file))
    k = round(0.32 * 25)
    np.testing.assert_allclose(got.vertices[k], wanted.vertices[k], atol=1.1e-4 * wanted.size)


def test_contradictions_exit_with_1(capsys, tmp_path, face_file):
    code, out, _ = run(
        capsys, "hit", str(face_file), "-o", str(tmp_path / "x.glb"), "--at", "jawOpen@0.5=jawOpen:1",
        "--at", "jawOpen@0.5=jawOpen:0", "--window", "0.8",
    )  # fmt: skip
    assert code == 1
    assert "✗" in out


def test_what_is_wrong_is_said(capsys, tmp_path, face_file):
    target = str(tmp_path / "x.glb")
    for arguments, why in (
        (
            ("loosen", str(face_file), "-o", target, "--tension", "-1"),
            "frequency must be finite",
        ),
        (("loosen", str(face_file), "-o", target, "--tension", "nose=3"), "no region named 'nose'"),
        (("loosen", str(face_file), "-o", target, "--tension", "wobbly"), "no tension named 'wobbly'"),
        (("loosen", str(face_file), "-o", str(tmp_path / "x.bvh")), "no skeleton"),
        (("loosen", "walk", "-o", target, "--part", "face"), "no morph targets"),
        (("loosen", "walk", "-o", target, "--firmness", "3"), "--firmness: it is for faces"),
        (("hit", str(face_file), "-o", target, "--at", "pose@9"), "the clip lasts from 0 to 1 s"),
        (("hit", str(face_file), "-o", target, "--at", "mouth*"), "REGION@TIME"),
        (("hit", str(face_file), "-o", target), "hit needs --at"),
        (("hit", str(face_file), "-o", target, "--at", "mouth*@0.5", "--part", "body"), "no point or role"),
        (("hit", "walk", "-o", target, "--at", "mouth*@0.5", "--part", "face"), "no morph targets"),
        (
            ("hit", str(face_file), "-o", target, "--at", "pose@0.5", "--joints", "Head"),
            "--joints: it is for bodies",
        ),
    ):
        code, _, err = run(capsys, *arguments)
        assert code == 2, arguments
        assert why in err, err
        assert "Traceback" not in err


def test_targets_as_typed(face_file):
    clip, field = poise.load(face_file), next(f for f in fields_of(Hit) if f.name == "constraints")

    def read(text: str) -> list[dict]:
        return typed(field, [text], clip, "auto")[0]

    assert read("mouth*@1.2=a:1,b c:0.5~0") == [
        {"region": "mouth*", "at": 1.2, "shape": {"a": 1.0, "b c": 0.5}},
        {"region": "mouth*", "at": 1.2, "shape": 0, "rate": True},
    ]
    assert read("pose@0.5") == [{"region": "*", "at": 0.5, "name": "face at 0.5 s"}]
    assert read('{"region": "*", "at": 1}') == [{"region": "*", "at": 1}]
    for bad in ("mouth", "mouth@x", "mouth@1~2", "mouth@1=a", "mouth@1=a:b", "pose@1~0"):
        with pytest.raises(InputError, match="written REGION@TIME"):
            read(bad)


def test_bundled_faces_are_clips(capsys, tmp_path):
    code, out, _ = run(capsys, "info", "speech")
    assert code == 0
    assert "bust" in out


def test_a_face_without_animation_is_told_what_to_do(capsys, tmp_path, face_file):
    still = poise.motion.operators.trim(poise.load(face_file), 0.0, 0.0)
    assert still.frames == 1
    path = still.save(tmp_path / "still.glb")
    for verb, *more in (("loosen",), ("hit", "--at", "mouth*@0")):
        code, out, err = run(capsys, verb, str(path), "-o", str(tmp_path / "out.glb"), *more)
        assert code == 2
        assert "no animation" in err
        assert "with_frames" in err
        assert out == ""
    assert not (tmp_path / "out.glb").exists()


def test_the_still_face_of_a_real_file_is_told_and_moves_once_keyed(capsys, tmp_path, shared_data):
    path = shared_data / "ict_facekit" / "ict_face_sparse_morphs_DERIVED.glb"
    code, _, err = run(capsys, "loosen", str(path), "-o", str(tmp_path / "out.glb"))
    assert code == 2
    assert "56 morph targets" in err
    face = poise.load(path)
    frames = 12
    weights = np.zeros((frames, len(face.morph_names)))
    weights[:, face.morph_names.index("jawOpen")] = np.sin(np.linspace(0, np.pi, frames))
    keyed = face.with_frames(np.repeat(face.q, frames, axis=0), weights, rate=25)
    code, out, _ = run(
        capsys, "loosen", str(keyed.save(tmp_path / "keyed.glb")), "-o", str(tmp_path / "loose.glb"), "--json"
    )
    assert code == 0
    facts = json.loads(out)
    assert facts["frames"] == frames
    assert facts["largest_deviation_m"] > 1e-3
