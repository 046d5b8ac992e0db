"""What the gallery says of synthesised motions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from scenes import example
from solids import lowest, overlaps

import poise
from poise.kinematics import Kinematics
from poise.methods.plan.motion_piece import MotionPiece
from poise.methods.plan.result import PlanResult
from poise.methods.plan.scene import bundled as scenes
from poise.methods.plan.scene.bundled import camel
from poise.methods.plan.solve.flight import FlightMotion
from poise.methods.plan.solve.stance import StanceMotion

DEEPEST = 1e-3
"""How far anything may dip into the ground [m]."""

BARS = {"m": 1e-3, "rad": 1e-3, "m/s": 0.01, "rad/s": 0.01}
"""What a key of the exported motion may miss, by unit."""
STENCIL = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
"""First derivative from values at −4 … 4, of eighth order."""


@pytest.fixture(scope="module")
def played() -> Callable[[str], PlanResult]:
    """Each scene as it comes, solved once."""
    return cache(lambda name: poise.plan(name))


def pieces(result: PlanResult, kind: type[MotionPiece]) -> list[tuple[float, MotionPiece]]:
    """Pieces of a kind, and when they begin [s]."""
    return [(t, p) for t, p in zip(result.begins.tolist(), result.pieces) if isinstance(p, kind)]


every_scene = pytest.mark.parametrize("name", scenes.SCENES)


@every_scene
def test_scenes_do_what_they_are_asked_with_their_weight_on_the_ground(name, played):
    result = played(name)
    assert result.report.met, result.report
    for outcome in result.report.outcomes:
        assert outcome.error <= BARS.get(outcome.unit, outcome.tolerance), outcome
    for look in result.report.details["segments"]:
        assert look["most_turn"] < np.pi
        if "spin_drift" in look and look["least_vertical"] == look["greatest_vertical"] == 0.0:
            assert look["parabola"] < 1e-6  # in the air
            assert look["spin_drift"] < 2e-5
        else:
            assert look["least_vertical"] > 0  # the ground only pushes
    depth, what = lowest(result.character, result.clip.q)
    assert depth > -DEEPEST, what


@every_scene
def test_no_limb_goes_through_the_body(name, played):
    """Solids of bodies that are not neighbours; flesh gives a little where limbs touch."""
    result = played(name)
    deep = {pair: d for pair, d in overlaps(result.character, result.clip.q[::2]).items() if d > 0.035}
    assert not deep


@pytest.mark.parametrize("rise", [1.5, 1.8, 2.0])
def test_the_camel_keeps_its_legs_under_it_at_any_speed(rise):
    """Nearby keys, nearby motions: no leg is thrown about, and none goes through the chest."""
    result = poise.plan(camel.hand_stand(rise), judge=False)
    assert result.report.met, result.report
    air = result.pieces[3]
    assert np.linalg.norm(air.angles(np.linspace(0, air.duration, 30)), axis=2).max() < 1.3
    speed = result.character.manifold.minus(result.clip.q[1:], result.clip.q[:-1]) * float(result.clip.rate)
    assert np.abs(speed[:, 6:]).max() < 20  # [rad/s]
    assert max(overlaps(result.character, result.clip.q[::4]).values()) < 0.035


def test_arms_swing_against_the_legs(played):
    """In the middle of the walk, what is ahead on one side is behind on the other."""
    clip = played("four steps").clip
    kin = Kinematics(clip.character, clip.q[40:115])
    apart = [kin.point(f"Left{end}")[:, 0] - kin.point(f"Right{end}")[:, 0] for end in ("HandCentre", "Foot")]
    assert np.corrcoef(*apart)[0, 1] < -0.6
    assert np.ptp(apart[0]) > 0.5


def test_the_walk_carries_its_weight(played):
    """It neither bounces nor needs glue: the centre of mass within four centimetres, ordinary friction."""
    result = played("four steps")
    height = Kinematics(result.character, result.clip.q).com[:, 2]
    assert np.ptp(height) < 0.04
    for look in result.report.details["segments"]:
        assert look["least_vertical"] > 0.6
        assert look["greatest_vertical"] < 1.5
        assert look["friction"] < 1.05


@pytest.mark.parametrize("name", ["side jump", "somersault", "camel hand stand"])
def test_jumps_need_no_more_than_ordinary_ground(name, played):
    for look in played(name).report.details["segments"]:
        assert look["friction"] < 0.9, look["segment"]


def test_the_lamp_settles_after_its_landing(played):
    """Its foot stops dead; its head goes down, up again, and comes to rest."""
    result = played("lamp jump")
    land = result.pieces[2]
    times = np.linspace(0, land.duration, 60)
    bulb = Kinematics(result.character, land.pose(times)).point("Bulb")[:, 2]
    low = int(bulb.argmin())
    assert times[low] < 0.3
    assert bulb[-1] - bulb[low] > 0.1
    assert bulb[low:].max() - bulb[-1] > 0.02


def test_the_somersault_pushes_off_upright(played):
    """The trunk leans forwards in the crouch, and hardly back before it takes off."""
    result = played("somersault")
    before = result.at(np.linspace(0.5, result.pieces[0].duration, 30))
    trunk = Kinematics(result.character, before).rotations[:, result.character.names.index("Spine5")]
    lean = np.degrees(np.arctan2(trunk[:, 0, 2], trunk[:, 2, 2]))
    assert lean.min() > -10
    assert lean.max() > 20


@every_scene
def test_nothing_jumps_where_segments_meet(name, played):
    result = played(name)
    minus = result.character.manifold.minus
    for a, b in zip(result.pieces, result.pieces[1:]):
        assert np.abs(minus(a.pose(np.array([a.duration])), b.pose(np.array([0.0])))).max() < 1e-3


@every_scene
def test_what_is_held_stays_to_a_nanometre_and_bones_turn_less_than_half_round(name, played):
    result = played(name)
    clip = result.clip
    times = np.arange(len(clip.q)) / float(clip.rate)
    for begin, piece in pieces(result, StanceMotion):
        chosen = (times >= begin) & (times < begin + piece.duration)
        slid = piece.slid(times[chosen] - begin)
        kin = Kinematics(clip.character, clip.q[chosen])
        for hold in piece.footing.holds:
            at = kin.point(hold.what) - slid  # what slides moves as one
            assert np.abs(at - at[0]).max() < 1e-9
            if hold.turns(clip.character):
                turn = kin.rotations[:, clip.character.point(hold.what).body]
                assert np.abs(turn - turn[0]).max() < 1e-9
        fine = piece.angles(np.linspace(0, piece.duration, 200))
        assert np.linalg.norm(fine, axis=2).max() < np.pi


@every_scene
def test_bones_of_the_clip_are_rigid(name, played):
    clip = played(name).clip
    parents = clip.character.parents[1:]
    now, usual = (Kinematics(clip.character, q).positions for q in (clip.q, clip.character.rest_pose()))
    lengths, wanted = (np.linalg.norm(p[:, 1:] - p[:, parents], axis=2) for p in (now, usual))
    assert np.abs(lengths - wanted).max() < 1e-9


@pytest.mark.parametrize("name", [n for n in scenes.SCENES if n not in ("four punches", "four steps")])
def test_flights_keep_their_momentum_and_their_parabola(name, played):
    """Velocities by differences of the exported motion, within pieces of splines: forces jump at nodes."""
    result = played(name)
    character = result.character
    flights = pieces(result, FlightMotion)
    assert flights
    for begin, air in flights:
        h = 1.5e-3
        times = np.linspace(5 * h, air.duration - 5 * h, 40)
        times = times[np.abs(times[:, None] - air.problem.spline.nodes).min(axis=1) > 4.5 * h]
        assert len(times) > 20
        q = result.at(begin + (times[:, None] + h * np.arange(-4, 5)).ravel()).reshape(len(times), 9, -1)
        v = np.einsum("k,tkv->tv", STENCIL / h, character.manifold.minus(q, q[:, 4:5]))
        kin = Kinematics(character, q[:, 4], v)
        spin = kin.momentum[:, 3:]
        # Relative to what it has, or to one radian per second where it hardly spins.
        scale = max(float(np.linalg.norm(spin[0])), float(np.trace(kin.inertia[0])) / 3)
        assert np.abs(spin - spin[0]).max() < 1e-6 * scale
        fall = np.array([0.0, 0.0, -9.81])
        speed = kin.momentum[0, :3] / character.total_mass
        t = (times - times[0])[:, None]
        path = kin.com[0] + t * speed + 0.5 * t**2 * fall
        assert np.abs(kin.com - path).max() < 1e-6


def test_the_somersault_tucks():
    module = example("30_synthesis")
    assert module.tuck(module.scene("somersault")) < 0.6


def test_warped_modes_hardly_stretch_a_bone():
    module = example("31_modes")
    found = module.footing()
    for mode in range(6):
        assert module.stretch(module.linear(found, mode)) > 0.3
        assert module.stretch(module.warped(found, mode)) < 1e-3


def test_linear_modes_keep_the_feet_to_first_order_and_warped_ones_exactly():
    module = example("31_modes")
    found = module.footing()
    figure = found.figure
    foot = np.concatenate([figure.column("LeftFoot")[:, None], figure.column("RightFoot")[:, None]], axis=1)
    for mode in range(6):
        for pose in (module.linear(found, mode), module.warped(found, mode)):
            assert np.abs(pose @ foot - figure.reference @ foot).max() < 1e-9
