"""Templates on all kinds of bodies.

``python -m benchmarks.templates [--vary] [--sheets FOLDER] [RIG …] [: TEMPLATE …]``

Each template is planned as the verb does, put on the ground, and judged by code that it does not share: root
wrenches by MuJoCo, their centre of pressure and friction against the contacts that are found in what is
handed out (``benchmarks.ground``), joints by their limits, the floor and the trunk by ``check``. ``--vary``
repeats it with every number that is asked for a tenth larger and smaller. Rigs of others are looked for in
``shared/data`` beside the checkout (or in ``$DATA``); those that are not there are named.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import poise
from benchmarks.ground import DATA, judge
from poise import characters
from poise.character import Character
from poise.errors import InputError
from poise.operations.values.template import TEMPLATES
from poise.workers import algebra_on_one_thread

RIGS: dict[str, tuple[str, dict[str, Any]]] = {
    "humanoid": ("", {}),
    "lamp": ("", {}),
    "camel": ("", {}),
    "cmu": ("cmu_cgspeed_bvh/02_01.bvh", {}),
    "cesium": ("khronos_gltf/CesiumMan.glb", {}),
    "robot": ("threejs/RobotExpressive.glb", {}),
    "fox": ("khronos_gltf/Fox.glb", {"scale": 0.01}),
    "mjcf": ("mjcf_mujoco/humanoid.xml", {}),
    "pirouette": ("threejs/pirouette.bvh", {}),
}
"""Presets, and files of others."""
NUMBERS: dict[str, dict[str, float]] = {
    "walk": {"over": 1.6}, "run": {"over": 2.6}, "trot": {"over": 1.2}, "turn": {"spin": 90.0},
    "jump": {"over": 0.6, "high": 0.22, "spin": 60.0}, "hop": {"over": 0.5, "high": 0.08},
    "crouch": {"high": 0.18}, "sit down": {"high": 0.48}, "step up": {"high": 0.18},
}  # fmt: skip
"""What is varied, for legs of 0.94 m; angles stay."""
SINKS = ("penetration", "sink", "overlap", "inside")


@dataclass(frozen=True)
class Row:
    """What came of one template on one body."""

    met: bool
    outside: float
    friction: float
    beyond: float
    through: str
    score: float
    seconds: float
    said: str
    clip: Any
    world: Any

    @property
    def fine(self) -> bool:
        """Within the bars."""
        return self.met and self.outside <= 5 and self.friction <= 1 and self.beyond < 1 and not self.through

    def __str__(self) -> str:
        mark = "✓" if self.fine else "✗"
        return (
            f"{mark} {'met' if self.met else 'missed':<6} ZMP out {self.outside:5.1f} %  "
            f"friction {self.friction:4.2f}  "
            f"limits {self.beyond:4.1f}°  {self.through or 'clear':<10} check {self.score:4.2f}  "
            f"{self.seconds:5.2f} s  {self.said}"
        )


def rig(name: str) -> Character | None:
    """A character; None where its file is not there."""
    file, options = RIGS[name]
    if not file:
        return characters.get(name)
    path = DATA / file
    return poise.load(str(path), **options).character if path.exists() else None


@algebra_on_one_thread()
def row(character: Character, template: str, **options: Any) -> Row:
    """One template on one body."""
    began = time.process_time()
    result = poise.plan(template, character=character, **options)
    seconds = time.process_time() - began
    clip, world = result.clip, result.stands_in
    judged = judge(clip, world).judged(np.asarray(clip.q))
    verdict = poise.check(clip, world=world).verdict
    found = [f for f in verdict.findings if any(word in f.kind for word in SINKS) and f.score < 0.9]
    limits = [o for o in result.report.outcomes if o.name.startswith("limits")]
    beyond = float(np.degrees(limits[0].error)) if limits else 0.0
    said = "; ".join((*result.missed, *result.report.warnings))[:150]
    through = found[0].kind if found else ""
    return Row(
        result.met, judged.outside, judged.friction, beyond, through, float(verdict.score), seconds, said,
        clip, world,
    )  # fmt: skip


def variants(template: str, legs: float) -> Iterator[tuple[str, dict[str, float]]]:
    """Options that are asked for: none, then each number a tenth off."""
    from poise.operations.values.template import EVERY

    assert "tempo" in EVERY
    scale = legs / 0.94
    usual = {k: v * (1.0 if k == "spin" else scale) for k, v in NUMBERS.get(template, {}).items()}
    for name, value in {**usual, "tempo": 1.0}.items():
        for factor in (0.9, 1.1):
            yield f"{name} ×{factor}", {**usual, name: value * factor}


def main() -> None:
    """Print the table."""
    words = sys.argv[1:]
    vary = "--vary" in words
    sheets = Path(words.pop(words.index("--sheets") + 1)) if "--sheets" in words else None
    words = [w for w in words if not w.startswith("--")]
    cut = words.index(":") if ":" in words else len(words)
    rigs, names = words[:cut] or list(RIGS), words[cut + 1 :] or list(TEMPLATES)
    fine = count = 0
    for each in rigs:
        character = rig(each)
        if character is None:
            print(f"{each:<10} is not there: {DATA / RIGS[each][0]}")
            continue
        from poise.methods.plan.template.build import build_of

        for template in names:
            cases: list[tuple[str, dict[str, float]]] = [("", {})]
            try:
                if vary:
                    cases += list(variants(template, build_of(character).leg))
                for label, options in cases:
                    got = row(character, template, **options)
                    print(f"{each:<10} {template:<9} {label:<11} {got}", flush=True)
                    fine, count = fine + got.fine, count + 1
                    if sheets is not None and not label:
                        _draw(sheets / f"{each} {template}.png", got)
            except InputError as refusal:
                print(f"{each:<10} {template:<9} refused: {refusal}", flush=True)
    print(f"{fine} of {count} within the bars")


def _draw(path: Path, got: Row) -> None:
    from PIL import Image

    from poise.pictures.contact_sheet import sheet

    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(sheet(got.clip, count=8, columns=8, cell=(170, 240), world=got.world)).save(path)


if __name__ == "__main__":
    main()
