"""Motion that others made: AMASS, arrays of joints, feature vectors; truth is the tests' own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import poise
from poise.errors import FileFormatError, InputError
from poise.formats import amass
from poise.formats.joint_arrays.skeletons import KNOWN

TO_OURS = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
"""y up, z ahead → x ahead, z up."""


def walker(frames=30, seed=3, joints=22):
    """Rotation vectors (F, joints, 3) of a smooth motion, and translations, z up."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 2 * np.pi, frames)[:, None, None]
    turns = 0.35 * rng.normal(size=(1, joints, 3)) * np.sin(t + rng.uniform(0, 6, (1, joints, 3)))
    turns[:, 0] += [np.pi / 2, 0, 0]  # stands the body up
    trans = np.stack([np.linspace(0, 1, frames), 0.1 * np.sin(t[:, 0, 0]), np.full(frames, 0.9)], axis=1)
    return turns, trans


def forward(turns, trans, offsets, parents, pelvis):
    """SMPL's own convention, written out: p_j = p_parent + R_parent o_j, in the file's world."""
    frames, count = turns.shape[:2]
    rotations = np.empty((frames, count, 3, 3))
    places = np.empty((frames, count, 3))
    local = Rotation.from_rotvec(turns.reshape(-1, 3)).as_matrix().reshape(frames, count, 3, 3)
    for j in range(count):
        if parents[j] < 0:
            rotations[:, j], places[:, j] = local[:, j], trans + pelvis
        else:
            up = parents[j]
            rotations[:, j] = rotations[:, up] @ local[:, j]
            places[:, j] = places[:, up] + rotations[:, up] @ offsets[j]
    return places


def amass_file(path, turns, trans, **more):
    np.savez(path, poses=turns.reshape(len(turns), -1), trans=trans, betas=np.array([0.5, -1.0]), **more)
    return path


def rows(numbers):
    found = amass._JOINTS[numbers]
    index = {name: k for k, (name, _, _) in enumerate(found)}
    offsets = np.array([r[2] for r in found]) @ TO_OURS  # back to y up
    return found, offsets, [index[p] if p else -1 for _, p, _ in found]


@pytest.mark.parametrize("numbers", [66, 72, 156, 165])
@pytest.mark.parametrize("key", ["mocap_framerate", "mocap_frame_rate"])
def test_amass_places_joints_as_its_own_formula_does(tmp_path, numbers, key):
    found, offsets, parents = rows(numbers)
    turns, trans = walker(joints=len(found), frames=6)
    clip = poise.load(amass_file(tmp_path / "x.npz", turns, trans, **{key: np.array(120.0)}))
    wanted = forward(turns, trans, offsets, parents, np.zeros(3))
    ours = np.stack([-wanted[..., 1], wanted[..., 0], wanted[..., 2]], axis=-1)
    order = [clip.character.index(name) for name, _, _ in found]
    assert np.allclose(clip.character.placement(clip.q).positions[:, order], ours, atol=1e-12)
    assert clip.rate == 120
    assert clip.character.total_mass > 30


def test_amass_in_parts_is_the_same(tmp_path):
    turns, trans = walker(joints=55, frames=4)
    flat = turns.reshape(4, -1)
    whole = poise.load(amass_file(tmp_path / "x.npz", turns, trans, mocap_frame_rate=60))
    np.savez(
        tmp_path / "y.npz", trans=trans, mocap_frame_rate=60, root_orient=flat[:, :3],
        pose_body=flat[:, 3:66], pose_jaw=flat[:, 66:69], pose_eye=flat[:, 69:75], pose_hand=flat[:, 75:],
    )  # fmt: skip
    assert np.array_equal(poise.load(tmp_path / "y.npz").q, whole.q)


