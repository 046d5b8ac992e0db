"""The tests nearest to a breakage: those that call the broken function, the most telling and quickest first.

What each test calls was recorded (``recording.py``); files that were not are run whole, the likeliest
first. Kernels and constants leave no trace: of these the users count, up to the first that do. A test tells
more the less else it calls.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mutants.code_graph import CodeGraph
from mutants.mutation import Mutation
from mutants.recording import LEFT_OUT

WAVES = ((20.0, 60), (90.0, 300))
"""Seconds that tests of a breakage take together at most, unless there is only one, and how many there are:
first the nearest, then, where these notice nothing, more of those that call it."""
ELSEWHERE = {
    "kernels/cache.py": ("tests/kernels/test_cache.py",),
    "compilation.py": ("tests/kernels/test_compilation.py", "tests/kernels/test_cache.py"),
    "watching.py": ("tests/test_watching.py",),
    "files.py": ("tests/test_kills.py",),
    "batch/cluster": ("tests/batch/test_cluster.py",),
    "handles/handle.py": ("tests/test_extending.py",),
    "curves/basis.py": ("tests/test_extending.py",),
    "character/presets/__init__.py": ("tests/test_extending.py",),
    "extensions.py": ("tests/test_extending.py",),
    "functions.py": ("tests/operations/test_surfaces.py",),
    "operations/": ("tests/operations/test_surfaces.py",),
    "project/layer.py": ("tests/operations/test_surfaces.py",),
    "lifeline.py": ("tests/test_lifeline.py",),
    "speed/": ("tests/test_speed.py",),
    "cli/bench.py": ("tests/test_speed.py",),
    "studio/server/": ("tests/studio/test_hostile_requests.py", "tests/studio/test_running_studio.py"),
}
"""Tests by the beginning of the broken file's name whose work is done by other processes, or that hold files
made from the source against it: neither leaves a trace in the record. They come last."""
WHOLE = 5
"""Test files that are not recorded and are run whole."""
FEW = 60
"""Where fewer tests call a function, those of its users are near as well: what is cached is called by
the first test alone that needs it."""
NEAR = 0.1
"""Tests of the package itself count as so much cheaper."""
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

    def __init__(self, record: Path, graph: CodeGraph, root: Path, more: float = WAVES[1][0]) -> None:
        self.graph = graph
        self.limits = (WAVES[0], (more, WAVES[1][1]))
        self.by_call: dict[str, list[Recorded]] = defaultdict(list)
        self.by_file: dict[str, list[Recorded]] = defaultdict(list)
        self.mentions: list[tuple[str, Recorded]] = []
        """The text of each test's file, for constants that are only looked at."""
        self.whole: dict[str, str] = {}
        """Texts of test files that are not recorded."""
        self._mentioned: dict[str, set[str]] = {}
        known = json.loads(record.read_text()) if record.exists() else {}
        for path in sorted((root / "tests").rglob("test_*.py")):
            file = path.relative_to(root).as_posix()
            if file not in known and not file.startswith(LEFT_OUT):
                self.whole[file] = path.read_text(encoding="utf-8")
        for file, kept in known.items():
            source = (root / file).read_text(encoding="utf-8") if (root / file).exists() else ""
            for name, told in kept["tests"].items():
                if f"def {name.partition('[')[0].rpartition('::')[2]}(" not in source:
                    continue  # it has another name by now
                # A class that is defined is not one that is used: whoever reads a module first would count.
                calls = frozenset(c for c in told["calls"] if c not in graph.classes and "<module>" not in c)
                test = Recorded(name, told["seconds"], calls)
                self.mentions.append((source, test))
                for call in test.calls:
                    self.by_call[call].append(test)
                for module in {call.partition("::")[0] for call in test.calls}:
                    self.by_file[module].append(test)

    def waves(self, mutation: Mutation) -> list[list[Recorded]]:
        """Tests to run one set after the other, until one notices; none if nothing calls it."""
        home = f"tests/{mutation.package}/"
        found = [chosen(self.spoken_of(mutation), home)]
        taken = {test.name for test in found[0]}
        left = [test for test in self.callers(mutation) if test.name not in taken]
        for seconds, most in self.limits:
            found.append(chosen(left, home, seconds=seconds, most=most))
            taken |= {test.name for test in found[-1]}
            left = [test for test in left if test.name not in taken]
            if len(left) < FEW:
                known = taken | {test.name for test in left}
                left += [test for test in self.wider(mutation) if test.name not in known]
        file = mutation.file.removeprefix("src/poise/")
        whole = self.unrecorded(mutation, home)
        whole += [name for name in elsewhere(file) if name not in whole]
        found.append([Recorded(name, 60.0, frozenset()) for name in whole])
        return [wave for wave in found if wave]

    def spoken_of(self, mutation: Mutation) -> list[Recorded]:
        """Of a constant: tests in files that name its module and itself."""
        if mutation.function:
            return []
        file = mutation.file.removeprefix("src/poise/")
        names = [p.partition("::")[2] for p in self.graph.constants.get((file, mutation.line), [])]
        by_name = [(text, test) for text, test in self.mentions if any(n in text for n in names)]
        return [test for text, test in by_name if named_in(text, module_of(mutation))]

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
            found = {t.name: t for p in places for t in self._of(p)}
            if found:
                return list(found.values())
            places = [u for p in places for u in self.graph.users[p] if u not in seen]
            seen |= set(places)
        return self.by_file.get(file, [])

    def unrecorded(self, mutation: Mutation, home: str) -> list[str]:
        """The likeliest of the test files that were not recorded: those that name the broken module or
        the function, or a near user of it, lie at ``home``, or share a word of their name with it."""
        module, name = module_of(mutation), f"{mutation.function.rpartition('.')[2]}("
        words = set(module.rpartition(".")[2].split("_"))
        quoted = tuple(f'{mark}{word}"' for word in module.split(".")[2:] for mark in '".')
        file = mutation.file.removeprefix("src/poise/")
        if not mutation.function:
            name = next(
                (p.partition("::")[2] for p in self.graph.constants.get((file, mutation.line), [])), "("
            )

        places = self.graph.constants.get((file, mutation.line), [])
        if mutation.function:
            places = [f"{file}::{mutation.function.partition('.')[0]}"]
        users = self.graph.distances(places, DEEP)

        def far(test: str) -> tuple[float, str]:
            text = self.whole[test]
            named, called = named_in(text, module), len(name) > 1 and name in text
            alike = words & set(Path(test).stem.split("_"))
            if test not in self._mentioned:
                self._mentioned[test] = self.graph.mentioned(text)
            nearest = min((users[place] for place in self._mentioned[test] if place in users), default=DEEP)
            uses = DEEP - nearest
            spoken = min(2, sum(text.count(word) for word in quoted))  # a verb, or the ending of a file
            own = test.startswith(home)
            held = 6 * (test in elsewhere(file))
            return -(4 * named + 2 * called + 2 * own + 2 * spoken + bool(alike) + uses + held), test

        ranked = sorted((far(test) for test in self.whole), key=lambda place: place)[:WHOLE]
        telling = [test for points, test in ranked if points < -2]
        return telling if len(telling) > 2 else [test for points, test in ranked if points <= -2]

    def wider(self, mutation: Mutation) -> list[Recorded]:
        """Tests in files that name the broken module, and those that call users of the broken function, or
        users of these, up to where some are found."""
        file = mutation.file.removeprefix("src/poise/")
        named = [t for text, t in self.mentions if named_in(text, module_of(mutation))]
        places = {f"{file}::{mutation.function.partition('.')[0]}"}
        if not mutation.function:
            places = set(self.graph.constants.get((file, mutation.line), []))
        seen, found = set(places), {test.name: test for test in named}
        for _ in range(DEEP):
            places = {user for place in places for user in self.graph.users[place]} - seen
            seen |= places
            found |= {test.name: test for place in places for test in self._of(place)}
            if len(found) >= FEW:
                break
        return list(found.values())

    def _of(self, place: str) -> list[Recorded]:
        """Tests that call a function, or any method of a class."""
        own = list(self.by_call.get(place, []))
        if not own:
            own = [t for call, tests in self.by_call.items() if call.startswith(f"{place}.") for t in tests]
        return own


