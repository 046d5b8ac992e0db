"""Targets of faces: met to rounding, alone and together, shapes and velocities; or an honest report."""

from __future__ import annotations

import numpy as np
import pytest
from face_cases import acting
from hypothesis import given, settings
from hypothesis import strategies as st

import poise
from poise.clips import faces as bundled
from poise.errors import InputError, UnknownNameError
from poise.kinematics import baked_skin
from poise.methods.loosen.face.face import Face
from poise.methods.loosen.face.hit import hit
from poise.methods.loosen.face.material import Flesh
from poise.methods.loosen.face.target import Target, checkpoints
from poise.motion import Clip
from poise.operations.values.bell import Bell

CLIP = acting(nod=0.3)
SIZE = 0.2


def off(mesh, clip, target) -> float:
    """Measured on the frames themselves: how far the region is from the animation."""
    k = round(target.time * clip.fps)
    among = target.vertices(Face(clip))
    return float(np.linalg.norm(mesh.vertices[k] - baked_skin(clip).vertices[k], axis=1)[among].max())


def test_the_whole_face():
    target = Target(1.2)
    loose = poise.loosen(CLIP, 2.5, 0.8).mesh
    assert off(loose, CLIP, target) > 1e-3
    result = hit(Face(CLIP, 2.5, 0.8), [target])
    assert result.report.met
    assert off(result.mesh, CLIP, target) < 1e-7 * SIZE
    assert result.report.iterations <= 8
    # Before the bell begins, and well after it, nothing has changed.
    change = np.linalg.norm(result.mesh.vertices - loose.vertices, axis=2).max(axis=1)
    assert change[: round((1.2 - 0.42) * 25)].max() < 1e-4 * SIZE
    assert change[30] == pytest.approx(off(loose, CLIP, target), rel=0.5)


def test_the_corrected_animation_is_a_clip_of_its_own():
    """What the loose face follows can be looked at and exported: one more morph target with a bell."""
    result = hit(Face(CLIP, 2.5, 0.8), [Target(1.2), Target(0.6, "chin")])
    kinematic = result.kinematic
    assert kinematic.morph_names[-2:] == ("correction: face at 1.2 s", "correction: chin at 0.6 s")
    np.testing.assert_allclose(baked_skin(kinematic).vertices, result.face.kinematic(CLIP.times), atol=1e-12)


@settings(max_examples=12, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1))
def test_whatever_is_asked_for_together_is_met(seed):
    rng = np.random.default_rng(seed)
    regions = ["*", "cheek*", "chin", ["cheekLeft", "chin"], "twist"]
    times = rng.choice(np.arange(6, 46, 4), size=3, replace=False) / 25
    targets = []
    for t in times:
        region = regions[rng.integers(len(regions))]
        targets.append(Target(float(t), region))
        if rng.uniform() < 0.5:
            targets.append(Target(float(t), region, 0, rate=True))
    flesh = Flesh(float(rng.uniform(2, 6)), float(rng.uniform(0.1, 0.6)), float(rng.uniform(0, 8)))
    result = hit(Face(CLIP, flesh, 0.8, soft=float(rng.uniform(0.4, 1.0))), targets)
    for outcome in result.report.outcomes:
        assert outcome.met, outcome
        assert outcome.error < 1e-5 * SIZE * (25 if outcome.unit == "m/s" else 1)


def test_shapes_of_ones_own():
    wish = {"cheekLeft": 1.0, "cheekRight": 0.5}
    result = hit(Face(CLIP, 3.0, 0.8), [Target(1.0, "*", wish, name="grin")])
    assert result.report.met
    skin = CLIP.character.skin
    names = [m.name for m in skin.morphs]
    weights = [wish.get(n, 0.0) for n in names]
    found = result.face.states([1.0], rest=True)[0]
    np.testing.assert_allclose(found, skin.shape(weights), atol=1e-7)
    again = hit(Face(CLIP, 3.0, 0.8), [Target(1.0, "*", skin.shape(weights))])
    np.testing.assert_allclose(again.mesh.vertices, result.mesh.vertices, atol=1e-12)


def test_velocities():
    still = Target(1.2, "cheek*", 0, rate=True)
    rates = Target(0.8, "chin", {"chin": 2.0}, rate=True)
    animated = Target(1.6, "*", rate=True)
    result = hit(Face(CLIP, 3.0, 0.8), [still, rates, animated])
    assert result.report.met
    assert [o.unit for o in result.report.outcomes] == ["m/s"] * 3
    states = result.face.states([1.16, 1.24], rest=True)
    among = still.vertices(result.face)
    assert np.linalg.norm((states[1] - states[0])[among] / 0.08, axis=1).max() < 1e-6
    assert hit(Face(CLIP, 3.0, 0.8), [Target(2.0, "*", 0, rate=True)]).report.met  # one-sided at the end


