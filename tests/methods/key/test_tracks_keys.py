"""Keys and curves through them: edits as properties, easings as closed forms, smoothness by differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.character.presets import humanoid
from poise.errors import InputError, UnknownNameError
from poise.manifold import ProductManifold, so3
from poise.manifold.product import ROTATION
from poise.methods.key.sheet.easing import EASINGS
from poise.methods.key.sheet.key import TICK, TrackKey
from poise.methods.key.sheet.pin import NUMBER, Pin, hold
from poise.methods.key.sheet.track import Track

PLANE = ProductManifold([2])
TURN = ProductManifold([ROTATION])
WHOLE_TIMES = st.lists(st.integers(-20, 20), unique=True, min_size=1, max_size=7)


@st.composite
def tracks(draw) -> Track:
    """Number tracks with keys at whole seconds."""
    times = draw(WHOLE_TIMES)
    numbers = st.floats(0, 1)
    return Track(
        NUMBER,
        tuple(
            TrackKey(t, (draw(numbers),), draw(st.sampled_from(sorted(EASINGS))), draw(st.booleans()))
            for t in times
        ),
    )


# Edits ---------------------------------------------------------------------------------------------


@given(tracks(), st.integers(-20, 20), st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_insert_then_delete_is_nothing(track, whole, value):
    time = whole + 0.5
    more = track.insert(TrackKey(time, (value,)))
    assert len(more.keys) == len(track.keys) + 1
    assert more.keys[more.index_at(time)].value == (value,)
    assert more.delete(more.index_at(time)) == track


@given(tracks(), st.data(), st.integers(-20, 20))
@settings(max_examples=60, deadline=None)
def test_edits_undo_one_another_and_keep_order(track, data, whole):
    i = data.draw(st.integers(0, len(track.keys) - 1))
    key, to = track.keys[i], whole + 0.5
    moved, copied = track.move(i, to), track.copy(i, to)
    assert moved.move(moved.index_at(to), key.time) == track
    assert copied.delete(copied.index_at(to)) == track
    assert copied.delete(copied.index_at(key.time)) == moved
    assert track.mute(i, not key.muted).mute(i, key.muted) == track
    assert track.changed(i, ease="hold").changed(i, ease=key.ease) == track
    assert track.retimed(lambda t: 2 * t + 1).retimed(lambda t: (t - 1) / 2) == track
    for edited in (moved, copied, track.insert(TrackKey(to, (0.0,)))):
        times = [k.time for k in edited.keys]
        assert times == sorted(times)
        assert min(np.diff(times), default=1.0) >= TICK


@given(tracks())
@settings(max_examples=40, deadline=None)
def test_a_muted_key_is_as_good_as_deleted(track):
    kept = Track(NUMBER, track.live)
    if kept.keys:
        times = np.linspace(-21, 21, 40)
        assert np.array_equal(track.at(times), kept.at(times))
    else:
        with pytest.raises(InputError, match="muted"):
            track.at([0.0])


def test_one_key_per_time():
    track = Track.of(NUMBER, {0.0: 0.0, 1.0: 1.0})
    for wrong in (
        lambda: track.insert(TrackKey(1.0 + TICK / 3, (0.5,))),
        lambda: track.copy(0, 1.0),
        lambda: track.move(0, 1.0),
    ):
        with pytest.raises(InputError, match="already"):
            wrong()
    with pytest.raises(InputError, match="two keys"):
        Track(NUMBER, (TrackKey(0.0, (1.0,)), TrackKey(0.0, (2.0,))))
    with pytest.raises(InputError, match="keys at: 0, 1"):
        track.index_at(0.5)
    for wrong in (2, -1, 0.5, True):
        with pytest.raises(InputError, match=r"keys 0 to 1|by its index"):
            track.delete(wrong)
    over = track.insert(TrackKey(1.0, (0.25,)), over=True)
    assert [k.value for k in over.keys] == [(0.0,), (0.25,)]


def test_what_a_key_cannot_be():
    with pytest.raises(UnknownNameError, match="ease-in"):
        TrackKey(0.0, (1.0,), ease="ease in")
    for time in (np.nan, np.inf, "soon", None):
        with pytest.raises(InputError, match="time"):
            TrackKey(time, (1.0,))
    with pytest.raises(InputError, match="finite"):
        TrackKey(0.0, (np.nan,))
    with pytest.raises(InputError, match="needs 2"):
        Track(PLANE, (TrackKey(0.0, (1.0,)),))
    with pytest.raises(InputError, match="quaternion"):
        Track(TURN, (TrackKey(0.0, (1.0, 1.0, 0.0, 0.0)),))
    with pytest.raises(InputError, match="between 0 and 1"):
        hold("LeftFoot", at=(0, 1), gain=1.5)
    with pytest.raises(InputError, match="before it starts"):
        hold("LeftFoot", at=(1, 0))
    with pytest.raises(InputError, match="pair"):
        hold("LeftFoot", at=(1, 2, 3))
    with pytest.raises(InputError, match="fade"):
        hold("LeftFoot", at=(0, 1), fade=-1)
    with pytest.raises(InputError, match="at least one target"):
        Pin(hold("LeftFoot").handle, Track(ProductManifold([3])), Track.of(NUMBER, 1.0))


# Curves --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ease", "shape"),
    [
        ("linear", lambda s: s),
        ("smooth", lambda s: s * s * (3 - 2 * s)),
        ("ease-in", lambda s: s * s),
        ("ease-out", lambda s: s * (2 - s)),
        ("hold", lambda s: 0 * s),
        ("spline", lambda s: s * s * (3 - 2 * s)),  # flat at both ends of the track
    ],
)
def test_easings_are_what_they_say(ease, shape):
    track = Track(PLANE, (TrackKey(1.0, (2.0, -1.0), ease), TrackKey(3.0, (6.0, -2.0))))
    s = np.linspace(0, 0.999, 50)
    wanted = np.array([2.0, -1.0]) + shape(s)[:, None] * np.array([4.0, -1.0])
    assert np.allclose(track.at(1 + 2 * s), wanted, rtol=0, atol=1e-14)
    assert np.array_equal(track.at([-5.0, 1.0, 3.0, 9.0]), [[2, -1], [2, -1], [6, -2], [6, -2]])


@pytest.mark.parametrize("ease", ["linear", "smooth", "ease-in", "ease-out"])
def test_rotations_ease_along_the_geodesic(ease, rng):
    a, b = so3.normalise(rng.normal(size=4)), so3.normalise(rng.normal(size=4))
    track = Track(TURN, (TrackKey(0.0, a, ease), TrackKey(1.0, b)))
    line = Track(NUMBER, (TrackKey(0.0, (0.0,), ease), TrackKey(1.0, (1.0,))))
    t = np.linspace(0, 1, 21)
    assert np.abs(so3.difference(track.at(t), so3.slerp(a, b, line.at(t)[:, 0]))).max() < 1e-13


def random_pose_track(rng: np.random.Generator, eases: tuple[str, ...]) -> Track:
    character = humanoid()
    times = np.cumsum(rng.uniform(0.1, 0.6, size=len(eases)))
    poses = character.manifold.random(rng, len(eases), spread=0.6)
    return Track(character.manifold, tuple(TrackKey(t, q, e) for t, q, e in zip(times, poses, eases)))


@pytest.mark.parametrize(
    "eases",
    [
        ("spline",) * 6,
        ("spline", "smooth", "spline", "linear", "spline", "spline"),
        ("smooth", "spline", "smooth", "smooth", "spline", "spline"),
    ],
)
def test_splines_are_smooth_with_what_stands_beside_them(eases, rng):
    """C¹ at every key, also where a spline meets a segment that has its own slope there (smooth or flat)."""
    track = random_pose_track(rng, eases)
    manifold, h = track.manifold, 1e-6
    for i, key in enumerate(track.keys):
        assert np.array_equal(track.at([key.time])[0], key.value), "the key itself, bit for bit"
        near = track.at([key.time - h, key.time, key.time + h])
        before, after = manifold.minus(near[1:], near[:-1]) / h
        if eases[i] == "linear" or (i and eases[i - 1] == "linear"):
            # The neighbour's slope is taken over as far as a monotone segment can have it.
            continue
        assert np.abs(after - before).max() < 2e-3, f"corner at key {i}"


def test_a_spline_goes_on_as_a_straight_line_came():
    track = Track(
        NUMBER,
        (
            TrackKey(0.0, (0.0,), "linear"),
            TrackKey(1.0, (1.0,)),
            TrackKey(2.0, (1.5,), "linear"),
            TrackKey(3.0, (2.5,)),
        ),
    )
    assert np.allclose(track.velocity([1.0, 2.0 - 1e-12, 2.0])[:, 0], 1.0, atol=1e-9)


def test_velocity_is_the_derivative(rng):
    track = random_pose_track(rng, ("spline", "linear", "spline", "ease-in", "ease-out", "spline"))
    start, end = track.span
    t, h = np.sort(rng.uniform(start, end, size=40)), 1e-6
    t = t[[min(abs(t_ - k.time) for k in track.keys) > 1e-3 for t_ in t]]
    difference = track.manifold.minus(track.at(t + h), track.at(t - h)) / (2 * h)
    assert np.abs(track.velocity(t) - difference).max() < 1e-7
    assert not track.velocity([start - 1, end + 1]).any()


@given(tracks())
@settings(max_examples=80, deadline=None)
def test_no_number_passes_beyond_its_keys(track):
    live = Track(NUMBER, track.live)
    if not live.keys:
        return
    known = np.array([k.time for k in live.keys])
    values = np.array([k.value[0] for k in live.keys])
    t = np.linspace(known[0] - 1, known[-1] + 1, 400)
    got = live.at(t)[:, 0]
    k = np.clip(np.searchsorted(known, t, side="right") - 1, 0, max(len(known) - 2, 0))
    after = np.minimum(k + 1, len(known) - 1)
    low, high = np.minimum(values[k], values[after]), np.maximum(values[k], values[after])
    assert (got >= low - 1e-15).all()
    assert (got <= high + 1e-15).all()


def test_equal_keys_hold_still_whatever_follows(rng):
    a, b = humanoid().manifold.random(rng, 2)
    track = Track.of(humanoid().manifold, {0.0: b, 1.0: a, 2.0: a, 3.0: b})
    moved = humanoid().manifold.minus(track.at(np.linspace(1, 2, 30)), a)
    assert np.abs(moved).max() < 1e-15


def test_values_do_not_depend_on_company(rng):
    """Each time's bits are its own: order, number and neighbours of the times asked for play no part."""
    track = random_pose_track(rng, ("spline", "linear", "spline", "ease-in", "spline", "hold"))
    times = rng.uniform(-0.1, 3.0, size=97)
    whole = track.at(times)
    assert np.array_equal(whole, np.concatenate([track.at([t]) for t in times]))
    shuffled = rng.permutation(len(times))
    assert np.array_equal(whole[shuffled], track.at(times[shuffled]))


