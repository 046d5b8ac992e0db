"""Files in Blender's importers, both of FBX: those with habits of others, and those that Poise wrote."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import poise

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "formats")]
from fbx_conventions import JOINTS, conventions, truth, write  # noqa: E402
from fbx_made import painted  # noqa: E402
from test_fbx_pictures import picture  # noqa: E402

from benchmarks.exchange import BPY, Job, blender  # noqa: E402

pytestmark = [
    pytest.mark.skipif(
        not BPY, reason="POISE_BPY_PYTHON names no Python with the module bpy (make blender-test)"
    ),
    pytest.mark.timeout(600),
]
BAR = 1e-5
"""Of the figure's height."""


@pytest.mark.parametrize("importer", ["fbx", "fbx_cpp"])
@pytest.mark.parametrize("name", sorted(conventions()))
def test_blender_reads_others_habits_as_poise_does(tmp_path, name, importer):
    motion, how = truth(), conventions()[name]
    if name == "hik":  # neither importer compensates scales of segments: that is SciPy's to judge
        how = replace(how, scales={}, inherit=1)
    path = write(tmp_path / "x.fbx", how, motion)
    job = Job(name, path, importer, poise.load(path, mass=False), tmp_path / "seen.npz")
    blender([job])
    found = job.judged()
    assert not isinstance(found, str), found
    assert found[0] < BAR
    assert len(found[2]) <= len(how.top) + len(how.helpers), "bones that Blender has not"
    assert len(job.clip.character.names) >= len(JOINTS)


@pytest.mark.parametrize("ending", ["fbx", "usda", "usdc", "usdz", "glb"])
def test_blender_reads_what_poise_writes(tmp_path, ending):
    clip = poise.clips.get("punch")
    path = tmp_path / f"punch.{ending}"
    clip.save(path)
    importers = {"fbx": ("fbx", "fbx_cpp"), "glb": ("gltf",)}.get(ending, ("usd",))
    jobs = [Job(how, path, how, clip, tmp_path / f"{how}.npz", skin=True) for how in importers]
    blender(jobs)
    for job in jobs:
        found = job.judged()
        assert not isinstance(found, str), found
        worst, _, absent = found
        assert worst < BAR
        assert not absent, "it stands where the others do, and has all their bones"


@pytest.mark.parametrize("importer", ["fbx", "fbx_cpp"])
def test_blender_finds_the_pictures_of_new_files(tmp_path, importer):
    clip = poise.load(painted(tmp_path / "x.fbx", content=picture()), mass=False)
    path = tmp_path / "new.fbx"
    clip.save(path, fresh=True)
    job = Job("new", path, importer, clip, tmp_path / "seen.npz", skin=True)
    blender([job])
    found = job.judged()
    assert not isinstance(found, str), found
    assert found[0] < BAR
    assert found[1] < 1e-4
    seen = np.load(job.out)
    assert any("skin" in str(name) for name in seen["pictures"])
    ours = clip.character.skin.extras["gltf"].pieces[0].texcoords[0]
    upright = np.stack([ours[:, 0], 1.0 - ours[:, 1]], axis=1)
    gaps = np.abs(seen["texcoords"][:, None] - upright[None]).max(axis=2).min(axis=1)
    assert gaps.max() < 1e-6


def test_blender_reads_an_edited_usd_file_of_somebodys(tmp_path):
    pytest.importorskip("pxr", reason="needs usd-core")
    from test_usd_in_place import ROOM, bent
    from usd_made import write as write_stage

    path = write_stage(tmp_path / "mine.usda", ROOM)
    edited = bent(poise.load(path, mass=False, front="kept"))
    edited.save(tmp_path / "new.usda")
    job = Job("usd", tmp_path / "new.usda", "usd", edited, tmp_path / "seen.npz")
    blender([job])
    found = job.judged()
    assert not isinstance(found, str), found
    assert found[0] < BAR
