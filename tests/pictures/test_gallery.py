"""Every example draws its pictures into a folder: ``python examples/gallery.py`` relies on it."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DOCS = EXAMPLES.parent / "docs"


@pytest.fixture(scope="module")
def gallery():
    sys.path.insert(0, str(EXAMPLES))
    import gallery

    yield gallery
    sys.path.remove(str(EXAMPLES))


def test_every_example_draws_into_a_folder_and_nothing_else_is_needed(gallery):
    for path in gallery.numbered():
        first, *others = inspect.signature(gallery.load(path).draw).parameters.values()
        assert first.name == "folder", path.name
        assert all(each.default is not each.empty for each in others), path.name


# One for each way in which examples put a scene together: panels, poses, a scene of its own, strobes.
@pytest.mark.parametrize("name", ["01_loosen", "09_limited_changes", "50_hat_door", "53_cape"])
def test_an_example_draws_what_the_gallery_shows(gallery, tmp_path, name):
    drawn = gallery.load(EXAMPLES / f"{name}.py").draw(tmp_path)
    assert drawn
    shown = re.findall(r"\]\(pictures/([\w.-]+)\)", (DOCS / "gallery.md").read_text("utf-8"))
    for path in drawn:
        assert path.parent == tmp_path
        assert path.name in shown
        with Image.open(path) as new, Image.open(DOCS / "pictures" / path.name) as old:
            assert new.size == old.size
            assert np.asarray(new.convert("L")).std() > 5.0
