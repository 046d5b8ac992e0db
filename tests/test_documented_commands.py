"""Every command of the documentation runs, page by page, in the order in which it stands there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from example_files import MAKERS
from poise.cli import main

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    page
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    if page.name not in ("operations.md", "extending.md")  # their examples run elsewhere
)
BLOCK = re.compile(r"```(bash|json|python|)\n(.*?)```", re.DOTALL)
NAMED = re.compile(r"`([\w-]+\.json)`")
"""The name under which a page wants its next JSON block saved."""
ELSEWHERE = {
    "studio": "runs until it is stopped; tests/studio starts it",
    "warm": "compiles every kernel; tests/kernels does so",
    "bench": "takes a minute; tests/speed runs its parts",
    "doctor": "judges the machine; tests/cli/test_doctor.py",
    "demo": "make demo",
}
"""Verbs that run in other tests, and why not here."""
CAPTURED = (
    "check stairs.bvh --confirm 'step 2'",
    "convert walk_poses.npz -o walk.glb --read body=SMPLH_MALE.npz",
    "convert pose3d.npy -o pose.bvh --read fps=25 --read parents=-1,0,1,2,0,4,5,0,7,8",
)
"""Commands for files that nobody may ship; tests/formats and tests/contacts read others of the kind."""
REMAINS = "--grounded"
"""What ground leaves is told and ends with 1, by a hair on some machines."""
SCHEDULER = "--scheduler"
"""Commands for a cluster run in tests/batch; pipes in tests/cli/test_standard_streams.py."""


def commands(text: str) -> list[tuple[list[str], dict[str, str]]]:
    """Commands of a page, each with the JSON files that the page has shown before it."""
    found: list[tuple[list[str], dict[str, str]]] = []
    files: dict[str, str] = {}
    at = 0
    for block in BLOCK.finditer(text):
        kind, body = block.groups()
        if kind == "json":
            names = NAMED.findall(text[at : block.start()])
            if names:
                files[names[-1]] = body
        elif kind in ("bash", ""):
            for line in body.splitlines():
                if re.match(r"(\S*/)?poise [a-z]", line) and " | " not in line:
                    found.append((shlex.split(line.split(" > ")[0], comments=True)[1:], dict(files)))
        at = block.end()
    return found


TOELESS = "robot.urdf"
"""The robot that stands in here lifts its feet where a person rolls over the toes: that is told as a miss."""
CASES = [pytest.param(page, id=str(page.relative_to(ROOT))) for page in PAGES if commands(page.read_text())]


@pytest.mark.parametrize("page", CASES)
def test_commands_run(page, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    for words, files in commands(page.read_text()):
        if words[0] in ELSEWHERE or SCHEDULER in words or shlex.join(words) in CAPTURED:
            continue
        for name, text in files.items():
            Path(name).write_text(text)
        output = words[words.index("-o") + 1] if "-o" in words else None
        for word in words:
            name = word.removeprefix("@").rstrip("/")
            for wanted in {name, name.split("/")[0]} & MAKERS.keys() - {output}:
                if not Path(wanted).exists():
                    MAKERS[wanted](Path(wanted))
        if output and Path(output).exists() and "--force" not in words:
            words = [*words, "--force"] if words[0] != "batch" else words
        with pytest.raises(SystemExit) as ended:
            main(words)
        told = capfd.readouterr()
        fine = (None, 0, 1) if {REMAINS, TOELESS} & set(words) else (None, 0)
        assert ended.value.code in fine, f"poise {shlex.join(words)}\n{told.out}{told.err}"
        if output:
            assert Path(output).exists(), f"poise {shlex.join(words)} wrote no {output}"


def test_commands_are_found():
    text = "Save it as `a.json`:\n\n```json\n{}\n```\n\n```bash\n.venv/bin/poise info walk  # look\nls\n```\n"
    assert commands(text) == [(["info", "walk"], {"a.json": "{}\n"})]
