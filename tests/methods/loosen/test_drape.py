"""Cloth and strands on motions: no history, out of the body by the tests' own measure, hardly stretched."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

import poise
from poise import clips, load
from poise.character import ShapeKind
from poise.character.labels import roles
from poise.constraints import pin
from poise.errors import InputError
from poise.kinematics import Kinematics, baked_skin
from poise.manifold import so3
from poise.motion import MeshClip
from poise.workers import on_threads
from poise.world import World


@lru_cache
def caped(name="run"):
    return poise.wear(clips.get(name), "cape")


def into_capsules(clip, places):
    """How deep places (F, V, 3) are in the capsules of a character, by plain distances from segments [m]."""
    kin, deepest = Kinematics(clip.character, clip.q), 0.0
    for i, body in enumerate(clip.character.bodies):
        for shape in body.shapes:
            if shape.kind is not ShapeKind.CAPSULE:
                continue
            radius, half = np.asarray(shape.size)[:2]
            axis = so3.to_matrix(shape.rotation)[:, 2]
            ends = [np.asarray(shape.position) + sign * half * axis for sign in (-1, 1)]
            a, b = (kin.positions[:, i] + kin.rotations[:, i] @ end for end in ends)
            way = b - a
            s = (
                np.einsum("fvi,fi->fv", places - a[:, None], way)
                / np.maximum((way**2).sum(axis=1), 1e-12)[:, None]
            )
            nearest = a[:, None] + np.clip(s, 0, 1)[..., None] * way[:, None]
            deepest = max(deepest, radius - np.linalg.norm(places - nearest, axis=2).min())
    return deepest


@pytest.mark.parametrize("name", ["run", "jump"])
def test_a_cape_hangs_outside_the_body_and_hardly_stretches(name):
    found = caped(name)
    worn, clip = found.worn, found.clip
    sheet = worn.attachment.sheet
    free = ~sheet.springs.held
    assert into_capsules(clip, worn.places[:, free]) < 1e-3
    edge = sheet.springs.edge[free[sheet.springs.edge].any(axis=1)]
    rest = np.linalg.norm(sheet.points[edge[:, 0]] - sheet.points[edge[:, 1]], axis=1)
    long = np.linalg.norm(worn.places[:, edge[:, 0]] - worn.places[:, edge[:, 1]], axis=2)
    assert (long / rest).max() < 1.05
    assert worn.stretch == pytest.approx((long / rest).max() - 1, abs=1e-9)
    kin = Kinematics(clip.character, clip.q)
    bone = clip.character.index("Chest")
    pinned = (worn.places[:, ~free] - kin.positions[:, bone, None]) @ kin.rotations[:, bone]
    assert np.abs(pinned - sheet.points[~free]).max() < 1e-9, "what is held stays on its bone"
    away = (worn.places - kin.positions[:, bone, None]) @ kin.rotations[:, bone]
    assert np.ptp(away[:, free], axis=0).max() > 0.03, "and the rest moves"


def test_frames_have_the_same_bits_alone_and_in_any_order():
    among = caped().worn.places
    other = poise.wear(clips.get("run"), "cape").worn.drape
    with on_threads(1):
        some = other.frames([33, 2, 17])
    np.testing.assert_array_equal(some, among[[33, 2, 17]])


def test_nothing_that_was_long_ago_is_felt():
    """Two motions that were different until a window and a blend ago end alike, to the bit."""
    clip = clips.get("jump")
    found = poise.wear(clip, "ponytail", window=0.3).worn
    window = found.drape.window
    since = clip.frames - 1 - int(np.ceil((2 * window) * clip.fps)) - 2
    assert since > 5
    q = np.array(clip.q)
    q[: since - 3] = q[since - 3]
    changed = poise.wear(clip.with_q(q), "ponytail", window=0.3).worn
    np.testing.assert_array_equal(found.places[-1], changed.places[-1])
    assert np.abs(found.places[since - 10] - changed.places[since - 10]).max() > 1e-3


def test_a_loop_has_no_seam():
    clip = clips.get("walk")
    assert clip.loop
    worn = poise.wear(clip, "ponytail").worn
    kin = Kinematics(clip.character, clip.q)
    bone = clip.character.index(worn.attachment.bone)
    local = (worn.places - kin.positions[:, bone, None]) @ kin.rotations[:, bone]
    step = np.linalg.norm(np.diff(local, axis=0), axis=2).max()
    assert np.linalg.norm(local[0] - local[-1], axis=1).max() < 1.5 * step


def test_finer_steps_change_little():
    from poise.methods.loosen.wear.drape import Drape

    worn = poise.wear(clips.get("walk"), "ponytail").worn
    fine = Drape(worn.clip, worn.attachment, worn.solids, finer=4.0).frames(range(0, worn.clip.frames, 8))
    assert np.abs(fine - worn.places[::8]).max() < 0.01 * worn.attachment.diameter


def test_cloth_lies_on_the_world():
    """A long strand from the hips trails on a floor: no bead is in it."""
    line = [(0.0, 0.0, -0.1), (-0.15, 0.0, -0.1), (-0.3, 0.0, -1.2)]
    clip = clips.get("walk")
    low = [
        poise.wear(clip, "strand", line=line, to="hips", thickness=0.01, **given).worn.places[:, 2:, 2].min()
        for given in ({}, {"world": World.flat(0.05)})
    ]
    assert low[0] < 0.0
    assert low[1] > 0.05 + 0.001


def test_an_open_mesh_is_cloth_and_pinned_where_it_is_told(tmp_path):
    rows, columns = 9, 7
    x, y = np.meshgrid(np.linspace(0, -0.5, rows), np.linspace(-0.15, 0.15, columns), indexing="ij")
    points = np.stack([np.full(x.size, -0.2), y.ravel(), x.ravel() + 0.1], axis=1)
    squares = [(r * columns + c, r * columns + c + 1, (r + 1) * columns + c + 1, (r + 1) * columns + c)
               for r in range(rows - 1) for c in range(columns - 1)]  # fmt: skip
    faces = np.array([t for a, b, c, d in squares for t in ((a, b, c), (a, c, d))])
    path = tmp_path / "flag.obj"
    lines = [f"v {p[1]} {p[2]} {p[0]}" for p in points] + [
        "f " + " ".join(str(v + 1) for v in f) for f in faces
    ]
    path.write_text("\n".join(lines))
    clip = clips.get("walk")
    made = poise.wear(clip, str(path), to="Chest").worn
    assert len(made.attachment.sheet.held) == columns, "its top edge"
    assert made.mesh.vertices.shape[1] == len(points)
    two = poise.wear(clip, str(path), to="Chest", pins=[0, columns - 1]).worn
    assert sorted(two.attachment.sheet.held.tolist()) != sorted(made.attachment.sheet.held.tolist())
    assert len(two.attachment.sheet.held) == 2
    with pytest.raises(InputError, match="no vertex 999"):
        poise.wear(clip, str(path), to="Chest", pins=[999])
    with pytest.raises(InputError, match=r"'young'.*open mesh"):
        poise.wear(clip, str(path), to="Chest", young=1e4)


def test_a_file_has_the_cape_that_was_seen(tmp_path):
    found = caped()
    back = load(found.save(tmp_path / "cape.glb"))
    count = found.worn.mesh.vertices.shape[1]
    seen = np.asarray(baked_skin(back).vertices)[:, -count:]
    assert np.abs(seen - found.worn.mesh.vertices).max() < 3e-3 * found.worn.attachment.diameter


def test_a_layer_wears_a_cape():
    project = (
        poise.Project()
        .add_clip("run", "run")
        .add("load", "take", clip="run")
        .add("wear", "cape", mesh="cape")
    )
    attached = project.made().attached
    np.testing.assert_array_equal(attached[0].mesh.vertices, caped().worn.mesh.vertices)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"mesh": "cape", "young": 1e4}, "is for solids"),
        ({"mesh": "hat", "bend": 0.01}, "a hat is solid"),
        ({"mesh": "strand"}, "'line'"),
        ({"mesh": "cape", "constraints": [pin("Head", (0, 0, 1.6), 0.3)]}, "cannot hit targets"),
        ({"mesh": "cape", "gravity": "compensated"}, "on or off"),
        ({"mesh": "cape", "scale": 2.0}, "cut to its wearer"),
    ],
)
def test_what_makes_no_sense_is_refused(options, word):
    with pytest.raises(InputError, match=word):
        poise.wear(clips.get("walk"), **options)


@pytest.mark.parametrize(
    "path",
    [
        "cmu_cgspeed_bvh/02_01.bvh",
        "bvh_toolbox/walk01.bvh",
        "fbx_ozz/pab_walk.fbx",
        "khronos_gltf/CesiumMan.glb",
    ],
)
def test_a_stranger_wears_hat_and_ponytail(shared_data, path):
    """The hat is on the head: above its joint, around it, and no larger than a head's hat."""
    clip = load(shared_data / path)
    clip = poise.trim(clip, end=min(0.5, clip.duration)).clip
    head = roles(clip.character)["head"]
    at, _ = clip.character.rest_placement()
    tall = np.ptp(at[:, 2])
    hat = poise.wear(clip).worn.attachment
    assert hat.bone == clip.character.names[head]
    turned = clip.character.rest_placement()[1][head]
    upright = hat.surface.points @ turned.T
    brim = upright[upright[:, 2] < np.quantile(upright[:, 2], 0.2)]
    assert 0.0 < brim[:, 2].mean() < 0.35 * tall
    assert np.linalg.norm(brim[:, :2].mean(axis=0)) < 0.12 * tall
    assert 0.1 * tall < np.ptp(upright[:, 1]) < 0.6 * tall
    tail = poise.wear(clip, "ponytail").worn
    assert tail.stretch < 0.05
    assert tail.depth < 0.002 * tall


