"""Projects: how soon an edit is seen, what undo, saving and the journal cost.

A clip of 300 frames on 46 degrees of freedom under a layer that loosens: a change of tension, from the
command to the last frame of the new motion, beside the loosening alone (what no project could save), for
windows of 0.3 s and for those that are chosen anew for every tension.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import poise
from poise import project as projects
from poise.motion import Clip
from poise.project import History, Project, Set
from poise.speed.humanoid46 import humanoid46
from poise.speed.loosening import smooth_motion

FRAMES = 300


def clip46() -> Clip:
    character = humanoid46()
    return Clip(character, smooth_motion(character, FRAMES), 100).replaced(rate=30, name="motion")


def least(job: Callable[[int], Any], repeats: int) -> float:
    """The least CPU time of a job [s]: others on the machine do not count."""
    job(0)
    best = np.inf
    for k in range(1, repeats + 1):
        began = time.process_time()
        job(k)
        best = min(best, time.process_time() - began)
    return float(best)


def clocked(job: Callable[[int], Any], repeats: int) -> float:
    """The median time on the clock [s], both threads at work: what a user waits."""
    spent = []
    for k in range(repeats):
        began = time.perf_counter()
        job(10_000 + k)
        spent.append(time.perf_counter() - began)
    return float(np.median(spent))


def row(key: str, value: float, unit: str, peer: str = "", ratio: float | None = None) -> dict[str, Any]:
    found = {"key": f"project: {key}", "value": value, "unit": unit, "direction": "lower"}
    return {**found, "peer": peer, "ratio": ratio}


def tension(project: Project, window: float | str) -> list[dict[str, Any]]:
    """A slider of the tension, each value new."""
    project.set("loose", window=window)
    take = project.clip("take")

    def moved(k: int) -> None:
        project.do(Set(layer="loose", path="tension", value=3.0 + k / 1000, gesture=f"slider {window}"))

    def seen(k: int) -> None:
        moved(k)
        project.clip()

    def one(k: int) -> None:
        moved(20_000 + k)
        project.frames([FRAMES // 2])

    seconds, alone = least(seen, 30), least(lambda k: poise.loosen(take, 3.0 + k / 1000, window).clip, 30)
    what = f"tension change, window {window}" + (" s" if window != "auto" else "")
    return [
        row(f"{what}, CPU", 1e3 * seconds, "ms", "loosening alone", alone / seconds),
        row(f"{what}, on the clock", 1e3 * clocked(seen, 30), "ms"),
        row(f"{what}, one frame, CPU", 1e3 * least(one, 30), "ms"),
    ]


def run() -> list[dict[str, Any]]:
    project = Project().add_clip("motion", clip46())
    project.add("load", "take", clip="motion").add("loosen", "loose", tension=3.0)
    rows = [*tension(project, 0.3), *tension(project, "auto")]
    history, command = History(project.document), Set(layer="loose", path="tension", value=2.0)

    def hundred(do: Callable[[Set], Any]) -> float:
        return 1e6 * least(lambda k: [do(command) for _ in range(100)], 5) / 100

    rows.append(row("a command", hundred(history.do), "µs"))
    with tempfile.TemporaryDirectory() as folder:
        writer = projects.open(project.save(Path(folder) / "x.poise"), writing=True)
        rows.append(row("a command, journalled", hundred(writer.do), "µs"))
        rows.append(row("save, with a clip inside", 1e3 * clocked(lambda k: writer.save(), 20), "ms"))
        writer.close()
    return rows


if __name__ == "__main__":
    from benchmarks.__main__ import show

    show(run(), {})
