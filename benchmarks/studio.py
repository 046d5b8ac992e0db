"""The studio's server: how soon a move of the pointer is answered, beside making the document in full.

Everything that the solver's process does for one message is timed, from the document as it comes through the
pipe to the packets for the stage: 300 frames on 46 degrees of freedom, windows chosen by themselves, and a
walk of 321 frames whose feet stand and whose hand reaches. Then the same as somebody at the screen sees it,
in a real browser where there is one: from the move until the picture that answers it has been drawn.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.project import clip46, clocked, least
from poise import clips
from poise import constraints as c
from poise.kinematics import Kinematics
from poise.motion import Clip, operators
from poise.operations.frozen_data import encoded
from poise.project import Project
from poise.studio.server.stage_data import StageData

ROUNDS = 12
NEW = count()
"""Numbers for edits that were never made before: no result is remembered."""


class Stage:
    """A project on the stage of a solver's process."""

    def __init__(self, project: Project) -> None:
        self.project, self.data = project, StageData()
        self.data.evaluator = self.data.live.evaluator = project.evaluator
        self.revision = 0
        self.solve(live=False)

    def solve(self, *, live: bool) -> Any:
        self.revision += 1
        return self.data.solve(
            encoded(self.project.document),
            self.revision,
            live=live,
            progress=lambda what, part: None,
            cancel=lambda: False,
        )

    def off(self) -> float:
        """How far the quick answer is from the full one, root mean square over bodies and frames [mm]."""
        quick = self.solve(live=True) and self.data._shown
        full = self.solve(live=False) and self.data._shown
        assert quick is not None
        assert full is not None
        a, b = (Kinematics(s.clip.character, s.clip.q).positions for s in (quick, full))
        return float(1e3 * np.sqrt(np.mean(np.sum((a - b) ** 2, axis=-1))))


def row(key: str, value: float, unit: str, peer: str = "", ratio: float | None = None) -> dict[str, Any]:
    found = {"key": f"studio: {key}", "value": value, "unit": unit, "direction": "lower"}
    return {**found, "peer": peer, "ratio": ratio}


def moves(stage: Stage, what: str, edit: Callable[[float], dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of one kind of drag; ``edit`` says what a layer's fields are when it has come so far (0 … 1)."""

    def move(far: float) -> None:
        stage.project.set(**edit(far), gesture="drag")

    def quick(k: int) -> None:
        move(0.3 + 0.001 * (k % 500))
        stage.solve(live=True)

    def full(k: int) -> None:
        move(0.9 + 1e-6 * next(NEW))
        stage.solve(live=False)

    cold = least(full, 3)
    move(0.0)
    stage.solve(live=False)
    warm, clock = least(quick, ROUNDS), clocked(quick, ROUNDS)
    move(0.5)
    off = stage.off()
    move(0.0)
    return [
        row(f"{what}, CPU", 1e3 * warm, "ms", f"in full; {off:.2g} mm rms off until released", cold / warm),
        row(f"{what}, on the clock", 1e3 * clock, "ms"),
    ]


def pin(
    clip: Clip, point: str, time: float, by: tuple[float, float, float]
) -> Callable[[float], list[c.Constraint]]:
    place = Kinematics(clip.character, clip.at(time)).point(point)[0] + by

    def made(far: float) -> list[c.Constraint]:
        return [c.pin(point, place + [0.0, 0.0, 0.04 * far], time, name="drag")]

    return made


def fist_and_reach() -> tuple[Project, Project]:
    """What is dragged: a loose motion whose hand hits a target, and one that is adapted to a place."""
    clip = clip46()
    fist = Project().add_clip("m", clip).add("load", "take", clip="m")
    fist.add("hit", "hit", constraints=pin(clip, "handR", 5.0, (0.05, 0.02, 0.03))(0.0), tension=3.0)
    reach = Project().add_clip("m", clip).add("load", "take", clip="m")
    reach.add("adapt", "reach", constraints=pin(clip, "handR", 5.0, (0.05, 0.02, 0.03))(0.0))
    return fist, reach


def saved(folder: str) -> None:
    """Both as files, for the browser to open."""
    for name, project in zip(("fist", "reach"), fist_and_reach()):
        project.save(Path(folder) / f"{name}.poise")


def seen() -> list[dict[str, Any]]:
    """Rows of the browser; none where there is no browser, or its tests are not installed."""
    web = Path(__file__).parent.parent / "src/poise/studio/web"
    node = shutil.which("node") or shutil.which("node", path=str(Path(sys.executable).parent))
    if node is None or not (web / "node_modules/playwright-core").is_dir():
        print("no Node, or `npm install` was not run: nothing is measured in a browser", file=sys.stderr)
        return []
    said = subprocess.run(
        [node, "tests/browser/measure.mjs"],
        cwd=web,
        env={**os.environ, "POISE_PYTHON": sys.executable},
        stdout=subprocess.PIPE,
        text=True,
        timeout=600,
        check=False,
    )
    lines = said.stdout.strip().splitlines()
    if not lines or not lines[-1].startswith("["):
        print("\n".join([*lines, "nothing was measured in a browser"]), file=sys.stderr)
        return []
    return [
        row(f"seen: {r['what']}", r["value"], r["unit"], f"at most {r['most']}" if "most" in r else "")
        for r in json.loads(lines[-1])
    ]


def run() -> list[dict[str, Any]]:
    clip = clip46()
    loose = Project().add_clip("m", clip).add("load", "take", clip="m")
    loose.add("loosen", "loose", tension=3.0)
    rows = moves(Stage(loose), "tension slider", lambda x: {"layer": "loose", "tension": 3.0 + 0.3 * x})
    fist = pin(clip, "handR", 5.0, (0.05, 0.02, 0.03))
    hits = Project().add_clip("m", clip).add("load", "take", clip="m")
    hits.add("hit", "hit", constraints=fist(0.0), tension=3.0)
    rows += moves(Stage(hits), "target", lambda x: {"layer": "hit", "constraints": fist(x)})
    walk = operators.unroll(clips.get("walk"), 5)
    reach = Project().add_clip("w", walk).add("load", "take", clip="w")
    hand = pin(walk, "RightHandCentre", float(walk.times[160]), (0.2, 0.0, 0.1))
    reach.add("adapt", "reach", constraints=hand(0.0))
    rows += moves(Stage(reach), "constraint", lambda x: {"layer": "reach", "constraints": hand(x)})
    reach.add("loosen", "loose")
    both = Stage(reach)
    what = "constraint below a loosened layer"
    rows += moves(both, what, lambda x: {"layer": "reach", "constraints": hand(x)})
    rows.append(row("the whole stage for a new tab", 1e3 * least(lambda k: both.data.everything(), 5), "ms"))
    return rows + seen()


if __name__ == "__main__":
    from benchmarks.__main__ import show

    show(run(), {})