def test_what_cannot_be_changed_is_left_alone_and_said():
    """A clip holds its first frame before it begins: springs at rest cannot have a velocity there."""
    push = Target(0.0, "*", {"chin": 5.0}, rate=True)
    result = hit(Face(CLIP, 3.0, 0.8), [push, Target(1.0, "chin")])
    (missed,) = result.report.missed
    assert "out of reach" in missed.reason
    assert result.report.details["largest_m"] < 0.05


def test_checkpoints_keep_a_region_while_the_rest_is_loose():
    times = np.arange(0.8, 1.21, 0.08)
    targets = checkpoints(times, "chin", name="chin")
    loose = poise.loosen(CLIP, 2.5, 0.8).mesh
    result = hit(Face(CLIP, 2.5, 0.8), targets)
    assert result.report.met
    animated = baked_skin(CLIP).vertices
    among = targets[0].vertices(Face(CLIP))
    frames = np.arange(20, 31)
    kept = np.linalg.norm(result.mesh.vertices - animated, axis=2)[frames][:, among].max()
    free = np.linalg.norm(loose.vertices - animated, axis=2)[frames][:, among].max()
    assert kept < 0.2 * free  # between the check-points too
    cheek = int(np.argmax(np.asarray(CLIP.character.skin.vertices)[:, 1]))
    same = np.linalg.norm(result.mesh.vertices - loose.vertices, axis=2)[:, cheek].max()
    assert same < 0.3 * np.linalg.norm(loose.vertices - animated, axis=2)[:, cheek].max()


def test_between_frames_and_on_loops():
    still, target = acting(), Target(1.013, "chin", name="x")
    between = hit(Face(still, 3.0, 0.8), [target])
    assert between.report.met
    # At 25 frames per second; vertices go straight from one frame to the next.
    among, share = target.vertices(between.face), 1.013 * 25 - 25
    first, last = Face(still, 3.0, 0.8).kinematic([25 / 25, 26 / 25])[:, among]
    shown = between.mesh.vertices[25:27, among]
    goal, seen = ((1 - share) * a + share * b for a, b in ((first, last), shown))
    off = np.linalg.norm(seen - goal, axis=1).max()
    assert off == pytest.approx(between.report.outcomes[0].error, abs=1e-9)
    cycle = acting(nod=0.2, loop=True)
    result = hit(Face(cycle, 3.0, 0.8), [Target(0.02), Target(1.9, "chin")])
    assert result.report.met
    assert result.mesh.loop


@pytest.mark.parametrize(
    "shape", [0.3, Bell(width=0.5, kind="compact"), Bell(width=0.3, kind="ease", fall=0.6)]
)
def test_the_curve_is_the_animators(shape):
    result = hit(Face(CLIP, 3.0, 0.8), [Target(1.2, "cheek*", name="a")], shape)
    assert result.report.met
    named = hit(Face(CLIP, 3.0, 0.8), [Target(1.2, "cheek*", name="a")], widths={"a": Bell(width=0.4)})
    assert named.report.met
    assert np.abs(named.mesh.vertices - result.mesh.vertices).max() > 1e-5


def test_corrections_are_shorter_where_targets_are_close():
    """Unless told otherwise: 0.6 s, and four times the way to the next target."""
    face, lasted = Face(CLIP, 3.0, 0.8), {}
    for apart in (0.08, 1.0):
        bells = hit(face, [Target(0.8, "chin"), Target(0.8 + apart, "chin")]).added.weights
        lasted[apart] = float((bells > 0.01 * bells.max(axis=0)).sum(axis=0).max() * CLIP.dt)
    assert lasted[0.08] < 0.7 * lasted[1.0]
    told = hit(face, [Target(0.8, "chin"), Target(1.8, "chin")], 0.6).added.weights
    np.testing.assert_array_equal(told, bells)


def test_wild_corrections_are_warned_about():
    wild = hit(Face(CLIP, 3.0, 0.8), [Target(1.0, "chin", {"chin": 3.0})]).report
    assert wild.met
    assert "moves vertices by up to" in wild.warnings[0]
    assert not hit(Face(CLIP, 3.0, 0.8), [Target(1.0, "chin")]).report.warnings


