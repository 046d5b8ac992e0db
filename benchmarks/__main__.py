"""``python -m benchmarks``: run every benchmark, print a table, write JSON, compare with the baseline.

Each module's ``run()`` returns rows ``{key, value, unit, direction, peer, ratio}``; ratios come from
interleaved runs in one process, so they hold on any machine. ``baseline.json`` holds the ratios of a
known good state; a ratio that falls below its baseline by more than the noise is flagged (exit 1).
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

MODULES = (
    "startup",
    "kinematics",
    "dynamics",
    "bvh",
    "loosen",
    "hit_suites",
    "faces",
    "key",
    "perform",
    "adapt",
    "retarget",
    "plan",
    "project",
    "soft",
    "batch",
    "studio",
)
BASELINE = Path(__file__).parent / "baseline.json"
NOISE = 0.35
"""A ratio may fall this much below its baseline before it counts as a regression."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks")
    parser.add_argument("--output", type=Path, default=Path("out"))
    parser.add_argument("--only", choices=MODULES, action="append", help="run only this module (repeatable)")
    parser.add_argument("--accept", action="store_true", help="make the measured ratios the new baseline")
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for name in arguments.only or MODULES:
        print(f"… {name}", file=sys.stderr, flush=True)
        rows += import_module(f"benchmarks.{name}").run()
    baseline = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    worse = show(rows, baseline)
    arguments.output.mkdir(parents=True, exist_ok=True)
    path = arguments.output / "bench.json"
    path.write_text(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
    print(f"\n{path}")
    if arguments.accept:
        ratios = {r["key"]: round(r["ratio"], 2) for r in rows if r.get("ratio")}
        BASELINE.write_text(json.dumps(dict(sorted((baseline | ratios).items())), indent=2) + "\n")
        return 0
    return 1 if worse else 0


def show(rows: list[dict[str, Any]], baseline: dict[str, float]) -> list[str]:
    """Print the table; the keys that fell below their baseline."""
    worse = []
    print(f"{'what':<52} {'value':>12} {'unit':<8} {'ratio':>8}  against")
    for row in rows:
        ratio = row.get("ratio")
        mark = ""
        known = baseline.get(row["key"])
        if ratio and known and ratio < known * (1 - NOISE):
            worse.append(row["key"])
            mark = f"  ✗ was {known:g}"
        shown = f"{ratio:8.1f}" if ratio else " " * 8
        print(
            f"{row['key']:<52} {row['value']:>12.4g} {row['unit']:<8} {shown}  {row.get('peer') or ''}{mark}"
        )
    return worse


if __name__ == "__main__":
    sys.exit(main())