def test_lengths_of_a_body_model(tmp_path, rng):
    """Joints of a made-up model: a regressor over vertices that betas move."""
    found, _, parents = rows(156)
    template, ways = rng.normal(0, 0.3, (40, 3)), rng.normal(0, 0.05, (40, 3, 10))
    regressor = rng.dirichlet(np.ones(40), len(found))
    np.savez(tmp_path / "model.npz", v_template=template, shapedirs=ways, J_regressor=regressor)
    turns, trans = walker(joints=len(found), frames=3)
    path = amass_file(tmp_path / "x.npz", turns, trans, mocap_framerate=30)
    clip = poise.load(path, body=str(tmp_path / "model.npz"), mass=False)
    joints = regressor @ (template + ways[:, :, :2] @ [0.5, -1.0])
    offsets = joints - joints[np.maximum(parents, 0)]
    wanted = forward(turns, trans, offsets, parents, joints[0])
    ours = np.stack([-wanted[..., 1], wanted[..., 0], wanted[..., 2]], axis=-1)
    order = [clip.character.index(name) for name, _, _ in found]
    assert np.allclose(clip.character.placement(clip.q).positions[:, order], ours, atol=1e-12)


def model_file(path, rng, count):
    """A made-up body model, and where its joints are at rest."""
    template, regressor = rng.normal(0, 0.3, (40, 3)), rng.dirichlet(np.ones(40), count)
    np.savez(path, v_template=template, shapedirs=np.zeros((40, 3, 2)), J_regressor=regressor)
    return regressor @ template


def test_a_body_of_another_family_gives_its_joints_by_name(tmp_path, rng):
    joints = model_file(tmp_path / "smplx.npz", rng, 55)
    turns, trans = walker(joints=52, frames=2)
    path = amass_file(tmp_path / "x.npz", turns, trans, mocap_framerate=30)
    body = poise.load(path, body=str(tmp_path / "smplx.npz"), mass=False).character
    theirs = [name for name, _, _ in rows(165)[0]]
    bone = joints[theirs.index("left_index1")] - joints[theirs.index("left_wrist")]
    assert np.allclose(body.bodies[body.index("left_index1")].offset, TO_OURS @ bone)


@pytest.mark.parametrize(("joints", "count", "lacks"), [(24, 52, "left_hand"), (55, 52, "jaw")])
def test_a_body_that_lacks_joints_of_the_motion_is_refused(tmp_path, rng, joints, count, lacks):
    model_file(tmp_path / "other.npz", rng, count)
    path = amass_file(tmp_path / "x.npz", *walker(joints=joints, frames=2), mocap_framerate=30)
    with pytest.raises(FileFormatError, match=f"no {lacks}"):
        poise.load(path, body=str(tmp_path / "other.npz"))


def test_a_scale_says_nothing_of_amass_nor_of_an_archive_of_ours(tmp_path):
    path = amass_file(tmp_path / "x.npz", *walker(joints=22, frames=2), mocap_framerate=30)
    with pytest.raises(InputError, match=r"scale does not apply.*only body, fps, mass"):
        poise.load(path, scale=0.01)
    with pytest.raises(InputError, match="fps does not apply"):
        poise.load(poise.load(path).save(tmp_path / "ours.npz"), fps=60)


def human(frames=40):
    """Joints (F, 22, 3) of HumanML3D's order, y up, of a plausible motion."""
    _, offsets, parents = rows(66)
    turns, trans = walker(frames)
    turns[:, 0] = [0, 0.4, 0]
    turns[:, 4:6] = np.abs(turns[:, 4:6]) * [1, 0, 0]
    return forward(turns, trans[:, [1, 2, 0]], offsets, parents, np.zeros(3))


def found_joints(clip, names):
    order = [clip.character.index(name) for name in names]
    return clip.character.placement(clip.q).positions[:, order] @ TO_OURS  # back to y up


