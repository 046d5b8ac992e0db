"""The browser's types are those of Python."""

from __future__ import annotations

from poise.studio.page import STATIC
from poise.studio.server.typescript import declarations


def test_the_browsers_types_are_generated_from_pythons():
    found = (STATIC.parent / "web" / "src" / "messages.ts").read_text(encoding="utf-8")
    assert found == declarations(), "run: python -m poise.studio.server.typescript"
