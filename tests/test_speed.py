"""``poise bench``: same work on both sides, peers that are missing are named, numbers that are numbers."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest

from poise.cli import main
from poise.errors import InputError
from poise.speed import short_form
from poise.speed.duel import Duel
from poise.speed.interleaved import interleaved
from poise.speed.page import main as write_page
from poise.speed.page import page
from poise.speed.peer import PAPER, PROCESSOR, Peer
from poise.speed.result import Benchmark, Row, from_plain, spoken, times
from poise.speed.short_form import Contest

DOCS = Path(__file__).resolve().parents[1] / "docs"
OTHERS = ("mujoco", "pinocchio", "mink", "pink")
MACHINE = {
    "processor": "x86-64-v3",
    "cores": 2,
    "threads": 2,
    "load": 0.1,
    "system": "Linux",
    "graphics_card": [],
    "versions": {"poise": "1.0", "mujoco": "4.0"},
}
MEASURED = Row("loosen", "loose states", "MuJoCo", "measured", "frame", 2e-5, 5e-4, 25.0)
LACKING = Row("key", "a step", "mink", "skipped", note="mink is not installed", remedy="pip install more")
FOUND = Benchmark(MACHINE, (MEASURED, LACKING))


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["bench", *arguments])
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out, said.err


@pytest.fixture
def alone(monkeypatch):
    """A machine without peers."""
    for name in OTHERS:
        monkeypatch.setitem(sys.modules, name, None)


def contest(ours=lambda: 1.0, theirs=lambda: 1.0, difference=lambda: 0.0, peer=PAPER, **more) -> Contest:
    return Contest("hit", "nothing at all", peer, lambda: Duel(ours, theirs, difference, 0.1, **more))


def test_peers_that_are_missing_are_named_with_the_remedy(alone, capsys, tmp_path):
    status, out, _ = run(capsys, "kinematics", "key", "loosen", "--seconds", "0.01")
    assert status == 0, "what is missing is no failure"
    lines = out.splitlines()[1:]
    assert len(lines) == 5
    for line, peer in zip(lines, ("Pinocchio", "MuJoCo", "MuJoCo", "mink", "pink")):
        assert peer in line
        assert "is not installed" in line
        assert "pip install 'poise[" in line


def test_numbers_are_numbers_and_rows_have_one_shape(alone, capsys):
    status, out, err = run(capsys, "hit", "dynamics", "--seconds", "0.01", "--json")
    told = json.loads(out)
    assert status == 0, err
    assert "nan" not in out.lower()
    assert {"processor", "cores", "threads", "versions"} <= set(told["machine"])
    fields = {"subject", "name", "peer", "state", "unit", "ours", "theirs", "ratio", "note", "remedy"}
    assert all(set(row) == fields for row in told["rows"])
    measured = [row for row in told["rows"] if row["state"] == "measured"]
    assert [row["subject"] for row in measured] == ["hit", "hit"]
    for row in measured:
        assert row["ours"] > 0
        assert row["ratio"] == pytest.approx(row["theirs"] / row["ours"])
    assert "it still misses" in measured[1]["note"]
    assert from_plain(told, "it").to_json() == out


@pytest.mark.parametrize("subject", [name for name in short_form.names() if name not in ("hit", "gpu")])
def test_both_sides_do_the_same_work(subject):
    """Each row compares its results, and refuses to be timed where they differ."""
    for each in short_form.contests():
        if each.subject == subject:
            if each.peer.missing():
                pytest.skip(each.peer.missing())
            each.make().agree()


def test_rows_that_disagree_are_not_timed(monkeypatch, capsys):
    wrong = contest(difference=lambda: 0.2)
    unknown = contest(difference=lambda: float("nan"))
    monkeypatch.setattr(short_form, "contests", lambda: (wrong, unknown, contest()))
    status, out, _ = run(capsys, "--seconds", "0.01")
    assert status == 1
    assert "failed: results differ by 2.0e-01, more than 1e-01" in out
    assert "failed: results differ by nan" in out
    assert out.count("×") == 1, "the others are measured"


def test_a_time_is_of_one_item():
    calls: list[str] = []
    row = contest(lambda: calls.append("ours"), lambda: calls.append("theirs"), items=(4.0, 1e-9)).run(0.01)
    assert {"ours", "theirs"} == set(calls)
    assert row.ratio is not None
    assert row.ratio > 1e6
    assert row.ratio == pytest.approx((row.theirs or 0) / (row.ours or 1))


def test_a_peer_that_fails_hides_no_other(monkeypatch, capsys):
    def breaks() -> None:
        raise RuntimeError("its licence has\nexpired")

    broken = Peer("a peer", ("json",))
    monkeypatch.setattr(short_form, "contests", lambda: (contest(theirs=breaks, peer=broken), contest()))
    status, out, _ = run(capsys, "--seconds", "0.01")
    assert status == 1
    assert "failed: its licence has expired" in out
    assert out.count("×") == 1


def test_turns_are_taken():
    order: list[str] = []
    took = interleaved({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, 3)
    assert order[:4] == ["a", "b", "a", "b"], "once to warm up, once to see how long it takes"
    turns = [name for k, name in enumerate(order[4:]) if k == 0 or order[4:][k - 1] != name]
    assert turns == ["a", "b"] * 3
    assert min(took.values()) > 0


def test_everyone_has_a_turn_however_short_the_time():
    assert set(interleaved({"a": int, "b": int}, None, seconds=0.0)) == {"a", "b"}


def test_ctrl_c_ends_quietly(monkeypatch, capsys):
    def stop() -> float:
        signal.raise_signal(signal.SIGINT)
        return 0.0

    monkeypatch.setattr(short_form, "contests", lambda: (contest(), contest(stop)))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        status, out, err = run(capsys, "--seconds", "0.01")
    finally:
        signal.signal(signal.SIGINT, before)
    assert status == 130
    assert "Traceback" not in err
    assert out.count("×") == 1, "what was measured stays on the screen"


@pytest.mark.parametrize("arguments", [("juggling",), ("--seconds", "0"), ("--seconds", "nan")])
def test_what_cannot_be_asked_is_refused(arguments, capsys):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, ""), "no table is begun"
    assert arguments[-1] in err


def test_a_plot_that_cannot_be_drawn_is_refused_before_anything_is_measured(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(short_form, "contests", lambda: pytest.fail("measured"))
    assert run(capsys, "--plot", str(tmp_path / "a.txt"))[0] == 2
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    status, _, err = run(capsys, "-o", str(tmp_path))
    assert status == 2
    assert "poise[plots]" in err


def test_numbers_and_plot_are_written_and_not_replaced(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(short_form, "contests", lambda: (contest(), contest(peer=PROCESSOR)))
    folder = tmp_path / "new" / "out"
    assert run(capsys, "--seconds", "0.01", "-o", str(folder))[0] == 0
    assert (folder / "bench.png").read_bytes().startswith(b"\x89PNG")
    assert len(json.loads((folder / "bench.json").read_text())["rows"]) == 2
    status, _, err = run(capsys, "--seconds", "0.01", "-o", str(folder))
    assert status == 2
    assert "--force" in err
    assert run(capsys, "--seconds", "0.01", "-o", str(folder), "--force")[0] == 0


def test_the_page_has_ratios_facts_and_what_was_left_out():
    text = page(FOUND)
    assert "| loose states | frame | 20 µs | MuJoCo | 500 µs | **25×** |" in text
    assert "x86-64-v3, 2 cores, 2 threads, Linux, no graphics card" in text
    assert "poise 1.0, mujoco 4.0" in text
    assert "Not measured: a step, beside mink: mink is not installed." in text


def test_a_busy_machine_is_said_to_be_one():
    busy = page(Benchmark(MACHINE | {"load": 3.04}, FOUND.rows))
    assert "The machine was busy with other work before it began (3.0 processes for each core)" in busy
    assert "busy with other work" not in page(FOUND)


def test_the_page_is_made_from_a_file(monkeypatch, capsys, tmp_path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "bench.json").write_text(FOUND.to_json())
    monkeypatch.setattr(sys, "argv", ["page", str(tmp_path / "bench.json"), str(tmp_path)])
    assert write_page() == 0
    assert (tmp_path / "benchmarks.md").read_text() == page(FOUND)
    assert (tmp_path / "pictures" / "benchmarks.png").exists()
    (tmp_path / "bench.json").write_text('{"version": 1}')
    assert write_page() == 2
    assert "bench.json is not what poise bench --json prints" in capsys.readouterr().err


def test_the_documentation_shows_the_run_beside_it():
    told = json.loads((DOCS / "benchmarks.json").read_text())
    assert (DOCS / "benchmarks.md").read_text() == page(from_plain(told, "benchmarks.json"))


@pytest.mark.parametrize(
    "broken",
    [
        {"version": 2},
        {"version": 1, "machine": {}, "rows": [{"name": "a"}]},
        {"version": 1, "machine": {}, "rows": [json.loads(FOUND.to_json())["rows"][0] | {"ours": None}]},
        [],
    ],
)
def test_other_files_are_refused_by_name(broken):
    with pytest.raises(InputError, match=r"other\.json"):
        from_plain(broken, "other.json")


def test_times_are_spoken_in_their_unit():
    assert [spoken(s) for s in (2.0, 0.0123, 4.56e-5, 7e-9)] == ["2 s", "12.3 ms", "45.6 µs", "7 ns"]
    assert [times(r) for r in (0.48, 2.34, 12.6)] == ["0.5×", "2.3×", "13×"]
