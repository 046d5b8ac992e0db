"""How long it takes to import the package and to get help, once installed."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any


def seconds(command: list[str], repeats: int = 7) -> float:
    """Median of the runs after the first, which leaves bytecode behind, as an installation does."""
    times = []
    with tempfile.TemporaryDirectory() as folder:
        own = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        own["PYTHONPYCACHEPREFIX"] = folder
        for _ in range(1 + repeats):
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True, env=own)
            times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def run() -> list[dict[str, Any]]:
    bare = seconds([sys.executable, "-c", "pass"])
    rows = []
    for key, code in (
        ("startup: import poise", "import poise"),
        ("startup: poise --help", "from poise.cli import main; main(['--help'])"),
    ):
        value = seconds([sys.executable, "-c", code])
        rows.append(
            {"key": key, "value": value, "unit": "s", "direction": "lower", "peer": "", "ratio": None}
        )
    rows.append(
        {
            "key": "startup: bare interpreter",
            "value": bare,
            "unit": "s",
            "direction": "lower",
            "peer": "",
            "ratio": None,
        }
    )
    return rows
