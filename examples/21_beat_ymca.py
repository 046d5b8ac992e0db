"""Y, M, C, A on the beat, by four controllers.

``full`` and ``composite`` work out their gains and are on time at every letter. ``manual`` has fixed gains
that suit the first; ``local`` takes each limb for as light as its first bone.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import poise
from beat_tables import box, gain_curves, ghosts, heard, off, rows, table
from poise.methods.perform.result import PerformResult
from poise.methods.perform.script.script import Script
from poise.methods.perform.simulate.simulation import CONTROLS
from poise.operations.values.disturbance import Impulse, Load

PACK = Load(0.0, "Chest", 5.0, (-0.17, 0.0, 0.10))
"""A backpack."""


@cache
def scene(control: str = "full", *, packed: bool = False, step: float = 0.002) -> PerformResult:
    """The dance."""
    script = Script.bundled("ymca")
    loads = [PACK] if packed else []
    return poise.perform(script=script, control=control, disturbances=loads, step=step)


def struck(control: str = "full", before: float = 0.2, impulse: float = 4.0) -> PerformResult:
    """With a blow on the right hand shortly before the C."""
    script = Script.bundled("ymca")
    blow = Impulse(script.times[2] - before, "RightHandCentre", (impulse, 0.0, 0.0))
    return poise.perform(script=script, control=control, disturbances=[blow])


def draw(folder: Path) -> list[Path]:
    """Every letter at its time, by all four; and the shoulder's gains."""
    from panels import Framing, Panel
    from poise.pictures import View

    front = View(0.0, 5.0)
    letters = ghosts(Script.bundled("ymca"), front)
    items = []
    for control in CONTROLS:
        result = scene(control)
        row = []
        for k, a in enumerate(result.arrivals[:4]):
            at = round(a.time * result.clip.fps)
            row.append(Panel(result.clip, at, f"{control}: {a.key}", off(a.error), ghosts=[(letters, k)]))
        items.append(row)
    curves = {c: (scene(c), "RightArm", 0) for c in ("composite", "manual")}
    look = Framing(front, (280, 330), around=box((-0.3, -0.72, 0.0), (0.3, 0.72, 2.28)), margin=0.03)
    return [
        rows(items, folder / "beat_ymca.png", look),
        gain_curves(curves, folder / "beat_ymca_gains.png", title="gains of the right shoulder"),
    ]


def film(folder: Path) -> Path:
    """The dance with its chords."""
    from poise.pictures import View, video

    result = scene()
    chords = heard(Script.bundled("ymca"), folder / "beat_ymca.wav", result.clip.duration + 1.0)
    return video(result.clip, folder / "beat_ymca.mp4", view=View(0.0, 6.0), sound=chords, size=(720, 720))


if __name__ == "__main__":
    print(table({c: scene(c) for c in CONTROLS}))
    print(
        table(
            {"full + pack": scene("full", packed=True), "composite + pack": scene("composite", packed=True)}
        )
    )
    print(table({"full, struck": struck(), "composite, struck": struck("composite")}))
    print(*draw(Path("out")), film(Path("out")), sep="\n")
