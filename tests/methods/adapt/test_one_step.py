"""One step against an independent solver, and the smallest change in closed form, on a body that slides."""

from __future__ import annotations

import numpy as np
import piqp
import pytest
from test_band_assembly import dense

import poise
from poise import constraints as c
from poise.character import Body, Character, Joint, Mass
from poise.handles import PointPosition
from poise.methods.adapt.plants.free_places import FreePlaces
from poise.methods.adapt.problem.problem import Stage
from poise.methods.adapt.problem.samples import samples_of
from poise.methods.adapt.rows.rows import block_of
from poise.methods.adapt.rows.table import RowTable
from poise.methods.adapt.solve.gauss_newton import Effort, _exact, descend
from poise.methods.adapt.solve.system import Base, System
from poise.motion import Clip
from poise.operations.values.displacement import Displacement


def sliders() -> Clip:
    """A cart on two crossed rails with a mast that lengthens: every point moves in proportion to q."""
    mass = Mass(1.0, inertia=np.full(3, 0.01))
    bodies = [
        Body("rail", None, Joint.slide((1, 0, 0)), mass=mass),
        Body("cart", "rail", Joint.slide((0, 1, 0)), mass=mass),
        Body("mast", "cart", Joint.slide((0, 0, 1)), (0, 0, 1.0), mass=mass, points={"Tip": (0.0, 0.0, 0.5)}),
    ]
    t = np.arange(61)[:, None] / 30.0
    return Clip(Character("cart", bodies), np.sin(t * [1.0, 2.0, 3.0]) * 0.3, 30, name="cart")


def setting(constraints, layer=None) -> tuple[System, Stage]:
    clip = sliders()
    stage = Stage.of(clip, layer or Displacement(0.25), range(3), "mass", None, None)
    blocks = [block_of(k, clip) for k in constraints]
    samples = samples_of(blocks, None)
    table = RowTable(stage.space, blocks, samples, 1.0)
    base = Base(clip.q[samples.frames], None, np.zeros((0, 3)))
    return System(stage.space, table, base, stage.space.slot), stage


def unknowns(stage: Stage, coefficients: np.ndarray) -> np.ndarray:
    x = np.zeros(stage.space.count)
    x[stage.space.slot] = coefficients.T
    return x


def test_one_linearisation_is_solved_as_a_quadratic_programme():
    wanted = [
        c.pin("Tip", (0.1, 0.2, 1.6), 1.0),
        c.above("Tip", (0.2, 1.8), height=1.55),
        c.within(PointPosition("Tip"), (0.5, 1.5), least=(-0.1, -0.1, 1.4), most=(0.25, 0.1, 1.7)),
        c.above("Tip", (1.5, 2.0), height=-1.58, normal=(0, 0, -1)),
    ]
    system, stage = setting(wanted)
    zero = stage.start
    effort = Effort(steps=1, factorisations=60, damping=0.0, change=1e-12)
    free = FreePlaces()
    found = descend(
        system, stage.band, np.zeros(stage.space.count), zero, free=free, places=free.estimate, effort=effort
    )
    error = system.evaluate(zero)
    table = system.table
    assert (table.violation(error) != 0).sum() > 40
    j = np.stack([system.along(_unit(stage, k)) for k in range(stage.space.count)], axis=1)  # (R, n)
    n, rows = stage.space.count, table.count
    oracle = piqp.DenseSolver()
    oracle.settings.eps_abs = oracle.settings.eps_rel = 1e-11
    lower = np.where(np.isfinite(table.lower), table.lower, -1e30) - error
    upper = np.where(np.isfinite(table.upper), table.upper, 1e30) - error
    p = np.zeros((n + rows, n + rows))
    p[:n, :n] = dense(stage.band)
    p[n:, n:] = np.diag(table.weight)
    g = np.hstack([j, -np.eye(rows)])  # J x − s within the bounds, s what is missed
    oracle.setup(p, np.zeros(n + rows), None, None, g, lower, upper)
    assert oracle.solve() == piqp.PIQP_SOLVED
    best = oracle.result.x[:n]
    np.testing.assert_allclose(unknowns(stage, found.coefficients), best, atol=1e-6)
    merit = 0.5 * best @ dense(stage.band) @ best + table.loss(error + j @ best)
    assert found.merit == pytest.approx(merit, rel=1e-9)


