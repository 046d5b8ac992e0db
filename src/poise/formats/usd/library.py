"""usd-core, where it is installed; it has no types."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from poise.errors import MissingDependencyError

HOW = "pip install 'poise[usd]'"


def library(name: str) -> Any:
    """A module of it: Usd, UsdGeom, UsdSkel …"""
    if find_spec("pxr") is None:
        raise MissingDependencyError("pxr", "USD files", HOW)
    return import_module(f"pxr.{name}")
