"""The server as a host meets it: a process of its own, over pipes, through the client that hosts use."""

from __future__ import annotations

import json
import subprocess
import sys

import msgspec
import numpy as np
import pytest
from hosts import told

import poise
from poise.character import Body, Character, Joint
from poise.clips.named import clip_named
from poise.formats.gltf.local_motion import local_motion
from poise.formats.weighing import Weighing
from poise.manifold import so3
from poise.motion import Clip
from poise.operations.description import card
from poise.operations.frozen_data import thaw
from poise.operations.hit import Hit
from poise.operations.registry import operations
from poise.serve import aiming, requests
from poise.serve.client import Client, PoiseProblem
from poise.serve.session import Session

COMMAND = [sys.executable, "-c", "from poise.cli import main; main(['serve', '--stdio'])"]


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    """Ball joints alone, as hosts have them, and masses that have to be guessed."""
    path = tmp_path_factory.mktemp("walk") / "walk.bvh"
    clip_named("walk").replaced(loop=False).save(path)
    return as_balls(poise.load(path))


def as_balls(clip):
    """The same motion of ball joints, whatever joints it had."""
    who = clip.character
    where, turns = local_motion(who, clip.q)
    bodies = [
        Body(b.name, b.parent, Joint.free() if i == 0 else Joint.ball(), b.offset, b.rest, points=b.points)
        for i, b in enumerate(who.bodies)
    ]
    made = Weighing.of(True)(Character(who.name, bodies, mass_source="none"))
    q = np.concatenate([where[0], *turns], axis=1)
    return Clip(made, q, clip.rate, loop=clip.loop, travel=clip.travel, name=clip.name)


@pytest.fixture(scope="module")
def client(walk, tmp_path_factory):
    """A server that knows a walk whose bones are rolled at random, in a world turned by a quarter."""
    with (tmp_path_factory.mktemp("serve") / "log").open("wb") as log:
        pipe = subprocess.PIPE
        with subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=log) as process:
            opened = Client(process.stdout, process.stdin)
            head, arrays, motion, frames_ = told(walk, seed=1, quarters=1)
            opened.ask(head, arrays)
            opened.ask(motion, frames_)
            yield opened
            process.stdin.close()
        assert process.returncode == 0


def in_host(clip, quarters=1):
    """Where bodies are, as the host of the fixture sees it."""
    world = so3.exp(np.array([0.0, 0.0, 0.5 * np.pi * quarters]))
    return so3.rotate(world, clip.character.placement(clip.q).positions)


def test_it_greets_with_its_protocol(client):
    assert client.greeting["protocol"] == 1
    assert client.greeting["poise"] == poise.__version__


def test_operations_are_told_as_declared(client):
    cards = client.ask({"ask": "operations"})[0]["operations"]
    declared = [msgspec.to_builtins(card(each)) for each in operations().values()]
    assert cards == json.loads(json.dumps(declared))


def test_an_unchanged_motion_comes_back(client, walk):
    sent = told(walk, seed=1, quarters=1)[3]
    answer, arrays = client.ask({"ask": "run", "clip": "walk", "operation": {"do": "trim", "start": 0}})
    assert answer["met"]
    assert np.abs(arrays["positions"] - sent["positions"]).max() < 1e-12
    same = np.abs(np.sum(arrays["rotations"] * sent["rotations"], axis=-1))
    assert np.abs(same - 1).max() < 1e-12


@pytest.mark.parametrize("seed, quarters", [(1, 1), (2, 0), (3, 3)])
def test_rolls_and_headings_change_nothing(client, walk, seed, quarters):
    """Bones of any roll, in a world of any of four headings: the loosened walk is that of the library."""
    name = f"rolled {seed}"
    head, arrays, motion, frames_ = told(walk, seed=seed, quarters=quarters, name=name)
    client.ask(head | {"name": name}, arrays)
    client.ask(motion | {"character": name}, frames_)
    loose = client.ask({"ask": "run", "clip": name, "operation": {"do": "loosen", "tension": "loose"}})[1]
    wanted = in_host(poise.loosen(walk, "loose").clip, quarters)
    assert np.abs(loose["positions"] - wanted).max() < 1e-9


