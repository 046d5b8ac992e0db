"""Equations 1–14 and Algorithm 1: the published iteration, step by step, against a computation by hand."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips
from poise.constraints import at_rest, pin, pose
from poise.curves import GaussianBells, TangentCurve
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.published import _Sweep, iterate
from poise.methods.loosen.simulate.simulator import Simulator
from poise.operations.values.bell import Bell

CLIP = clips.get("punch")
FRAME, WINDOW, WIDTH = 51, 0.4, 0.8
TIME = FRAME * CLIP.dt
FIST = "RightHandCentre"


def fist(q):
    return Kinematics(CLIP.character, q).point(FIST)[0]


def dynamic(coefficients):
    """The dynamic state with a correction bell of the given heights, by a fresh simulator."""
    curve = TangentCurve(GaussianBells([TIME], [WIDTH]), np.atleast_2d(coefficients))
    return Simulator(CLIP, "relaxed", correction=curve).states([TIME], WINDOW)[0][0]


@pytest.mark.parametrize("scale", [1.0, 0.8])
def test_one_step_on_a_pose_is_equation_3(scale):
    """Δx = s (e·d/|d|²) e with e = x* ⊖ x_KD and d the response to e φ."""
    aim = [pose(CLIP.character, CLIP.q[FRAME], TIME)]
    problem = poise.hit(
        CLIP, aim, "relaxed", WINDOW, width=WIDTH, method="paper", iterations=0, contacts=False
    ).problem
    manifold = CLIP.character.manifold
    before = dynamic(np.zeros(CLIP.character.nv))
    e = manifold.minus(CLIP.q[FRAME], before)
    d = manifold.minus(dynamic(e), CLIP.q[FRAME]) - manifold.minus(before, CLIP.q[FRAME])
    expected = scale * (e @ d) / (d @ d) * e
    got = problem.layout.coefficients(iterate(problem, iterations=1, accuracy=0.0, scale=scale).x)
    np.testing.assert_allclose(got[0], expected, atol=1e-8)


def test_one_step_on_an_effector_is_equation_5():
    """e from inverse kinematics of the dynamic pose; the step's length from the effector's own response."""
    wanted = fist(CLIP.q[FRAME])
    problem = poise.hit(
        CLIP, [pin(FIST, wanted, TIME)], "relaxed", WINDOW, width=WIDTH, method="paper", iterations=0
    ).problem
    before = dynamic(np.zeros(CLIP.character.nv))
    sweep = _Sweep(problem, 1.0)
    e = sweep._ik(sweep.states(sweep.curve, [0]), [0], problem.layout.free[0])
    np.testing.assert_allclose(fist(CLIP.character.manifold.plus(before, e)), wanted, atol=1e-9)
    d = fist(dynamic(e)) - fist(before)
    lacking = wanted - fist(before)
    expected = (lacking @ d) / (d @ d) * e
    got = problem.layout.coefficients(iterate(problem, iterations=1, accuracy=0.0).x)
    np.testing.assert_allclose(got[0], expected, atol=1e-8)


def test_curves_pass_through_their_corrections():
    """Equations 7, 10 and 11: f(t_i) = Δx_i and ḟ(t_i) = Δẋ_i, whatever bells overlap."""
    places = {k: fist(CLIP.q[k]) for k in (40, 51, 62)}
    aims = [pin(FIST, places[k], k * CLIP.dt, name=f"place {k}") for k in places]
    aims.append(at_rest(FIST, 51 * CLIP.dt, name="rest"))
    problem = poise.hit(CLIP, aims, "relaxed", WINDOW, width=WIDTH, method="paper", iterations=0).problem
    sweep = _Sweep(problem, 1.0)
    rng = np.random.default_rng(3)
    sweep.wanted[:] = rng.normal(size=sweep.wanted.shape) * problem.layout.free
    assert sweep.interpolate()
    f = TangentCurve(problem.layout.basis, sweep.curve)
    for instant in sweep.instants:
        np.testing.assert_allclose(f.evaluate([instant.time])[0], sweep.wanted[instant.bell], atol=1e-9)
        if instant.wiggle >= 0:
            np.testing.assert_allclose(
                f.evaluate([instant.time], 1)[0], sweep.wanted[instant.wiggle], atol=1e-7
            )


def test_hands_with_corrections_of_their_own():
    """Joints that only one constraint may move are interpolated with its bells alone."""
    kin = Kinematics(CLIP.character, CLIP.q)
    aims = [
        pin(FIST, kin.point(FIST)[51], 51 * CLIP.dt),
        pin("LeftHandCentre", kin.point("LeftHandCentre")[58], 58 * CLIP.dt),
    ]
    result = poise.hit(CLIP, aims, "relaxed", WINDOW, method="paper")
    assert result.report.met
    right, left = result.correction.coefficients
    names = CLIP.character.dof_names
    assert all(c == 0 for c, n in zip(right, names) if n.startswith("Left"))
    assert all(c == 0 for c, n in zip(left, names) if n.startswith("Right"))


def test_velocities_are_solved_where_bells_are_wide():
    # It solves for differences of states; velocities are judged as a viewer sees them, a little off.
    aims = [pin(FIST, fist(CLIP.q[FRAME]), TIME), at_rest(FIST, TIME)]
    assert poise.hit(CLIP, aims, "relaxed", WINDOW, width=1.5, method="paper").report.met


@pytest.mark.parametrize("width", [0.15, 0.3])
def test_where_it_fails_it_says_so_and_keeps_the_best(width):
    """Narrow bells on a drunk arm with velocities: the published iteration diverges."""
    times = (0.5, 0.65, 0.8, 0.95)
    aims = [
        c
        for t in times
        for c in (pin(FIST, fist(CLIP.at(t)), t, name=f"at {t}"), at_rest(FIST, t, name=f"rest {t}"))
    ]
    result = poise.hit(CLIP, aims, "drunk", WINDOW, width=width, method="paper", iterations=25)
    assert not result.report.met
    assert result.solution.reason in ("stalled", "budget")
    assert np.isfinite(result.solution.x).all()
    assert np.isfinite(result.clip.q).all()
    assert np.linalg.norm(result.solution.residual) == pytest.approx(min(result.solution.history))
    assert all(np.isfinite(o.error) and (o.met or o.reason) for o in result.report.outcomes)


def test_out_of_reach_is_not_nan():
    result = poise.hit(CLIP, [pin(FIST, (2.5, 0.0, 1.4), TIME)], "relaxed", WINDOW, method="paper")
    assert not result.report.met
    assert np.isfinite(result.clip.q).all()
    assert result.solution.history[-1] <= 1.5 * result.solution.history[0]


def test_what_it_does_not_take_is_named():
    with pytest.raises(InputError, match="instants"):
        poise.hit(CLIP, [pin(FIST, fist(CLIP.q[FRAME]), (0.8, 0.9))], "relaxed", WINDOW, method="paper")
    aims = [pin(FIST, fist(CLIP.q[FRAME]), TIME, name="a"), at_rest(FIST, TIME, name="b")]
    shapes = {"a": Bell(1.0, lead=0.0), "b": Bell(0.5, lead=0.0)}
    with pytest.raises(InputError, match="one shape"):
        poise.hit(CLIP, aims, "relaxed", WINDOW, widths=shapes, method="paper")
    problem = poise.hit(CLIP, aims[:1], "relaxed", WINDOW, method="paper", iterations=0).problem
    with pytest.raises(InputError, match="scale"):
        iterate(problem, iterations=1, accuracy=0.0, scale=-1.0)
