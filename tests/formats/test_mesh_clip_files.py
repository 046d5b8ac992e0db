"""Mesh clips in files: few morph targets, valid glTF, the error that was promised."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.errors import InputError
from poise.formats.gltf.container import read_document
from poise.kinematics import baked_skin
from poise.motion import MeshClip


def bouncing(frames: int = 30, side: int = 12, **more) -> MeshClip:
    """A cloth that swings in two modes and turns by 40°."""
    t = np.arange(frames) / 25
    u, v = (a.ravel() for a in np.meshgrid(np.linspace(0, 1, side), np.linspace(0, 1, side), indexing="ij"))
    height = np.sin(6 * t)[:, None] * u**2 + 0.2 * np.sin(11 * t)[:, None] * np.sin(np.pi * u) * v
    angle = 0.7 * np.sin(3 * t)[:, None]
    x, y = u * np.cos(angle) - v * np.sin(angle), u * np.sin(angle) + v * np.cos(angle)
    k = (side * np.arange(side - 1)[:, None] + np.arange(side - 1)).ravel()
    faces = np.concatenate([np.stack([k, k + side, k + side + 1], 1), np.stack([k, k + side + 1, k + 1], 1)])
    return MeshClip(np.stack([x, y, 0.3 * height + 1], axis=-1), faces, 25, name="cloth", **more)


@pytest.mark.parametrize("suffix", [".glb", ".gltf", ".npz"])
@pytest.mark.parametrize("looped", [False, True])
def test_round_trips(tmp_path, suffix, looped):
    mesh = bouncing(loop=looped, colours=(0.6, 0.1, 0.1), texcoords=np.zeros((144, 2)))
    path = mesh.save(tmp_path / f"cloth{suffix}")
    clip = poise.load(path)
    back = baked_skin(clip)
    assert (back.frames, back.rate, back.loop) == (mesh.frames, mesh.rate, looped)
    np.testing.assert_array_equal(back.faces, mesh.faces)
    error = np.linalg.norm(back.vertices - mesh.vertices, axis=2).max()
    assert error < 1.01e-4 * mesh.size + 1e-6
    if suffix != ".npz":
        said = read_document(path).content["asset"]["extras"]["largest_error_m"]
        assert error == pytest.approx(said, rel=0.1, abs=2e-6)
        assert len(clip.character.skin.morphs) < mesh.frames // 2
        assert clip.character.skin.normals is not None
        # Normals follow: the mixture of the file's is near the true ones in a frame far from the first.
        looks = clip.character.skin.extras["gltf"]
        k = 7
        normals = np.array(clip.character.skin.normals)
        for j, target in enumerate(clip.character.skin.morphs):
            normals[target.indices] += clip.morphs[k, j] * looks.morph_normals[j]
        from poise.pictures.mesh import vertex_normals

        true = vertex_normals(mesh.vertices[k], mesh.faces)
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        assert np.degrees(np.arccos(np.clip((normals * true).sum(axis=1), -1, 1))).max() < 6.0


def test_exact_and_rough(tmp_path):
    mesh = bouncing()
    exact = baked_skin(poise.load(mesh.save(tmp_path / "exact.glb", tolerance=0.0)))
    np.testing.assert_allclose(exact.vertices, mesh.vertices, atol=3e-7)  # single precision
    rough = mesh.save(tmp_path / "rough.glb", tolerance=0.02)
    assert rough.stat().st_size < 0.35 * (tmp_path / "exact.glb").stat().st_size


def test_what_cannot_be_written_says_so(tmp_path):
    mesh = bouncing()
    with pytest.raises(InputError, match=r"no skeleton.*glb"):
        mesh.save(tmp_path / "cloth.bvh")
    with pytest.raises(InputError, match="tolerance"):
        mesh.save(tmp_path / "cloth.glb", tolerance=-1.0)
    with pytest.raises(InputError, match="mesh clips"):
        poise.clips.get("walk").save(tmp_path / "walk.glb", tolerance=0.1)


def test_the_file_keeps_materials_of_a_skin_with_several_meshes(tmp_path, shared_data):
    clip = poise.load(shared_data / "threejs/RobotExpressive.glb", animation="Wave")
    clip = poise.motion.operators.trim(clip, frames=(0, 6))
    mesh = baked_skin(clip)
    back = poise.load(mesh.save(tmp_path / "robot.glb"))
    assert len(back.character.skin.extras["gltf"].materials) == len(
        clip.character.skin.extras["gltf"].materials
    )
    np.testing.assert_allclose(baked_skin(back).vertices, mesh.vertices, atol=1.1e-4 * mesh.size)


def test_the_validator_finds_no_fault(tmp_path, shared_data):
    node = shutil.which("node")
    script = tmp_path / "validate.js"
    script.write_text(
        "const v = require('gltf-validator'), fs = require('fs');\n"
        "v.validateBytes(new Uint8Array(fs.readFileSync(process.argv[2])))"
        ".then(r => console.log(JSON.stringify(r.issues)));\n"
    )
    known = {**os.environ}
    if (
        node is None
        or subprocess.run(
            [node, "-e", "require('gltf-validator')"], capture_output=True, env=known
        ).returncode
    ):
        pytest.skip("the Khronos glTF validator is not installed")
    robot = poise.load(shared_data / "threejs/RobotExpressive.glb", animation="Wave")
    cases = {
        "cloth": bouncing(colours=(0.2, 0.2, 0.9)),
        "still": bouncing(frames=1),
        "robot": baked_skin(poise.motion.operators.trim(robot, frames=(0, 4))),
    }
    for name, mesh in cases.items():
        for suffix, tolerance in ((".glb", None), (".gltf", 0.0)):
            path = mesh.save(Path(tmp_path / f"{name}{suffix}"), tolerance=tolerance)
            done = subprocess.run([node, script, path], capture_output=True, text=True, check=True, env=known)
            issues = json.loads(done.stdout)
            assert (issues["numErrors"], issues["numWarnings"]) == (0, 0), f"{path.name}: {issues}"