def test_clean_joints_are_met(tmp_path):
    joints = human()
    np.save(tmp_path / "motion.npy", joints.astype(np.float32))
    clip = poise.load(tmp_path / "motion.npy")
    assert clip.rate == 20
    off = np.linalg.norm(found_joints(clip, KNOWN[22].names) - joints, axis=2)
    assert off.max() < 1e-3
    assert clip.character.total_mass > 30


def test_noisy_joints_come_out_closer_to_the_truth_and_slide_less(tmp_path, rng):
    joints = human(60)
    noisy = joints + rng.normal(0, 0.004, joints.shape)
    np.save(tmp_path / "motion.npy", noisy)
    clip = poise.load(tmp_path / "motion.npy", fps=60)
    found = found_joints(clip, KNOWN[22].names)
    error, noise = (np.sqrt(((x - joints) ** 2).sum(axis=2).mean()) for x in (found, noisy))
    assert error < 0.8 * noise
    feet = [KNOWN[22].names.index(n) for n in ("left_foot", "right_foot")]
    slide, before = (
        np.linalg.norm(np.diff(x[:, feet][:, :, [0, 2]], axis=0), axis=2).mean() for x in (found, noisy)
    )
    assert slide < before


def features_of(joints):
    """HumanML3D's features of positions, the needed ones, written from their description."""
    frames, count = joints.shape[:2]
    half = 0.05 * np.sin(np.arange(frames))  # any headings will do
    out = np.zeros((frames, 263 if count == 22 else 251))
    out[:-1, 0] = np.diff(half)
    heading = half - half[0]
    turn = Rotation.from_rotvec(np.stack([0 * heading, 2 * heading, 0 * heading], axis=1)).as_matrix()
    step = np.diff(joints[:, 0], axis=0)
    out[:-1, 1:3] = np.einsum("fij,fj->fi", turn[1:], step)[:, [0, 2]]
    out[:, 3] = joints[:, 0, 1]
    rest = joints[:, 1:] - joints[:, :1] * [1, 0, 1]
    out[:, 4 : 4 + 3 * (count - 1)] = np.einsum("fij,fkj->fki", turn, rest).reshape(frames, -1)
    return out


def test_feature_vectors_hold_the_same_joints(tmp_path):
    joints = human(20)
    joints -= joints[0, 0] * [1, 0, 1]
    np.save(tmp_path / "motion.npy", features_of(joints))
    clip = poise.load(tmp_path / "motion.npy")
    assert np.abs(found_joints(clip, KNOWN[22].names) - joints).max() < 1e-3


def test_kit_is_known_by_its_joints_and_in_millimetres(tmp_path):
    skeleton = KNOWN[21]
    lengths = np.full(21, 150.0)
    places = np.zeros((5, 21, 3))
    for k, up in enumerate(skeleton.parents):
        if up >= 0:
            places[:, k] = places[:, up] + skeleton.rest[k] * lengths[k]
    places[:, :, 2] += 700
    places[:, :, 0] += 20 * np.arange(5)[:, None]
    np.save(tmp_path / "kit.npy", places @ TO_OURS)
    clip = poise.load(tmp_path / "kit.npy")
    assert float(clip.rate) == 12.5
    assert clip.source.unit == 0.001
    assert np.abs(found_joints(clip, skeleton.names) - places @ TO_OURS * 1e-3).max() < 1e-3


def test_any_joints_with_parents(tmp_path, rng):
    clip = poise.clips.get("walk")
    names = [n for n in clip.character.names if not n.endswith("Ankle")]
    index = {n: k for k, n in enumerate(names)}
    parents = []
    for name in names:
        up = clip.character.bodies[clip.character.index(name)].parent
        parents.append(-1 if up is None else index[up.replace("Ankle", "Leg")])
    joints = clip.character.placement(clip.q[:20]).positions[:, [clip.character.index(n) for n in names]]
    np.savez(tmp_path / "x.npz", positions=joints @ TO_OURS, parents=parents, names=names, fps=clip.fps)
    again = poise.load(tmp_path / "x.npz", scale=1.0)
    assert np.abs(found_joints(again, names) - joints @ TO_OURS).max() < 1e-3
    np.save(tmp_path / "x.npy", joints @ TO_OURS)
    with pytest.raises(FileFormatError, match="say parents="):
        poise.load(tmp_path / "x.npy")
    listed = ",".join(map(str, parents))
    assert (
        np.abs(poise.load(tmp_path / "x.npy", parents=listed, scale=1.0, fps=30).q - again.q)[:, :3].max()
        < 1e-3
    )