def test_a_hit_is_the_librarys(client, walk):
    hand = walk.character.index("RightHand")
    place = walk.character.placement(walk.q[20:21]).positions[0, hand] + [0.05, 0.0, 0.1]
    time = float(walk.times[20])
    own = poise.hit(walk, [poise.constraints.pin("RightHand", place, time)])
    turned = so3.rotate(so3.exp(np.array([0.0, 0.0, 0.5 * np.pi])), place)
    wish = poise.constraints.pin("RightHand", turned, time).to_dict()
    answer, arrays = client.ask(
        {"ask": "run", "clip": "walk", "operation": {"do": "hit", "constraints": [wish]}}
    )
    assert answer["met"]
    assert np.abs(arrays["positions"] - in_host(own.clip)).max() < 1e-7
    assert np.abs(arrays["positions"][20, hand] - turned).max() < 1e-6
    moved = poise.constraints.pin("RightHand", turned + [0.0, 0.02, 0.0], time).to_dict()
    asked = {"ask": "glimpse", "clip": "walk", "operation": {"do": "hit", "constraints": [moved]}}
    seen, one = client.ask(asked | {"frames": [20], "quick": True})
    assert not seen["exact"]
    assert np.abs(one["positions"][0, hand] - turned - [0.0, 0.02, 0.0]).max() < 1e-3
    seen, every = client.ask(asked | {"quick": True})
    assert not seen["exact"]
    assert (every["positions"][20] == one["positions"][0]).all()
    seen, every = client.ask(asked)
    baked = client.ask(asked | {"ask": "run"})[1]
    assert seen["exact"]
    assert (every["positions"] == baked["positions"]).all()
    assert client.ask(asked | {"frames": [7], "quick": True})[0]["exact"], "the whole is remembered"


def stretched(walk):
    """A rig that stretches its arms by up to 3 %, as it is told."""
    head, arrays, motion, frames_ = told(walk, seed=5, name="stretched")
    who, positions = walk.character, np.array(frames_["positions"])
    more = 0.03 * np.sin(np.linspace(0, 5, walk.frames))[:, None]
    for name in ("RightForeArm", "RightHand"):
        i = who.index(name)
        away = more * (positions[:, i] - positions[:, who.parents[i]])
        positions[:, who.subtree(i)] += away[:, None]
    return head | {"name": "rubber", "rigid": True}, arrays, motion, frames_ | {"positions": positions}


def test_a_bone_that_is_off_in_the_host_is_missed(walk, monkeypatch):
    """Poise's own bone is at the target; the one that is shown is not, and that is what counts."""
    session = Session()

    def ask(head, arrays=None):
        return requests.answer(session, requests.Request(head, arrays or {}, lambda part: None)).head

    head, arrays, motion, frames_ = stretched(walk)
    ask(head, arrays)
    ask(motion | {"character": "rubber"}, frames_)
    place = frames_["positions"][20, walk.character.index("RightHand")] + [0.06, 0.0, 0.1]
    wish = poise.constraints.pin("RightHand", place, float(walk.times[20])).to_dict()
    run = {"ask": "run", "clip": "stretched", "operation": {"do": "hit", "constraints": [wish]}}
    glimpsed = run | {"ask": "glimpse", "frames": [20]}
    monkeypatch.setattr(aiming, "PASSES", 0)
    answer = ask(run)
    assert not answer["met"]
    assert not answer["facts"]["met"]
    assert "RightHand at frame 20: the bone that is shown is off by" in answer["missed"][0]
    assert answer["missed"][0] in answer["report"]
    monkeypatch.undo()
    answer = ask(run)
    assert answer["met"]
    assert answer["missed"] == []
    session.solved.drop("stretched/hit")
    assert ask(glimpsed)["exact"]  # aimed as a bake is