def test_the_search_along_a_direction_is_exact():
    """Against a fine grid, on rows that come and go along the way."""
    wanted = [c.above("Tip", (0.2, 1.8), height=1.5), c.pin("Tip", (0.1, 0.0, 1.5), (0.5, 1.0))]
    system, stage = setting(wanted)
    error = system.evaluate(stage.start)
    rng = np.random.default_rng(3)
    found = []
    for _ in range(6):
        along = system.along(rng.normal(size=stage.start.shape))
        curve = 30.0
        _, force = system.table.pull(error)
        pull = float(-200.0 - force @ along)  # downhill at the start
        share = _exact(error, along, system, pull, curve)
        grid = np.linspace(0, 1, 20001)
        merit = [pull * s + 0.5 * curve * s**2 + system.table.loss(error + s * along) for s in grid[::20]]
        best = grid[::20][int(np.argmin(merit))]
        assert share == pytest.approx(best, abs=1.1e-3)
        found.append(share)
    assert min(found) < 0.9


def _unit(stage: Stage, k: int) -> np.ndarray:
    change = stage.start
    dof, key = np.argwhere(stage.space.slot == k)[0]
    change[key, dof] = 1.0
    return change


def test_smallest_change_in_closed_form():
    """min ½ xᵀ M x with φ·x = y: x = M⁻¹ φ y / (φᵀ M⁻¹ φ), every multiplier included."""
    clip = sliders()
    frame = 27
    wanted = clip.q[frame, 0] + 0.2
    pin = c.constrain(PointPosition("Tip", "x"), wanted, float(clip.times[frame]))
    result = poise.adapt(clip, [pin], key_spacing=0.25, objective="mass", joint_limits=False, plants=False)
    stage = result.setup.problem.stages[0]
    m = dense(stage.band)
    phi = np.zeros(stage.space.count)
    columns, weights = stage.space.stencil.columns[0, frame], stage.space.stencil.weights[0, 0, frame]
    phi[stage.space.slot[0, columns]] = weights
    response = np.linalg.solve(m, phi)
    closed = response * 0.2 / (phi @ response)
    assert result.report.met
    assert result.report.outcomes[0].error < 3e-5
    np.testing.assert_allclose(
        unknowns(stage, result.coefficients[0]), closed, atol=3e-4 * np.abs(closed).max()
    )
    # What the pin does not feel does not move.
    assert np.abs(result.clip.q[:, 1:] - clip.q[:, 1:]).max() < 1e-9


def test_two_pulls_share_as_their_weights_say():
    """Contradicting instants: x = Σ W y / Σ W, for weights that dwarf the price of moving."""
    clip = sliders()
    at = float(clip.times[30])
    here = clip.q[30] + [0, 0, 1.5]
    pins = [
        c.pin("Tip", here + [0.1, 0, 0], at, name="right", weight=3e3),
        c.pin("Tip", here - [0.1, 0, 0], at, name="left", weight=1e3),
    ]
    result = poise.adapt(clip, pins, key_spacing=0.25, joint_limits=False, plants=False)
    assert result.clip.q[30, 0] - clip.q[30, 0] == pytest.approx(0.05, abs=1e-4)
    report = result.report
    assert not report.met
    assert "left pulls against right" in report.message
    assert [s["name"] for s in report.details["shares"]] == ["left", "right"]
    assert report.details["shares"][0]["residual"] == pytest.approx(0.15, abs=1e-3)
    assert report.details["shares"][0]["share"] == pytest.approx(0.75, abs=0.01)


def test_priorities_decide():
    clip = sliders()
    at, here = float(clip.times[30]), clip.q[30] + [0, 0, 1.5]
    strong = c.pin("Tip", here + [0.1, 0, 0], at, name="strong")
    weak = c.pin("Tip", here - [0.1, 0, 0], at, name="weak", priority=2)
    result = poise.adapt(clip, [weak, strong], key_spacing=0.25, joint_limits=False, plants=False)
    assert result.clip.q[30, 0] - clip.q[30, 0] == pytest.approx(0.1, abs=1e-4)
    assert [o.name for o in result.report.missed] == ["weak"]  # the strong one gives nothing at all


def test_unreachable_pulls_no_harder_than_far():
    """Beyond 0.25 m a row's pull is constant: the compromise with a near row does not depend on how far."""
    clip = sliders()
    at, here = float(clip.times[30]), clip.q[30] + [0, 0, 1.5]
    moved = []
    for far in (1.0, 3.0):
        pins = [
            c.pin("Tip", here, at, name="near", weight=100),
            c.pin("Tip", here + [far, 0, 0], at, name="far", weight=10),
        ]
        result = poise.adapt(clip, pins, key_spacing=0.25, joint_limits=False, iterations=40, plants=False)
        moved.append(result.clip.q[30, 0] - clip.q[30, 0])
    assert moved[0] == pytest.approx(0.25 * 10 / 100, rel=0.05)
    assert moved[1] == pytest.approx(moved[0], rel=0.02)
