"""On what moves, rest is to go along with it: a person on a lift, a belt that slides, a tray in a hand."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

import poise
from poise.character.presets import humanoid
from poise.contacts.find import find
from poise.contacts.given import ClipContacts, contacts_of
from poise.kinematics import Kinematics
from poise.methods.adapt.plants.detect import detect
from poise.motion import Clip
from poise.world import Box, Surface, Track, World, ground

TOP = 0.2


def lifted(way: float, *, sideways: float = 0.0) -> tuple[Clip, World]:
    """Someone on a lift that goes up by ``way`` and aside within two seconds, at rest at the ends."""
    body = humanoid()
    times = np.arange(121) / 60.0
    s = times / 2.0
    up = way * (10 * s**3 - 15 * s**4 + 6 * s**5)
    aside = sideways * (10 * s**3 - 15 * s**4 + 6 * s**5)
    q = np.tile(body.rest_pose(), (121, 1))
    low = float(Kinematics(body, q[:1]).positions[0, :, 2].min())
    soles = min(
        low, min(Kinematics(body, q[:1]).point(p)[0, 2] for p in ("LeftBall", "RightBall", "LeftHeel"))
    )
    q[:, 2] += TOP - soles + up
    q[:, 1] += aside
    path = np.stack([0 * up, aside, TOP - 0.1 + up], axis=1)
    track = Track(times, path, np.zeros((121, 3)))
    prop = Surface("lift", Box((0.6, 0.6, 0.1)), (0.0, 0.0, 0.0), track=track)
    return Clip(body, q, 60), World((ground(0.0), prop))


@pytest.mark.parametrize("sideways", [0.0, 0.4])
def test_a_person_on_a_lift_stands_on_it_throughout(sideways):
    clip, world = lifted(0.6, sideways=sideways)
    found = find(clip, world)
    feet = [c for c in found.contacts if c.part.endswith("foot")]
    assert {c.surface for c in feet} == {"lift"}
    for side in ("left foot", "right foot"):
        touched = np.zeros(121, dtype=bool)
        for contact in (c for c in feet if c.part == side):
            touched[max(contact.start, 0) : contact.end + 1] = True
        assert touched.mean() > 0.97
    assert not found.flights
    assert np.median(found.unexplained) < 0.05


def test_who_stands_on_a_train_at_full_speed_is_at_rest():
    """At a steady 3 m/s nothing but the speed of the floor tells standing from sliding."""
    clip, world = lifted(0.0)
    way = 3.0 * np.asarray(clip.times)
    q = np.array(clip.q)
    q[:, 0] += way
    path = np.stack([way, 0 * way, np.full(len(way), TOP - 0.1)], axis=1)
    track = Track(np.asarray(clip.times), path, np.zeros((len(way), 3)))
    train = World((world["floor"], world["lift"].replaced(track=track)))
    found = find(clip.with_q(q), train)
    assert {(c.part, c.surface, c.manner) for c in found.contacts} >= {
        ("left foot", "lift", "stands"),
        ("right foot", "lift", "stands"),
    }
    assert found.rest[5:-5, [k for k, p in enumerate(found.need.patches.part) if p.endswith("foot")]].all()
    assert np.median(found.unexplained) < 0.05


def test_the_same_on_a_lift_that_stays_is_carried_by_nothing():
    clip, world = lifted(0.6)
    stays = World((world["floor"], world["lift"].at(0.0)))
    found = find(clip, stays)
    late = [c for c in found.contacts if c.surface == "lift" and c.end > 110]
    assert not late
    assert np.median(found.unexplained[60:]) > 0.5


def test_feet_stand_where_the_user_says_they_do():
    """A contact cut short by its owner is a plant cut short; one taken out is none."""
    clip = poise.clips.get("punch")
    found = contacts_of(find(clip))
    standing = detect(clip)
    left = next(k for k, c in enumerate(found.contacts) if c.part == "left foot")
    cut = found.contacts[left]
    shorter = found.with_contact(left, msgspec.structs.replace(cut, start=cut.end - 20, source="given"))
    held = [p for p in detect(clip, given=shorter) if any("Left" in name for name in p.intervals)]
    begins = min(when.start for p in held for when in p.intervals.values())
    assert begins >= (cut.end - 20) / float(clip.rate) - 1e-9
    before = min(w.start for p in standing for n, w in p.intervals.items() if "Left" in n)
    assert before < begins
    gone = ClipContacts(surfaces=found.surfaces).with_contacts(
        [c for c in found.contacts if c.part != "left foot"]
    )
    assert not [p for p in detect(clip, given=gone) if any("Left" in name for name in p.intervals)]
