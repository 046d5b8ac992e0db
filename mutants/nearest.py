"""The tests nearest to a breakage: those that call the broken function, the most telling and quickest first.

What each test calls was recorded (``recording.py``). Kernels and constants leave no trace: of these the
users count, up to the first that do. A test tells more the less else it calls.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from mutants.code_graph import CodeGraph
from mutants.mutation import Mutation

SECONDS = 12.0
"""Tests of a breakage take no longer together, unless there is only one."""
MOST = 40
"""Nor are there more of them."""
DEEP = 5
"""So far users of users are looked for."""


@dataclass(frozen=True)
class Recorded:
    """One test."""

    name: str
    seconds: float
    calls: frozenset[str]

    @property
    def family(self) -> str:
        """The function, without its parameters."""
        return self.name.partition("[")[0]

    @property
    def price(self) -> float:
        """Seconds by all that it calls: small for what is quick and is about little."""
        return (self.seconds + 0.05) * (len(self.calls) + 10)


class Nearest:
    """Tests by what they call."""

    def __init__(self, record: Path, graph: CodeGraph, root: Path) -> None:
        self.graph = graph
        self.by_call: dict[str, list[Recorded]] = defaultdict(list)
        self.by_file: dict[str, list[Recorded]] = defaultdict(list)
        for file, kept in json.loads(record.read_text()).items():
            source = (root / file).read_text(encoding="utf-8") if (root / file).exists() else ""
            for name, told in kept["tests"].items():
                if f"def {name.partition('[')[0].rpartition('::')[2]}(" not in source:
                    continue  # it has another name by now
                test = Recorded(name, told["seconds"], frozenset(told["calls"]))
                for call in test.calls:
                    self.by_call[call].append(test)
                for module in {call.partition("::")[0] for call in test.calls if "<module>" not in call}:
                    self.by_file[module].append(test)

    def tests(self, mutation: Mutation) -> list[Recorded]:
        """In the order in which they are best run; none if nothing calls it."""
        return chosen(self.callers(mutation))

    def callers(self, mutation: Mutation) -> list[Recorded]:
        """All tests that reach the broken code, as far as is known."""
        file = mutation.file.removeprefix("src/poise/")
        place = f"{file}::{mutation.function}"
        if not mutation.function:
            places = self.graph.constants.get((file, mutation.line), [])
        else:
            direct = self.by_call.get(place)
            if direct:
                return direct
            places = [f"{file}::{mutation.function.partition('.')[0]}"]
        seen = set(places)
        for _ in range(DEEP):
            found = {t.name: t for p in places for t in self._of(p, bool(mutation.function))}
            if found:
                return list(found.values())
            places = [u for p in places for u in self.graph.users[p] if u not in seen]
            seen |= set(places)
        return self.by_file.get(file, [])

    def _of(self, place: str, functions: bool) -> list[Recorded]:
        """Tests that call a function, or any method of a class."""
        own = list(self.by_call.get(place, []))
        if not own:
            own = [t for call, tests in self.by_call.items() if call.startswith(f"{place}.") for t in tests]
        return own


def chosen(tests: list[Recorded]) -> list[Recorded]:
    """A few of them, of as many families as possible, quick ones first."""
    families: dict[str, list[Recorded]] = defaultdict(list)
    for test in sorted(tests, key=lambda t: (t.price, t.name)):
        families[test.family].append(test)
    found: list[Recorded] = []
    seconds = 0.0
    turn = 0
    while any(len(own) > turn for own in families.values()):
        for own in sorted((f for f in families.values() if len(f) > turn), key=lambda f: f[turn].price):
            test = own[turn]
            if not found or (seconds + test.seconds <= SECONDS and len(found) < MOST):
                found.append(test)
                seconds += test.seconds
        turn += 1
    return sorted(found, key=lambda t: (t.seconds, t.name))
