"""Parts of a session: what is kept, which targets are shifted, which contact another takes after."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import poise
from poise import clips
from poise.clips.named import clip_named
from poise.contacts.given import GivenContact
from poise.errors import InputError, UnknownNameError
from poise.methods.loosen.simulate.simulator import Simulator
from poise.methods.loosen.window.windows import windows_of
from poise.operations.hit import Hit
from poise.operations.loosen import Loosen
from poise.serve import aiming, live
from poise.serve.carrying import _whole, contacts_told, parts_by_bone
from poise.serve.frames import MOST_BODY, MOST_HEAD
from poise.serve.live import checked_frames
from poise.serve.session import LONGEST_NAME, MOST_KEPT, Session, Shelf, name_in


def test_the_longest_unused_goes_first():
    shelf: Shelf[int] = Shelf("clip")
    for k in range(MOST_KEPT):
        shelf.put(f"{k}", k)
    assert shelf.get("0") == 0, "now it is the last one used"
    shelf.put("2", 200)
    shelf.put("one more", 1)
    assert shelf.find("1") is None
    assert [shelf.find(name) for name in ("0", "2", "3", "one more")] == [0, 200, 3, 1]
    assert (shelf.drop("3"), shelf.drop("3")) == (True, False)
    for wrong in ("3", 3, None):
        with pytest.raises(UnknownNameError, match=r"clip.*this session; send it again"):
            shelf.get(wrong)
    assert (MOST_KEPT, MOST_HEAD, MOST_BODY > MOST_HEAD) == (32, MOST_HEAD, True)


@pytest.mark.parametrize("name", ["", 3, None, "x" * (LONGEST_NAME + 1)])
def test_names_have_letters_but_not_too_many(name):
    with pytest.raises(InputError, match="field 'clip' must be a name of 1 to 256 letters"):
        name_in({"clip": name}, "clip")


def test_names_may_be_long_and_short():
    assert name_in({"clip": "x" * LONGEST_NAME}, "clip") == "x" * LONGEST_NAME
    assert name_in({"clip": "x"}, "clip") == "x"


def test_shifts_are_those_of_a_clip():
    session = Session()
    session.shifts("a")[("Hand", 0.5)] = np.ones(3)
    assert list(session.shifts("a")) == [("Hand", 0.5)]
    assert session.shifts("b") == {}
    session.solved.drop("a/shifts")
    assert session.shifts("a") == {}


def test_a_session_finds_motions_before_characters_before_files():
    session, walk = Session(), clips.get("walk")
    assert session.clip("walk").frames == walk.frames
    still = SimpleNamespace(at_rest=lambda: "at rest")
    session.figures.put("walk", still)
    assert session.clip("walk") == "at rest"
    session.performances.put("walk", SimpleNamespace(clip="moving"))
    assert session.clip("walk") == "moving"


@pytest.mark.parametrize(("given", "frames"), [(None, None), ([0, 4, 4], [0, 4, 4])])
def test_frames_of_a_clip(given, frames):
    assert checked_frames(given, clips.get("walk")) == frames


@pytest.mark.parametrize("given", [[], "3", [True], [1.0], [-1], 3])
def test_frames_that_are_none(given):
    with pytest.raises(InputError, match="field 'frames'"):
        checked_frames(given, clips.get("walk"))


def test_the_last_frame_is_one_and_the_next_is_none():
    walk = clips.get("walk")
    assert checked_frames([walk.frames - 1], walk) == [walk.frames - 1]
    with pytest.raises(InputError, match=f"frames 0 to {walk.frames - 1}, not {walk.frames}"):
        checked_frames([walk.frames], walk)


PLACE = {
    "handle": {"kind": "point_position", "point": "RightHand"},
    "target": {"value": [1.0, 2.0, 3.0]},
    "when": {"at": 0.5},
}


@pytest.mark.parametrize(
    ("change", "is_one"),
    [
        ({}, True),
        ({"handle": PLACE["handle"] | {"axes": "xyz"}}, True),
        ({"handle": PLACE["handle"] | {"axes": "xy"}}, False),
        ({"handle": {"kind": "joint", "joint": "knee"}}, False),
        ({"target": {"value": [1.0]}}, False),
        ({"when": {"from": 0.0, "to": 1.0}}, False),
        ({"when": {"at": 2}}, True),
        ({"rate": True}, False),
        ({"muted": True}, False),
        ({"rate": False, "muted": False}, True),
    ],
)
def test_only_places_at_times_are_shifted(change, is_one):
    asked = Hit(constraints=(PLACE | change,))
    key = ("RightHand", float((PLACE | change)["when"].get("at", 0.5)))
    by = {key: np.array([0.1, 0.0, -0.2])}
    (entry,) = aiming.shifted(asked, by).constraints
    if is_one:
        assert list(entry["target"]["value"]) == pytest.approx([1.1, 2.0, 2.8])
        assert aiming.shifted(asked, {(key[0], key[1] + 0.1): by[key]}).constraints == asked.constraints
    else:
        assert entry == asked.constraints[0]
    assert aiming.shifted(asked, {}) is asked


def test_targets_lie_on_frames_of_figures_that_stretch():
    clip = SimpleNamespace(fps=30.0, frames=16)
    who = SimpleNamespace(figure=SimpleNamespace(rigid=True), clip=clip)

    def targets(at: float, **more):
        return aiming._targets(Hit(constraints=(PLACE | {"when": {"at": at}} | more,)), who)

    (target,) = targets(0.5, tolerance=0.02, lower=[-0.01] * 3, upper=[0.03, 0.0, 0.0]).values()
    assert (target.frame, target.place.tolist(), target.tolerance) == (15, [1, 2, 3], pytest.approx(0.05))
    (usual,) = targets(0.0).values()
    assert (usual.frame, 0 < usual.tolerance < 0.01) == (0, True)
    assert not targets(16 / 30)
    assert not targets(0.51), "between two frames"
    assert not targets(-1 / 30)
    who.figure.rigid = False
    assert not targets(0.5)


def test_what_is_off_is_said_where_it_is_more_than_may_be():
    wanted = {
        ("Hand", 0.5): aiming.Target(15, np.zeros(3), 0.01),
        ("Foot", 0.0): aiming.Target(0, np.zeros(3), 0.01),
    }
    off = {("Hand", 0.5): np.array([0.0, 0.03, 0.04]), ("Foot", 0.0): np.array([0.0099, 0.0, 0.0])}
    (words,) = aiming._words(off, wanted)
    assert words.startswith("Hand at frame 15: the bone that is shown is off by 0.05 m (tolerance 0.01)")
    assert not aiming._near(off)
    assert aiming._near({("Hand", 0.5): np.full(3, 0.99e-6)})
    assert not aiming._near({("Hand", 0.5): np.array([0.0, -1.1e-6, 0.0])})


def test_a_contact_is_like_that_of_its_part_nearest_in_time():
    early, late, other = (
        SimpleNamespace(part=part, start=start, end=end, surface=surface, manner=manner)
        for part, start, end, surface, manner in (
            ("left foot", 0, 10, "floor", "rolls"),
            ("left foot", 40, 60, "step", "planted"),
            ("right foot", 20, 25, "box", "planted"),
        )
    )
    world = SimpleNamespace(surfaces=[SimpleNamespace(name=n) for n in ("floor", "step", "box")])
    support = SimpleNamespace(contacts=(early, late, other), world=world)

    def made(start: int, end: int, part: str = "left foot", **told):
        given = GivenContact(part=part, start=start, end=end, **told)
        found = _whole(given, told, support)
        return found.surface, found.manner

    assert made(12, 20)[0] == "floor"
    assert made(12, 20)[1] == "rolls"
    assert made(35, 38)[0] == "step"
    assert made(8, 59)[0] == "step", "it lies beside more of it"
    assert made(0, 5, surface="box")[0] == "box"
    assert made(0, 5, manner="planted") == ("floor", "planted")
    assert made(0, 5, "left hand")[0] == "floor", "nobody is like it: the first there is"
    bare = SimpleNamespace(contacts=(), world=SimpleNamespace(surfaces=[]))
    assert _whole(GivenContact(part="left foot", start=0, end=1), {}, bare).surface == ""


def test_contacts_are_a_list_and_of_parts_that_are_there():
    walk = clips.get("walk")
    parts = parts_by_bone(walk.character)
    assert {"left foot", "right foot"} <= set(parts.values())
    assert contacts_told(None, walk, Hit(constraints=())) is None
    for wrong in ({}, "left foot", [{}] * 10_001):
        with pytest.raises(InputError, match="field 'contacts' must be a list of at most 10000"):
            contacts_told(wrong, walk, Hit(constraints=()))


@pytest.mark.parametrize("name", ["walk", "punch", "run", "jump"])
def test_longer_steps_are_hardly_seen(name):
    """A whole motion at 24 frames a second, as it is told while something moves, beside the bake's."""
    clip = poise.resample(clip_named(name), 24).clip
    asked = Loosen()
    simulator = Simulator(clip, asked.spec, asked)
    windows = windows_of(simulator, asked.window)
    rough, exact = (live._states(simulator, windows, chosen) for chosen in (None, [*range(clip.frames)]))
    places = [clip.character.placement(q).positions for q in (rough, exact)]
    assert 1e-5 < np.abs(places[0] - places[1]).max() < 0.01