def test_shifts_belong_to_a_point_and_a_time(walk):
    """Another constraint before it, or another thread's new one: each target is shifted by its own."""
    one, two = (poise.constraints.pin(name, [0, 0, 1], 0.5).to_dict() for name in ("RightHand", "LeftHand"))
    shifts = {("RightHand", 0.5): np.array([1.0, 0.0, 0.0]), ("RightHand", 0.25): np.ones(3)}
    moved = aiming.shifted(Hit(constraints=(two, one)), shifts)
    assert [thaw(moved.constraints)[k]["target"]["value"] for k in (0, 1)] == [[0, 0, 1], [1, 0, 1]]


def test_bones_that_stretch_meet_their_targets(client, walk):
    """Unchanged to rounding, and the rig's own bone at the target."""
    head, arrays, motion, frames_ = stretched(walk)
    who, positions = walk.character, frames_["positions"]
    client.ask(head, arrays)
    assert client.ask(motion | {"character": "rubber"}, frames_)[0]["free"] == []
    same = client.ask({"ask": "run", "clip": "stretched", "operation": {"do": "trim", "start": 0}})[1]
    assert np.abs(same["positions"] - positions).max() < 1e-12
    hand = who.index("RightHand")
    place = positions[20, hand] + [0.06, 0.0, 0.1]
    wish = poise.constraints.pin("RightHand", place, float(walk.times[20])).to_dict()
    hit = {"do": "hit", "constraints": [wish]}
    answer, found = client.ask({"ask": "run", "clip": "stretched", "operation": hit})
    assert answer["met"]
    assert np.abs(found["positions"][20, hand] - place).max() < 2e-6
    quick = {"ask": "glimpse", "clip": "stretched", "operation": hit, "frames": [20], "quick": True}
    assert np.abs(client.ask(quick)[1]["positions"][0, hand] - place).max() < 1e-4
    seen, every = client.ask({"ask": "glimpse", "clip": "stretched", "operation": hit})
    assert seen["exact"]
    assert np.abs(every["positions"] - found["positions"]).max() < 2e-6


def test_a_whole_motion_is_nearly_there_while_something_moves(client, walk):
    """At 24 frames a second in longer steps, and exact at its target; what is asked for alone stays exact."""
    slow = poise.resample(walk, 24).clip
    head, arrays, motion, frames_ = told(slow, name="slow")
    client.ask(head | {"name": "slow walker"}, arrays)
    client.ask(motion | {"character": "slow walker"}, frames_)
    ask = {"ask": "glimpse", "clip": "slow", "operation": {"do": "loosen"}}
    whole = client.ask(ask)[1]["positions"]
    rough = client.ask(ask | {"quick": True})[1]["positions"]
    assert 1e-5 < np.abs(rough - whole).max() < 0.01
    assert (client.ask(ask | {"quick": True, "frames": [9]})[1]["positions"][0] == whole[9]).all()
    hand, time = walk.character.index("RightHand"), float(slow.times[12])
    place = slow.character.placement(slow.q[12:13]).positions[0, hand] + [0.05, 0.0, 0.1]
    mark = poise.constraints.pin("RightHand", place, time).to_dict()
    ask["operation"] = {"do": "hit", "constraints": [mark]}
    client.ask(ask | {"ask": "run"})
    rough = client.ask(ask | {"quick": True})
    assert not rough[0]["exact"]
    assert np.abs(rough[1]["positions"][12, hand] - place).max() < 1e-4


def test_a_glimpse_is_what_is_baked(client):
    """One frame alone has the bits of the whole; with windows chosen before it is quick and says so."""
    operation = {"do": "loosen", "tension": "loose"}
    whole = client.ask({"ask": "run", "clip": "walk", "operation": operation})[1]["positions"]
    seen, one = client.ask({"ask": "glimpse", "clip": "walk", "operation": operation, "frames": [7, 30]})
    assert seen["exact"]
    assert (one["positions"] == whole[[7, 30]]).all()
    every = client.ask({"ask": "glimpse", "clip": "walk", "operation": operation})[1]
    assert (every["positions"] == whole).all()
    ask = {
        "ask": "glimpse",
        "clip": "walk",
        "quick": True,
        "operation": operation | {"tension": 2.5},
        "frames": [7],
    }
    quick, rough = client.ask(ask)
    assert not quick["exact"]
    exact = client.ask(ask | {"quick": False})[1]["positions"]
    assert np.abs(rough["positions"] - exact).max() < 0.05


