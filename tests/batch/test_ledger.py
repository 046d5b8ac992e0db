"""What counts as done: the same recipe, the same clip, and a result that is still as it was written."""

from __future__ import annotations

from hashlib import sha256

import msgspec
import pytest

from poise import clips
from poise.batch import run
from poise.batch.job import source_digest
from poise.batch.ledger import Ledger
from poise.batch.outcome import Outcome
from poise.batch.recipe import recipe_from

RECIPE = {"output": ".npz", "steps": [{"do": "trim", "start": 0.0, "end": 0.2}]}


@pytest.fixture
def ledger(tmp_path):
    """One clip done by the recipe "r", its result "out.npz"; and the folder of the clip."""
    (tmp_path / "wave.npz").write_bytes(b"a clip")
    (tmp_path / "out.npz").write_bytes(b"a result")
    found = Ledger(tmp_path)
    found.add(
        Outcome(
            clip="wave.npz",
            state="done",
            output="out.npz",
            sha256=sha256(b"a result").hexdigest(),
            source=source_digest(tmp_path / "wave.npz"),
            recipe="r",
        )
    )
    return found


def test_done_is_done_also_for_who_reads_the_ledger_again(ledger):
    known = ledger.done("wave.npz", ledger.folder, "r")
    assert known is not None
    assert Ledger(ledger.folder).done("wave.npz", ledger.folder, "r") == known


def test_another_recipe_does_it_anew(ledger):
    assert ledger.done("wave.npz", ledger.folder, "s") is None


@pytest.mark.parametrize("file", ["wave.npz", "out.npz"])
def test_a_clip_or_a_result_that_changed_or_is_gone_is_done_anew(ledger, file):
    (ledger.folder / file).write_bytes(b"something else")
    assert ledger.done("wave.npz", ledger.folder, "r") is None
    (ledger.folder / file).unlink()
    assert ledger.done("wave.npz", ledger.folder, "r") is None


@pytest.mark.parametrize(
    "line", [b"\xd3", b'{"clip":"a\xd3","state":"done"}', b'{"clip":' + b"[" * 100_000, b'{"clip":3}', b""]
)
def test_a_line_that_a_disk_has_damaged_costs_its_own_clip_and_no_other(ledger, line):
    ledger.path.write_bytes(line + b"\n" + ledger.path.read_bytes())
    again = Ledger(ledger.folder)
    assert list(again.outcomes) == ["wave.npz"]
    assert again.done("wave.npz", ledger.folder, "r") is not None


@pytest.mark.parametrize("output", ["../out\0.npz", "no/such/file", "."])
def test_a_result_that_no_file_can_be_is_made_anew(ledger, output):
    ledger.add(msgspec.structs.replace(ledger.outcomes["wave.npz"], output=output))
    assert ledger.done("wave.npz", ledger.folder, "r") is None


@pytest.mark.parametrize(
    ("state", "kept"), [("done", True), ("missed", True), ("failed", False), ("crashed", False)]
)
def test_what_failed_is_tried_again(ledger, state, kept):
    ledger.add(msgspec.structs.replace(ledger.outcomes["wave.npz"], state=state))
    assert (ledger.done("wave.npz", ledger.folder, "r") is not None) == kept


def test_the_order_of_words_in_a_recipe_is_of_no_account():
    turned = {"steps": [{"start": 0.0, "end": 0.2, "do": "trim"}], "output": ".npz"}
    assert recipe_from(turned).digest == recipe_from(RECIPE).digest


def test_a_changed_recipe_is_another_batch(tmp_path, monkeypatch):
    """Every word of a recipe counts, and results of the old one are made again."""

    def here(function, jobs, workers, limit):
        return ((number, function(*job)) for number, job in enumerate(jobs))

    monkeypatch.setattr("poise.batch.local.performed", here)  # processes take seconds to start
    (tmp_path / "clips").mkdir()
    clips.get("wave").save(tmp_path / "clips" / "wave.npz")
    changed = {"output": ".npz", "steps": [{"do": "trim", "start": 0.0, "end": 0.3}]}
    assert recipe_from(RECIPE).digest == recipe_from(dict(RECIPE)).digest != recipe_from(changed).digest
    first = run(RECIPE, tmp_path / "clips", tmp_path / "out", workers=1)
    second = run(changed, tmp_path / "clips", tmp_path / "out", workers=1)
    assert (first.kept, second.kept) == (0, 0)
    assert second.outcomes[0].frames > first.outcomes[0].frames
    assert run(changed, tmp_path / "clips", tmp_path / "out", workers=1).kept == 1
