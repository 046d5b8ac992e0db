"""Every Python block in the documentation runs, and the documents name only what exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")
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


def test_verbs_are_documented():
    from poise.cli.app import app

    text = (ROOT / "docs/guide/command-line.md").read_text()
    for command in app.registered_commands:
        assert f"poise {command.name}" in text
