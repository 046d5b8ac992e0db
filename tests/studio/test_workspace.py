"""Nothing outside the workspace can be named."""

from __future__ import annotations

import pytest

from poise.errors import InputError
from poise.studio.server.workspace import Workspace


@pytest.mark.parametrize(
    "path", ["../secret.bvh", "/etc/passwd", "a/../../secret.bvh", "link/secret.bvh", "a\0b"]
)
def test_paths_that_lead_out_are_refused(tmp_path, path):
    root = tmp_path / "work"
    root.mkdir()
    (tmp_path / "secret.bvh").write_text("x")
    (root / "link").symlink_to(tmp_path)
    with pytest.raises((InputError, ValueError)):
        Workspace(root).file(path)


def test_files_are_listed_by_kind_without_hidden_ones(tmp_path):
    for name in ("b.bvh", "b.bvh.bake.json", "a/c.glb", ".hidden.bvh", "notes.txt", ".git/d.bvh"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    assert Workspace(tmp_path).files() == ["b.bvh", "a/c.glb"]
    assert Workspace(tmp_path).shown(tmp_path / "a" / "c.glb") == "a/c.glb"


def test_complaints_name_files_as_people_see_them(tmp_path):
    (tmp_path / "inner").mkdir()
    workspace = Workspace(tmp_path)
    said = f"{tmp_path.resolve() / 'inner' / 'a.bvh'}:49: 'nan' is not a finite number"
    assert workspace.nearer(said) == "inner/a.bvh:49: 'nan' is not a finite number"
