"""Every Python block in the documentation runs, and the documents name only what exists."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
OWN = [page for page in PAGES if page.name != "extending.md"]
"""Pages whose commands are Poise's own."""
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")
COMMAND = re.compile(r"(?:^|`|/)poise ([a-z][a-z-]*)([^`\n]*)", re.MULTILINE)
OPTION = re.compile(r"(?<![\w-])(--?[a-z][a-z-]*)")
CASES = [
    pytest.param(page, code, id=f"{page.relative_to(ROOT)}-{number}")
    for page in PAGES
    for number, code in enumerate(BLOCK.findall(page.read_text()))
]


@pytest.mark.parametrize(("page", "code"), CASES)
def test_code_in_the_documentation_runs(page, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(page), "exec"), {"__name__": "documentation"})


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in LINK.findall(page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}, which does not exist"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_to_headings_lead_to_one(page):
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", page.read_text()):
        there = (page.parent / target if target else page).read_text()
        headings = re.findall(r"^#+ (.+)$", there, re.MULTILINE)
        slugs = {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", h).strip().lower()) for h in headings}
        assert anchor in slugs, f"{page.name} links to {target}#{anchor}, which is no heading there"


def test_verbs_are_documented(verbs):
    text = (ROOT / "docs/guide/command-line.md").read_text()
    for name in verbs:
        assert f"poise {name}" in text


@pytest.mark.parametrize("page", OWN, ids=lambda p: str(p.relative_to(ROOT)))
def test_commands_have_verbs_and_options_that_exist(page, verbs):
    """In blocks of commands, in running text, and in tables of options."""
    text = re.sub(r"```python\n.*?```", "", page.read_text(), flags=re.DOTALL)
    found = COMMAND.findall(text)
    assert found or page.name not in ("README.md", "command-line.md", "operations.md")
    # In tables of verbs, options stand in the next column.
    rows = re.findall(r"^\| `poise ([a-z][a-z-]*)([^\n]*)", text, re.MULTILINE)
    for verb, rest in (*found, *rows):
        assert verb in verbs, f"poise {verb} is no command"
        for option in OPTION.findall(rest.split(" #")[0]):
            assert option in verbs[verb], f"poise {verb} has no {option}"


@pytest.fixture(scope="module")
def verbs() -> dict[str, set[str]]:
    """The options of every verb."""
    code = (
        "import json, sys, typer; from poise.cli.app import app\n"
        "found = typer.main.get_command(app).commands\n"
        "names = lambda c: [o for p in c.params for o in (*p.opts, *p.secondary_opts)]\n"
        "print(json.dumps({name: names(command) for name, command in found.items()}))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    return {name: {*options, "--help", "--help-all"} for name, options in json.loads(out).items()}
