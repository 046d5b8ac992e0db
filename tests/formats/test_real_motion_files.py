"""Real clips: every BVH, ASF and AMC file loads or is refused in one clear line; what was found in them."""

from __future__ import annotations

import numpy as np
import pytest
from bvh_cases import in_file, point_positions
from bvh_oracle import world_positions

from conftest import find_shared_data
from poise.character import JointKind
from poise.errors import FileFormatError
from poise.formats import load, save
from poise.manifold import so3

FOLDER = find_shared_data()
FILES = sorted(p.relative_to(FOLDER) for p in FOLDER.rglob("*.bvh")) if FOLDER else []
REFUSED = {
    "18_frames_header_too_small": (45, "Frames says 5, but 12 frames"),
    "20_zero_frames": (45, "Frames: 0"),
    "22_frame_time_zero": (46, "Frame Time is '0.0'"),
    "26_nan_value": (49, "frame 2, joint 'Spine', Xrotation: 'nan'"),
    "30_missing_motion_section": (44, "no MOTION section"),
}
GOOD = [p for p in FILES if p.stem not in REFUSED]
ADDED = ("makehuman/benchmark.bvh", "makehuman/walk1.bvh")
CMU = [p for p in FILES if p.parent.name == "cmu_cgspeed_bvh"]


@pytest.mark.parametrize("path", GOOD, ids=str)
def test_places_are_those_of_the_file(shared_data, path):
    clip = load(shared_data / path)
    text = (shared_data / path).read_bytes().decode()
    shown = np.unique(np.linspace(0, clip.frames - 1, 12).astype(int)).tolist()
    names, want = world_positions(text, added=str(path) in ADDED, frames=shown)
    few = clip.with_q(clip.q[shown])
    joints = [n for n, name in enumerate(names) if not name.endswith("_end")]
    np.testing.assert_allclose(in_file(few, point_positions(few)), want[:, joints], atol=1e-9)
    if len(set(names)) == len(names):
        np.testing.assert_allclose(in_file(few, point_positions(few, names)), want, atol=1e-9)


@pytest.mark.parametrize("path", GOOD, ids=str)
def test_read_and_written_is_the_same_file(shared_data, tmp_path, path):
    clip = load(shared_data / path)
    want = (shared_data / path).read_bytes()
    assert save(clip, tmp_path / "out.bvh").read_bytes() == want
    frame = clip.frames // 2
    v = np.zeros(clip.character.nv)
    v[-1] = 0.02
    q = np.array(clip.q)
    q[frame] = clip.character.manifold.plus(q[frame], v)
    edited = clip.with_q(q)
    got = save(edited, tmp_path / "edited.bvh").read_bytes()
    lines = [(a, b) for a, b in zip(want.splitlines(), got.splitlines(), strict=True) if a != b]
    assert len(lines) == 1
    (old, new) = (line.split() for line in lines[0])
    assert sum(a != b for a, b in zip(old, new, strict=True)) <= 3
    back = load(tmp_path / "edited.bvh")
    np.testing.assert_allclose(back.character.manifold.minus(back.q, q), 0, atol=1e-12)


@pytest.mark.parametrize("path", GOOD, ids=str)
def test_written_anew_everything_is_where_it_was(shared_data, tmp_path, path):
    clip = load(shared_data / path)
    back = load(save(clip.replaced(source=None), tmp_path / "new.bvh"), mass=False)
    assert back.rate == clip.rate
    np.testing.assert_allclose(point_positions(back), point_positions(clip), atol=1e-9)


@pytest.mark.parametrize("stem", REFUSED)
def test_degenerate_files_are_refused(shared_data, stem):
    line, message = REFUSED[stem]
    with pytest.raises(FileFormatError, match=message) as caught:
        load(shared_data / "synthetic_edge" / f"{stem}.bvh")
    assert caught.value.line == line


@pytest.mark.parametrize(
    "name, rate", [("threejs/pirouette", 120), ("bvh_toolbox/walk01", 24), ("makehuman/walk1", 24)]
)
def test_rates(shared_data, name, rate):
    assert load(shared_data / f"{name}.bvh").rate == rate


def test_the_walk_in_bvh_and_in_amc_is_the_same_walk(shared_data):
    """Root and legs agree to 1e-4 units; the BVH has a T-pose first and no thorax bone."""
    amc = load(shared_data / "cmu_asfamc" / "02_01.amc")
    bvh = load(shared_data / "cmu_cgspeed_bvh" / "02_01.bvh")
    assert (amc.frames, bvh.frames) == (343, 344)
    assert amc.source.unit == bvh.source.unit
    pairs = {"root": "Hips", "lowerback": "LowerBack", "upperback": "Spine", "thorax": "Spine1"}
    for side, word in (("l", "Left"), ("r", "Right")):
        pairs |= {f"{side}femur": f"{word}UpLeg", f"{side}tibia": f"{word}Leg", f"{side}foot": f"{word}Foot"}
        pairs |= {f"{side}toes": f"{word}ToeBase", f"{side}toes_end": f"{word}ToeBase_end"}
    a = point_positions(amc, list(pairs)) / amc.source.unit
    b = point_positions(bvh, list(pairs.values()))[1:] / bvh.source.unit
    np.testing.assert_allclose(a, b, atol=1e-4)
    dropped = load(shared_data / "cmu_cgspeed_bvh" / "02_01.bvh", drop_tpose="auto")
    assert dropped.frames == amc.frames
    pairs = {"lclavicle": "LeftShoulder", "lhumerus": "LeftArm", "rradius": "RightForeArm", "head": "Head"}
    a = point_positions(amc, list(pairs)) / amc.source.unit
    b = point_positions(dropped, list(pairs.values())) / bvh.source.unit
    np.testing.assert_allclose(np.linalg.norm(a - b, axis=-1), 2.068, atol=2e-4)


