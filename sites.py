"""Build the site of this version beside earlier ones: ``python sites.py [folder]``, or ``make docs``.

``site/0.1.0/`` holds the site of version 0.1.0. ``site/versions.json`` lists all versions, newest first,
for the menu at the top of every page, and ``site/index.html`` leads to the newest. Sites of other versions
stay as they are: publish the whole folder.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
BUILT = ROOT / "build" / "site"
"""Where Zensical builds (``site_dir`` of mkdocs.yml)."""
PICTURE = re.compile(r"<img (?![^>]*\bloading=)(?=[^>]*\bsrc=\"[^\"]*pictures/[^\"]*\.png)([^>]*>)")
"""Of a page, where nothing says how it is loaded yet."""
VERBATIM = re.compile(r"(<(?:pre|script|style|textarea)\b.*?</(?:pre|script|style|textarea)>)", re.DOTALL)
"""Parts of a page in which blanks count."""
BLANKS = re.compile(r"[ \t]*\n\s*")
CODE = re.compile(r"<pre>.*?</pre>\s*", re.DOTALL)
TAGS = re.compile(r"</?(?:p|code)>|Name Type Description(?: Default)?")
LABELS = re.compile(r"\s*<small>.*?</small>", re.DOTALL)
"""Of the Python reference in the search index."""
FRONT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Poise</title>
<meta http-equiv="refresh" content="0; url={newest}/index.html">
<link rel="canonical" href="{newest}/index.html"></head>
<body><a href="{newest}/index.html">Poise {newest}</a></body></html>
"""


def build() -> None:
    """The pages of this checkout, live pictures too; stops at any warning."""
    for command in (["examples/live.py"], ["-m", "zensical", "build", "--clean", "--strict"]):
        subprocess.run([sys.executable, *command], cwd=ROOT, check=True)


def eased(built: Path) -> None:
    """Make pages light: pictures load as they come into sight; blanks and much of the search index go."""
    for page in built.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        lazy = PICTURE.sub(r'<img loading="lazy" decoding="async" \1', text)
        parts = [part if k % 2 else BLANKS.sub("\n", part) for k, part in enumerate(VERBATIM.split(lazy))]
        page.write_text("".join(parts), encoding="utf-8")
    index = built / "search.json"
    if index.is_file():
        search = json.loads(index.read_text(encoding="utf-8"))
        for item in search["items"]:
            item["text"] = CODE.sub("", item["text"])
            # Its page shows errors; options are found in the reference of operations.
            if item["location"].startswith("reference/api/"):
                text = TAGS.sub(" ", item["text"])
                stop = "Parameters:" if "/functions.html" in item["location"] else "Raises:"
                item["text"] = " ".join(text.split(stop)[0].split())
                item["title"] = LABELS.sub("", item["title"])
        index.write_text(json.dumps(search, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def order(version: str) -> tuple[int | str, ...]:
    """Sorts versions: 0.10.0 comes after 0.9.1."""
    return tuple(int(part) if part.isdigit() else -1 for part in version.split("."))


def published(built: Path, folder: Path, version: str) -> list[str]:
    """Put a built site into the folder of sites, in place of an earlier build; all versions, newest first."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / version, ignore_errors=True)
    shutil.copytree(built, folder / version)
    found = sorted((page.parent.name for page in folder.glob("*/index.html")), key=order, reverse=True)
    menu = [
        {"version": each, "title": each, "aliases": ["latest"] if each == found[0] else []} for each in found
    ]
    (folder / "versions.json").write_text(json.dumps(menu, indent=1) + "\n", encoding="utf-8")
    (folder / "index.html").write_text(FRONT.format(newest=found[0]), encoding="utf-8")
    return found


def main() -> None:
    """Build and publish."""
    held: dict[str, str] = {}
    exec((ROOT / "src" / "poise" / "version.py").read_text(), held)
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site"
    build()
    eased(BUILT)
    versions = published(BUILT, folder, held["__version__"])
    print(f"{folder / versions[0] / 'index.html'}: versions {', '.join(versions)}")


if __name__ == "__main__":
    main()
