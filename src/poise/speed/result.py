"""What a comparison found: one row for each piece of work and peer, and the machine they ran on."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from poise.errors import InputError

VERSION = 1
"""Of the JSON."""
State = Literal["measured", "skipped", "failed"]
UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))


@dataclass(frozen=True)
class Row:
    """One comparison."""

    subject: str
    """The word by which it is chosen: ``kinematics``."""
    name: str
    """What is done: ``kinematics of 25 bodies``."""
    peer: str
    state: State
    unit: str = ""
    """What was timed: a frame, a step, a call."""
    ours: float | None = None
    """Seconds of one unit."""
    theirs: float | None = None
    ratio: float | None = None
    """The peer's time over ours."""
    note: str = ""
    """What should be known of the peer's result; of skipped and failed rows, why."""
    remedy: str = ""
    """How to get a peer that is missing."""


@dataclass(frozen=True)
class Benchmark:
    """Every row, and the facts of the machine."""

    machine: dict[str, Any]
    rows: tuple[Row, ...]

    def to_json(self) -> str:
        """As text, every number finite."""
        told = {"version": VERSION, "machine": self.machine, "rows": [asdict(row) for row in self.rows]}
        return json.dumps(told, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def of(self, state: State) -> list[Row]:
        """Rows of a state."""
        return [row for row in self.rows if row.state == state]


def from_plain(told: Any, name: str) -> Benchmark:
    """What ``poise bench --json`` printed, parsed; ``name`` is the file's, for errors."""
    try:
        if told["version"] != VERSION:
            raise InputError(f"{name} is of version {told['version']}, not {VERSION}: run poise bench again")
        return Benchmark(dict(told["machine"]), tuple(_row(each) for each in told["rows"]))
    except (ValueError, KeyError, TypeError) as problem:
        raise InputError(
            f"{name} is not what poise bench --json prints ({type(problem).__name__}: {problem})"
        ) from None


def _row(told: Mapping[str, Any]) -> Row:
    row = Row(**told)
    numbers = (row.ours, row.theirs, row.ratio)
    if row.state == "measured" and not all(x is not None and math.isfinite(x) and x > 0 for x in numbers):
        raise ValueError(f"a time of {row.name!r} is missing")
    return row


def spoken(seconds: float) -> str:
    """A time in the unit that suits it, three digits."""
    for unit, size in UNITS:
        if seconds >= size or unit == UNITS[-1][0]:
            return f"{seconds / size:.3g} {unit}"
    raise AssertionError("the last unit takes everything")


def times(ratio: float) -> str:
    """A ratio, two digits or more: more would be noise."""
    return f"{ratio:.0f}×" if ratio >= 10 else f"{ratio:.1f}×"
