"""A studio in its own process: every message, several tabs, crashes of either process, the end."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from running import LONG, Studio, TabClient, children, command_line, memory, until_methods_are_read

import poise
from poise import constraints as c
from poise.kinematics import Kinematics
from poise.studio.poses import placed

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
PLACE = "constraints/0/target/value"


def boxer(folder: Path, name: str = "boxer.poise") -> Path:
    """A small project with every kind of layer that is dragged."""
    folder.mkdir(exist_ok=True)
    punch = poise.clips.get("punch")
    there = Kinematics(punch.character, punch.at(0.85)).point("RightHandCentre")[0]
    fist = c.pin("RightHandCentre", there + [0.0, 0.05, 0.05], 0.85, name="fist")
    project = poise.Project().add_clip("punch", "punch").add("load", "punch", clip="punch")
    project.add("adapt", "aim", constraints=[fist])
    project.add("hit", "hit", constraints=[fist], tension="loose", window=0.3)
    return project.save(folder / name)


def place(tab: TabClient, layer: str = "hit") -> list[float]:
    """Where the fist is to be."""
    state = next(t for t in reversed(tab.told) if t["told"] == "state")
    found = next(each for each in state["document"]["layers"] if each["name"] == layer)
    return list(found["constraints"][0]["target"]["value"])


def drag(tab: TabClient, layer: str, moves: int, gesture: str, by: float = 0.002) -> list[float]:
    """Live edits, each after the answer to the one before."""
    x, y, z = place(tab, layer)
    for k in range(1, moves + 1):
        value = [x, y, z + by * k]
        tab.do(live=True, do="set", layer=layer, path=PLACE, value=value, gesture=gesture)
        assert tab.solved(live=True)["number"] == tab.number
    return value


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    folder = tmp_path_factory.mktemp("work")
    with Studio(folder, boxer(folder)) as running, running.tab() as tab:
        tab.solved()
        yield running


@pytest.fixture
def tab(studio):
    with studio.tab() as found:
        found.until("state")
        yield found


def test_what_is_baked_is_what_was_last_seen(studio, tab):
    for layer in ("hit", "aim"):
        drag(tab, layer, 3, f"bits {layer}")
        tab.say("seal")
        solved = tab.solved()
    tab.say("save")
    tab.until("notice", event="saved")
    header, seen = tab.poses()
    assert header["revision"] == solved["revision"]
    clip = poise.project.open(studio.workspace / "boxer.poise").bake().clip
    body = Kinematics(clip.character, clip.q)
    lift = np.array([0.0, 0.0, header["lift"]])
    baked = placed(body.positions + lift, body.rotations).astype(np.float32)
    assert np.array_equal(seen, baked)


def test_a_drag_is_quick_near_and_one_step_of_undo(tab):
    before = next(t for t in reversed(tab.told) if t["told"] == "state")["undoable"]
    wanted = drag(tab, "hit", 4, "one step", by=0.01)
    live = next(t for t in reversed(tab.told) if t["told"] == "solved")
    assert live["live"]
    assert live["reports"]["hit"]["met"]
    _, seen = tab.poses()
    figure = next(header for header, _ in tab.packets if header["kind"] == "figure")
    hand = next(p for p in figure["places"] if p["name"] == "RightHandCentre")
    at = seen[round(0.85 * 60), hand["body"]]
    turned = _turned(at[3:], np.array(hand["position"]))
    lift = next(h for h, _ in reversed(tab.packets) if h["kind"] == "poses")["lift"]
    assert np.linalg.norm(at[:3] + turned - [0, 0, lift] - wanted) < 1e-3
    tab.say("seal")
    tab.solved()
    state = next(t for t in reversed(tab.told) if t["told"] == "state")
    assert state["undoable"] == before + 1
    tab.say("undo")
    assert tab.until("state")["redoable"] == 1
    tab.solved()
    tab.say("redo")
    assert tab.until("state")["redoable"] == 0
    assert place(tab) == pytest.approx(wanted)
    tab.solved()


def test_layers_above_what_is_dragged_ride_along_and_it_is_said(tab):
    drag(tab, "aim", 2, "carried")
    live = next(t for t in reversed(tab.told) if t["told"] == "solved")
    assert live["carried"] == ["hit"]
    assert set(live["reports"]) == {"aim", "hit"}
    tab.say("seal")
    assert tab.solved()["carried"] == []


def test_questions_are_answered_to_who_asks(studio, tab):
    with studio.tab() as other:
        other.until("state")
        names = tab.ask("vocabulary")
        assert {"operations", "tensions", "limbs", "joints", "points", "clips", "scenes", "scripts"} <= set(
            names
        )
        assert [t["name"] for t in names["tensions"]][-1] == "drunk"
        assert "right arm" in names["limbs"]
        ground = tab.ask("physics")
        frames = tab.poses()[0]["total"] if tab.packets else len(ground["support"])
        assert len(ground["support"]) == len(ground["force"]) == frames
        assert np.median([f[2] for f in ground["force"]]) == pytest.approx(ground["weight"], rel=0.2)
        assert "RightHandCentre" in names["points"]
        assert "met" in tab.ask("report", layer="hit")["text"]
        assert tab.ask("window", layer="hit") > 0
        assert "plausible" in tab.ask("check")
        assert tab.ask("files") == ["boxer.poise"]
        other.ask("files")
        assert [t["question"] for t in other.told if t["told"] == "answer"] == ["files"], "its own alone"


def test_feet_that_stand_become_constraints_and_the_motion_stays(tab):
    found = tab.ask("plants", layer="aim")
    assert found["plants"]
    assert all(p["number"] == -1 for p in found["plants"])
    tab.poses()
    tab.say("do", command=found["command"])
    tab.solved()
    _, told = tab.poses()
    again = tab.ask("plants", layer="aim")
    assert [p["place"] for p in again["plants"]] == [p["place"] for p in found["plants"]]
    assert again["command"] is None
    tab.say("undo")
    tab.solved()
    assert np.abs(tab.poses()[1] - told).max() < 1e-3


def test_what_cannot_be_is_said_to_who_said_it_and_changes_nothing(studio, tab, tmp_path):
    revision = tab.told[0]["revision"]
    for text in ("{", "[]", '{"say":"fly"}', '{"say":"do"}', '{"say":"undo","extra":1}', "9" * 50):
        tab.socket.send(text)
        assert "not understood" in tab.until("problem")["text"]
    deep = "[" * 3000 + "]" * 3000
    tab.socket.send('{"say":"do","command":{"do":"set","layer":"hit","path":"x","value":' + deep + "}}")
    tab.until("problem")
    for command in (
        {"do": "set", "layer": "nobody", "path": "muted", "value": True},
        {"do": "set", "layer": "hit", "path": "constraints/9/target", "value": 1},
        {"do": "remove-layer", "layer": "punch"},
        {"do": "put-clip", "name": "x", "clip": {"file": "../../../etc/passwd"}},
    ):
        tab.say("do", command=command, number=77)
        assert tab.until("problem")["number"] == 77
    for path in ("../out.bvh", "/tmp/out.bvh", ".hidden.bvh", "x.exe"):
        tab.say("export", path=path)
        tab.until("problem")
    outside = poise.clips.get("punch").save(tmp_path / "outside.bvh")
    for question, path in (("export", tmp_path / "out.bvh"), ("read", outside), ("nothing", outside)):
        tab.say("ask", question=question, about={"path": str(path)}, number=5)
        assert tab.until("problem", number=5)
    assert not (tmp_path / "out.bvh").exists()
    tab.say("open", path="nothing.bvh")
    tab.until("problem")
    with studio.tab() as other:
        assert other.until("state")["revision"] == revision


def test_files_are_exported_whole(studio, tab):
    for name in ("x.bvh", "x.glb"):
        tab.say("export", path=name)
        assert tab.until("answer", question="export")["value"] == name
        assert poise.load(studio.workspace / name).frames == 115
    assert not [p for p in studio.workspace.iterdir() if p.name.startswith(".x")]


def test_two_tabs_see_the_same_and_one_may_come_in_the_middle_of_a_drag(studio, tab):
    drag(tab, "hit", 2, "two tabs")
    with studio.tab() as other:
        assert place_of(other.until("state")) == place(tab)
        wanted = drag(tab, "hit", 2, "two tabs")
        other.solved(live=True)
        tab.say("seal")
        mine, theirs = tab.solved(), other.solved()
        assert mine["revision"] == theirs["revision"]
        assert place(other) == pytest.approx(wanted)
        assert np.array_equal(tab.poses()[1], other.poses()[1])


def place_of(state: dict) -> list[float]:
    layer = next(each for each in state["document"]["layers"] if each["name"] == "hit")
    return layer["constraints"][0]["target"]["value"]


def test_a_tab_that_does_not_read_holds_nobody_up(studio, tab):
    sleepy = studio.tab(read=False)
    drag(tab, "hit", 8, "sleepy")
    tab.say("seal")
    tab.solved()
    sleepy.close()


def test_a_solver_that_dies_is_replaced_and_nothing_is_lost(studio, tab):
    wanted = drag(tab, "hit", 1, "crash")
    os.kill(studio.worker, signal.SIGKILL)
    assert "started again" in tab.until("notice")["text"]
    tab.until("solved")  # what it was at, or the whole
    assert place(tab) == pytest.approx(wanted)
    wanted = drag(tab, "hit", 1, "after the crash")
    tab.say("seal")
    tab.solved()
    assert tab.poses()[1] is not None


def test_what_is_computed_can_be_stopped(studio, tab):
    os.kill(studio.worker, signal.SIGSTOP)  # as if it searched for long
    tab.do(do="set", layer="hit", path=PLACE, value=[5.0, 5.0, 5.0])
    tab.until("state", number=tab.number)
    tab.say("cancel", number=-1)
    assert tab.until("notice", number=-1)["event"] == "stopped"
    os.kill(studio.worker, signal.SIGCONT)
    tab.say("undo")
    tab.solved()


def test_memory_does_not_grow_with_drags(studio, tab):
    drag(tab, "hit", 20, "warm")
    pids = studio.worker, studio.process.pid
    tab.packets.clear()
    until_methods_are_read(studio.process.pid)
    before = [memory(pid) for pid in pids]
    for k in range(3):
        drag(tab, "hit", 40, f"memory {k}", by=0.0005 * (-1) ** k)
        tab.packets.clear()
    tab.say("seal")
    tab.solved()
    worker, server = (memory(pid) - old for pid, old in zip(pids, before))
    assert worker < 40 * 2**20
    assert server < 15 * 2**20


def test_a_killed_server_loses_nothing_that_was_answered(tmp_path):
    source = boxer(tmp_path / "work")
    with Studio(tmp_path / "work", source) as running, running.tab() as tab:
        tab.solved()
        wanted = drag(tab, "hit", 3, "mid-drag")
        running.kill()
    with Studio(tmp_path / "work", source) as running, running.tab() as tab:
        state = tab.until("state")
        assert "not saved" in state["recovery"]
        tab.do(do="set", layer="hit", path="muted", value=True)
        tab.until("problem")  # first decide what to do with it
        tab.say("recover", keep=True)
        state = tab.until("state")
        assert state["recovery"] == ""
        assert place_of(state) == pytest.approx(wanted)
        assert state["undoable"] == 1
        tab.say("save")
        tab.until("notice", event="saved")
    assert poise.project.open(source).recovery is None


def test_a_project_without_a_name_is_found_again_after_a_crash(tmp_path):
    with Studio(tmp_path, "") as running, running.tab() as tab:
        assert tab.until("state")["path"] == ""
        tab.do(do="set-project", field="name", value="never saved")
        tab.until("state")
        running.kill()
    with Studio(tmp_path, "") as running, running.tab() as tab:
        assert "no name yet" in tab.until("state")["recovery"]
        tab.say("recover", keep=True)
        assert tab.until("state")["document"]["name"] == "never saved"
        tab.say("save")
        assert "give it a name" in tab.until("problem")["text"]
        tab.say("save", path="named")
        assert tab.until("state")["path"] == "named.poise"
        tab.say("save", path="named.poise", force=True)
        tab.until("notice")
        running.stop()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["named.poise"]


def test_ctrl_c_leaves_nothing_behind(tmp_path):
    with Studio(tmp_path, "") as running:
        helpers = children(running.process.pid)
        with running.tab() as tab:
            tab.until("state")
            status, complaints = running.stop()
        assert status == 0
        assert complaints == ""
        deadline = time.monotonic() + LONG
        while any("python" in command_line(pid) for pid in helpers) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not any("python" in command_line(pid) for pid in helpers)
    assert list(tmp_path.iterdir()) == []


def _turned(quaternion: np.ndarray, v: np.ndarray) -> np.ndarray:
    """v turned by a quaternion x y z w."""
    u, w = quaternion[:3], quaternion[3]
    return v + 2 * np.cross(u, np.cross(u, v) + w * v)
