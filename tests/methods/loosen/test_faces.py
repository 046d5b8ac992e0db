"""Loosened faces: filters against integration, the model against fine steps, and what history-free means."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from face_cases import acting, small_face, smooth_pose
from face_oracle import simulate
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicHermiteSpline

import poise
from poise.clips import faces as bundled
from poise.errors import InputError, UnknownNameError
from poise.kinematics import baked_skin
from poise.methods.loosen.face.face import Face
from poise.methods.loosen.face.material import Flesh
from poise.methods.loosen.face.spring_filter import taps
from poise.methods.loosen.face.target import Target
from poise.motion import Clip, MeshClip
from poise.workers import on_threads


def rms(difference) -> float:
    return float(np.sqrt((np.asarray(difference) ** 2).sum(axis=-1).mean()))


# Filters -------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**32 - 1),
    hertz=st.floats(0.5, 12),
    zeta=st.sampled_from([0.0, 0.15, 0.7, 1.0, 2.5]),
    frames=st.floats(0.6, 30),
    part=st.sampled_from([0.0, 0.25, 0.9]),
)
def test_weights_of_samples_are_the_integrated_spring(seed, hertz, zeta, frames, part):
    dt, omega = 0.04, 2 * np.pi * hertz
    u = np.cumsum(np.random.default_rng(seed).normal(size=80))
    n = 50
    slope = np.gradient(u, dt)
    curve = CubicHermiteSpline(np.arange(80) * dt, u, slope)
    bend = curve.derivative(2)
    begin, end = (n + part - frames) * dt, (n + part) * dt
    knots = [begin, *(k * dt for k in range(80) if begin + 1e-9 < k * dt < end - 1e-9), end]
    state = np.zeros(2)
    for a, b in pairwise(knots):
        middle = 0.5 * (a + b)
        here, growth = float(bend(middle)), float(curve.derivative(3)(middle))

        def rate(t, y, here=here, growth=growth, middle=middle):
            push = here + growth * (t - middle)
            return [y[1], -(omega**2) * y[0] - 2 * zeta * omega * y[1] - push]

        state = solve_ivp(rate, (a, b), state, rtol=1e-10, atol=1e-12).y[:, -1]
    found = taps(omega, zeta, frames, dt, part)
    window = u[n + found.first : n + found.first + len(found.value)]
    assert window @ found.value == pytest.approx(state[0], abs=1e-6 * np.abs(u).max())
    assert window @ found.rate == pytest.approx(state[1], abs=1e-5 * omega * np.abs(u).max())
    # What does not accelerate is followed exactly.
    steady = np.arange(len(found.value)) - 3.0
    assert abs(found.value.sum()) < 1e-12
    assert abs(found.value @ steady) < 1e-10


@pytest.mark.parametrize("zeta", [0.0, 0.2])
def test_energy_does_not_grow_in_free_vibration(zeta):
    """The weights stop moving at 0.6 s; from then on nothing feeds the springs."""
    clip = acting(small_face(rings=6, around=14), rate=50)
    weights = np.array(clip.morphs)
    weights[30:] = weights[30]
    clip = clip.replaced(morphs=weights)
    flesh = Flesh(3.0, zeta, 6.0)
    face = Face(clip, flesh, 2.0, soft=1.0, clusters=6)
    clusters, rest = face.rig.clusters, face.rig.shapes[:4]
    slow, fast = flesh.omegas
    energies = []
    times = clip.times[34:90]
    for t in times:
        n = round(t * clip.fps)
        d, rate = [], []
        for omega in (slow, fast):
            found = taps(omega, zeta, face.frames, clip.dt)
            index = np.clip(n + found.first + np.arange(len(found.value)), 0, clip.frames - 1)
            d.append(np.tensordot(found.value @ weights[index], rest, 1).T)
            rate.append(np.tensordot(found.rate @ weights[index], rest, 1).T)
        full = d[1] + clusters.project(d[0] - d[1])
        speed = rate[1] + clusters.project(rate[0] - rate[1])
        np.testing.assert_allclose(
            full, face.states([t], rest=True)[0] - face.kinematic([t], rest=True)[0], atol=1e-13
        )
        bent = full - clusters.project(full)
        mass = clusters.mass[:, None]
        energies.append(0.5 * (mass * (speed**2 + slow**2 * full**2 + (fast**2 - slow**2) * bent**2)).sum())
    change = np.diff(energies)
    if zeta == 0:
        np.testing.assert_allclose(energies, energies[0], rtol=1e-9)
    else:
        assert (change < 1e-15 * energies[0]).all()
        assert energies[-1] < 0.1 * energies[0]


# Clusters ------------------------------------------------------------------------------------


def test_the_projection_is_one(rng):
    clusters = Face(acting(), clusters=7).rig.clusters
    n = len(clusters.rest)
    np.testing.assert_allclose(np.asarray(clusters.weights.sum(axis=0)), 1.0, atol=1e-12)
    a, b = rng.normal(size=(2, n, 3))
    pa = clusters.project(a)
    np.testing.assert_allclose(clusters.project(pa), pa, atol=1e-9)
    mass = clusters.mass[:, None]
    assert (mass * pa * b).sum() == pytest.approx((mass * a * clusters.project(b)).sum(), abs=1e-12)
    rigid = np.cross(rng.normal(size=3), clusters.rest) + rng.normal(size=3)
    np.testing.assert_allclose(clusters.project(rigid), rigid, atol=1e-9)
    # By brute force: least squares over all motions of the clusters, written out.
    columns = []
    weights = clusters.weights.toarray()
    for c, centre in enumerate(clusters.centres):
        for axis in np.eye(3):
            columns += [
                weights[c][:, None] * axis,
                weights[c][:, None] * np.cross(axis, clusters.rest - centre),
            ]
    matrix = np.stack([x.ravel() for x in columns], axis=1)
    root = np.sqrt(np.repeat(clusters.mass, 3))
    best = np.linalg.lstsq(root[:, None] * matrix, root * a.ravel(), rcond=None)[0]
    np.testing.assert_allclose(pa, (matrix @ best).reshape(-1, 3), atol=1e-7)


# The whole model -----------------------------------------------------------------------------


@pytest.mark.parametrize("nod", [0.0, 0.3])
def test_it_is_what_fine_steps_of_nonlinear_shape_matching_give(nod):
    character = small_face(rings=6, around=14)
    clip = acting(character, rate=50, nod=nod)
    flesh = Flesh(3.0, 0.15, 6.0)
    face = Face(clip, flesh, 0.6, soft=1.0, clusters=6)
    at = smooth_pose(clip, 2.0, nod)
    truth = simulate(face.rig.clusters, at, flesh, 0.9, 1.5, 4e-3)
    animated, loose = at(1.5)[0], face.states([1.5])[0]
    np.testing.assert_allclose(face.kinematic([1.5])[0], animated, atol=1e-12)
    assert rms(truth - animated) > 9e-4  # about a millimetre of life
    assert rms(loose - truth) < 8e-5
    # Without shape matching it is another motion.
    uniform = Face(clip, Flesh(3.0, 0.15, 0.0), 0.6, soft=1.0, clusters=6).states([1.5])[0]
    assert rms(uniform - truth) > 4 * rms(loose - truth)


def test_it_is_the_linear_part_of_shape_matching():
    """Half the motion leaves a quarter of the error: what is neglected is of second order."""
    flesh, errors = Flesh(3.0, 0.15, 6.0), []
    for amount in (1.0, 0.5):
        character = small_face(rings=6, around=14)
        clip = acting(character, rate=100)
        clip = clip.replaced(morphs=amount * clip.morphs)
        whole = smooth_pose(clip, 2.0, 0.0)
        rest = np.asarray(character.skin.vertices) + clip.q[0, :3]

        def at(t, whole=whole, amount=amount, rest=rest):
            shape, turn = whole(t)
            return rest + amount * (shape - rest), turn

        face = Face(clip, flesh, 0.6, soft=1.0, clusters=6)
        truth = simulate(face.rig.clusters, at, flesh, 0.9, 1.5, 4e-3)
        errors.append(rms(face.states([1.5])[0] - truth))
    assert errors[1] < 0.32 * errors[0]


def test_uniform_springs_are_the_spring_of_every_vertex():
    """Without shape matching each coordinate is one oscillator, whatever the head does."""
    clip = acting(rate=200, nod=0.4)
    flesh = Flesh(2.5, 0.2, 0.0)
    face = Face(clip, flesh, 0.8, soft=1.0)
    at = smooth_pose(clip, 2.0, 0.4)
    omega = flesh.omegas[0]
    some = [3, 50, 120]

    def rate(t, y):
        h = 1e-4
        bend = (at(t + h)[0][some] - 2 * at(t)[0][some] + at(t - h)[0][some]) / h**2
        d, v = y.reshape(2, -1)
        return np.concatenate([v, -(omega**2) * d - 2 * 0.2 * omega * v - bend.ravel()])

    run = solve_ivp(rate, (0.7, 1.5), np.zeros(18), rtol=1e-8, atol=1e-10, max_step=0.02)
    d = run.y[:9, -1].reshape(3, 3)
    loose = face.states([1.5])[0][some]
    np.testing.assert_allclose(loose - at(1.5)[0][some], d, atol=2e-3 * np.abs(d).max())


def test_the_same_bits_in_any_order_batch_and_thread():
    clip = acting(nod=0.3)
    face, loose = Face(clip, "loose", 0.7), poise.loosen(clip, "loose", 0.7)
    times = [*clip.times, 0.513, 1.111]
    with on_threads(1):
        whole = face.states(times)
    with on_threads(3):
        again = face.states(times[::-1])[::-1]
    np.testing.assert_array_equal(whole, again)
    for k in (0, 7, 50, 51, 52):
        np.testing.assert_array_equal(face.states([times[k]])[0], whole[k])
        np.testing.assert_array_equal(loose.at(times[k]), whole[k])
    np.testing.assert_array_equal(loose.mesh.vertices, whole[: clip.frames])


def test_nothing_before_the_window_matters():
    clip = acting(nod=0.3)
    window, frame = 0.6, 40  # 15 frames
    other = np.array(clip.morphs)
    other[: frame - 15 - 1] = np.random.default_rng(1).uniform(size=(frame - 16, 4))
    q = np.array(clip.q)
    q[: frame - 15 - 3, 2] += 0.3
    changed = clip.replaced(morphs=other, q=q)
    a, b = (Face(c, 3.0, window).states([clip.times[frame]]) for c in (clip, changed))
    np.testing.assert_array_equal(a, b)
    later = Face(changed, 3.0, window + 0.2).states([clip.times[frame]])
    assert np.abs(later - a).max() > 1e-5


def test_the_frame_rate_does_not_matter():
    slow, fast = (acting(rate=r, nod=0.2) for r in (25, 100))
    a = Face(slow, "relaxed", 0.8).states([0.8, 1.2])
    b = Face(fast, "relaxed", 0.8).states([0.8, 1.2])
    life = np.abs(b - Face(fast, "relaxed", 0.8).kinematic([0.8, 1.2])).max()
    assert np.abs(a - b).max() < 0.04 * life


def test_loops_stay_loops():
    clip = acting(nod=0.3, loop=True)
    face = Face(clip, "loose", 1.1)
    t = np.array([0.0, 0.04, 1.0, 1.97])
    np.testing.assert_allclose(face.states(t), face.states(t + 2 * clip.duration), atol=1e-12)
    mesh = face.mesh()
    assert mesh.loop
    # The seam is as smooth as the rest.
    steps = np.linalg.norm(np.diff(np.concatenate([mesh.vertices, mesh.vertices[:1]]), axis=0), axis=2).max(
        axis=1
    )
    assert steps[-1] < 1.5 * steps.max()


def test_held_expressions_are_at_rest():
    clip = acting()
    still = clip.replaced(morphs=np.tile(clip.morphs[20], (clip.frames, 1)))
    face = Face(still)
    np.testing.assert_allclose(face.states(still.times), face.kinematic(still.times), atol=1e-15)


def test_long_before_and_after_a_clip_it_is_at_rest():
    clip = acting(nod=0.3)
    face = Face(clip, "loose", 0.7)
    times = [-1e6, -0.3, clip.duration + 0.9, 1e6]
    np.testing.assert_allclose(face.states(times), face.kinematic(times), atol=1e-13)
    assert np.abs(face.states([clip.duration + 0.3]) - face.kinematic([clip.duration + 0.3])).max() > 1e-4


def test_bone_stays_bone_and_the_neck_fades():
    clip = bundled.get("smile")
    face = Face(clip, "loose")
    loose, animated = face.states([1.2, 2.1]), face.kinematic([1.2, 2.1])
    moved = np.linalg.norm(loose - animated, axis=2).max(axis=0)
    assert moved.max() > 5e-3
    assert moved[face.masks.sum(axis=0) == 0].max() == 0.0
    both = clip.replaced(q=clip.at([1.2, 2.1]), morphs=clip.morphs_at([1.2, 2.1]))
    np.testing.assert_allclose(animated, baked_skin(both).vertices, atol=1e-14)
    still = Face(clip, "loose", soft=0.0)
    np.testing.assert_array_equal(still.states([1.2]), still.kinematic([1.2]))


def test_flesh_by_region():
    clip = acting()
    whole, parts = Face(clip, 2.0, 0.8), Face(clip, {"*": 2.0, "chin": Flesh(15.0, 0.9)}, 0.8)
    off = [np.linalg.norm(f.states([1.2])[0] - f.kinematic([1.2])[0], axis=1) for f in (whole, parts)]
    chin = Target(1.2, "chin").vertices(whole)
    assert off[1][chin].max() < 0.2 * off[0][chin].max()
    left = int(np.argmax(np.asarray(clip.character.skin.vertices)[:, 1]))
    assert off[1][left] == pytest.approx(off[0][left], rel=0.05)


def test_a_mesh_clip_comes_out():
    mesh = poise.loosen(acting(), 3.0).mesh
    assert isinstance(mesh, MeshClip)
    assert mesh.frames == 51


def with_a_face(clip: Clip) -> Clip:
    """The clip with its first morph target moving where none does."""
    if np.any(clip.morphs != clip.morphs[0]):
        return clip
    weights = np.zeros_like(clip.morphs)
    weights[:, 0] = np.sin(np.linspace(0, 9, clip.frames)) ** 2
    return clip.replaced(morphs=weights)


def test_a_face_on_a_moving_skeleton_is_every_vertex_on_its_spring(shared_data):
    """Each path of the baked motion is filtered for itself: the same for what hangs on the head alone."""
    clip = with_a_face(poise.load(shared_data / "threejs/RobotExpressive.glb", animation="Yes"))
    flesh = Flesh(5.0, 0.3, 0.0)
    face = Face(clip, flesh, 0.5, soft=1.0)
    assert clip.character.names[face.rig.head] == "Head"
    paths = baked_skin(clip).vertices
    found = taps(flesh.omegas[0], flesh.damping, face.frames, clip.dt)
    k = clip.frames // 2
    index = np.clip(k + found.first + np.arange(len(found.value)), 0, clip.frames - 1)
    on_head = face.rig.carried > 1 - 1e-9
    wanted = paths[k] + np.tensordot(found.value, paths[index], 1)
    loose = face.states([clip.times[k]])[0]
    np.testing.assert_allclose(loose[on_head], wanted[on_head], atol=1e-9)
    assert np.abs(loose - paths[k])[on_head].max() > 1e-3
    np.testing.assert_allclose(loose[face.rig.carried == 0], paths[k][face.rig.carried == 0], atol=1e-12)


@pytest.mark.parametrize("name", ["threejs/RobotExpressive.glb", "khronos_gltf/MorphStressTest.glb"])
def test_faces_of_real_files(shared_data, name):
    clip = with_a_face(poise.load(shared_data / name))
    face = Face(clip, "tense", 0.8)
    times = clip.times[:: max(1, clip.frames // 12)]
    loose, animated = face.states(times), face.kinematic(times)
    assert np.isfinite(loose).all()
    assert 0 < np.linalg.norm(loose - animated, axis=2).max() < 0.3 * face.rig.size
    chosen = [int(round(t * clip.fps)) for t in times[:3]]
    exact = baked_skin(clip.replaced(q=clip.q[chosen], morphs=clip.morphs[chosen])).vertices
    np.testing.assert_allclose(animated[:3], exact, atol=1e-9)


def test_bad_input_is_named():
    clip = acting()
    for flesh, why in (
        (-3.0, "frequency.*positive"),
        (float("nan"), "frequency"),
        (Flesh, "Flesh, a frequency"),
        ("wobbly", "no flesh named 'wobbly'"),
        ({"nose": 3.0}, "no region named 'nose'.*cheekLeft"),
    ):
        with pytest.raises(InputError, match=why):
            Face(clip, flesh)
    for bad in ({"damping": -0.1}, {"firmness": float("inf")}, {"frequency": 0}):
        with pytest.raises(InputError, match=next(iter(bad))):
            Flesh(**bad)
    with pytest.raises(InputError, match="rings for ever"):
        Face(clip, Flesh(3, 0.0))
    for window in (0.0, -1.0, float("inf")):
        with pytest.raises(InputError, match="window"):
            Face(clip, 3.0, window)
    with pytest.raises(UnknownNameError, match="window"):
        Face(clip, 3.0, "adaptive")
    with pytest.raises(InputError, match="softness"):
        Face(clip, soft=1.5)
    with pytest.raises(InputError, match="at least one cluster"):
        Face(clip, clusters=0)
    with pytest.raises(InputError, match="no joint named 'tail'"):
        Face(clip, head="tail")
    bare = Clip(clip.character.with_bodies(clip.character.bodies, skin=None), clip.q, 25)
    with pytest.raises(InputError, match="no morph targets"):
        poise.loosen(bare, part="face")
    with pytest.raises(InputError, match="clip with morph targets, not MeshClip"):
        Face(poise.loosen(clip).mesh)
    with pytest.raises(InputError, match="finite"):
        clip.replaced(morphs=np.full_like(clip.morphs, np.nan))
    with pytest.raises(InputError, match="finite"):
        Face(clip).states([float("nan")])
