"""The path of the centre of mass: smooth joins, what templates write into keys, hints, edits, files."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from poise.errors import InputError
from poise.methods.key.path.hint import Hint
from poise.methods.key.path.key import PathKey
from poise.methods.key.path.path import Path
from poise.methods.key.path.templates import Hermite, Pendulum, ProjectileI, ProjectileII, ProjectileIII

G = 9.81
HERMITE, ONE, TWO = Hermite(), ProjectileI(), ProjectileII()


def key(time, position=(0, 0, 1), velocity=None, template=HERMITE, muted=False):
    return PathKey(time, position, velocity, template, muted)


def jump_path():
    """Stand, take off, fly to 1.4 m, land, stand."""
    return Path(
        (
            key(0.0, (0, 0, 0.9)),
            key(0.5, (0.2, 0, 1.0), None, ProjectileIII(1.4)),
            key(1.0, (1.5, 0, 0.9)),
            key(1.6, (1.7, 0, 0.9)),
        )
    )


def random_path(rng, *, gravity=G):
    """Any templates in any order, planar or not, with and without velocities and muted keys."""
    keys = []
    time = rng.uniform(-1, 1)
    planar = rng.uniform() < 0.5
    for _ in range(int(rng.integers(2, 9))):
        position, velocity = rng.normal(size=3) + (0, 0, 1), 2 * rng.normal(size=3)
        pivot = position + rng.normal(size=3) + (0, 0, 0.5)
        if planar:
            position[1] = velocity[1] = pivot[1] = 0.0
        template = [Hermite(), ONE, TWO, ProjectileIII(6 + rng.uniform()), Pendulum(pivot)][rng.integers(5)]
        given = tuple(velocity) if rng.uniform() < 0.5 else None
        keys.append(PathKey(time, tuple(position), given, template, bool(rng.uniform() < 0.1)))
        time += rng.uniform(0.05, 1.0)
    keys[0] = replace(keys[0], muted=False)
    return Path(tuple(keys[i] for i in rng.permutation(len(keys))), gravity)


def possible(path):
    """Not so where a pendulum or projectile carried the start of an arc above its apex."""
    try:
        path.fixed()
    except InputError as problem:
        return "apex" not in str(problem)  # anything else fails where it is used
    return True


@pytest.mark.parametrize("seed", range(120))
def test_every_join_is_smooth_or_a_hint_says_by_how_much(seed):
    rng = np.random.default_rng(seed)
    path = random_path(rng)
    if not possible(path):
        return
    resolved = path.resolved()
    jumps = {h.key: h.amount for h in resolved.hints if h.kind == Hint.JUMP}
    for k, one in enumerate(resolved.keys[1:-1], start=1):
        before = resolved.arcs[k - 1].at(np.array([resolved.arcs[k - 1].duration]))
        after = resolved.arcs[k].at(np.array([0.0]))
        np.testing.assert_allclose(before.position, after.position, atol=1e-9)
        np.testing.assert_allclose(one.position, after.position[0], atol=1e-9)
        jump = float(np.linalg.norm(after.velocity - before.velocity))
        assert jump == pytest.approx(jumps.get(one.index, 0.0), abs=1e-9)
        left, right = path.keys[resolved.keys[k - 1].index].template, path.keys[one.index].template
        if isinstance(left, Hermite) or (right.takes_start_velocity and not isinstance(right, Pendulum)):
            assert one.index not in jumps  # the neighbour takes what it is given
    # and the same seen from outside, through the keys
    times = np.array([one.time for one in resolved.keys[1:-1] if one.index not in jumps])
    if times.size:
        near, far = path.at(times - 1e-7), path.at(times + 1e-7)
        np.testing.assert_allclose(near.position, far.position, atol=1e-4)
        np.testing.assert_allclose(near.velocity, far.velocity, atol=1e-2)


@pytest.mark.parametrize("seed", range(40))
def test_json_round_trip_and_fixing(seed):
    path = random_path(np.random.default_rng(1000 + seed))
    assert Path.from_dict(json.loads(json.dumps(path.to_dict()))) == path
    if not possible(path):
        return
    fixed = path.fixed()
    assert not [h for h in fixed.hints if h.fixable]
    assert [k.position for k in fixed.keys] == [k.position for k in path.keys]
    assert fixed.fixed() == fixed


# What templates write ---------------------------------------------------------------------------


def test_projectile_gives_its_velocities_to_the_hermites_beside_it():
    path = Path((key(0), key(0.5, (0, 0, 1), None, ONE), key(1.0, (1, 0, 1)), key(2, (1, 0, 1))))
    _, off, land, _ = path.resolved().keys
    np.testing.assert_allclose(off.arriving, (2, 0, G * 0.25), atol=1e-14)
    np.testing.assert_allclose(land.leaving, (2, 0, -G * 0.25), atol=1e-14)
    assert path.hints == ()


def test_pendulum_writes_its_end_and_starts_what_follows():
    path = Path(
        (
            key(0, (0, 0, 2)),
            key(0.5, (-0.8, 0, 1.4), (0.4, 0, -0.3), Pendulum((0, 0, 2))),
            key(1.3, (9, 9, 9), None, TWO),
            key(1.6, (9, 9, 9)),
            key(2.5, (3, 0, 1)),
        )
    )
    _, start, release, land, _ = path.resolved().keys
    assert np.linalg.norm(release.position - (0, 0, 2)) == pytest.approx(1.0 * np.hypot(0.8, 0.6), abs=1e-12)
    np.testing.assert_allclose(release.leaving, release.arriving, atol=1e-12)
    flown = release.position + 0.3 * release.leaving - (0, 0, 0.5 * G * 0.09)
    np.testing.assert_allclose(land.position, flown, atol=1e-12)
    np.testing.assert_allclose(land.leaving, release.leaving - (0, 0, 0.3 * G), atol=1e-12)
    assert path.keys[2].position == (9, 9, 9)  # the document keeps what the user said
    assert start.index == 1


def test_automatic_velocities():
    times, places = (0.0, 0.3, 1.0), [(t * t, 2 * t, 1.0) for t in (0.0, 0.3, 1.0)]
    path = Path(tuple(key(t, p) for t, p in zip(times, places)))
    first, middle, last = path.resolved().keys
    np.testing.assert_array_equal(first.leaving, 0)
    np.testing.assert_array_equal(last.arriving, 0)
    np.testing.assert_allclose(middle.leaving, (0.6, 2, 0), atol=1e-14)  # a parabola's slope is exact
    np.testing.assert_array_equal(path.with_velocity(1, (1, 2, 3)).resolved().keys[1].leaving, (1, 2, 3))


def test_outside_its_keys_it_stands_still():
    path = Path((key(0, (0, 0, 1), (1, 0, 0)), key(1, (1, 0, 1), (1, 0, 0))))
    motion = path.at([-1.0, 0.0, 0.5, 1.0, 2.0])
    np.testing.assert_allclose(motion.position[:, 0], [0, 0, 0.5, 1, 1], atol=1e-15)
    np.testing.assert_allclose(motion.velocity[:, 0], [0, 1, 1, 1, 0], atol=1e-14)
    single = Path((key(0.3, (1, 2, 3)),)).at([0.0, 0.3, 1.0])
    np.testing.assert_array_equal(single.position, np.tile((1, 2, 3), (3, 1)))


def test_gravity_is_the_paths():
    moon = replace(jump_path(), gravity=1.62).fixed()
    assert moon.keys[2].time - 0.5 == pytest.approx(math.sqrt(0.8 / 1.62) + math.sqrt(1.0 / 1.62), abs=1e-12)
    np.testing.assert_allclose(moon.at([1.0]).acceleration, [(0, 0, -1.62)])


# Hints ------------------------------------------------------------------------------------------


def test_timing_hint_says_what_and_fixed_does_it():
    path = jump_path()
    (hint,) = path.hints
    wanted = math.sqrt(2 * 0.4 / G) + math.sqrt(2 * 0.5 / G)
    assert (hint.key, hint.time, hint.kind, hint.unit) == (2, 1.0, Hint.TIMING, "s")
    assert hint.amount == pytest.approx(wanted - 0.5, abs=1e-14)
    assert (
        hint.words == "the arc to 1.40 m takes 0.60 s, the keys leave 0.50 s: move the landing 0.10 s later"
    )
    assert json.dumps(hint.to_dict())
    fixed = path.fixed()
    assert fixed.hints == ()
    assert [k.time for k in fixed.keys[:2]] == [0.0, 0.5]
    assert fixed.keys[2].time == pytest.approx(0.5 + wanted, abs=1e-14)
    assert fixed.keys[3].time == pytest.approx(1.1 + wanted, abs=1e-14)
    apex = 0.5 + math.sqrt(2 * 0.4 / G)
    assert fixed.at([apex]).position[0, 2] == pytest.approx(1.4, abs=1e-13)
    np.testing.assert_allclose(path.at([0.5, 1.0]).position, [(0.2, 0, 1), (1.5, 0, 0.9)], atol=1e-14)


def test_fixing_carries_muted_keys_along():
    path = jump_path().insert(key(0.75, muted=True))
    fixed = path.shift(3, 2.0).fixed()  # far too long: everything moves earlier
    times = [k.time for k in fixed.keys]
    assert times == sorted(times)
    assert fixed.keys[2].muted
    share = (times[2] - 0.5) / (times[3] - 0.5)
    assert share == pytest.approx(0.25 / 1.5, abs=1e-12)


def test_a_chain_of_arcs_is_fixed_from_left_to_right():
    path = Path(
        (
            key(0, (0, 0, 1), None, ProjectileIII(2)),
            key(0.1, (1, 0, 1), None, Pendulum((1, 0, 2))),
            key(0.5, (0, 0, 0), None, ProjectileIII(4)),
            key(0.6, (3, 0, 0)),
        )
    )
    fixed = path.fixed()
    assert not [h for h in fixed.hints if h.fixable]
    assert fixed.keys[2].time - fixed.keys[1].time == pytest.approx(0.4, abs=1e-12)


def test_an_overridden_velocity_is_mentioned_only_if_it_matters():
    path = Path((key(0), key(0.5, (0, 0, 1), None, ONE), key(1.0, (1, 0, 1)), key(2, (1, 0, 1))))
    exact = np.array([2, 0, G * 0.25])
    assert path.with_velocity(1, exact + (0.005, 0, 0)).hints == ()
    (hint,) = path.with_velocity(1, exact + (0.5, 0, 0)).hints
    assert (hint.kind, hint.key) == (Hint.OVERRIDDEN, 1)
    assert hint.amount == pytest.approx(0.5)
    (hint,) = path.with_velocity(2, (0, 0, 0)).hints
    assert (hint.kind, hint.key) == (Hint.OVERRIDDEN, 2)
    np.testing.assert_allclose(path.with_velocity(2, (0, 0, 0)).resolved().keys[2].leaving[0], 2)


def test_two_templates_that_both_dictate_make_a_jump():
    path = Path((key(0, (0, 0, 1), None, ONE), key(1, (1, 0, 1), None, ONE), key(2, (2, 0, 1))))
    (hint,) = path.hints
    assert hint.kind == Hint.JUMP
    assert hint.amount == pytest.approx(G)
    assert not hint.fixable
    assert path.with_template(1, TWO).hints == ()  # takes the velocity it is given


def test_velocity_along_the_arm():
    path = Path((key(0, (0, 0, 1), (1, 0, 0.5), Pendulum((0, 0, 2))), key(1)))
    (hint,) = path.hints
    assert hint.kind == Hint.ALONG_ARM
    assert hint.amount == pytest.approx(0.5)
    thrown = Path((key(-1, (0, 0, 1), (1, 0, 0), TWO), key(0, (0, 0, 0), None, Pendulum((1, 0, 0))), key(1)))
    (hint,) = thrown.hints
    assert hint.kind == Hint.JUMP


# Edits -------------------------------------------------------------------------------------------


def test_edits_return_new_paths():
    path = jump_path()
    before = path.to_dict()
    assert [k.time for k in path.move(3, 0.2).keys] == [0.0, 0.2, 0.5, 1.0]
    assert [k.time for k in path.shift(1, 0.7).keys] == pytest.approx([0.0, 0.7, 1.2, 1.8])
    assert [k.time for k in path.shift(0, -1).keys] == pytest.approx([-1, -0.5, 0, 0.6])
    assert len(path.delete(1).keys) == 3
    assert path.copy(0, 3.0).keys[-1].position == (0, 0, 0.9)
    assert path.with_position(0, (1, 1, 1)).keys[0].position == (1, 1, 1)
    assert path.with_velocity(0, None).keys[0].velocity is None
    assert path.to_dict() == before


def test_a_muted_key_is_as_if_it_were_not_there():
    path = jump_path()
    t = np.linspace(-0.5, 2, 50)
    np.testing.assert_array_equal(path.mute(2).at(t).position, path.delete(2).at(t).position)
    assert path.mute(2).mute(2, False) == path
    assert [k.index for k in path.mute(1).resolved().keys] == [0, 2, 3]


@pytest.mark.parametrize("template", [ONE, TWO, ProjectileIII(3.0), Pendulum((0.1, 0.2, 2.0))])
def test_a_key_on_the_curve_does_not_change_it(template):
    path = Path((key(0, (0, 0, 1), (1, 0.5, 0), template), key(1, (1, 0, 1)), key(2, (0, 0, 0))))
    t = np.linspace(0, 2, 41)
    denser = path.insert(path.on_curve(0.35))
    np.testing.assert_allclose(denser.at(t).position, path.at(t).position, atol=1e-12)
    split = path.with_velocity(1, (1, 1, 1)).insert(path.with_velocity(1, (1, 1, 1)).on_curve(1.4))
    np.testing.assert_allclose(
        split.at(t).position, path.with_velocity(1, (1, 1, 1)).at(t).position, atol=1e-12
    )


# Errors ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Path(()).resolved(), "at least one key"),
        (lambda: Path((key(0, muted=True),)).at([0.0]), "muted"),
        (lambda: Path((key(0), key(0))), "two keys at 0 s"),
        (lambda: Path((1,)), "key 0 of the path"),
        (lambda: Path((key(0),), math.nan), "gravity"),
        (lambda: Path((key(0),), -1.0), "gravity"),
        (lambda: key(math.nan), "time"),
        (lambda: key("soon"), "time"),
        (lambda: key(0, (0, 0)), "position"),
        (lambda: key(0, (0, 0, math.nan)), "position"),
        (lambda: key(0, (0, 0, 1), (math.inf, 0, 0)), "velocity"),
        (lambda: key(0, template="hermite"), "template"),
        (lambda: key(0, muted=1), "muted"),
        (
            lambda: jump_path().with_template(1, ProjectileIII(0.95)).hints,
            "key 1 of the path, at 0.5 s: the apex",
        ),
        (lambda: jump_path().with_template(1, Pendulum((0.2, 0, 1))).at([0]), "key 1 of the path.*no length"),
        (lambda: jump_path().with_velocity(3, (0, 0, math.nan)), "key 3 of the path: velocity"),
        (lambda: jump_path().delete(4), "0 to 3"),
        (lambda: jump_path().with_velocity(True, None), "index"),
        (lambda: jump_path().move(1, 1.0), "1 s"),
        (lambda: jump_path().shift(2, 0.4), "key 1 at 0.5 s stays"),
        (lambda: jump_path().at([math.nan]), "times"),
    ],
)
def test_errors_name_the_culprit(make, says):
    with pytest.raises(InputError, match=says):
        make()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda d: d.update(version=9), "version 9"),
        (lambda d: d.update(colour="red"), "colour"),
        (lambda d: d.update(keys={}), "keys"),
        (lambda d: d.update(gravity="much"), "gravity"),
        (lambda d: d["keys"].append(3), "key 4 of the path"),
        (lambda d: d["keys"][2].pop("time"), "key 2 of the path: a time"),
        (lambda d: d["keys"][1].update(position=[1, 2]), "key 1 of the path: position"),
        (lambda d: d["keys"][1].update(velocity=["a", 0, 0]), "key 1 of the path: velocity"),
        (lambda d: d["keys"][1]["template"].update(kind="rocket"), "key 1 of the path: .*rocket"),
        (lambda d: d["keys"][1]["template"].pop("height"), "key 1 of the path: .*height"),
        (lambda d: d["keys"][0].update(speed=1), "key 0 of the path: .*speed"),
    ],
)
def test_broken_files_name_entry_and_field(change, says):
    data = json.loads(json.dumps(jump_path().to_dict()))
    change(data)
    with pytest.raises(InputError, match=says):
        Path.from_dict(data)


@pytest.mark.parametrize("time", [0.45, 0.6, 0.75])
def test_a_key_on_an_arc_to_a_height_splits_it_without_a_hint(time):
    """Before the apex and after it."""
    keys = (
        PathKey(0.0, (0.0, 0.0, 1.0)),
        PathKey(0.4, (0.1, 0.0, 1.1), template=ProjectileIII(height=1.5)),
        PathKey(0.9, (0.6, 0.0, 1.1)),
        PathKey(1.5, (0.6, 0.0, 1.0)),
    )
    path = Path(keys).fixed()
    denser = path.insert(path.on_curve(time))
    assert denser.hints == path.hints == ()
    times = np.linspace(0.0, path.span[1], 101)
    np.testing.assert_allclose(denser.at(times).position, path.at(times).position, atol=1e-9)
