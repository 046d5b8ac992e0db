"""Graphics cards of this machine, as its driver tells of them."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any

PATIENCE = 10.0
"""How long a driver may take to answer [s]."""


@dataclass(frozen=True)
class InstalledCard:
    """One card."""

    name: str
    memory_mib: int
    driver: str


@dataclass(frozen=True)
class InstalledCards:
    """Those there are, and whether kernels could be compiled for them."""

    found: tuple[InstalledCard, ...]
    compiler: bool
    """Whether numba-cuda is installed."""

    def facts(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    def __str__(self) -> str:
        if not self.found:
            return "none that an NVIDIA driver knows of; everything runs on the processor"
        names = ", ".join(f"{card.name} ({card.memory_mib} MiB, driver {card.driver})" for card in self.found)
        return names + ("" if self.compiler else "; numba-cuda is not installed: the processor does all work")


def cards() -> InstalledCards:
    """What ``nvidia-smi`` lists; nothing where there is none, or where it does not answer."""
    return InstalledCards(tuple(_listed()), find_spec("numba_cuda") is not None)


def _listed() -> list[InstalledCard]:
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    query = [program, "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader,nounits"]
    try:
        said = subprocess.run(query, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
        rows = [[part.strip() for part in line.split(",")] for line in said.splitlines() if line.strip()]
        return [InstalledCard(name, int(float(memory)), driver) for name, memory, driver in rows]
    except (OSError, subprocess.SubprocessError, ValueError):
        return []