def test_contradictions_are_reported():
    one, other = {"chin": 1.0}, {"chin": 0.0}
    result = hit(Face(CLIP, 3.0, 0.8), [Target(1.0, "chin", one), Target(1.0, "chin", other)])
    assert not result.report.met
    missed = result.report.missed
    assert all("conflict" in o.reason for o in missed)
    assert max(o.error for o in missed) < 0.02  # the way between is found, not nonsense


def test_bad_targets_are_named():
    for time in (-0.5, 2.5):
        with pytest.raises(InputError, match=r"at .* s: the clip lasts from 0 to 2 s"):
            hit(Face(CLIP), [Target(time)])
    with pytest.raises(InputError, match="finite number of seconds"):
        Target(float("nan"))
    with pytest.raises(InputError, match="tolerance"):
        Target(1.0, tolerance=0.0)
    with pytest.raises(InputError, match="nothing to hit"):
        hit(Face(CLIP), [])
    with pytest.raises(UnknownNameError, match="did you mean 'chin'"):
        hit(Face(CLIP), [Target(1.0, "chinn")])
    with pytest.raises(UnknownNameError, match="no morph target named 'grin'"):
        hit(Face(CLIP), [Target(1.0, "*", {"grin": 1.0})])
    with pytest.raises(InputError, match="finite"):
        hit(Face(CLIP), [Target(1.0, "*", {"chin": float("nan")})])
    with pytest.raises(InputError, match="shape"):
        hit(Face(CLIP), [Target(1.0, "*", np.zeros((3, 3)))])
    with pytest.raises(InputError, match="a velocity is 0"):
        hit(Face(CLIP), [Target(1.0, "*", 1.0, rate=True)])
    with pytest.raises(InputError, match="vertex 99999"):
        hit(Face(CLIP), [Target(1.0, [99999])])
    with pytest.raises(InputError, match="between 0 and 1"):
        hit(Face(CLIP), [Target(1.0, np.zeros(len(CLIP.character.skin.vertices)))])
    with pytest.raises(UnknownNameError, match="target"):
        hit(Face(CLIP), [Target(1.0, name="a")], widths={"b": Bell()})


def test_corrections_go_round_a_loop():
    """A bell near the first frame has its other half before the last."""
    cycle = acting(nod=0.2, loop=True)
    (bell,) = hit(Face(cycle, 3.0, 0.8), [Target(0.0)], Bell(width=0.6, lead=0.0)).added.weights.T
    np.testing.assert_allclose(bell[1:8], bell[:-8:-1], atol=1e-12)
    assert bell[-1] > 0.5


def test_no_seam_around_a_region():
    """Across its border the correction changes by a part of itself only; further out it ends."""
    result = hit(Face(bundled.get("speech"), "loose", 0.8), [Target(0.84, "mouthPress")])
    rig, (field,) = result.face.rig, np.swapaxes(result.added.shapes, 1, 2)
    size = np.linalg.norm(field, axis=1)
    inside = np.zeros(len(size), dtype=bool)
    inside[result.targets[0].vertices(result.face)] = True
    a, b = rig.graph.tocoo().coords
    border = inside[a] & ~inside[b]
    jump = np.linalg.norm(field[a] - field[b], axis=1)[border]
    assert jump.max() < 0.3 * size.max()
    assert (size > 0).sum() > 1.5 * len(result.targets[0].vertices(result.face))
    assert size[np.asarray(rig.skin.vertices)[:, 2] > 0.175 + 0.02].max() == 0.0  # eyes and above


def test_a_face_of_a_real_file(shared_data):
    """11,248 vertices: lips held, the rest loose."""
    still = poise.load(shared_data / "ict_facekit/ict_face_sparse_morphs_DERIVED.glb")
    t = np.arange(40) / 25
    weights = np.zeros((40, 56))
    names = list(still.morph_names)
    weights[:, names.index("jawOpen")] = np.sin(5 * t) ** 2
    weights[:, names.index("mouthSmile_L")] = np.clip(2 * t - 0.5, 0, 1)
    clip = Clip(still.character, np.tile(still.q, (40, 1)), 25, morphs=weights)
    targets = checkpoints([0.8, 1.2], "mouthClose")
    face = Face(clip, "loose", 1.0)
    states, animated = face.states([0.8, 1.2]), face.kinematic([0.8, 1.2])
    among = targets[0].vertices(face)
    assert np.linalg.norm(states - animated, axis=2)[:, among].max() > 2e-3
    result = hit(Face(clip, "loose", 1.0), targets)
    assert result.report.met
    found = result.face.states([0.8, 1.2])
    off = np.linalg.norm(found - animated, axis=2)
    assert off[:, among].max() < 1e-4 * face.rig.size
    assert off.max() > 2e-3
