"""The table of formats: by content first, one clear error otherwise, saves that never half-happen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from bvh_cases import person

import poise
from poise.errors import FileFormatError, InputError, UnknownNameError
from poise.formats import FORMATS, extensions, format_of, load, losses, save
from poise.formats.registry import Format
from poise.formats.strangers import _ADVICE


@pytest.fixture
def clip(tmp_path):
    path = tmp_path / "person.bvh"
    path.write_text(person())
    return load(path)


def test_names_and_extensions_are_unique():
    names, endings = [f.name for f in FORMATS], extensions()
    assert len(set(names)) == len(names)
    assert len(set(endings)) == len(endings)
    assert all(e.startswith(".") and e == e.lower() for e in endings)
    only_written = {e for f in FORMATS if not f.reads for e in f.extensions}
    assert set(extensions(writing=True)) - only_written < set(endings)
    assert not only_written & set(endings)
    assert all((f.save is not None) == f.writes for f in FORMATS)


@pytest.mark.parametrize(
    "head, name",
    [
        (b"HIERARCHY\nROOT", "bvh"),
        (b"\xef\xbb\xbf# hand made\r\n hierarchy\r\n", "bvh"),
        (b"# AST/ASF file\n:version 1.10\n:name VICON\n:units\n", "asf"),
        (b"#!OML:ASF H:\\Terrain\n:FULLY-SPECIFIED\n:DEGREES\n1\n", "amc"),
        (b"glTF\x02\x00\x00\x00", "gltf"),
        (b'{\n "asset": {"version": "2.0"}}', "gltf"),
        (b'<?xml version="1.0"?><!-- x --><mujoco model="a">', "mjcf"),
        (b"PK\x03\x04\x2d\x00 q.npy", "npz"),
    ],
)
def test_content_is_recognised_whatever_the_extension(tmp_path, head, name):
    for ending in ("", ".txt", ".bvh", ".glb", ".dat"):
        path = tmp_path / f"file{ending}"
        path.write_bytes(head)
        assert format_of(path).name == name


def test_a_bvh_by_another_name_is_loaded(tmp_path):
    path = tmp_path / "take.txt"
    path.write_text(person())
    assert load(path).source.format == "bvh"


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda p: None, "no such file"),
        (lambda p: p.mkdir(), "this is a folder"),
        (lambda p: p.write_bytes(b""), "the file is empty"),
        (lambda p: p.write_bytes(b" \r\n\t "), "the file is empty"),
        (lambda p: p.write_bytes(b"\0" * 5000), "the file is empty"),
        (lambda p: p.write_bytes(bytes(range(256)) * 20), "not a format Poise knows; it reads BVH"),
        (lambda p: p.write_bytes(b"hello"), "not a format Poise knows"),
    ],
)
def test_what_cannot_be_read(tmp_path, make, message):
    path = tmp_path / "thing.dat"
    make(path)
    with pytest.raises(FileFormatError, match=message) as caught:
        load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("ending", [".bvh", ".amc", ".asf", ".npz"])
@pytest.mark.parametrize(
    "content", [bytes(range(256)) * 20, "HIERARCHY".encode("utf-16"), b"\x7fELF\0\0\0", b"\n\nx"]
)
def test_other_content_under_a_known_extension(tmp_path, ending, content):
    path = tmp_path / f"thing{ending}"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match="thing"):
        load(path)


def test_unknown_options_are_named(clip, tmp_path):
    with pytest.raises(
        UnknownNameError, match=r"no option named 'upp' in reading BVH files; did you mean 'up'"
    ):
        load(tmp_path / "person.bvh", upp="z")
    with pytest.raises(UnknownNameError, match="no option named 'digit' in writing BVH files"):
        save(clip, tmp_path / "out.bvh", digit=3)


def test_saving_needs_a_known_extension_and_a_folder(clip, tmp_path):
    with pytest.raises(InputError, match=r"no format has the extension '.xyz' \(Poise writes .bvh"):
        save(clip, tmp_path / "out.xyz")
    with pytest.raises(InputError, match="no format has the extension ''"):
        save(clip, tmp_path / "out")
    with pytest.raises(InputError, match="can only be read"):
        save(clip, tmp_path / "out.amc")
    with pytest.raises(InputError, match="there is no folder"):
        save(clip, tmp_path / "nowhere" / "out.bvh")
    (tmp_path / "folder.bvh").mkdir()
    with pytest.raises(InputError, match="this is a folder"):
        save(clip, tmp_path / "folder.bvh")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder.bvh", "person.bvh"]


@pytest.mark.parametrize("extension", [".bvh", ".glb", ".npz", ".xml"])
def test_a_failed_save_leaves_what_was_there(clip, tmp_path, monkeypatch, extension):
    path = tmp_path / f"other{extension}"
    path.write_bytes(b"as it was")
    names = set(os.listdir(tmp_path))

    def half(self, data):
        with self.open("wb") as file:
            file.write(bytes(data)[: len(data) // 2])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(type(path), "write_bytes", half)
        patch.setattr(type(path), "write_text", lambda self, text, **options: half(self, text.encode()))
        patch.setattr("numpy.savez", lambda file, **arrays: half(Path(file.name), b"half a file"))
        with pytest.raises(InputError, match="No space left on device"):
            save(clip, path)
    assert path.read_bytes() == b"as it was"
    assert set(os.listdir(tmp_path)) == names

    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("poise.files.os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save(clip, path)
    assert path.read_bytes() == b"as it was"
    assert set(os.listdir(tmp_path)) == names


def test_saving_keeps_permissions_and_links(clip, tmp_path):
    path = tmp_path / "person.bvh"
    path.chmod(0o640)
    link = tmp_path / "link.bvh"
    link.symlink_to(path)
    moved = clip.with_q(clip.q[:3])
    assert save(moved, link) == link
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert load(path).frames == 3
    fresh = save(clip, tmp_path / "fresh.bvh")
    mask = os.umask(0)
    os.umask(mask)
    assert fresh.stat().st_mode & 0o777 == 0o666 & ~mask


def test_clips_save_themselves_and_strings_are_paths(clip, tmp_path):
    out = clip.save(str(tmp_path / "again.bvh"))
    assert np.array_equal(load(str(out)).q, clip.q)


def test_modules_are_imported_only_when_used():
    code = (
        "import sys, poise.formats; mine = [m for m in sys.modules if m.startswith('poise.formats.')];"
        "print([m for m in mine if not m.endswith('registry')])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_a_missing_library_is_missed_only_when_used(tmp_path, monkeypatch):
    needy = Format(
        "needy", "Needy", (".needy",), lambda head: head.startswith(b"needy"), "no_such_module_at_all"
    )
    monkeypatch.setattr("poise.formats.registry.FORMATS", (*FORMATS, needy))
    path = tmp_path / "a.bvh"
    path.write_text(person())
    assert load(path).frames == 8
    path.write_text("needy")
    with pytest.raises(ModuleNotFoundError):
        load(path)


@pytest.mark.parametrize(
    ("name", "head", "said"),
    [
        ("hero.blend", b"BLENDER-v405", "export the animation as FBX"),
        ("Walk.BIP", b"\x01\x02\x03", "Biped"),
        ("dance.vmd", b"Vocaloid Motion Data 0002", "MMD Tools"),
        ("take.mp4", b"\0\0\0\x18ftypmp42", "does not estimate poses"),
        ("scene.ma", b"//Maya ASCII 2025 scene", "a Maya scene"),
    ],
)
def test_files_of_other_programs_are_refused_with_advice(name, head, said, tmp_path):
    path = tmp_path / name
    path.write_bytes(head)
    with pytest.raises(FileFormatError, match=said) as problem:
        load(path)
    assert "\n" not in str(problem.value)


def test_advice_is_for_what_is_not_read():
    for suffixes in _ADVICE:
        assert not set(suffixes) & set(extensions())


def test_what_the_figure_wears_is_not_said_to_be_left_out(tmp_path):
    """GLB holds the skin of an FBX file and its colours."""
    poise.clips.get("walk").save(tmp_path / "walk.fbx")
    clip = load(tmp_path / "walk.fbx")
    assert losses(clip, tmp_path / "walk.glb") == ()
    clip.save(tmp_path / "walk.glb")
    worn = load(tmp_path / "walk.glb").character.skin
    assert len(worn.vertices) == len(clip.character.skin.vertices)
    assert "1 mesh" in losses(clip, tmp_path / "walk.bvh")[-1]
