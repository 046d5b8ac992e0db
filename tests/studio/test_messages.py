"""The browser's types are those of Python."""

from __future__ import annotations

from poise.studio.page import STATIC
from poise.studio.server.typescript import cards, declarations


def test_the_browsers_types_are_generated_from_pythons():
    found = (STATIC.parent / "web" / "src" / "messages.ts").read_text(encoding="utf-8")
    assert found == declarations(), "run: python -m poise.studio.server.typescript"


def test_the_browsers_tests_know_the_operations_of_now():
    found = (STATIC.parent / "web" / "tests" / "operations.json").read_text(encoding="utf-8")
    assert found == cards(), "run: python -m poise.studio.server.typescript"
