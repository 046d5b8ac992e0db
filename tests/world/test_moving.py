"""Props that move or are carried: what goes with them stands still on them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import poise
from poise.errors import InputError, UnknownNameError
from poise.manifold import so3
from poise.world import Ball, Box, Ground, Surface, Track, World, ground

TIMES = np.array([0.0, 0.5, 1.2, 2.0])
TRACK = Track(
    TIMES,
    [[0.0, 0.0, 0.0], [0.5, 0.0, 0.2], [0.5, 0.4, 0.2], [0.0, 0.0, 0.0]],
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.7], [0.3, 0.0, 0.7], [0.0, 0.1, 0.0]],
)


def lift() -> Surface:
    return Surface("lift", Box((0.5, 0.4, 0.1)), (0.1, 0.0, 0.3), (0.0, 0.2, 0.1), track=TRACK)


def riding(surface, own, times):
    """Where material places (P, 3) of a surface are at times: (T, P, 3)."""
    pose = surface.pose(times)
    return np.einsum("tij,pj->tpi", pose.turn, own) + pose.place[:, None]


def test_material_places_stay_where_they_are_on_it():
    prop, rng = lift(), np.random.default_rng(0)
    own, times = rng.uniform(-0.6, 0.6, (7, 3)), np.linspace(-0.3, 2.4, 41)
    gap, normal = prop.gap(riding(prop, own, times), times[:, None])
    np.testing.assert_allclose(gap, np.broadcast_to(gap[:1], gap.shape), atol=1e-12)
    there, _ = prop.shape.gap(own)
    np.testing.assert_allclose(gap[0], there, atol=1e-12)
    assert np.allclose(np.linalg.norm(normal, axis=-1), 1.0)


def test_the_velocity_of_the_surface_is_that_of_its_material():
    prop, rng = lift(), np.random.default_rng(1)
    own = rng.uniform(-0.6, 0.6, (5, 3))
    times = np.array([-0.5, 0.1, 0.3, 0.7, 1.1, 1.6, 2.5])  # between keys, where it is smooth
    h = 1e-6
    ahead, back = riding(prop, own, times + h), riding(prop, own, times - h)
    found = prop.velocity_at(riding(prop, own, times), times[:, None])
    np.testing.assert_allclose(found, (ahead - back) / (2 * h), atol=1e-8)
    assert (found[[0, -1]] == 0).all(), "held before and after"


def test_who_rides_is_at_rest_relative_to_the_surface():
    world = World((ground(), lift(), Surface("belt", Box((1, 1, 0.1)), (0, 5, 0), velocity=(-1.0, 0.0, 0.0))))
    times = np.linspace(0.05, 1.95, 40)
    own = np.array([[0.1, 0.1, 0.11], [-0.2, 0.0, 0.12]])
    places = riding(lift(), own, times)
    below = world.below(places, 0.0, times[:, None])
    assert (below.surface == 1).all()
    h = 1e-6
    speed = (riding(lift(), own, times + h) - places) / h
    left = speed - world.velocity(places, below.surface, times[:, None])
    assert np.abs(left).max() < 1e-4
    assert np.abs(speed).max() > 0.5
    walker = world.below(np.array([0.0, 5.0, 0.1]))
    assert world.velocity(np.array([0.0, 5.0, 0.1]), walker.surface).tolist() == [-1.0, 0.0, 0.0]
    assert (
        world.velocity(np.array([9.0, 9.0, 0.0]), world.below(np.array([9.0, 9.0, 0.0])).surface) == 0
    ).all()


def test_a_belt_that_is_turned_by_its_track_runs_along_with_it():
    quarter = Track([0.0, 1.0], [[0, 0, 0], [0, 0, 0]], [[0, 0, np.pi / 2], [0, 0, np.pi / 2]])
    belt = Surface("belt", Box(), velocity=(1.0, 0.0, 0.0), track=quarter)
    np.testing.assert_allclose(belt.velocity_at([0.0, 0.0, 0.0], 0.5), [0.0, 1.0, 0.0], atol=1e-15)


def test_a_world_at_a_time_is_one_that_stands():
    world = World((ground(), lift()))
    places = np.random.default_rng(2).uniform(-1, 1, (30, 3))
    for time in (-1.0, 0.3, 1.7):
        then, still = world.below(places, 0.01, time), world.at(time)
        assert not still.moves
        again = still.below(places, 0.01)
        np.testing.assert_allclose(then.gap, again.gap, atol=1e-12)
        assert (then.surface == again.surface).all()


def test_what_appears_is_not_there_before():
    ball = Surface("ball", Ball(0.1), track=Track([1.0, 2.0], [[0, 0, 1], [0, 0, 2]], appears=True))
    world = World((ball,))
    found = world.below(np.array([[0.0, 0.0, 1.0]] * 3), 0.0, np.array([0.5, 1.0, 2.0]))
    assert found.gap.tolist() == [np.inf, -0.1, pytest.approx(0.9)]
    assert found.surface.tolist() == [-1, 0, 0]


def test_a_muted_surface_is_out_of_the_way():
    world = World((ground(), Surface("box", Box(), muted=True)))
    assert world.below([0.0, 0.0, 0.51]).surface == 0


def test_a_carried_prop_goes_with_the_body():
    clip = poise.clips.get("walk")
    body = clip.character.names[-1]
    tray = Surface("tray", Box((0.2, 0.2, 0.01)), (0.1, 0.0, 0.05), carried=body)
    with pytest.raises(InputError, match="carried by"):
        tray.gap([0.0, 0.0, 0.0])
    world = World((ground(), tray)).carried_by(clip)
    found = poise.kinematics.Kinematics(clip.character, clip.q)  # another way to the same places
    i = clip.character.index(body)
    own = np.array([0.15, 0.05, 0.09])  # of the body: three centimetres above the tray
    places = found.positions[:, i] + found.rotations[:, i] @ own
    below = world.below(places, 0.0, clip.times)
    gap, _ = world["tray"].gap(places, clip.times)
    np.testing.assert_allclose(gap, 0.03, atol=1e-9)
    assert below.gap.shape == clip.times.shape
    other = World((tray.replaced(character="friend"),))
    assert other.carried_by(clip, {"friend": clip})["tray"].track == world["tray"].track
    with pytest.raises(UnknownNameError, match="friend"):
        other.carried_by(clip)


def test_moving_worlds_are_read_as_they_were_written():
    carried = Surface("bag", Ball(0.2), carried="Spine", character="friend", bounce=0.4, muted=True)
    thrown = Surface("ball", Ball(0.1), track=Track([1.0, 2.0], [[0, 0, 1], [0, 0, 2]], appears=True))
    world = World((ground(), lift(), carried, thrown))
    assert World.from_dict(json.loads(json.dumps(world.to_dict()))) == world


def test_drawn_where_it_is_at_the_time():
    prop = lift()
    vertices, _ = prop.mesh(time=0.8)
    assert np.abs(prop.gap(vertices, 0.8)[0]).max() < 1e-12
    floor = ground(0.2, (0.1, 0.0))
    under = np.array([[3.0, 4.0, 0.0], [5.0, 4.5, 1.0]])
    patch = floor.mesh(under).vertices
    assert np.abs(floor.gap(patch)[0]).max() < 1e-12
    assert (patch[:, :2].min(axis=0) < [3.0, 4.0]).all()
    assert (patch[:, :2].max(axis=0) > [5.0, 4.5]).all()


def test_a_wall_is_no_floor():
    wall = Surface("wall", Ground(), (2.0, 0.0, 0.0), (0.0, -np.pi / 2, 0.0))
    gap, normal = wall.gap([0.5, 0.3, 1.0])
    assert gap == pytest.approx(1.5)
    np.testing.assert_allclose(normal, [-1.0, 0.0, 0.0], atol=1e-12)
    assert World((wall, ground())).floor.name == "floor"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Track([0.0, 0.0], [[0, 0, 0]] * 2), "must increase"),
        (lambda: Track([], np.zeros((0, 3))), "there must be one"),
        (lambda: Track([0.0], [[0, 0, 0]], appears=1), "true or false"),
        (lambda: Track.from_dict({"times": [0.0]}), "times and places"),
        (lambda: Surface("x", Box(), track=TRACK, carried="Hips"), "give one of them"),
        (lambda: Surface("x", Box(), character="Ann"), "not the body that carries it"),
        (lambda: Surface("x", Box(), track=3), "must be a Track"),
        (lambda: Surface("x", Box(), source="guessed"), "guessed"),
        (lambda: World.from_dict({"surfaces": [5]}), "name and shape"),
        (
            lambda: World.from_dict({"surfaces": [{"name": "x", "shape": {"kind": "box"}, "track": 3}]}),
            "track",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(make, said):
    with pytest.raises(InputError, match=said):
        make()


def test_tracks_turn_evenly_the_shorter_way():
    track = Track([0.0, 1.0], [[0, 0, 0], [0, 0, 0]], [[0, 0, 3.0], [0, 0, -3.0]])
    half = so3.log(so3.from_matrix(track.at(0.5).turn))
    assert abs(abs(half[2]) - np.pi) < 1e-9
