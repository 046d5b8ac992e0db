"""The facts of a machine that a comparison depends on: no date, no name, no path."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from poise.kernels import cpu_level
from poise.kernels.installed_cards import cards
from poise.speed.peer import Peer
from poise.version import __version__
from poise.workers import thread_count

LIBRARIES = ("numpy", "scipy", "numba")
BUSY = 0.5
"""Processes that want to run, over cores: from here on a machine does other things too."""


def facts(peers: tuple[Peer, ...], load: float) -> dict[str, Any]:
    """Plain data; ``load`` is that of before the comparison."""
    level = cpu_level.chosen()
    found = cards()
    return {
        "processor": level.name if level is not None else cpu_level.NATIVE,
        "cores": os.cpu_count(),
        "threads": thread_count(),
        "load": round(load, 2),
        "system": platform.system(),
        "graphics_card": [card.name for card in found.found],
        "versions": {
            "poise": __version__,
            "python": platform.python_version(),
            **{name: known for name in LIBRARIES if (known := _version(name))},
            **{peer.distribution: peer.version for peer in peers if peer.version},
        },
    }


def load() -> float:
    """How many processes wanted to run in the last minute, over the cores there are; 0 where nobody tells."""
    return os.getloadavg()[0] / (os.cpu_count() or 1) if hasattr(os, "getloadavg") else 0.0


def warning(load: float) -> str:
    """What a busy machine does to a comparison; empty on a quiet one."""
    if load < BUSY:
        return ""
    return (
        f"the machine was busy with other work before it began ({load:.1f} processes for each core): "
        "times are longer, and ratios less certain, than on a quiet one"
    )


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
