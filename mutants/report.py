"""The table of a run, and what of it counts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mutants.trial import Trial

EQUIVALENT = Path(__file__).with_name("equivalent.json")
"""Breakages that change nothing anyone can see, by key, each with the reason; docs/mutants.md shows them."""


def equivalents() -> dict[str, str]:
    """Reasons by key."""
    found: dict[str, str] = json.loads(EQUIVALENT.read_text(encoding="utf-8"))
    return found


def line(trial: Trial) -> str:
    """One row."""
    m = trial.mutation
    where = f"{m.file.removeprefix('src/poise/')}:{m.line}"
    return f"{trial.state:<10} {trial.seconds:6.1f} s  {where:<46} {m.name or m.what}" + (
        f"\n{'':20} by {trial.by}" if trial.by else ""
    )


def summary(trials: Sequence[Trial]) -> dict[str, Any]:
    """Counts, the share that was killed of all that are not equivalent, and who survived."""
    known = equivalents()
    excused = [t for t in trials if t.state != "killed" and t.mutation.key in known]
    killed = [t for t in trials if t.state == "killed"]
    survived = [t for t in trials if t.state != "killed" and t.mutation.key not in known]
    total = len(killed) + len(survived)
    apart = Counter((t.state == "killed", bool(t.mutation.function)) for t in [*killed, *survived])
    return {
        "breakages": len(trials),
        "killed": len(killed),
        "equivalent": len(excused),
        "survived": len(survived),
        "share": round(len(killed) / total, 4) if total else 1.0,
        "of code": f"{apart[True, True]} of {apart[True, True] + apart[False, True]}",
        "of a module's own numbers": f"{apart[True, False]} of {apart[True, False] + apart[False, False]}",
        "survivors": [t.mutation.key for t in survived],
    }


def write(path: Path, seed: int, trials: Sequence[Trial]) -> None:
    """Everything as JSON, whole or not at all."""
    part = path.with_suffix(".part")
    told = {"seed": seed, **summary(trials), "trials": [t.to_dict() for t in trials]}
    part.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(path)
