"""What pages show as printed is what is printed now."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path

import pytest

import poise
from poise.cli import main

ROOT = Path(__file__).resolve().parents[1]
GUIDE = ROOT / "docs" / "guide"
DATA = ROOT.parent / "shared" / "data"
BLOCK = re.compile(r"^```(\S*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"\d+(?:\.\d+)?")
NUMBER_PLACE = r"(\d+(?:\.\d+)?)"
SKETCHES = ("poise ", "poise.", "pip ", "punch  ──►", "4 bytes")
"""How blocks begin that are no output: commands, calls, drawings."""
CAPTURE = DATA / "cmu_wild" / "83_23.bvh"
LATE = {"name": "fist", "handle": {"kind": "point_position", "point": "RightHandCentre"}}
LATE |= {"target": {"value": [0.9, 0.0, 1.36]}, "when": {"at": 9.0}}
"""A target after the end of every clip."""


@pytest.fixture
def said(tmp_path, monkeypatch, capfd):
    """What a command prints."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> str:
        with pytest.raises(SystemExit):
            main(list(words))
        told = capfd.readouterr()
        return told.out + told.err

    return run


def project(*layers: dict) -> None:
    """A project of the bundled punch."""
    first = {"do": "load", "name": "take", "clip": "take"}
    document = {"poise": "project", "version": 5, "clips": {"take": {"bundled": "punch"}}}
    Path("boxer.poise").write_text(json.dumps(document | {"layers": [first, *layers]}))


def grounded(said) -> str:
    return str(poise.ground(poise.clips.get("walk")))


def fixed(said) -> str:
    return str(importlib.import_module("61_fix").scene())


def checked(said) -> str:
    if not CAPTURE.exists():
        pytest.skip("the folder of real clips (shared/data beside the checkout) is not here")
    return said("check", str(CAPTURE))


def refused_constraint(said) -> str:
    times = {"a": 0.5, "b": 1.0, "door knob": 9.0}
    asked = [LATE | {"name": name, "when": {"at": time}} for name, time in times.items()]
    Path("constraints.json").write_text(json.dumps(asked))
    return said("adapt", "jump", "-o", "door.bvh", "--constraints", "@constraints.json")


def refused_project(said) -> str:
    project({"do": "loosen", "name": "loose", "tensoin": "loose"})
    misspelt = said("bake", "boxer.poise", "-o", "boxer.glb")
    project({"do": "hit", "name": "hit", "constraints": [LATE]})
    return misspelt + said("bake", "boxer.poise", "-o", "boxer.glb")


PRINTED = {
    "walk: carried": grounded,
    "broken jump: fixed": fixed,
    "83_23: plausible": checked,
    "constraints.json: entry 2": refused_constraint,
    "poise: boxer.poise: layer 1": refused_project,
}
"""By their beginning, who prints the blocks."""


def blocks() -> list[tuple[Path, str]]:
    """Blocks of output, with their pages."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    found = [(page, *block) for page in pages for block in BLOCK.findall(page.read_text())]
    return [(page, text) for page, kind, text in found if not kind and not text.startswith(SKETCHES)]


def alike(shown: str, printed: str) -> bool:
    """Whether a text is printed; numbers may differ by one in their last digit, as processors do."""
    numbers = NUMBER.findall(shown)
    for found in re.finditer(NUMBER_PLACE.join(map(re.escape, NUMBER.split(shown))), printed):
        off = (abs(float(a) - float(b)) for a, b in zip(numbers, found.groups()))
        if all(d <= 1.01 * 10 ** -len(n.partition(".")[2]) for d, n in zip(off, numbers)):
            return True
    return False


@pytest.mark.parametrize(("page", "text"), [pytest.param(p, t, id=f"{p.name}-{t[:16]}") for p, t in blocks()])
def test_shown_output_is_printed(page, text, said, monkeypatch):
    """Line by line; "…" stands for what is left out."""
    monkeypatch.syspath_prepend(ROOT / "examples")
    (who,) = [maker for begin, maker in PRINTED.items() if text.startswith(begin)]
    printed = who(said)
    for line in text.splitlines():
        parts = [part.strip() for part in line.split("…") if part.strip()]
        assert all(alike(part, printed) for part in parts), f"{page.name}: {line}\nis not in\n{printed}"


def test_all_of_them_are_shown():
    assert len(blocks()) == len(PRINTED)


def test_numbers_may_differ_in_their_last_digit():
    assert alike("score 0.76 → 1.00", "a (score 0.77 → 0.99)")
    assert not alike("score 0.76", "score 0.78")
    assert not alike("5 frames", "7 frames")
    assert not alike("5 frames", "5 times")
