"""What became of a clip, and of all of them."""

from __future__ import annotations

from collections import Counter

import msgspec

from poise.errors import PoiseError

STATES = ("done", "missed", "failed", "crashed")


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a clip."""

    clip: str
    """Path within the folder."""
    state: str
    """done · missed (done, but something asked for was not met or is implausible) · failed · crashed"""
    problem: str = ""
    """Why there is no result."""
    plausible: bool | None = None
    """As the last check or fix found it; None if the motion was not judged, or changed since."""
    findings: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    """Of the findings."""
    repaired: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    """What steps could not achieve, in words."""
    left_out: tuple[str, ...] = ()
    """What of the clip's file the result does not hold, or the recipe did not look at, in words."""
    frames: int = 0
    seconds: float = 0.0
    output: str = ""
    """Path of the result within the target folder."""
    sha256: str = ""
    """Of the result."""
    source: str = ""
    """Of the clip's file and those it needs: a changed clip is done anew."""
    recipe: str = ""
    """Digest of the recipe."""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """All outcomes, in the order of the clips' names."""

    outcomes: tuple[Outcome, ...]
    kept: int = 0
    """How many had been done before."""
    waiting: int = 0
    """How many are still to be done, where the batch was stopped."""
    left_out: tuple[str, ...] = ()
    """Files of the folder that were not taken: of formats Poise does not read."""

    def count(self, state: str) -> int:
        """How many clips ended in a state."""
        return sum(outcome.state == state for outcome in self.outcomes)

    @property
    def fine(self) -> bool:
        """Whether everything was done and met."""
        return not self.waiting and all(outcome.state == "done" for outcome in self.outcomes)

    @property
    def faults(self) -> dict[str, int]:
        """Kinds of findings, with how many clips have any, the most frequent first."""
        return dict(Counter(kind for outcome in self.outcomes for kind in set(outcome.kinds)).most_common())

    def __str__(self) -> str:
        counts = ", ".join(f"{self.count(state)} {state}" for state in STATES if self.count(state))
        before = f" ({self.kept} before)" if self.kept else ""
        rest = f"; {self.waiting} still to do" if self.waiting else ""
        total = len(self.outcomes) + self.waiting
        return f"{total} clip{'s' if total != 1 else ''}: {counts or 'none done'}{before}{rest}{self._left()}"

    def _left(self) -> str:
        from poise.motion.source import listed

        count = len(self.left_out)
        said = f"{count} file{'s' if count != 1 else ''} of formats Poise does not read left out"
        return f"; {said} ({listed(self.left_out)})" if count else ""


class Deserted(PoiseError):
    """Nobody is left to do the rest of a batch; what was done is written down, and the same call goes on."""

    summary = Summary(outcomes=())
    """Where it stands."""