def test_an_acclaim_skeleton_alone(shared_data):
    clip = load(shared_data / "cmu_asfamc" / "02.asf")
    assert (clip.frames, len(clip.character.bodies)) == (1, 31)
    tibia = clip.character.bodies[clip.character.index("ltibia")].joint
    np.testing.assert_allclose(np.degrees([tibia.lower[0], tibia.upper[0]]), [-10, 170])


def test_positions_below_the_root_mean_two_things(shared_data):
    added = load(shared_data / "makehuman" / "benchmark.bvh")
    assert any("added to OFFSET" in n for n in added.source.notes)
    replaced = load(shared_data / "synthetic_edge" / "12_positions_on_every_joint.bvh")
    assert any("replace OFFSET" in n for n in replaced.source.notes)
    for clip in (added, replaced):  # none of them moves
        assert [b.joint.kind for b in clip.character.bodies[1:] if b.joint.kind is JointKind.FREE] == []
    plain = load(shared_data / "synthetic_edge" / "00_baseline.bvh")
    np.testing.assert_allclose(point_positions(replaced), point_positions(plain), atol=1e-12)


@pytest.mark.parametrize("path", CMU, ids=str)
def test_the_artificial_first_frame_is_seen(shared_data, path):
    clip = load(shared_data / path)
    assert any("rest pose put before the motion" in n for n in clip.source.notes)
    dropped = load(shared_data / path, drop_tpose="auto")
    assert dropped.frames == clip.frames - 1
    assert not any("rest pose" in n for n in dropped.source.notes)
    steps = np.abs(clip.character.manifold.minus(clip.q[1:], clip.q[:-1])).sum(axis=1)
    assert steps[0] > 5 * steps[1:11].max()


@pytest.mark.parametrize("path", [p for p in GOOD if "synthetic" not in str(p)], ids=str)
def test_whole_turns_between_frames_are_no_jumps(shared_data, path):
    """Euler angles wrap by 360°; quaternions of neighbouring frames stay on the same side."""
    clip = load(shared_data / path, drop_tpose="auto")
    slots = clip.character.manifold.rotation_slots[0]
    q = clip.q[:, slots]
    if clip.frames > 1:
        assert (np.sum(q[1:] * q[:-1], axis=-1) >= 0).all()
        assert np.degrees(np.linalg.norm(so3.difference(q[1:], q[:-1]), axis=-1)).max() < 180


@pytest.mark.parametrize(
    "name, up, unit",
    [
        ("makehuman/benchmark", "z", 0.1),
        ("makehuman/walk1", "z", 0.1),
        ("pybvh/bvh_test1", "z", 0.0254),
        ("threejs/pirouette", "y", 0.01),
        ("bvh_toolbox/walk01", "y", 0.01),
        ("bvh_python/test_freebvh", "y", 0.01),
        *((f"cmu_cgspeed_bvh/{p.stem}", "y", 0.0254 / 0.45) for p in CMU),
    ],
)
def test_units_and_axes(shared_data, name, up, unit):
    clip = load(shared_data / f"{name}.bvh")
    assert (clip.source.up, clip.source.unit) == (up, pytest.approx(unit))
    heights = np.ptp(point_positions(clip, [*clip.character.points])[..., 2], axis=1)
    assert 0.9 < np.median(heights) < 2.2  # [m]; lying, crouching or jumping as they are


@pytest.mark.parametrize("path", CMU, ids=str)
def test_ten_bones_of_no_length_are_no_trouble(shared_data, path):
    clip = load(shared_data / path)
    lengths = [np.linalg.norm(b.offset) for b in clip.character.bodies[1:]]
    lengths += [np.linalg.norm(p) for b in clip.character.bodies for p in b.points.values()]
    assert sum(length == 0 for length in lengths) == 10
    assert clip.character.total_mass > 30
    assert (clip.character.tree.mass >= 0).all()


def test_mixed_orders_within_one_file(shared_data):
    for name in ("threejs/pirouette", "pybvh/bvh_test1"):
        clip = load(shared_data / f"{name}.bvh")
        assert len({j.rotation_axes for j in clip.source.payload.joints}) > 1
    first = load(shared_data / "pybvh" / "rotation_first_root.bvh")
    assert first.source.payload.joints[0].channels[0] == "Zrotation"
