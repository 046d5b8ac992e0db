"""``python -m mutants``: break a copy of the source in many small ways and see whether tests notice.

The named breakages, a sample of others by a seed over all packages, and some of the TypeScript. The first run
records what every test calls, which takes as long as the tests; later ones only look at test files that are
new or changed. Breakages are tried one after the other; a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from mutants import typescript
from mutants.checkout import Checkout
from mutants.code_graph import CodeGraph
from mutants.mutation import Mutation
from mutants.named import NAMED
from mutants.nearest import WAVES, Nearest
from mutants.python_operators import mutations, walk
from mutants.recording import record
from mutants.report import line, summary, write
from mutants.sampling import sample
from mutants.trial import Trial, tried, warm_up

SLACK = 1.5
"""Broken code may be so much slower, and test files that were not recorded take as long as they take."""
LEAST = 0.95
"""The share of breakages that must be noticed."""


def main() -> int:
    """Run, print, write; 1 if too much went unnoticed."""
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("out"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=5, help="breakages of every Python package")
    parser.add_argument("--web", type=int, default=28, help="breakages of the TypeScript")
    parser.add_argument(
        "--only", action="append", help="only what holds this in its file or name (repeatable)"
    )
    parser.add_argument("--again", action="store_true", help="forget what earlier runs with this seed found")
    parser.add_argument("--survivors", action="store_true", help="try again what survived an earlier run")
    parser.add_argument("--units", action="store_true", help="try the TypeScript on its unit tests alone")
    parser.add_argument("--unnamed", action="store_true", help="the sample alone, without the named ones")
    parser.add_argument("--known", action="store_true", help="record no tests anew")
    parser.add_argument(
        "--more", type=float, default=WAVES[1][0], metavar="SECONDS",
        help="tests beyond the nearest that a breakage is tried on (less where the machine is busy)",
    )  # fmt: skip
    asked = parser.parse_args()
    folder = asked.output / "mutants"
    folder.mkdir(parents=True, exist_ok=True)
    checkout = Checkout(Path.cwd(), folder)
    checkout.renew()
    if not asked.known:
        record(checkout, folder / "nearest.json")
    graph = CodeGraph(checkout.root)
    nearest = Nearest(folder / "nearest.json", graph, checkout.root, asked.more)
    every = [m for file in walk(checkout.root) for m in mutations(checkout.root, file)]
    wanted = sample(every, asked.each, asked.seed)
    wanted += [n.mutation(checkout.root) for n in NAMED] if not asked.unnamed else []
    wanted += typescript.sample(checkout, asked.web, asked.seed) if asked.web else []
    if asked.only:
        wanted = [m for m in wanted if any(text in m.file or text in m.name for text in asked.only)]

    path = folder / f"seed-{asked.seed}.json"
    known = {} if asked.again else earlier(path)
    if asked.survivors:
        known = {key: trial for key, trial in known.items() if trial.state == "killed"}
    warm_up()
    trials: list[Trial] = []
    for mutation in wanted:
        trial = known.get(mutation.key)
        if trial is None:
            trial = attempt(checkout, nearest, mutation, asked.more, browser=not asked.units)
            print(line(trial), flush=True)
        trials.append(trial)
        rest = [known[m.key] for m in wanted[len(trials) :] if m.key in known]
        write(path, asked.seed, [*trials, *rest])
    found = summary(trials)
    print("\n" + "\n".join(line(t) for t in trials if t.mutation.key in found["survivors"]))
    parts = ", ".join(f"{name}: {found[name]}" for name in ("of code", "of a module's own numbers"))
    counts = f"{found['killed']} of {found['breakages']} killed ({parts}), {found['equivalent']} equivalent"
    print(f"{counts}: {found['share']:.1%}\n{path}")
    return 0 if found["share"] >= LEAST else 1


def attempt(checkout: Checkout, nearest: Nearest, mutation: Mutation, more: float, *, browser: bool) -> Trial:
    """One breakage on its nearest tests; no set of them takes much longer than ``more`` seconds."""
    if mutation.package == "studio/web":
        return typescript.tried(checkout, mutation, browser=browser)
    waves = [([t.name for t in wave], sum(t.seconds for t in wave)) for wave in nearest.waves(mutation)]
    return tried(checkout, mutation, waves, max(more, WAVES[0][0]) * SLACK)


def earlier(path: Path) -> dict[str, Trial]:
    """Trials of a run before, by the key of their breakage."""
    if not path.exists():
        return {}
    found = {}
    for told in json.loads(path.read_text())["trials"]:
        told.pop("package")
        mutation = Mutation(**told.pop("mutation"))
        found[mutation.key] = Trial(mutation, **told)
    return found


if __name__ == "__main__":
    sys.exit(main())
