"""Characters fitted to markers of figures that the tests made: proportions, markers and motion are known."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import poise
from benchmarks.files import spoilt
from poise.errors import InputError
from poise.markers import Markers
from poise.methods.markers.attached import Attached, observe, positions
from poise.methods.markers.calibration import spread_frames
from poise.methods.markers.clip_fit import _band
from poise.methods.markers.landmarks import landmark, placed_on
from poise.methods.markers.pose_cost import PoseCost
from poise.methods.markers.segments import scaled
from poise.methods.markers.solve import MarkerFit

PAIRED = (
    "FWT",
    "BWT",
    "SHO",
    "UPA",
    "ELB",
    "FRM",
    "WRA",
    "WRB",
    "THI",
    "KNE",
    "SHN",
    "ANK",
    "HEE",
    "TOE",
    "MT5",
)
NAMES = ["C7", "T10", "CLAV", "STRN", *(side + name for name in (*PAIRED, "FHD", "BHD") for side in "LR")]
FRAMES = 40


@pytest.fixture(scope="module")
def person():
    """A figure of other proportions that walks, and where markers sit on it: near their usual places."""
    clip = poise.clips.get("walk")
    rng = np.random.default_rng(8)
    count = len(clip.character.bodies)
    scales = np.full(count, 1.06)
    for name, factor in (("Leg", 1.1), ("ForeArm", 0.95), ("UpLeg", 1.0)):
        for side in ("Left", "Right"):
            scales[clip.character.index(side + name)] = factor
    figure = scaled(clip.character, scales, 1.06)
    q = np.array(clip.q[:FRAMES])
    found = [placed_on(figure, name, 1.06) for name in NAMES]
    places = np.array([f.place for f in found]) + rng.normal(0, 0.012, (len(NAMES), 3))
    points = Attached(np.array([f.body for f in found]), places)
    return figure, q, points, positions(figure, q, points)


def joint_error(fit, figure, q):
    wanted, found = (c.placement(x).positions for c, x in ((figure, q), (fit.character, fit.q)))
    return float(np.linalg.norm(found - wanted, axis=2).mean())


def test_proportions_places_and_motion_are_found(person):
    figure, q, _, seen = person
    result = poise.solve_markers(Markers(tuple(NAMES), seen, 60))
    assert result.fit.rms < 0.003
    assert joint_error(result.fit, figure, q) < 0.02
    scale = dict(zip(figure.names, result.fit.proportions.scales))
    shin = np.linalg.norm(result.clip.character.bodies[figure.index("LeftAnkle")].offset)
    assert shin == pytest.approx(np.linalg.norm(figure.bodies[figure.index("LeftAnkle")].offset), abs=0.015)
    assert scale["LeftLeg"] == pytest.approx(scale["RightLeg"], abs=0.02)
    facts = result.facts()
    assert facts["by_marker"]["LKNE"]["joint"] == "LeftUpLeg"
    assert facts["rms_m"] == result.fit.rms
    assert result.met


def test_lost_and_swapped_markers_do_not_throw_it(person):
    figure, q, _, seen = person
    rng = np.random.default_rng(4)
    spoilt = seen + rng.normal(0, 0.002, seen.shape)
    a, b = NAMES.index("LKNE"), NAMES.index("RKNE")
    spoilt[10:16, [a, b]] = spoilt[10:16, [b, a]]
    spoilt[rng.random(seen.shape[:2]) < 0.1] = np.nan
    spoilt[20:30, NAMES.index("LANK")] = np.nan
    result = poise.solve_markers(Markers(tuple(NAMES), spoilt, 60))
    fit = result.fit
    assert joint_error(fit, figure, q) < 0.02
    swapped = fit.doubted[10:16][:, [a, b]] | ~np.isfinite(spoilt[10:16][:, [a, b], 0])
    far = np.linalg.norm(seen[10:16, a] - seen[10:16, b], axis=1) > 0.12
    assert far.any()
    assert swapped[far].all(), "no marker that was taken for another is believed"
    assert fit.doubted.mean() < 0.02
    bend = np.abs(np.diff(fit.character.placement(fit.q).positions, 2, axis=0)).max()
    assert bend < 0.03, "gaps and swaps leave no jump"


def test_a_rig_that_must_stay_as_it_is(person):
    figure, q, _, seen = person
    result = poise.solve_markers(Markers(tuple(NAMES), seen, 60), figure, scaling="none")
    lengths = [np.linalg.norm(b.offset) for b in result.clip.character.bodies[1:]]
    assert np.allclose(lengths, [np.linalg.norm(b.offset) for b in figure.bodies[1:]], rtol=2e-4)
    assert joint_error(result.fit, figure, q) < 0.02


def test_names_that_say_nothing_are_placed_by_motion(person):
    *_, seen = person
    names = list(NAMES)
    for name in ("LSHN", "RTHI", "LMT5"):
        names[names.index(name)] = f"x{name[1]}7"
    fit = poise.solve_markers(Markers(tuple(names), seen, 60)).fit
    on = {n: fit.character.names[b] for n, b in zip(fit.names, fit.points.body)}
    assert on["xS7"] == "LeftLeg"
    assert on["xT7"] == "RightUpLeg"
    assert on["xM7"] in ("LeftFoot", "LeftAnkle", "LeftToeBase")


def test_what_cannot_be_solved_says_why():
    places = np.random.default_rng(0).normal(size=(5, 6, 3))
    with pytest.raises(InputError, match="attach"):
        poise.solve_markers(Markers(tuple("pqrstu"), places, 30))
    with pytest.raises(InputError, match="no marker is named"):
        poise.solve_markers(Markers(tuple("pqrstu"), places, 30), attach={"LKNE": "LeftLeg"})
    names = ("LASI", "RASI", "LPSI", "C7", "CLAV", "LKNE")
    with pytest.raises(InputError, match="free to move"):
        poise.solve_markers(Markers(names, places, 30), poise.characters.get("planar_humanoid"))


@pytest.mark.parametrize(
    ("name", "side", "on"),
    [
        ("TakeoMonday:LFWT", "left", "hips"),
        ("r_mknee", "right", "thigh"),
        ("L.ASIS", "left", "hips"),
        ("R_elbow_lat", "right", "upper_arm"),
        ("C7", "centre", "chest"),
        ("LeftHeel", "left", "foot"),
        ("RTOE", "right", "foot"),
        ("ankle_lat_l", "left", "shin"),
    ],
)
def test_names_of_the_usual_sets(name, side, on):
    told = landmark(name)
    assert told is not None
    assert (told[0], told[1].on) == (side, on)
    assert landmark("*3") is None


def test_costs_and_their_slopes(rng):
    """Gauss–Newton's slope against differences, with robust markers, prior and limits all acting."""
    who = poise.characters.get("humanoid")
    q = who.manifold.plus(np.tile(who.rest_pose(), (2, 1)), 0.3 * rng.normal(size=(2, who.nv)))
    points = Attached(np.array([3, 6, 12, 14]), rng.normal(0, 0.1, (4, 3)))
    targets = observe(who, q, points).positions + rng.normal(0, 0.03, (2, 4, 3))
    targets[1, 2] = np.nan
    wide, tight = np.full(who.nv, 2.0), np.full(who.nv, 0.1)
    prior = who.manifold.plus(q, 1e-3 * rng.normal(size=(2, who.nv)))
    cost = PoseCost(who, points, targets, np.full(4, 0.01), 3.0, prior, wide, -tight, tight)
    model = cost.model(q)
    assert np.allclose(model.cost, cost.each(q))
    for j in range(who.nv):
        step = np.zeros((2, who.nv))
        step[:, j] = 1e-6
        difference = (cost.each(who.manifold.plus(q, step)) - cost.each(who.manifold.plus(q, -step))) / 2e-6
        assert np.allclose(difference, model.slope[:, j], rtol=1e-4, atol=1e-4 * np.abs(model.slope).max())


