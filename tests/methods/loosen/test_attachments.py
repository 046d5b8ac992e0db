"""Soft things on bones: no history, any rate and threads alike, windows that hold, marks that are hit."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips, load
from poise.character import Character, Skin, presets
from poise.constraints import constrain, pin
from poise.errors import InputError, UnknownNameError
from poise.formats.gltf.dressed import dressed
from poise.formats.surface_file import load_surface
from poise.handles import AttachmentPoint
from poise.kinematics import Dressed, Kinematics, baked_skin
from poise.manifold import so3
from poise.methods.loosen.wear.attachment import attach
from poise.methods.loosen.wear.fit import wear_hat
from poise.methods.loosen.wear.hat import ON_HEAD, hat
from poise.methods.loosen.wear.hit import hit_attached
from poise.methods.loosen.wear.sway import Sway, sway, sway_of, sway_state
from poise.methods.loosen.wear.window import choose, error_map, full, impulse_window
from poise.motion import Clip, MeshClip
from poise.motion.operators import resample
from poise.operations.loosen import Loosen
from poise.operations.wear import Wear
from poise.workers import on_threads


@pytest.fixture(scope="module")
def worn():
    return attach(clips.get("punch"), hat(), Wear(offset=ON_HEAD), "hat")


def tip_of(worn, mesh: MeshClip):
    place = np.array(worn.point("tip").place)
    return mesh.vertices[:, int(np.argmin(np.linalg.norm(worn.surface.points - place, axis=1)))]


def test_the_hat_is_what_it_says(worn):
    assert len(worn.surface.points) >= 2000
    assert len(worn.body.lattice.cells) >= 100
    assert worn.body.total_mass == pytest.approx(100 * worn.surface.volume, rel=1e-3)
    assert "hat" in repr(worn)


# History-free ---------------------------------------------------------------------------------


@pytest.mark.parametrize("large", [False, True])
def test_frames_have_the_same_bits_in_any_company(worn, large):
    clip = clips.get("punch")
    with on_threads(2):
        whole = sway_of(clip, worn, large=large).world(clip.times, 1.2)
    order = np.random.default_rng(0).permutation(clip.frames)[:25]
    with on_threads(1):
        some = sway_of(clip, worn, large=large).world(clip.times[order], 1.2)
    np.testing.assert_array_equal(some, whole[order])
    for k in order[:3]:
        alone = sway_state(clip, worn, float(clip.times[k]), 1.2, large=large)
        np.testing.assert_array_equal(alone, whole[k])


def test_only_the_window_matters(worn):
    clip = clips.get("punch")
    q = np.array(clip.q)
    q[:20] = q[0]  # another past
    changed = Clip(clip.character, q, clip.rate)
    late = clip.times[60:]
    np.testing.assert_array_equal(Sway(changed, worn).states(late, 0.5), Sway(clip, worn).states(late, 0.5))
    assert not np.array_equal(Sway(changed, worn).states(late, 1.0), Sway(clip, worn).states(late, 1.0))


def test_between_frames_it_is_as_near_as_time_is(worn):
    clip = clips.get("punch")
    motion = Sway(clip, worn)
    t = float(clip.times[50])
    there = motion.world([t], 1.2)
    np.testing.assert_allclose(motion.world([t + 2e-4], 1.2), there, atol=2e-3)


def test_a_loop_sways_in_a_loop(worn):
    walk = clips.get("walk")
    motion = Sway(walk, worn)
    here = motion.states(walk.times[:8], 2.5)
    later = motion.states(walk.times[:8] + walk.duration, 2.5)
    np.testing.assert_allclose(later, here, atol=1e-9)


def test_the_rate_of_the_clip_does_not_matter(worn):
    character = clips.get("punch").character
    paths = []
    for rate in (24, 60, 120):
        t = np.arange(3 * rate + 1) / rate
        v = np.zeros((len(t), character.nv))
        v[:, character.dofs("Head")] = np.stack(
            [0.1 * np.sin(5 * t), 0.2 * np.sin(6 * t), 0.5 * np.sin(4 * t)], 1
        )
        clip = Clip(character, character.manifold.plus(np.tile(character.rest_pose(), (len(t), 1)), v), rate)
        motion = Sway(clip, worn)
        points = motion.embedded(np.array([worn.point("tip").place]))
        paths.append(motion.world(np.arange(1.5, 3.0, 0.125), 1.5, points)[:, 0])
    moved = np.linalg.norm(np.ptp(paths[2], axis=0))
    assert moved > 0.2 * worn.diameter
    for path in paths[:2]:
        assert np.linalg.norm(path - paths[2], axis=1).max() < 0.004 * worn.diameter


def test_nothing_jerks_it_at_the_first_frame(worn):
    """A walk that is cut out of a walk: the hat starts calm although the walker is on the move."""
    walk = clips.get("walk")
    cut = Clip(walk.character, walk.q, walk.rate)
    first = Sway(cut, worn).world([0.0, walk.dt], 1.5)
    local = np.linalg.norm(np.diff(first, axis=0)[0], axis=1)
    assert local.max() < 0.06  # [m] in a 60th of a second, the walk's own pace included


def test_held_vertices_move_with_the_bone(worn):
    clip = clips.get("punch")
    mesh = sway(clip, worn, 1.0)
    kin = Kinematics(clip.character, clip.q)
    head = clip.character.index("Head")
    local = np.einsum("fji,fnj->fni", kin.rotations[:, head], mesh.vertices - kin.positions[:, None, head])
    moved = np.linalg.norm(local - local[0], axis=2).max(axis=0)
    near = np.argmin(np.linalg.norm(worn.surface.points - [0.02, 0.0, 0.19], axis=1))
    assert moved[near] < 0.1 * moved.max()


# Windows --------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [60, 24])
def test_windows_leave_out_what_they_say(worn, rate):
    clip = resample(clips.get("jump"), rate)
    motion = Sway(clip, worn)
    choice = choose(motion)
    whole = full(motion, 8.0)
    truth = whole.states[whole.lead :]
    spread = worn.spread

    def off(windows):
        d = (motion.states(clip.times, windows) - truth)[:, : len(worn.model)]
        return np.sqrt(np.einsum("fi,ij,fj->f", d, spread, d))

    assert off(choice.windows).max() <= choice.tolerance
    assert off(choice.seconds).max() <= choice.tolerance
    assert off(0.5 * choice.seconds).max() > choice.tolerance
    np.testing.assert_allclose(error_map(motion, np.array([0.3, 0.9]))[1], off(0.9), atol=1e-7)


def test_one_impulse_is_not_enough_for_a_walk(worn):
    motion = Sway(clips.get("walk"), worn)
    assert impulse_window(motion) < 0.8 * choose(motion).seconds


def test_windows_are_asked_for_in_words_or_seconds():
    clip = clips.get("punch")
    made = {w: poise.wear(clip, window=w, cells=40, modes=4).worn for w in ("auto", "adaptive", 0.2)}
    for window, worn in made.items():
        np.testing.assert_array_equal(worn.mesh.vertices, sway(clip, worn.attachment, window).vertices)
    assert made["auto"].attachment is made["adaptive"].attachment, "the same hat"


def test_what_is_worn_is_not_left_out_of_a_file_silently(tmp_path):
    worn = poise.wear(clips.get("punch"), window=0.2, cells=40, modes=4)
    with pytest.raises(InputError, match=r"x.bvh cannot hold a mesh that sways: write .glb or .gltf or .npz"):
        worn.save(tmp_path / "x.bvh")
    assert not list(tmp_path.iterdir())
    both = poise.wear(worn, to="RightHand", offset=(0, 0, 0), window=0.2, cells=40, modes=4)
    assert [w.attachment.bone for w in both.attached] == ["Head", "RightHand"]
    assert both.facts()["attachment"]["bone"] == "RightHand"
    assert "hat on RightHand" in str(both)


# Marks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [(0.05, 0.0, 0.0), (0.0, 0.06, 0.0), (0.05, 0.08, -0.03)])
def test_the_tip_is_where_it_was_asked_to_be(worn, way):
    clip, frame = clips.get("punch"), 51
    target = tip_of(worn, sway(clip, worn, 1.5))[frame] + way
    result = hit_attached(
        clip, [constrain(worn.point(), target, frame * clip.dt, name="tip")], [worn], Wear(window=1.5)
    )
    assert result.report.met, result.report
    assert result.report.iterations <= 3
    assert not result.report.warnings
    np.testing.assert_allclose(tip_of(worn, result.mesh())[frame], target, atol=1e-5)
    # The joints that carry the hat changed; the legs did not.
    before, after = Kinematics(clip.character, clip.q), Kinematics(clip.character, result.clip.q)
    np.testing.assert_allclose(after.point("LeftToe"), before.point("LeftToe"), atol=1e-12)
    assert np.abs(after.point("HeadTop") - before.point("HeadTop")).max() > 0.01


def test_a_loosened_body_hits_with_its_hat(worn):
    clip, frame = clips.get("punch"), 51
    hand = Kinematics(clip.character, clip.q[frame]).point("RightHandCentre")[0]
    result = hit_attached(
        clip,
        [
            constrain(worn.point(), (0.2, 0.1, 1.9), frame * clip.dt, name="tip"),
            pin("RightHandCentre", hand, frame * clip.dt, name="fist"),
        ],
        [worn], Wear(window=1.2), loose=Loosen(tension="firm", window=0.4),
    )  # fmt: skip
    assert result.report.met, result.report
    np.testing.assert_allclose(tip_of(worn, result.mesh("hat"))[frame], (0.2, 0.1, 1.9), atol=1e-4)


def test_too_quick_a_correction_is_warned_of(worn):
    clip = clips.get("punch")
    target = tip_of(worn, sway(clip, worn, 1.5))[51] + [0.0, 0.01, 0.0]
    ask = [constrain(worn.point(), target, 51 * clip.dt, name="tip")]
    result = hit_attached(clip, ask, [worn], Wear(window=1.5, width=0.15), iterations=1)
    assert any("too quick" in w for w in result.report.warnings)


def test_a_point_swings_with_what_poses_know():
    character = presets.get("humanoid")
    q = np.tile(character.rest_pose(), (3, 1))
    handle = AttachmentPoint("hat", "Head", (0.0, 0.1, 0.4))
    moved = np.random.default_rng(0).normal(size=(3, 3))
    kin = Dressed(character, q, displacements={("hat", (0.0, 0.1, 0.4)): moved})
    head = character.index("Head")
    wanted = kin.positions[:, head] + np.einsum("fij,fj->fi", kin.rotations[:, head], moved + [0.0, 0.1, 0.4])
    np.testing.assert_allclose(handle.value(kin), wanted, atol=1e-12)
    assert not np.allclose(handle.value(Kinematics(character, q)), wanted)
    e, turn = 1e-6, np.random.default_rng(1).normal(size=character.nv)
    ahead = Dressed(character, character.manifold.plus(q, e * turn), displacements=kin.displacements)
    back = Dressed(character, character.manifold.plus(q, -e * turn), displacements=kin.displacements)
    slope = (handle.value(ahead) - handle.value(back)) / (2 * e)
    np.testing.assert_allclose(np.einsum("fdn,n->fd", handle.jacobian(kin), turn), slope, atol=1e-7)


# Other bones, frames and files ----------------------------------------------------------------


def test_it_fits_bones_without_solids_and_meshes_in_the_world():
    punch = clips.get("punch").character
    bare = punch.with_bodies([b.replaced(shapes=()) for b in punch.bodies])
    placed = hat().moved(np.array(ON_HEAD) + bare.rest_placement()[0][bare.index("Head")])
    with pytest.raises(InputError, match="hold more"):
        attach(bare, placed, Wear(to="LeftHand", frame="world", grip=0.001, cells=40))
    worn = attach(bare, placed, Wear(frame="world", grip=0.08, modes=4, cells=40))
    np.testing.assert_allclose(worn.surface.points, hat().points + np.array(ON_HEAD), atol=1e-9)


def test_gravity_on_off_and_compensated():
    clip = clips.get("punch")
    still = Clip(clip.character, clip.q[:1].repeat(2, axis=0), 60)
    shapes = {
        g: attach(clip, hat(), Wear(offset=ON_HEAD, gravity=g, modes=4, cells=40))
        for g in ("on", "off", "compensated")
    }
    sag = {g: np.linalg.norm(w.vertices.rest.T - w.surface.points, axis=1).max() for g, w in shapes.items()}
    assert sag["on"] > 3e-3
    assert sag["off"] == sag["compensated"] == 0.0
    assert np.abs(sway_of(still, shapes["off"]).states([0.0], 1.0)).max() < 1e-12


def test_a_dressed_clip_wears_exactly_what_sways(worn, tmp_path):
    clip = clips.get("punch")
    for large in (False, True):
        wearing = dressed(clip, [worn], 1.0, large=large)
        mesh = sway(clip, worn, 1.0, large=large)
        baked = baked_skin(wearing).vertices[:, -len(worn.surface.points) :]
        np.testing.assert_allclose(baked, mesh.vertices, atol=1e-12)
    back = load(wearing.save(tmp_path / "hat.glb"))
    np.testing.assert_allclose(baked_skin(back).vertices, baked_skin(wearing).vertices, atol=2e-6)


def test_surfaces_from_files(tmp_path):
    shape = hat()
    MeshClip(shape.points[None], shape.faces, 30, name="hat").save(tmp_path / "hat.glb")
    np.testing.assert_allclose(load_surface(tmp_path / "hat.glb").volume, shape.volume, rtol=1e-5)
    lines = [f"v {y} {z} {x}" for x, y, z in shape.points]
    lines += [f"f {a + 1}/1 {b + 1}/1 {c + 1}/1" for a, b, c in shape.faces]
    (tmp_path / "hat.obj").write_text("# a hat\n" + "\n".join(lines))
    np.testing.assert_allclose(load_surface(tmp_path / "hat.obj").points, shape.points, atol=1e-12)
    (tmp_path / "bad.obj").write_text("v 0 0 0\nv 1 x 0\n")
    with pytest.raises(InputError, match=r"bad.obj:2"):
        load_surface(tmp_path / "bad.obj")


# What is refused ------------------------------------------------------------------------------


def test_bad_requests_are_named(worn):
    clip = clips.get("punch")
    with pytest.raises(UnknownNameError, match="Hed"):
        attach(clip, hat(), Wear(to="Hed"))
    with pytest.raises(InputError, match="not on the bone LeftFoot"):
        attach(clip, hat(), Wear(to="LeftFoot", offset=ON_HEAD))
    with pytest.raises(InputError, match=r"poisson.*< 0\.5"):
        poise.wear(clip, offset=ON_HEAD, poisson=0.5)
    with pytest.raises(InputError, match=r"young.*>= 1"):
        poise.wear(clip, offset=ON_HEAD, young=-1.0)
    with pytest.raises(InputError, match="offset"):
        poise.wear(clip, offset=(np.nan, 0, 0))
    with pytest.raises(InputError, match="frame"):
        poise.wear(clip, frame="root")
    with pytest.raises(InputError, match="gravity"):
        poise.wear(clip, gravity="none")
    with pytest.raises(InputError, match="cells"):
        poise.wear(clip, cells=2)
    with pytest.raises(UnknownNameError, match="tip"):
        worn.point("brim")
    with pytest.raises(InputError, match="window must be positive"):
        sway(clip, worn, -1.0)
    with pytest.raises(UnknownNameError, match="window"):
        sway(clip, worn, "long")
    with pytest.raises(InputError, match="too long"):
        sway(clip, worn, 100.0)
    with pytest.raises(InputError, match="finite"):
        sway_state(clip, worn, np.nan)
    ask = constrain(worn.point(), (0, 0, 2), 0.5, name="tip")
    with pytest.raises(InputError, match="nothing to hit"):
        hit_attached(clip, [], [worn], Wear())
    with pytest.raises(InputError, match="nothing is attached"):
        hit_attached(clip, [ask], [], Wear())
    scarf = constrain(AttachmentPoint("scarf", "Head", (0, 0, 1)), (0, 0, 2), 0.5)
    with pytest.raises(UnknownNameError, match="scarf"):
        hit_attached(clip, [scarf], [worn], Wear())
    with pytest.raises(InputError, match="different names"):
        hit_attached(clip, [ask], [worn, worn], Wear())


def test_a_planar_character_can_wear_something():
    from poise.dynamics.elastic import Surface

    character = presets.get("planar_humanoid")
    bone = character.names[-1]
    body = character.index(bone)
    solid = character.bodies[body].shapes[0]
    v = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]) * [0.03, 0.03, 0.12]
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
             [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]  # fmt: skip
    at = np.asarray(solid.position) + so3.to_matrix(solid.rotation) @ [0.0, 0.0, 0.05]
    made = Wear(to=bone, offset=tuple(at), cells=20, modes=4, young=1e5)
    rag = attach(character, Surface(v, np.array(faces), "rag"), made)
    clip = Clip(character, np.tile(character.rest_pose(), (4, 1)), 30)
    assert sway(clip, rag, 0.5).frames == 4


# Any head ------------------------------------------------------------------------------------


def test_a_made_to_measure_hat_is_the_bundled_one_on_the_bundled_head(worn):
    fitted = wear_hat(clips.get("punch"), Wear())
    np.testing.assert_allclose(fitted.surface.points, worn.surface.points, atol=1e-9)


@pytest.mark.parametrize("size", [0.5, 20.0])
def test_a_hat_fits_a_head_of_skin_alone_in_any_axes_and_units(size):
    """A ball of skin on a bone that lies on its side."""
    z = np.linspace(-0.98, 0.98, 40)
    angle = np.pi * np.arange(40) * (3 - np.sqrt(5))
    r = np.sqrt(1 - z * z)
    ball = 0.1 * size * np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)
    turn = so3.to_matrix(so3.exp(np.array([0.4, 1.3, -0.7])))
    middle = size * np.array([0.3, 0.1, 1.5])
    bind = np.eye(4)
    bind[:3, :3], bind[:3, 3] = turn.T, -turn.T @ middle
    skin = Skin(
        ball + middle, [[0, 1, 2]], np.zeros((len(ball), 1), int), np.ones((len(ball), 1)), bind[None]
    )  # fmt: skip
    punch = clips.get("punch").character
    root = punch.bodies[0].replaced(name="Skull", shapes=(), offset=(0.0, 0.0, 0.0))
    one = Character("ball", [root], skin=skin)
    fitted = wear_hat(one, Wear(to="Skull", cells=60, modes=4, gravity="off"))
    upright = fitted.surface.points @ turn.T + middle
    worn_at = hat().points - hat().points[-1]
    shape = upright - upright[-1]
    scale = np.linalg.norm(shape, axis=1).max() / np.linalg.norm(worn_at, axis=1).max()
    np.testing.assert_allclose(shape, scale * worn_at, atol=1e-9 * size)
    assert 0.1 / 0.091 < scale / size < 0.1 / 0.07  # the bundled head is 9.1 by 7.6 cm
    springs = np.asarray(fitted.body.bed.sum(axis=1)).ravel()
    away = np.linalg.norm(fitted.body.nodes, axis=1)  # the bone is in the ball's middle
    held = springs > 0.1 * springs.max()
    assert away[held].max() < 0.1 * size + fitted.body.lattice.size
    assert held.sum() > 10
    assert np.linalg.norm(fitted.held_at) < 0.1 * size


def test_elements_hold_alike_at_any_size():
    punch = clips.get("punch")
    slow = [
        attach(punch, hat(), Wear(offset=ON_HEAD, cells=n, modes=3, gravity="off")).frequencies[0]
        for n in (60, 150, 240)
    ]
    assert np.ptp(slow) < 0.015 * np.mean(slow), slow


def test_hats_of_real_files(shared_data):
    for file, bone in (("CesiumMan", "Skeleton_neck_joint_2"), ("Fox", "b_Head_05")):
        clip = load(shared_data / "khronos_gltf" / f"{file}.glb")
        fitted = wear_hat(clip, Wear(to=bone, cells=60, modes=4))
        mesh = sway(clip, fitted, 1.0)
        skin = clip.character.skin
        assert skin is not None
        # On the head: the tip above everything, the hat no larger than the figure.
        assert mesh.vertices[0, :, 2].max() > skin.vertices[:, 2].max()
        assert fitted.diameter < 0.7 * np.ptp(skin.vertices, axis=0).max()
        assert 3.0 < fitted.frequencies[0] < 8.0


@pytest.mark.parametrize(
    "absurd", [{"young": 1e300}, {"young": 1e-7}, {"density": 1e300}, {"density": 1e-7}, {"scale": 1e-7}]
)
def test_materials_and_sizes_that_nothing_has_are_refused_by_name(absurd):
    """Solvers would work on them for ever, or fall over."""
    (name,) = absurd
    with pytest.raises(InputError, match=f"'{name}'"):
        poise.wear(clips.get("walk"), **absurd)