def test_a_mesh_of_a_tube_goes_with_its_strand():
    worn = poise.wear(clips.get("walk"), "ponytail").worn
    mesh: MeshClip = worn.mesh
    rings = np.asarray(mesh.vertices)[:, :-2].reshape(mesh.frames, -1, 10, 3)
    assert np.abs(rings.mean(axis=2) - worn.places).max() < 1e-9
    assert (
        np.abs(np.linalg.norm(rings - worn.places[:, :, None], axis=3) - worn.attachment.radii[:, None]).max()
        < 1e-9
    )


@pytest.mark.parametrize("mesh", ["cape", "ponytail", "hat"])
def test_a_rest_pose_before_the_motion_drags_nothing_along(mesh):
    """What is worn is, frame for frame, what it is without that pose; it was stretched to the tenfold."""
    clip = clips.get("punch")
    pose = np.array(clip.character.rest_pose())
    pose[:3] += [3.0, -2.0, 0.0]
    jumps = clip.replaced(q=np.concatenate([pose[None], clip.q]))
    found, alone = poise.wear(jumps, mesh), poise.wear(clip, mesh)
    (said,) = found.report.warnings
    assert "jumps (frame 0 to 1)" in said
    np.testing.assert_array_equal(found.worn.mesh.vertices[1:], alone.worn.mesh.vertices)
    assert found.worn.farthest < alone.worn.farthest + 0.1
