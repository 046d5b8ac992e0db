"""What carries a motion: bundled clips whose truth is known, and real captures of steps, seats and floors."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise.contacts.find import find
from poise.contacts.patches import FOOT, patches
from poise.motion import operators
from poise.world import World, ground, step


@pytest.fixture(scope="module")
def wild(shared_data):
    return lambda name: poise.load(shared_data / "cmu_wild" / f"{name}.bvh")


def parts_of(support, part):
    return [c for c in support.contacts if c.part == part]


def eased(x):
    x = np.clip(x, 0.0, 1.0)
    return x * x * (3 - 2 * x)


def levitated(clip, height=0.5, lasting=1.2, blend=0.4):
    """The clip with its figure held up in the air for a while."""
    times = np.arange(clip.frames) * clip.dt
    begin = 0.45 * clip.frames * clip.dt
    end = min(begin + lasting, clip.frames * clip.dt - 0.6)
    q = np.array(clip.q)
    q[:, 2] += height * eased((times - begin + blend) / blend) * eased((end + blend - times) / blend)
    return clip.with_q(q), (round(begin / clip.dt), round(end / clip.dt))


def test_a_jump_flies_once_under_gravity_and_stands_before_and_after():
    support = find(poise.clips.get("jump"))
    (flight,) = support.flights
    assert flight.parabola.gravity == pytest.approx(9.81, abs=0.1)
    assert support.pace == 1.0
    for side in ("left", "right"):
        before, after = parts_of(support, f"{side} foot")
        assert before.end <= flight.start + 3
        assert after.start >= flight.end - 3
        assert before.surface == after.surface == "floor"
    assert not support.world.questions


def test_a_walk_rolls_from_heel_to_toe_one_foot_after_the_other():
    clip = poise.clips.get("walk")
    support = find(clip)
    assert [(c.part, c.manner) for c in support.contacts] == [("right foot", "rolls"), ("left foot", "rolls")]
    for contact in support.contacts:
        assert contact.touches[0].patch.endswith("heel")
        assert contact.touches[-1].patch.endswith("toe")
        assert contact.way < 0.02
        assert 0.5 < (contact.end - contact.start) / clip.frames < 0.7, (
            "a stance takes six tenths of a stride"
        )
    assert not support.flights
    assert not support.unseen


def test_every_loop_is_told_once_wherever_it_begins():
    clip = poise.clips.get("walk")
    whole = [(c.part, c.end - c.start) for c in find(clip).contacts]
    turned = clip.with_q(
        np.concatenate([clip.q[20:], clip.travel.apply(clip.character, clip.q[:20], np.ones(20, dtype=int))])
    )
    later = [(c.part, c.end - c.start) for c in find(turned).contacts]
    assert sorted(p for p, _ in whole) == sorted(p for p, _ in later)
    assert abs(sum(n for _, n in whole) - sum(n for _, n in later)) <= 2


def test_who_goes_in_place_walks_on_a_belt():
    clip = poise.clips.get("walk")
    plain = operators.unroll(clip, 3)
    q = np.array(plain.q)
    speed = clip.travel.translation[0] / (clip.frames * clip.dt)
    q[:, 0] -= speed * plain.dt * np.arange(plain.frames)
    floor = find(plain.with_q(q)).world.floor
    assert floor.velocity[0] == pytest.approx(-speed, rel=0.05)
    assert abs(floor.velocity[1]) < 0.05 * speed


def test_a_body_held_up_is_unexplained_where_the_world_is_given_and_a_question_where_not():
    clip, (begin, end) = levitated(operators.unroll(poise.clips.get("walk"), 4))
    given = find(clip, World.flat(), pace=1.0)
    assert any(u.start < end and u.end > begin and u.missing > 0.5 for u in given.unseen)
    assert given.world == World.flat(), "nothing is added to a world that was given"
    assert find(clip).world.questions


def test_a_box_that_is_given_carries_who_stands_on_it():
    clip = poise.clips.get("wave")
    q = np.array(clip.q)
    q[:, 2] += 0.4
    raised = clip.with_q(q)
    box = step("box", (-1.0, -1.0), (1.0, 1.0), top=0.4)
    on = find(raised, World((ground(), box)))
    assert {c.surface for c in on.contacts if c.part.endswith("foot")} == {"box"}
    assert not on.unseen
    nothing = find(raised, World.flat(), pace=1.0)
    assert nothing.unseen
    assert nothing.unseen[0].missing == pytest.approx(1.0, abs=0.1), "the whole weight is missing"
    assert nothing.unseen[0].force[2] == pytest.approx(1.0, abs=0.1)


def test_twice_too_fast_is_found_by_the_flight():
    clip = poise.clips.get("jump")
    support = find(clip.replaced(rate=2 * clip.rate))
    assert support.pace == 2.0
    assert support.flights[0].parabola.gravity == pytest.approx(9.81, abs=0.3)


def test_the_same_frames_give_the_same_bits():
    clip = poise.clips.get("jump")
    a, b = find(clip), find(clip)
    assert a.contacts == b.contacts
    assert np.array_equal(a.left, b.left)


@pytest.mark.parametrize("name", ["humanoid", "camel", "lamp", "biped180", "face_hugger", "planar_humanoid"])
def test_every_figure_has_something_to_stand_on(name):
    found = patches(poise.characters.get(name))
    assert (found.kind == FOOT).any()
    assert len(set(found.names)) == len(found.names)
    assert (found.radius >= 0).all()
    character = poise.characters.get(name)
    at, turns = character.rest_placement()
    low = np.array([(at[b] + turns[b] @ p)[2] - r for b, p, r in zip(found.body, found.place, found.radius)])
    feet = found.kind == FOOT
    assert low[feet].min() < low.min() + 0.06 * found.stature, "what is lowest at rest is a foot"


@pytest.mark.parametrize(
    ("name", "tops"),
    [
        ("13_35", (20, 40, 63)),
        ("13_36", (20, 40, 63)),
        ("114_07", (13, 31, 44)),
        ("111_31", (26,)),
        ("83_23", (15,)),
    ],
)
def test_steps_are_found_where_feet_rest(wild, name, tops):
    support = find(wild(name))
    floor = support.world.floor.shape.height
    found = sorted(100 * (s.place[2] + s.shape.half[2] - floor) for s in support.world.questions)
    assert found == pytest.approx(tops, abs=2.0)
    assert not support.flights
    assert not support.unseen


@pytest.mark.parametrize(("name", "height"), [("114_05", 45), ("143_18", 39)])
def test_who_sits_sits_on_a_seat(wild, name, height):
    support = find(wild(name))
    floor = support.world.floor.shape.height
    (seat,) = support.world.questions
    assert seat.name == "seat"
    assert 100 * (seat.place[2] + seat.shape.half[2] - floor) == pytest.approx(height, abs=2.0)
    assert any(c.part == "seat" and c.surface == "seat" for c in support.contacts)


@pytest.mark.parametrize("name", ["111_06", "111_12", "111_21", "113_08", "114_02"])
def test_who_lies_lies_on_the_floor(wild, name):
    support = find(wild(name))
    assert not support.world.questions
    assert any(c.part in ("back", "seat", "loin") and c.surface == "floor" for c in support.contacts)
    assert (support.unexplained > 0.3).mean() < 0.03


@pytest.mark.parametrize("name", ["75_12", "75_13"])
def test_jumps_recorded_at_half_the_rate(wild, name):
    support = find(wild(name))
    assert support.pace == 2.0
    long = [f for f in support.flights if (f.end - f.start) * support.need.dt > 0.2]
    assert len(long) == 4
    for flight in long:
        assert flight.parabola.gravity == pytest.approx(9.81, abs=0.6)


@pytest.mark.parametrize("fps", [30, 20])
@pytest.mark.parametrize("name", ["07_01", "13_35", "02_04"])
def test_contacts_at_few_frames_per_second_are_those_at_many(wild, name, fps):
    clip = wild(name)
    often, seldom = find(clip), find(operators.resample(clip, fps))
    times = np.arange(0.0, clip.frames * clip.dt, 1 / 240)

    def held(support, part):
        dt = support.need.clip.dt
        spans = [((c.start - 0.5) * dt, (c.end + 0.5) * dt) for c in parts_of(support, part)]
        return np.any([(times >= a) & (times <= b) for a, b in spans], axis=0)

    pairs = [(held(often, p), held(seldom, p)) for p in ("left foot", "right foot")]
    shared, all_ = (sum(float(f(a, b).sum()) for a, b in pairs) for f in (np.logical_and, np.logical_or))
    assert shared / all_ >= 0.92