def test_the_band_is_the_matrix(rng):
    blocks = rng.normal(size=(5, 3, 3))
    blocks = blocks @ blocks.transpose(0, 2, 1)
    weight = rng.uniform(1, 2, 3)
    second = np.zeros((9, 15))
    for f in range(3):
        for i in range(3):
            second[3 * f + i, [3 * f + i, 3 * f + 3 + i, 3 * f + 6 + i]] = 1, -2, 1
    whole = second.T @ np.diag(np.tile(weight, 3)) @ second
    for f in range(5):
        whole[3 * f : 3 * f + 3, 3 * f : 3 * f + 3] += blocks[f]
    band = _band(blocks, weight, 0.0)
    for i in range(15):
        for k in range(7):
            if i + k < 15:
                assert band[i, k] == pytest.approx(whole[i + k, i])


def test_real_captures_are_met(shared_data):
    """The bars: a walk of CMU's within 3 cm of its own AMC, a drop jump's markers within 2 cm."""
    folder = shared_data / "cmu_asfamc"
    truth = poise.load(folder / "02_01.amc")
    markers = poise.load_markers(shared_data / "c3d_momentum" / "02_01.c3d")
    fit = poise.solve_markers(markers, poise.load(folder / "02.asf").character).fit
    found = fit.character.placement(fit.q).positions
    turned = found @ np.array([[0.0, 1, 0], [-1, 0, 0], [0, 0, 1]]).T
    off = np.linalg.norm(turned - truth.character.placement(truth.q).positions, axis=2)
    assert off.mean() < 0.03
    jump = poise.solve_markers(shared_data / "opencap_forces" / "DJ1.trc", mass=75.3)
    errors = jump.fit.errors
    assert np.sqrt(np.nanmean(errors**2)) < 0.02
    assert jump.clip.character.total_mass == pytest.approx(75.3)


