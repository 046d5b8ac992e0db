"""Breakages of the studio's browser half: its own unit tests first, then the tests in a real browser.

A breakage that the compiler would refuse is none: nobody could ship it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

from mutants.checkout import Checkout
from mutants.mutation import Mutation
from mutants.sampling import drawn
from mutants.trial import Trial

WEB = "src/poise/studio/web"
LIMIT = 600.0
"""Seconds that one set of tests may take."""
BROWSER = {
    "panels": ("methods", "studio", "obstacles"),
    "stage": ("handles", "view", "studio"),
    "time": ("timeline", "studio"),
    "shell": ("studio", "files", "hostile"),
    "": ("studio", "files", "crash"),
}
"""Browser tests that use each folder, the most telling first."""


def sample(checkout: Checkout, count: int, seed: int) -> list[Mutation]:
    """So many breakages that compile, each of another function."""
    every = [Mutation(**{**told, "file": f"{WEB}/{told['file']}"}) for told in _told(checkout, "")]
    picked = drawn(every, 2 * count, seed)
    asked = [{**vars(m), "file": m.file.removeprefix(f"{WEB}/")} for m in picked]
    fine = _told(checkout, json.dumps(asked))
    return [m for m, compiles in zip(picked, fine) if compiles][:count]


def tried(checkout: Checkout, mutation: Mutation, *, browser: bool = True) -> Trial:
    """The unit tests that import the file, then browser tests of its folder."""
    began = time.monotonic()
    within = mutation.file.removeprefix(f"{WEB}/")
    folder = Path(within).parent.name.replace("src", "")
    wanted = BROWSER.get(folder, BROWSER[""]) if browser and shutil.which("chromium") else ()
    names = [name for name in wanted if _sound(checkout, name)]

    def trial(state: str, by: str = "") -> Trial:
        return Trial(mutation, state, by, round(time.monotonic() - began, 1), 1 + len(names))

    path = checkout.root / mutation.file
    source = path.read_bytes()
    try:
        path.write_bytes(mutation.applied(source))
        code, failed = _vitest(checkout, ["related", "--run", "--passWithNoTests", within])
        if code:
            return trial("killed", failed)
        if names:
            _node(checkout, ["build.mjs"])
        for name in names:
            code, failed = _in_browser(checkout, name)
            if code:
                return trial("killed", failed)
        return trial("survived", "" if names else "unit tests alone")
    finally:
        path.write_bytes(source)


@cache
def _sound(checkout: Checkout, name: str) -> bool:
    """Whether browser tests pass on the unbroken source here and now: on a busy machine they may not."""
    _node(checkout, ["build.mjs"])
    return _in_browser(checkout, name)[0] == 0


def _in_browser(checkout: Checkout, name: str) -> tuple[int, str]:
    file = f"tests/browser/{name}.browser.ts"
    return _vitest(checkout, ["run", "--config", "tests/browser/vitest.config.ts", file])


def _told(checkout: Checkout, asked: str) -> list[Any]:
    script = Path(__file__).with_name("typescript_operators.mjs")
    web = str(checkout.root / WEB)
    done = subprocess.run(["node", str(script), web], input=asked, capture_output=True, text=True, check=True)
    found: list[Any] = json.loads(done.stdout)
    return found


def _vitest(checkout: Checkout, arguments: list[str]) -> tuple[int, str]:
    """Exit status, and the first test that failed."""
    return _node(checkout, ["node_modules/vitest/vitest.mjs", *arguments, "--bail", "1", "--reporter", "dot"])


def _node(checkout: Checkout, arguments: list[str]) -> tuple[int, str]:
    environment = {**checkout.environment, "POISE_PYTHON": sys.executable, "NO_COLOR": "1"}
    with subprocess.Popen(
        ["node", *arguments], cwd=checkout.root / WEB, env=environment, text=True, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        try:
            said, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return 1, "the time limit"
    failed = re.search(r"FAIL\s+(.+)", said)
    return process.returncode, failed.group(1).strip() if failed else "the tests cannot be read"