def test_contacts_are_found_and_taken_as_the_host_says(client):
    """Those that are found change nothing to the bit; a foot that is not among them moves, also in a hit."""
    found, _ = client.ask({"ask": "contacts", "clip": "walk"})
    assert {"left foot", "right foot"} <= {c["part"] for c in found["contacts"]}
    assert found["parts"]["LeftToeBase"] == "left foot"
    spoken = [{k: c[k] for k in ("part", "start", "end")} for c in found["contacts"]]
    others = [c for c in spoken if c["part"] != "left foot"]
    place = {"value": [0.3, 0.3, 1.2]}
    mark = {"handle": {"kind": "point_position", "point": "RightHand"}, "target": place, "when": {"at": 0.2}}
    for operation in ({"do": "loosen"}, {"do": "adapt"}, {"do": "hit", "constraints": [mark]}):
        ask = {"ask": "run", "clip": "walk", "operation": operation}
        _, bare = client.ask(ask)
        _, same = client.ask(ask | {"contacts": spoken})
        _, freed = client.ask(ask | {"contacts": others})
        np.testing.assert_array_equal(same["positions"], bare["positions"])
        foot = list(clip_named("walk").character.names).index("LeftFoot")
        assert np.abs(freed["positions"] - bare["positions"])[:, foot].max() > 1e-3, operation
    ask = {"ask": "glimpse", "clip": "walk", "operation": {"do": "loosen"}, "contacts": others}
    _, whole = client.ask({**ask, "ask": "run"})
    for quick in (False, True, True):
        _, seen = client.ask(ask | {"frames": [20], "quick": quick})
        np.testing.assert_array_equal(seen["positions"][0], whole["positions"][20])
    _, bare = client.ask({"ask": "run", "clip": "walk", "operation": {"do": "loosen"}})
    _, seen = client.ask({k: v for k, v in ask.items() if k != "contacts"} | {"frames": [20], "quick": True})
    np.testing.assert_array_equal(seen["positions"][0], bare["positions"][20])


@pytest.mark.parametrize(
    "contacts, words",
    [
        ([{"part": "left wing", "start": 0, "end": 3}], "no part of the body named 'left wing'"),
        ([{"part": "left foot", "start": 5, "end": 3}], "ends at 3, before it starts at 5"),
        ([{"part": "left foot", "begin": 5, "end": 3}], "begin"),
        ("feet", "a list of at most"),
    ],
)
def test_contacts_that_cannot_be_are_refused(client, contacts, words):
    ask = {"ask": "run", "clip": "walk", "operation": {"do": "loosen"}, "contacts": contacts}
    with pytest.raises(PoiseProblem, match=words):
        client.ask(ask)


def test_a_result_can_be_kept_and_worked_on(client):
    client.ask({"ask": "run", "clip": "walk", "keep": "short", "operation": {"do": "trim", "end": 0.5}})
    report = client.ask({"ask": "run", "clip": "short", "operation": {"do": "check"}})
    assert report[1] == {}
    assert "findings" in report[0]["facts"]
    assert client.ask({"ask": "forget", "names": ["short", "nobody"]})[0]["forgotten"] == ["short"]


def test_a_motion_is_given_to_another_figure(client, walk):
    other = clip_named("punch")
    head, arrays, _, _ = told(other, seed=4)
    who = client.ask(head | {"name": "boxer"}, arrays)[0]
    assert who["roles"]["right hand"] == "RightHand"
    answer, found = client.ask(
        {"ask": "run", "clip": "walk", "operation": {"do": "retarget", "onto": "boxer"}}
    )
    assert found["positions"].shape == (walk.frames, len(other.character.bodies), 3)
    assert answer["frames"] == walk.frames


def test_what_is_worn_arrives_as_a_mesh(client, walk):
    client.ask({"ask": "run", "clip": "walk", "keep": "first", "operation": {"do": "trim", "end": 0.1}})
    answer, found = client.ask(
        {"ask": "run", "clip": "first", "operation": {"do": "wear", "to": "Head", "offset": [0, 0, 0.2]}}
    )
    (worn,) = answer["worn"]
    vertices, faces = found[worn["vertices"]], found[worn["faces"]]
    assert vertices.shape[0] == answer["frames"]
    assert faces.max() < vertices.shape[1]


