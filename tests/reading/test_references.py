"""What a document refers to lies in its own folder, or where the user said; only regular files are opened."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hostile import ending, triangle
from json_readers import JSON_READERS

import poise
from poise import project as projects
from poise.batch.recipe import read_recipe
from poise.errors import FileFormatError, InputError
from poise.formats.surface_file import load_surface
from poise.methods.perform.script import file as script_file
from poise.methods.perform.script.beats import Beats, read_wav
from poise.reading import beside, trusting

READERS = {
    **dict.fromkeys(("bvh", "amc", "asf", "glb", "gltf", "npz", "xml"), poise.load),
    "obj": load_surface,
    "poise": projects.open,
    "toml": script_file.load,
    "mid": Beats.from_midi,
    "wav": read_wav,
}
OUTSIDE = "outside the folder"


@pytest.fixture
def elsewhere(tmp_path):
    """A folder with a clip, and one beside it for documents: gives the latter."""
    (tmp_path / "elsewhere").mkdir()
    poise.clips.get("walk").save(tmp_path / "elsewhere/walk.bvh")
    home = tmp_path / "home"
    home.mkdir()
    return home


@pytest.mark.parametrize("kind", [*READERS, *JSON_READERS])
@pytest.mark.parametrize("what", ["pipe", "device", "folder"])
def test_only_regular_files_are_opened(kind, what, tmp_path):
    if kind == "xml":
        pytest.importorskip("mujoco")
    read, name = (READERS[kind], f"x.{kind}") if kind in READERS else (JSON_READERS[kind], "x.json")
    path = tmp_path / name
    if what == "pipe":
        os.mkfifo(path)
    elif what == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    with ending(), pytest.raises(FileFormatError, match=f"this is a {what}, not a file"):
        read(path)


def test_a_journal_that_is_a_pipe_does_not_hang_a_project(tmp_path):
    from poise.project.journal import journal_path

    path = projects.Project().add_clip("walk", "walk").add("load", clip="walk").save(tmp_path / "x.poise")
    os.mkfifo(journal_path(path))
    with ending():
        assert projects.open(path).recovery is None


def test_links_are_followed_before_they_are_judged(tmp_path):
    home, other = tmp_path / "home", tmp_path / "other"
    home.mkdir()
    other.mkdir()
    (other / "x").write_text("")
    (home / "x").write_text("")
    (home / "out").symlink_to(other)
    (home / "in").symlink_to(home / "x")
    assert beside(home, "in", "it") == home / "x"
    assert beside(home, "not/there/../../x", "it") == home / "x"
    for name in ("out/x", "../other/x", str(other / "x"), "../home2", ".."):
        with pytest.raises(InputError, match=OUTSIDE):
            beside(home, name, "it")
    with pytest.raises(InputError, match="no file can have"):
        beside(home, "a\0b", "it")
    with trusting(other):
        assert beside(home, "out/x", "it") == other / "x"
        with pytest.raises(InputError, match=OUTSIDE):
            beside(home, "../elsewhere/x", "it")
    with pytest.raises(InputError, match=OUTSIDE):
        beside(home, "out/x", "it")


def project_of(home: Path, file: str, **more: object) -> Path:
    """A project as somebody else might write it."""
    document = {
        "poise": "project", "version": 4, "clips": {"x": {"file": file, **more}},
        "layers": [{"do": "load", "name": "x", "clip": "x"}],
    }  # fmt: skip
    path = home / "x.poise"
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize("way", ["climbing", "absolute", "link"])
def test_a_project_reads_clips_of_its_own_folder_only(way, elsewhere):
    target = elsewhere.parent / "elsewhere/walk.bvh"
    file = {"climbing": "../elsewhere/walk.bvh", "absolute": str(target), "link": "link.bvh"}[way]
    if way == "link":
        (elsewhere / "link.bvh").symlink_to(target)
    path = project_of(elsewhere, file)
    with pytest.raises(InputError, match=f"clip 'x'.*{OUTSIDE}.*within=FOLDER"):
        projects.open(path).clip()
    assert projects.open(path, within=[elsewhere.parent / "elsewhere"]).clip().frames > 1


def test_the_user_says_so_on_the_command_line(elsewhere, capsys):
    from poise.cli import main

    path, out = project_of(elsewhere, "../elsewhere/walk.bvh"), elsewhere / "out.bvh"
    for arguments, code in (
        (["bake", str(path), "-o", str(out)], 2),
        (["bake", str(path), "-o", str(out), "--within", str(elsewhere.parent)], 0),
        (["info", str(path)], 2),
        (["info", str(path), "--read", f"within={elsewhere.parent}"], 0),
    ):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == code, capsys.readouterr().err
        assert code == 0 or OUTSIDE in capsys.readouterr().err


def test_what_the_user_adds_may_lie_anywhere(elsewhere):
    project = projects.Project().add_clip("x", elsewhere.parent / "elsewhere/walk.bvh").add("load", clip="x")
    project.save(elsewhere / "x.poise")
    assert project.clip().frames > 1


def test_a_document_cannot_say_so_itself(elsewhere):
    path = project_of(elsewhere, "../elsewhere/walk.bvh", read={"within": "/"})
    with pytest.raises(InputError, match=OUTSIDE):
        projects.open(path).clip()
    poise.clips.get("walk").save(elsewhere / "walk.bvh")
    with pytest.raises(InputError, match="no option named 'within'"):
        projects.open(project_of(elsewhere, "walk.bvh", read={"within": "/"})).clip()


def test_the_studio_reads_nothing_outside_its_workspace(elsewhere):
    from poise.operations.frozen_data import encoded
    from poise.studio.server.open_project import OpenProject, opened
    from poise.studio.server.session import Session
    from poise.studio.server.stage_data import StageData
    from poise.studio.server.workspace import Workspace

    def shown(workspace: Path) -> None:
        session = Session(OpenProject(Workspace(workspace), opened(path)))
        home = session.open_project.home()
        session.project.close()
        stage = StageData()
        stage.move(Path(home.folder), home.blobs, [Path(place) for place in home.within])
        stage.solve(
            encoded(session.project.document), 0, live=False, show=lambda packet: None, glance=True,
            progress=lambda what, part: None, cancel=lambda: False,
        )  # fmt: skip

    path = project_of(elsewhere, "../elsewhere/walk.bvh")
    with pytest.raises(InputError, match=OUTSIDE):
        shown(elsewhere)
    shown(elsewhere.parent)


def test_music_and_poses_of_a_script_lie_beside_it(elsewhere):
    (elsewhere.parent / "elsewhere/poses.json").write_text('{"poses": {"a": {"RightArm": [1, 0, 0]}}}')
    for field, value in (
        ("poses", "../elsewhere/poses.json"),
        ("beats", {"wav": "../elsewhere/song.wav"}),
        ("beats", {"midi": "/dev/zero"}),
    ):
        script = {"poses": {"a": {"RightArm": [1, 0, 0]}}, "keys": [["a", 1.0]], field: value}
        path = elsewhere / "x.json"
        path.write_text(json.dumps(script))
        with ending(), pytest.raises(FileFormatError, match=OUTSIDE):
            script_file.load(path)
        layer = {"do": "perform", "name": "b", "script": {**script, "character": "humanoid"}}
        project = elsewhere / "x.poise"
        project.write_text(json.dumps({"poise": "project", "version": 4, "layers": [layer]}))
        with ending(), pytest.raises(InputError, match=OUTSIDE):
            projects.open(project).clip()
    with trusting(elsewhere.parent):
        path.write_text(json.dumps({"poses": "../elsewhere/poses.json", "keys": [["a", 1.0]]}))
        assert len(script_file.load(path).keys) == 1


def test_clips_of_a_recipe_lie_beside_it(elsewhere):
    path = elsewhere / "recipe.json"
    path.write_text(json.dumps({"steps": [{"do": "retarget", "onto": "../elsewhere/walk.bvh"}]}))
    with pytest.raises(FileFormatError, match=OUTSIDE):
        read_recipe(path)


def test_the_skeleton_that_a_project_names_is_a_reference_too(elsewhere):
    (elsewhere / "x.amc").write_text(":fully-specified\n")
    (elsewhere.parent / "elsewhere/x.asf").write_text(":units\n")
    path = project_of(elsewhere, "x.amc", read={"skeleton": str(elsewhere.parent / "elsewhere/x.asf")})
    with pytest.raises(InputError, match=f"its skeleton.*{OUTSIDE}"):
        projects.open(path).clip()


BODY = '<body name="b"><freejoint/><geom size="0.1"/></body>'


@pytest.mark.parametrize("what", ["include", "mesh", "hfield", "model"])
def test_files_of_a_model_lie_beside_it(what, elsewhere):
    pytest.importorskip("mujoco")
    (elsewhere.parent / "elsewhere/part").write_text(f"<mujoco><worldbody>{BODY}</worldbody></mujoco>")
    named = '<include file="../elsewhere/part"/>'
    if what != "include":
        named = f'<asset><{what} file="../elsewhere/part"/></asset>'
    path = elsewhere / "x.xml"
    path.write_text(f"<mujoco>{named}<worldbody><body><geom size='0.1'/></body></worldbody></mujoco>")
    with pytest.raises(FileFormatError, match=OUTSIDE):
        poise.load(path)
    if what == "include":
        with trusting(elsewhere.parent):
            assert "b" in poise.load(path, root="b").character.names


@pytest.mark.parametrize("what", ["include", "mesh", "texture"])
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_files_of_a_model_are_regular(what, kind, tmp_path):
    pytest.importorskip("mujoco")
    if kind == "pipe":
        os.mkfifo(tmp_path / "part.png")
    named = (
        '<include file="part.png"/>'
        if what == "include"
        else f'<asset><{what} name="m" file="part.png"/></asset>'
    )
    if kind == "device":
        named = named.replace("part.png", "/dev/zero")
    path = tmp_path / "x.xml"
    path.write_text(f"<mujoco>{named}<worldbody>{BODY}</worldbody></mujoco>")
    with ending():
        if what == "texture":  # which nothing here depends on: never opened
            assert poise.load(path).frames == 1
            return
        with pytest.raises(FileFormatError, match="not a regular file|" + OUTSIDE):
            poise.load(path)


def test_names_that_no_file_can_have(tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "x.xml"
    path.write_text(f'<mujoco><include file="{"x" * 5000}"/><worldbody>{BODY}</worldbody></mujoco>')
    assert "left out" in poise.load(path).source.notes[0]
    (tmp_path / "x.gltf").write_text(json.dumps(triangle(buffers=[{"byteLength": 36, "uri": "x" * 5000}])))
    with pytest.raises(FileFormatError, match="which does not exist"):
        poise.load(tmp_path / "x.gltf")
    with pytest.raises(InputError, match="is missing"):
        projects.open(project_of(tmp_path, "x" * 5000)).clip()


def test_includes_that_go_round_in_circles(tmp_path):
    pytest.importorskip("mujoco")
    (tmp_path / "a.xml").write_text('<mujoco><include file="b.xml"/></mujoco>')
    (tmp_path / "b.xml").write_text('<mujoco><include file="a.xml"/></mujoco>')
    with pytest.raises(FileFormatError, match="twice, or its includes form a circle"):
        poise.load(tmp_path / "a.xml")


def test_meshes_of_a_model_are_still_found(tmp_path):
    """In the folder that the model names for them, under their own names, with their mass."""
    pytest.importorskip("mujoco")
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + ["f 1 3 2", "f 1 2 4", "f 2 3 4", "f 1 4 3"]
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes/corner.obj").write_text("\n".join(lines))
    (tmp_path / "parts.xml").write_text('<mujoco><asset><mesh file="corner.obj"/></asset></mujoco>')
    path = tmp_path / "x.xml"
    path.write_text(
        '<mujoco><compiler meshdir="meshes"/><include file="parts.xml"/><worldbody><body name="b">'
        "<freejoint/>"
        '<geom type="mesh" mesh="corner" density="600"/></body></worldbody></mujoco>'
    )
    assert poise.load(path).character.bodies[0].mass.mass == pytest.approx(100)


def test_a_buffer_that_is_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "x.bin")
    content = triangle(buffers=[{"byteLength": 36, "uri": "x.bin"}])
    (tmp_path / "x.gltf").write_text(json.dumps(content))
    with ending(), pytest.raises(FileFormatError, match=r"buffer 0: .*this is a pipe"):
        poise.load(tmp_path / "x.gltf")
