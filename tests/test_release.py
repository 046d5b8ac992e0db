"""What goes with a release says the same everywhere."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from poise.version import __version__

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_citation_names_this_version():
    assert re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M).group(1) == __version__


def test_the_changelog_begins_with_this_version_or_what_is_to_come():
    first = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.M).group(1)
    assert first in ("Unreleased", __version__)


def test_source_releases_hold_files_that_exist():
    for name in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]:
        assert (ROOT / name).exists(), name


def test_every_extra_is_documented():
    text = (ROOT / "docs" / "install.md").read_text()
    own = {"test", "bench", "docs"}
    for extra in PROJECT["project"]["optional-dependencies"].keys() - own:
        assert f"| `{extra}` |" in text, f"docs/install.md does not name the extra {extra}"
