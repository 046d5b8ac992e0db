"""Whom Poise is compared with, and how to get them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version


@dataclass(frozen=True)
class Peer:
    """Somebody who does the same work."""

    name: str
    """As it is called: ``MuJoCo, a loop``."""
    modules: tuple[str, ...] = ()
    """What must be importable."""
    distribution: str = ""
    """What to ask for its version; empty: it is part of Poise."""
    remedy: str = ""
    """A command that brings it."""

    def missing(self) -> str:
        """Which of its modules cannot be loaded, and why; empty: it is there."""
        for name in self.modules:
            try:
                import_module(name)
            except ImportError as problem:
                absent = isinstance(problem, ModuleNotFoundError)
                return f"{name} is not installed" if absent else f"{name} cannot be loaded: {problem}"
        return ""

    @property
    def version(self) -> str:
        """Of its distribution; empty where it has none of its own."""
        try:
            return version(self.distribution) if self.distribution else ""
        except PackageNotFoundError:
            return ""


BENCH = "pip install 'poise[bench]'"
MUJOCO = Peer("MuJoCo", ("mujoco",), "mujoco", "pip install 'poise[contact]'")
PINOCCHIO = Peer("Pinocchio", ("pinocchio",), "pin", BENCH)
MINK = Peer("mink", ("mujoco", "mink", "daqp"), "mink", BENCH)
PINK = Peer("pink", ("pinocchio", "pink", "daqp"), "pin-pink", BENCH)
SCIPY = Peer("SciPy least_squares", ("scipy",), "scipy", "pip install poise")
PAPER = Peer("the published iteration")
PROCESSOR = Peer("the same on the processor")