def elsewhere(file: str) -> list[str]:
    """Tests of a broken file that no record tells of."""
    return [name for start, names in ELSEWHERE.items() if file.startswith(start) for name in names]


def module_of(mutation: Mutation) -> str:
    """The broken module as it is imported."""
    file = mutation.file.removeprefix("src/poise/").removesuffix(".py").removesuffix("/__init__")
    return "poise." + file.replace("/", ".")


@cache
def named_in(text: str, module: str) -> bool:
    """Whether the text of a test imports a module."""
    above, _, stem = module.rpartition(".")
    listed = rf"from {re.escape(above)} import (\([^)]*|[^\n]*)\b{re.escape(stem)}\b"
    return module in text or re.search(listed, text) is not None


def chosen(
    tests: list[Recorded], home: str = "", *, seconds: float = WAVES[0][0], most: int = WAVES[0][1]
) -> list[Recorded]:
    """A few of them, of as many families as possible, quick ones first, those at ``home`` before others."""

    def price(test: Recorded) -> float:
        return test.price * (NEAR if home and test.name.startswith(home) else 1.0)

    families: dict[str, list[Recorded]] = defaultdict(list)
    for test in sorted(tests, key=lambda t: (price(t), t.name)):
        families[test.family].append(test)
    found: list[Recorded] = []
    taken = 0.0
    turn = 0
    while any(len(own) > turn for own in families.values()):
        for own in sorted((f for f in families.values() if len(f) > turn), key=lambda f: price(f[turn])):
            test = own[turn]
            if not found or (taken + test.seconds <= seconds and len(found) < most):
                found.append(test)
                taken += test.seconds
        turn += 1
    return sorted(found, key=lambda t: (t.seconds, t.name))
