"""The site: every page is in the navigation, every public name in the reference, and it builds."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import poise
from example_files import MAKERS
from newcomer import MOST as MOST_COMMANDS
from newcomer import OWN, steps
from poise.cli import main
from poise.studio.page import built
from reference_names import TARGETS, found

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
MOST = 1_500_000
"""Bytes of a page with what it loads at once; live pictures come later."""


def sites():
    """What ``make docs`` runs."""
    made = importlib.util.spec_from_file_location("sites", ROOT / "sites.py")
    module = importlib.util.module_from_spec(made)
    made.loader.exec_module(module)
    return module


def test_every_page_is_in_the_navigation():
    listed = set(re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert listed == pages


@pytest.mark.parametrize("name", [name for name in poise.__all__ if not name.startswith("_")])
def test_every_public_name_is_in_the_reference(name):
    thing = getattr(poise, name)
    shown = [found(target) for target in TARGETS]
    modules = [each.__name__ for each in shown if inspect.ismodule(each)]
    if inspect.ismodule(thing):
        inside = [t for t in TARGETS if t == thing.__name__ or t.startswith(f"{thing.__name__}.")]
        assert inside, f"no page of docs/reference/api shows {thing.__name__}"
    else:
        home = getattr(thing, "__module__", "")
        assert any(thing is each for each in shown) or home in modules, f"poise.{name} is on no page"
    assert inspect.getdoc(thing), f"poise.{name} has no words"


@pytest.mark.parametrize("target", TARGETS)
def test_what_the_reference_shows_has_words(target):
    thing = found(target)
    assert inspect.getdoc(thing)
    if inspect.isclass(thing):
        for name, member in vars(thing).items():
            if inspect.isfunction(member) and not name.startswith("_"):
                assert inspect.getdoc(member), f"{target}.{name} has no words"


@pytest.mark.skipif(not built(), reason="the browser's half has not been built")
def test_live_pictures_are_those_that_pages_show(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples")
    live = importlib.import_module("live")
    written = {path.name for path in live.draw_all(tmp_path)}
    assert {path.name for path in tmp_path.iterdir()} == written | {"viewer.js", "look.css"}
    shown = {
        name for page in DOCS.rglob("*.md") for name in re.findall(r"live/([\w-]+\.html)", page.read_text())
    }
    assert shown <= written
    missed = poise.constraints.report_on([live._mark()], live.loose())
    met = poise.constraints.report_on([live._mark()], live.hitting())
    assert not missed.met, "the loose punch is shown because it misses"
    assert met.met


@pytest.mark.skipif(importlib.util.find_spec("zensical") is None, reason="needs the extra docs")
@pytest.mark.skipif(not built(), reason="the browser's half has not been built")
def test_the_site_builds_without_a_warning(tmp_path):
    for name in ("docs", "src", "theme", "mkdocs.yml"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name, **({"ignore": IGNORED} if (ROOT / name).is_dir() else {}))
    (tmp_path / "docs" / "live").mkdir(exist_ok=True)
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    site = tmp_path / "build" / "site"
    sites().eased(site)
    for page in site.rglob("*.html"):
        text = page.read_text()
        pictures = re.findall(r'<img (?!loading="lazy")[^>]*src="([^":]+)"', text)
        seen = {page, *(page.parent / src for src in pictures)}
        seen |= {
            page.parent / src for src in re.findall(r'<(?:script|link)[^>]* (?:src|href)="([^":]+)"', text)
        }
        size = sum(each.stat().st_size for each in seen if each.is_file())
        assert size < MOST, f"{page.relative_to(site)}: {size} bytes"
    functions = (site / "reference" / "api" / "functions.html").read_text()
    assert "How tightly joints follow the animation" in functions
    assert 'property="og:image" content="./pictures/social.png"' in (site / "index.html").read_text()
    assert (site / "pictures" / "social.png").is_file()


IGNORED = shutil.ignore_patterns("node_modules", "static", "static.new", "__pycache__", "live")


def test_newcomers_need_few_commands(tmp_path, monkeypatch):
    """The landing page alone leads to a first own result; ``make installs`` times it in a clean install."""
    asked = steps()
    assert asked[0][:2] == ["pip", "install"]
    assert len(asked) <= MOST_COMMANDS
    monkeypatch.chdir(tmp_path)
    MAKERS[OWN](tmp_path / OWN)
    for program, *words in asked[1:]:
        assert program == "poise"
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert not ended.value.code
    shown = Path(asked[-1][asked[-1].index("-o") + 1])
    assert shown.suffix == ".html"
    assert "poise" in shown.read_text()


def test_sites_of_versions_stand_side_by_side(tmp_path):
    built = tmp_path / "built"
    built.mkdir()
    for version in ("0.9.1", "0.10.0", "0.9.1"):
        (built / "index.html").write_text(version)
        found = sites().published(built, tmp_path / "site", version)
    assert found == ["0.10.0", "0.9.1"]
    menu = json.loads((tmp_path / "site" / "versions.json").read_text())
    assert [each["version"] for each in menu] == found
    assert menu[0]["aliases"] == ["latest"]
    assert "0.10.0/index.html" in (tmp_path / "site" / "index.html").read_text()


def test_pictures_load_as_they_come_into_sight(tmp_path):
    (tmp_path / "a.html").write_text('<img alt="x" src="pictures/a.png"> <img src="pictures/logo.svg">')
    for _ in range(2):  # a second time changes nothing
        sites().eased(tmp_path)
        text = (tmp_path / "a.html").read_text()
        assert text.count("loading=") == 1
        assert '<img loading="lazy" decoding="async" alt="x" src="pictures/a.png">' in text


def test_the_search_index_holds_words_and_no_code(tmp_path):
    text = "<p>Turns.</p> <pre>a = 1</pre> <p>Parameters:</p> Name Type Description <code>q</code> angle "
    api = {"title": "turn <small>method</small>", "text": text + "<p>Raises:</p> InputError <pre>b</pre>"}
    index = tmp_path / "search.json"
    places = ["reference/api/world.html#turn", "reference/api/functions.html#turn", "guide/world.html"]
    index.write_text(json.dumps({"items": [api | {"location": place} for place in places]}), encoding="utf-8")
    sites().eased(tmp_path)
    world, functions, guide = json.loads(index.read_text(encoding="utf-8"))["items"]
    assert (world["title"], world["text"]) == ("turn", "Turns. Parameters: q angle")
    assert functions["text"] == "Turns."
    assert guide["text"] == re.sub("<pre>.*?</pre> ?", "", api["text"])


def test_tables_of_measured_numbers_have_a_program():
    """``python -m benchmarks.pages`` writes each of them anew."""
    from benchmarks import pages

    marks = [
        (name, page.name, rows)
        for page in DOCS.rglob("*.md")
        for _, name, rows, _ in pages.MARKED.findall(page.read_text())
    ]
    begun = sum(page.read_text().count("<!-- figures: ") for page in DOCS.rglob("*.md"))
    assert sorted(name for name, *_ in marks) == sorted(pages.TABLES)
    assert begun == len(marks), "a table of figures has no end"
    for name, page, rows in marks:
        assert re.match(r"\|.*\n\|-.*\n\|", rows), f"{page}: {name} is empty"