def test_arrays_stand_for_options(client):
    mesh = {"kind": "mesh", "vertices": {"array": "v"}, "triangles": {"array": "t"}}
    world = {"surfaces": [{"name": "floor", "shape": mesh}]}
    v = np.array([[-9.0, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0]])
    ask = {"ask": "run", "clip": "walk", "operation": {"do": "check", "world": world}}
    found = client.ask(ask, {"v": v, "t": np.array([[0, 1, 2], [0, 2, 3]])})[0]
    assert found["facts"]["met"] in (True, False)
    with pytest.raises(PoiseProblem, match="no array named 't'"):
        client.ask(ask, {"v": v})


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        ({"ask": "sing"}, "no request named 'sing'"),
        ({"ask": "run", "clip": "nobody", "operation": {"do": "trim"}}, "no clip named 'nobody'"),
        ({"ask": "run", "clip": "walk", "operation": {"do": "loose"}}, "no operation named 'loose'"),
        ({"ask": "run", "clip": "walk"}, "field 'operation'"),
        (
            {"ask": "run", "clip": "walk", "operation": {"do": "loosen", "tenson": 1}},
            "no field named 'tenson'",
        ),
        ({"ask": "run", "clip": "walk", "operation": {"do": "loosen", "step": -1}}, "field 'step'"),
        ({"ask": "glimpse", "clip": "walk", "operation": {"do": "loosen"}, "frames": [999]}, "frames 0 to"),
        ({"ask": "clip", "name": "x", "character": "nobody"}, "no character named 'nobody'"),
        ({"ask": "character", "name": "x", "bones": ["a", "a"]}, "two bones"),
        (
            {"ask": "character", "name": "x", "bones": ["a", "b"], "parents": [-1, 1]},
            "must be a number from 0",
        ),
        ({"ask": "character", "name": "x", "bones": ["a"], "parents": [-1]}, "'rest_positions' is missing"),
        ({"ask": "save", "clip": "walk", "path": "relative.bvh"}, "full path"),
    ],
)
def test_mistakes_are_said_in_words(client, ask, words):
    with pytest.raises(PoiseProblem, match=words):
        client.ask(ask)
    assert client.ask({"ask": "forget", "names": []})[0]["done"], "and it goes on"


def test_saved_clips_are_those_of_the_host(client, walk, tmp_path):
    path = client.ask({"ask": "save", "clip": "walk", "path": str(tmp_path / "walk.npz")})[0]["path"]
    found = poise.load(path)
    assert np.abs(found.character.placement(found.q).positions - in_host(walk)).max() < 1e-9
    with pytest.raises(PoiseProblem, match="there already"):
        client.ask({"ask": "save", "clip": "walk", "path": path})


def test_a_loop_is_loosened_as_a_loop(client, walk):
    clip = walk.replaced(loop=True, travel=clip_named("walk").travel)
    cycle = clip.replaced(
        loop=False, q=np.concatenate([clip.q, clip.travel.apply(clip.character, clip.q[0], 1)[None]])
    )
    head, arrays, motion, frames_ = told(cycle, seed=1, name="cycle")
    client.ask(head | {"name": "walker"}, arrays)
    answer = client.ask(motion | {"character": "walker", "loop": True}, frames_)[0]
    assert (answer["loop"], answer["frames"]) == (True, clip.frames)
    loose = client.ask({"ask": "run", "clip": "cycle", "operation": {"do": "loosen", "contacts": False}})[1][
        "positions"
    ]
    assert len(loose) == clip.frames + 1
    own = poise.loosen(clip, contacts=False).clip
    assert np.abs(loose[:-1] - in_host(own, 0)).max() < 1e-7
    step = np.asarray(clip.travel.translation)
    assert np.abs(loose[-1] - loose[0] - step).max() < 1e-7
    with pytest.raises(PoiseProblem, match="not a loop"):
        client.ask(motion | {"character": "walker", "loop": True}, {k: v[:-9] for k, v in frames_.items()})
