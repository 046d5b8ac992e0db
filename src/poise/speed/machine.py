"""The facts of a machine that a comparison depends on: no date, no name, no path."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from poise import cpu_level
from poise.graphics_cards import cards
from poise.speed.peer import Peer
from poise.version import __version__
from poise.workers import thread_count

LIBRARIES = ("numpy", "scipy", "numba")


def facts(peers: tuple[Peer, ...]) -> dict[str, Any]:
    """Plain data."""
    level = cpu_level.chosen()
    found = cards()
    return {
        "processor": level.name if level is not None else cpu_level.NATIVE,
        "cores": os.cpu_count(),
        "threads": thread_count(),
        "system": platform.system(),
        "graphics_card": [card.name for card in found.found],
        "versions": {
            "poise": __version__,
            "python": platform.python_version(),
            **{name: known for name in LIBRARIES if (known := _version(name))},
            **{peer.distribution: peer.version for peer in peers if peer.version},
        },
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def words(machine: dict[str, Any]) -> str:
    """One line for people."""
    card = ", ".join(machine["graphics_card"]) or "no graphics card"
    counts = f"{machine['cores']} cores, {machine['threads']} threads"
    return f"{machine['processor']}, {counts}, {machine['system']}, {card}"