def test_real_captures_that_lost_and_swapped_markers(shared_data):
    """A tenth lost, long gaps and swapped pairs put into real captures: joints stay where they were."""
    folder = shared_data / "cmu_asfamc"
    truth = poise.load(folder / "02_01.amc")
    walk = poise.load_markers(shared_data / "c3d_momentum" / "02_01.c3d")
    fit = poise.solve_markers(spoilt(walk, 1), poise.load(folder / "02.asf").character).fit
    turned = fit.character.placement(fit.q).positions @ np.array([[0.0, 1, 0], [-1, 0, 0], [0, 0, 1]]).T
    off = np.linalg.norm(turned - truth.character.placement(truth.q).positions, axis=2)
    assert off.mean() < 0.03
    seen = poise.load_markers(shared_data / "opencap_forces" / "walking2.trc")
    clean, bad = (poise.solve_markers(each).fit for each in (seen, spoilt(seen, 3)))
    places = [f.character.placement(f.q).positions for f in (clean, bad)]
    assert np.linalg.norm(places[0] - places[1], axis=2).mean() < 0.01
    assert bad.rms < 0.02


def hardly_seen(seen, column, named):
    """150 frames with one more marker, seen in those alone that an even choice of sixty leaves out."""
    long = np.concatenate([seen] * 4)[:150]
    more = np.full((150, 1, 3), np.nan)
    off = np.setdiff1d(np.arange(150), spread_frames(150))
    more[off] = long[off, column][:, None] + [0.0, 0.0, 0.02]
    return Markers((*NAMES, named), np.concatenate([long, more], axis=1), 60)


def test_a_marker_that_an_even_choice_of_frames_does_not_show_has_its_place_too(person):
    *_, seen = person
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = poise.solve_markers(hardly_seen(seen, NAMES.index("LSHN"), "zz9")).fit
    assert fit.character.names[fit.points.body[-1]] == "LeftLeg"
    assert np.nanmedian(fit.errors[:, -1]) < 0.02, "but where the clip jumps back"
    assert fit.rms < 0.01


def test_markers_that_lie_in_one_place_are_refused(person):
    *_, seen = person
    for places in (np.ones_like(seen), 1e-3 * seen):
        with pytest.raises(InputError, match=r"all markers lie within .* m of one another.*unit"):
            poise.solve_markers(Markers(tuple(NAMES), places, 60))


def test_a_fit_of_which_nothing_is_believed_says_how_far_off_it_is(person):
    figure, q, points, seen = person
    trust = np.zeros(seen.shape[:2])
    fit = MarkerFit(figure, q, points, tuple(NAMES), seen + [0.3, 0.0, -0.4], trust, None)
    assert fit.rms == pytest.approx(0.5)
    trust[:20] = 1.0
    fit.targets[:20] = seen[:20] + [0.0, 0.01, 0.0]
    fit.targets[3, 4] = np.nan
    assert fit.rms == pytest.approx(0.01), "of those alone that are believed"
