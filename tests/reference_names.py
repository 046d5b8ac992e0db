"""What the pages of the Python reference show, by dotted names."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

PAGES = Path(__file__).resolve().parents[1] / "docs" / "reference" / "api"
TARGETS = [
    name
    for page in sorted(PAGES.glob("*.md"))
    for name in re.findall(r"^::: (\S+)$", page.read_text(), re.MULTILINE)
]
"""As the pages name them: modules, classes and functions."""


def found(name: str) -> Any:
    """What a dotted name means."""
    first, *rest = name.split(".")
    thing = importlib.import_module(first)
    for k, part in enumerate(rest, start=1):
        if not hasattr(thing, part):
            importlib.import_module(".".join([first, *rest[:k]]))
        thing = getattr(thing, part)
    return thing


def _shown() -> dict[str, Any]:
    """Each target, and in place of a module what it holds: ``__all__``, else what is defined there."""
    out: dict[str, Any] = {}
    for target in TARGETS:
        thing = found(target)
        if not inspect.ismodule(thing):
            out[target] = thing
            continue
        own = (k for k, v in vars(thing).items() if getattr(v, "__module__", "") == thing.__name__)
        for name in getattr(thing, "__all__", None) or (k for k in own if not k.startswith("_")):
            member = getattr(thing, name)
            if not inspect.ismodule(member):
                out[f"{target}.{name}"] = member
    return out


SHOWN = _shown()
