"""The comparisons of ``poise bench``: few, telling, and done within the time that is given."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from poise.errors import InputError, UnknownNameError
from poise.speed import machine
from poise.speed import peer as peers
from poise.speed.duel import Duel
from poise.speed.interleaved import interleaved
from poise.speed.peer import Peer
from poise.speed.result import Benchmark, Row

if TYPE_CHECKING:
    from poise.speed.dynamics import DynamicsWork
    from poise.speed.hitting import HitWork
    from poise.speed.kinematics import KinematicsWork
    from poise.speed.loosening import WindowsWork
    from poise.speed.posing import PoseWork

SECONDS = 60.0
"""How long all of it may take where every kernel is there."""
OVERHEAD = 0.4
"""Part of the time for imports, for making the work and for comparing results; rows share the rest."""
CARD_WINDOWS = 100_000
"""Windows in one launch: what keeps a card busy."""


@dataclass(frozen=True)
class Contest:
    """One row to be."""

    subject: str
    name: str
    peer: Peer
    make: Callable[[], Duel]
    """Makes the work; called only where the peer is there."""
    hindrance: Callable[[], tuple[str, str]] | None = None
    """What else it lacks, and the remedy; empty: nothing."""

    def run(self, seconds: float) -> Row:
        """Within about so much time, once everything is compiled."""
        who = (self.subject, self.name, self.peer.name)
        missing, remedy = self.peer.missing(), self.peer.remedy
        if not missing and self.hindrance is not None:
            missing, remedy = self.hindrance()
        if missing:
            return Row(*who, "skipped", note=missing, remedy=remedy)
        try:
            duel = self.make()
            duel.agree()
            took = interleaved({"ours": duel.ours, "theirs": duel.theirs}, None, seconds=seconds)
            ours, theirs = took["ours"] / duel.items[0], took["theirs"] / duel.items[1]
            return Row(
                *who,
                "measured",
                duel.unit,
                ours,
                theirs,
                theirs / ours,
                duel.note(),
            )
        except Exception as problem:  # one peer that is broken hides no other
            why = " ".join(str(problem).split())[:200]
            return Row(*who, "failed", note=why or type(problem).__name__)


def bench(
    subjects: Sequence[str] = (),
    *,
    seconds: float = SECONDS,
    heard: Callable[[Row], None] = lambda row: None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Benchmark:
    """Run the comparisons of some subjects (none named: all); ``heard`` is told each row as it is done."""
    if not (math.isfinite(seconds) and seconds > 0):
        raise InputError(f"seconds must be more than 0, not {seconds:g}")
    known = names()
    for subject in subjects:
        if subject not in known:
            raise UnknownNameError("subject", subject, known)
    wanted = [each for each in contests() if not subjects or each.subject in subjects]
    rows, load = [], machine.load()
    for number, contest in enumerate(wanted):
        progress(number, len(wanted))
        rows.append(contest.run((1 - OVERHEAD) * seconds / len(wanted)))
        heard(rows[-1])
    progress(len(wanted), len(wanted))
    return Benchmark(machine.facts(tuple(dict.fromkeys(each.peer for each in wanted)), load), tuple(rows))


def names() -> tuple[str, ...]:
    """Every subject, in order."""
    return tuple(dict.fromkeys(each.subject for each in contests()))


def contests() -> tuple[Contest, ...]:
    """All of them. Nothing is imported or made before it is run."""
    return (
        Contest(
            "kinematics",
            "Jacobians and momenta of 1,000 poses",
            peers.PINOCCHIO,
            lambda: _poses().pinocchio(),
        ),
        Contest(
            "kinematics", "Jacobians and momenta of 1,000 poses", peers.MUJOCO, lambda: _poses().mujoco()
        ),
        Contest(
            "dynamics", "simulation of 46 degrees of freedom", peers.MUJOCO, lambda: _states().simulating()
        ),
        Contest("dynamics", "forward dynamics", peers.PINOCCHIO, lambda: _states().accelerating()),
        Contest("dynamics", "inverse dynamics", peers.PINOCCHIO, lambda: _states().pushing()),
        Contest("loosen", "loose states, windows of 0.3 s", peers.MUJOCO, lambda: _windows().mujoco()),
        Contest("hit", "hit one place", peers.PAPER, lambda: _hits().duel("effector")),
        Contest(
            "hit",
            "hit 8 coupled places at rest",
            peers.PAPER,
            lambda: _hits().duel("8 coupled positions and velocities"),
        ),
        Contest("key", "step of inverse kinematics", peers.MINK, lambda: _keys().duel(_keys().mink())),
        Contest("key", "step of inverse kinematics", peers.PINK, lambda: _keys().duel(_keys().pink())),
        Contest("adapt", "adapt 30 frames of a walk", peers.SCIPY, _adaptation),
        Contest(
            "gpu",
            "loose states on a graphics card",
            peers.PROCESSOR,
            lambda: _windows().card(CARD_WINDOWS),
            _no_card,
        ),
    )


@cache
def _poses() -> KinematicsWork:
    from poise.speed.kinematics import KinematicsWork

    return KinematicsWork()


@cache
def _states() -> DynamicsWork:
    from poise.speed.dynamics import DynamicsWork

    return DynamicsWork()


@cache
def _windows() -> WindowsWork:
    from poise.speed.humanoid46 import humanoid46
    from poise.speed.loosening import WindowsWork

    return WindowsWork(humanoid46())


@cache
def _hits() -> HitWork:
    from poise.speed.hitting import HitWork

    return HitWork()


@cache
def _keys() -> PoseWork:
    from poise.speed.humanoid46 import humanoid46
    from poise.speed.posing import PoseWork

    return PoseWork(humanoid46())


def _adaptation() -> Duel:
    from poise.speed.adapting import bundled_stretch

    return bundled_stretch().duel()


def _no_card() -> tuple[str, str]:
    """Why no card can be used, and what would help."""
    from poise.errors import PoiseError
    from poise.kernels import graphics_card
    from poise.kernels.installed_cards import cards

    try:
        graphics_card.serves("cuda", CARD_WINDOWS, 1)
    except PoiseError:
        if not cards().found:
            return "this machine has no graphics card of NVIDIA's", ""
        return "its graphics card cannot be used", graphics_card.INSTALL
    return "", ""
