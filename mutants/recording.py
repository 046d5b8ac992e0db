"""A pytest plugin that records which functions of the package each test calls, and the seconds it takes.

``pytest -p mutants.recording --record FILE tests/...`` adds to the JSON file, per test file::

    {file: {"digest": "…", "tests": {"file::test_z": {"seconds": 0.1, "calls": ["…"]}}}}

A call is ``package/file.py::Qualified.name``. What a fixture of a module or session calls counts for every
test that asks for it, whichever came first. Kernels are compiled and leave no trace: their callers do
(``nearest.py`` goes on from there). Only tests that pass are recorded, without the seconds of compilation.
"""

from __future__ import annotations

import cProfile
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mutants.checkout import Checkout

PACKAGE = "/src/poise/"
LEFT_OUT = ("tests/papers/", "tests/studio/test_running_studio.py", "tests/batch/test_cluster.py")
"""Tests that are never nearest: whole performances, and what several processes do at once."""


class Recorder:
    """One profiler at a time: that of the test or, while a fixture is made, that of the fixture."""

    def __init__(self, path: Path, root: Path) -> None:
        self.path, self.root = path, root
        self.files: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        self.stack: list[tuple[cProfile.Profile, dict[str, Any]]] = []
        self.fixtures: dict[str, dict[str, Any]] = {}
        self.tests: dict[str, dict[str, Any]] = {}
        self.compiling = 0.0

    def enter(self) -> None:
        if self.stack:
            self.stack[-1][0].disable()
        # Only the interpreter's own calls: numpy's are of no interest and cost time.
        profile = cProfile.Profile(builtins=False)
        self.stack.append((profile, {"began": time.perf_counter() - self.compiling}))
        profile.enable()

    def leave(self) -> dict[str, Any]:
        profile, span = self.stack.pop()
        profile.disable()
        seconds = time.perf_counter() - self.compiling - span["began"]
        calls = set()
        for entry in profile.getstats():
            code = entry.code
            if not isinstance(code, str) and PACKAGE in code.co_filename:
                calls.add(code.co_filename.split(PACKAGE)[-1] + "::" + code.co_qualname)
        if self.stack:
            self.stack[-1][0].enable()
        return {"seconds": seconds, "calls": calls}

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Iterator[Any]:
        if fixturedef.scope == "function":
            return (yield)
        self.enter()
        try:
            return (yield)
        finally:
            self.fixtures[f"{fixturedef.baseid}::{fixturedef.argname}"] = self.leave()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> Iterator[Any]:
        self.enter()
        try:
            return (yield)
        finally:
            made = self.leave()
            if self.tests.pop(item.nodeid, {}).get("passed"):
                self.add(item, made)
            if nextitem is None or nextitem.path != item.path:
                self.write()

    def add(self, item: Any, made: dict[str, Any]) -> None:
        calls = set(made["calls"])
        seconds = made["seconds"]
        for name in item.fixturenames:
            for key, fixture in self.fixtures.items():
                base, _, argument = key.rpartition("::")
                if argument == name and item.nodeid.startswith(base):
                    calls |= fixture["calls"]
                    seconds += fixture["seconds"]
        name = str(item.path.relative_to(self.root))
        digest = digest_of(item.path)
        known = self.files.setdefault(name, {"digest": digest, "tests": {}})
        if known["digest"] != digest:
            known.update(digest=digest, tests={})
        known["tests"][item.nodeid] = {"seconds": round(seconds, 3), "calls": sorted(calls)}

    def pytest_runtest_logreport(self, report: Any) -> None:
        seen = self.tests.setdefault(report.nodeid, {"passed": True})
        seen["passed"] &= report.outcome == "passed"

    def write(self) -> None:
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.files, indent=0))
        part.replace(self.path)

    def count_compiling(self) -> None:
        """Take the seconds in which kernels are compiled off the tests that happen to need them first."""
        from numba.core import event

        recorder, depth = self, [0, 0.0]

        class Listener(event.Listener):
            def on_start(self, event: Any) -> None:
                if depth[0] == 0:
                    depth[1] = time.perf_counter()
                depth[0] += 1

            def on_end(self, event: Any) -> None:
                depth[0] -= 1
                if depth[0] == 0:
                    recorder.compiling += time.perf_counter() - depth[1]

        event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]


def digest_of(path: Path) -> str:
    """A file's content, in sixteen letters."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def pytest_addoption(parser: Any) -> None:
    """The option of this plugin."""
    parser.addoption("--record", type=Path, help="add what each test calls to this JSON file")


def pytest_configure(config: Any) -> None:
    """Record where that is asked for."""
    path = config.getoption("--record")
    if path:
        recorder = Recorder(path, config.rootpath)
        recorder.count_compiling()
        config.pluginmanager.register(recorder)


def record(checkout: Checkout, path: Path) -> None:
    """Run the test files that are new or have changed since they were recorded."""
    known = json.loads(path.read_text()) if path.exists() else {}
    tests = sorted((checkout.root / "tests").rglob("test_*.py"))
    files = {p.relative_to(checkout.root).as_posix(): digest_of(p) for p in tests}
    new = [f for f in files if not f.startswith(LEFT_OUT) and known.get(f, {}).get("digest") != files[f]]
    if new:
        print(f"Recording what {len(new)} test files call …", file=sys.stderr, flush=True)
        options = ["-q", "-p", "no:cacheprovider", "--rootdir", ".", "--continue-on-collection-errors"]
        plugin = ["-p", "mutants.recording", "--record", str(path.resolve())]
        command = [sys.executable, "-m", "pytest", *options, *plugin, *new]
        with (path.parent / "recording.log").open("w") as log:
            subprocess.run(command, cwd=checkout.root, env=checkout.environment, check=False, stdout=log)
        known = json.loads(path.read_text())
    # Files that are gone are forgotten; those in which nothing passes are not tried again.
    none = {f: {"digest": files[f], "tests": {}} for f in new}
    path.write_text(json.dumps({**none, **{f: told for f, told in known.items() if f in files}}))
