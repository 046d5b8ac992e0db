"""A cape, a skirt and a ponytail on one runner: cloth and a strand, each frame on its own.

Prints what the reports measured, and draws them as a strip.
"""

from __future__ import annotations

from pathlib import Path

import poise
from poise import clips
from poise.methods.loosen.wear.result import WearResult


def scene(name: str = "run") -> list[WearResult]:
    """What the runner wears, one result for each thing."""
    run = clips.get(name)
    return [poise.wear(run, thing) for thing in ("cape", "skirt", "ponytail")]


def draw(folder: Path, found: list[WearResult] | None = None) -> list[Path]:
    """Five moments of the run, dressed."""
    found = found or scene()
    meshes = [each.worn.mesh for each in found]
    picture = poise.pictures.strobe(found[0].clip, meshes=meshes, count=5, style="solid", size=(1500, 700))
    return [poise.pictures.save_png(picture, folder / "kd_cape.png")]


if __name__ == "__main__":
    worn = scene()
    for each in worn:
        print(each)
    print(*draw(Path("out"), worn), sep="\n")