# Pins ----------------------------------------------------------------------------------------------


def test_a_held_point_has_full_gain_over_its_interval_and_fades_outside():
    pin = hold("LeftFoot", at=(0.5, 1.0), gain=0.8, fade=0.1)
    assert np.array_equal(pin.gain(np.linspace(0.5, 1.0, 20)), np.full(20, 0.8))
    assert not pin.gain([0.0, 0.4, 1.1, 2.0]).any()
    rising = pin.gain(np.linspace(0.4, 0.5, 50))
    assert (np.diff(rising) >= 0).all()
    assert np.abs(np.diff(rising)).max() < 0.8 * 0.04
    assert pin.targets.keys[0].value is None
    instant = hold("LeftFoot", at=(0.5, 0.5), fade=0)
    assert instant.gain([0.49, 0.5, 0.51]).tolist() == [0.0, 1.0, 0.0]
    assert hold("LeftFoot").gain([-9.0, 9.0]).tolist() == [1.0, 1.0]
    placed = hold("LeftFoot", at=(0, 1), to=(1, 2, 3))
    assert placed.targets.keys[0].value == (1.0, 2.0, 3.0)


def test_a_pin_may_rise_and_fall_at_different_speeds():
    pin = hold("LeftHand", at=(1.0, 2.0), to=(0, 0, 1), fade=(0.4, 0.1))
    assert pin.gains.span == pytest.approx((0.6, 2.1))
    assert pin.gain([0.6, 1.0, 2.0, 2.1]) == pytest.approx([0, 1, 1, 0])
    with pytest.raises(InputError, match="rise, fall"):
        hold("LeftHand", at=(1.0, 2.0), fade=(0.1, -0.1))