@pytest.mark.parametrize(
    ("array", "says"),
    [
        (np.zeros((4, 5)), "shape"),
        (np.zeros((0, 22, 3)), "empty"),
        (np.full((4, 22, 3), np.nan), "not finite"),
        (np.array(["a", "b"]), "not of numbers"),
        (np.zeros((4, 7, 3)), "say parents="),
    ],
)
def test_arrays_that_are_no_motion_are_refused(tmp_path, array, says):
    np.save(tmp_path / "x.npy", array)
    with pytest.raises(FileFormatError, match=says):
        poise.load(tmp_path / "x.npy")


def test_archives_of_others_are_refused_by_what_they_hold(tmp_path):
    np.savez(tmp_path / "x.npz", weights=np.zeros(3))
    with pytest.raises(FileFormatError, match="it holds weights"):
        poise.load(tmp_path / "x.npz")
    np.savez(tmp_path / "y.npz", poses=np.zeros((2, 99)), trans=np.zeros((2, 3)), mocap_framerate=30)
    with pytest.raises(FileFormatError, match="99 numbers per frame"):
        poise.load(tmp_path / "y.npz")
    np.savez(tmp_path / "z.npz", poses=np.zeros((2, 72)), trans=np.zeros((2, 3)))
    with pytest.raises(FileFormatError, match="fps="):
        poise.load(tmp_path / "z.npz")
    np.savez(tmp_path / "w.npz", joints=np.zeros((2, 22, 3)))
    with pytest.raises(InputError, match="body does not apply"):
        poise.load(tmp_path / "w.npz", body="model.npz")


def test_arrays_that_do_not_say_their_rate_have_thirty_frames_a_second(tmp_path):
    joints = np.array([[[0.0, 0.1 * f, 0.3 * k] for k in range(3)] for f in range(3)])
    np.savez(tmp_path / "chain.npz", positions=joints, parents=[-1, 0, 1])
    assert poise.load(tmp_path / "chain.npz").rate == 30
    assert poise.load(tmp_path / "chain.npz", fps="24000/1001").rate * 1001 == 24000


def test_joints_in_one_place_do_not_spin_with_the_noise(tmp_path):
    """Shoulder blades that begin where the chest does, as in CMU's skeletons, point nowhere."""
    found, offsets, parents = rows(66)
    names = [name for name, _, _ in found]
    for name in names:
        if "collar" in name:
            offsets[names.index(name)] = 0.0
    turns, trans = walker(joints=len(found), frames=40)
    turns = 0.3 * turns
    turns[:, 0] += [np.pi / 2 * 0.7, 0, 0]
    clean = forward(turns, trans, offsets, parents, np.zeros(3))
    noise = np.random.default_rng(4).normal(0, 0.008, clean.shape)
    np.save(tmp_path / "noisy.npy", (clean + noise) @ np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]))
    clip = poise.load(tmp_path / "noisy.npy")
    who = clip.character
    fastest = {}
    for i, body in enumerate(who.bodies):
        if body.parent is None:
            continue
        turn = Rotation.from_quat(clip.q[:, who.coordinates(i)], scalar_first=True)
        fastest[body.name] = np.degrees((turn[:-1].inv() * turn[1:]).magnitude()).max()
    blades = {n: v for n, v in fastest.items() if "collar" in n or n.startswith("spine")}
    assert len(blades) == 5
    assert max(blades.values()) < 40, blades
