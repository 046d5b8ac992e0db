"""One breakage against its nearest tests, in a process of its own that has a limit of time.

Processes are forked from this one, which has read the large libraries once but nothing of Poise.
"""

from __future__ import annotations

import json
import math
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mutants.checkout import Checkout
from mutants.mutation import Mutation

PATIENCE = 60.0, 8.0
"""Seconds of processor time that a trial has: so many, and so many times what its tests usually take."""
IDLE = 6.0
"""It may wait this much longer than it works."""


@dataclass(frozen=True)
class Trial:
    """What became of a breakage."""

    mutation: Mutation
    state: str
    """killed · survived · untested (no test is known to call it)"""
    by: str = ""
    """The test that failed, or what else happened."""
    seconds: float = 0.0
    tests: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"package": self.mutation.package, **asdict(self)}


def warm_up() -> None:
    """Read what every trial needs, once (but no plugin of pytest: it wants to read these itself)."""
    import msgspec
    import numba
    import numpy
    import PIL.Image
    import pytest
    import scipy.interpolate
    import scipy.linalg
    import scipy.optimize
    import scipy.sparse.linalg
    import scipy.spatial

    assert all((msgspec, numba, numpy, PIL.Image, pytest, scipy.interpolate))


def tried(
    checkout: Checkout,
    mutation: Mutation,
    waves: Sequence[tuple[Sequence[str], float]],
    most: float = math.inf,
) -> Trial:
    """Run tests on the broken copy until one fails: sets of names, each with the seconds it usually takes.

    After ``most`` seconds of work (or ``IDLE`` times as long) no further test of a set is begun: what was not
    noticed by then survives.
    """
    if not waves:
        return Trial(mutation, "untested")
    began = time.monotonic()
    count = 0
    with checkout.broken(mutation) as environment:
        for names, expected in waves:
            count += len(names)
            limit = PATIENCE[0] + PATIENCE[1] * expected
            code, failed = _forked(checkout, environment, names, limit, most)
            if code == 4 and not failed:  # a parameter has another name since it was recorded
                whole = list(dict.fromkeys(name.partition("[")[0] for name in names))
                code, failed = _forked(checkout, environment, whole, limit, most)
            if code:
                break
    seconds = round(time.monotonic() - began, 1)
    if code == 0:
        return Trial(mutation, "survived", "", seconds, count)
    if code in (1, 2) or (code == 4 and failed):  # tests that failed, or could not be read
        return Trial(mutation, "killed", failed or "the tests cannot be read", seconds, count)
    if code < 0:
        how = "the time limit" if -code in (signal.SIGXCPU, signal.SIGKILL) else f"signal {-code}"
        return Trial(mutation, "killed", how, seconds, count)
    raise RuntimeError(
        f"{mutation.file}:{mutation.line}: pytest ended with {code}; its output is in {_log(checkout)}"
    )


def _log(checkout: Checkout) -> Path:
    return checkout.folder / "trial.log"


def _forked(
    checkout: Checkout, environment: dict[str, str], names: Sequence[str], limit: float, most: float
) -> tuple[int, str]:
    """Exit status of pytest (or minus the signal that ended it), and the first test that failed."""
    told = checkout.folder / "failed.json"
    told.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        try:
            _child(checkout, environment, names, limit, most, told)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(70)
    deadline = time.monotonic() + IDLE * limit
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > deadline:
            os.killpg(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            break
        time.sleep(0.05)
    failed = json.loads(told.read_text()) if told.exists() else ""
    return os.waitstatus_to_exitcode(status), failed


def _child(
    checkout: Checkout, environment: dict[str, str], names: Sequence[str], limit: float, most: float,
    told: Path,
) -> None:  # fmt: skip
    os.setsid()
    began = time.monotonic()
    resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(checkout.root)
    sys.path[:0] = [str(checkout.root / "src"), str(checkout.root)]
    log = os.open(_log(checkout), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(log, stream)
    import pytest

    class First:
        """Writes down which test failed first, and ends when the time is up."""

        @pytest.hookimpl(tryfirst=True)
        def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> bool | None:
            worked = sum(os.times()[:4])  # its children too, once they have ended
            late = worked > most or time.monotonic() - began > IDLE * most
            return True if late else None  # done with, unless it is begun

        def pytest_runtest_logreport(self, report: Any) -> None:
            self.note(report)

        def pytest_collectreport(self, report: Any) -> None:
            self.note(report)

        def note(self, report: Any) -> None:
            if report.failed and not told.exists():
                told.write_text(json.dumps(report.nodeid))

    options = [
        "-x",
        "-q",
        "--rootdir",
        ".",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "--hypothesis-seed=0",
    ]
    code = int(pytest.main([*options, *names], plugins=[First()]))
    sys.stdout.flush()
    os._exit(code)
