"""Conducting: twelve poses and the times between them; nothing else is given.

The sound is made from the same script: what is heard falls where the baton is due.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import poise
from beat_tables import box, gain_curves, ghosts, heard, off, rows, table
from poise.methods.perform.result import PerformResult
from poise.methods.perform.script import sound
from poise.methods.perform.script.beats import Beats
from poise.methods.perform.script.script import Script
from poise.methods.perform.simulate.simulation import CONTROLS

SHOWN = (4, 5, 6, 7, 8, 12)
"""Keys in the picture: the first four notes and after."""


@cache
def scene(control: str = "full", *, step: float = 0.002) -> PerformResult:
    """The performance."""
    script = Script.bundled("conducting")
    return poise.perform(script=script, control=control, step=step)


def listened(path: Path) -> tuple[Script, Beats]:
    """The script moved to beats heard in a recording of a steady pulse."""
    script = Script.bundled("conducting")
    pulse = Beats.at_tempo(132, 20, start=0.25)
    notes = [sound.Note(t, sound.pitch("C3" if k % 4 else "C4"), 0.3) for k, t in enumerate(pulse)]
    sound.write(path, sound.render(notes, 9.6))
    beats = Beats.from_wav(path)
    return script.snapped(beats), beats


def draw(folder: Path) -> list[Path]:
    """Poses at their times, ours above, ``local`` below; gains of both shoulders."""
    from panels import Framing, Panel
    from poise.pictures import View

    front = View(-28.0, 6.0)
    poses = ghosts(Script.bundled("conducting"), front)
    items = []
    for control in ("full", "local"):
        result = scene(control)
        row = []
        for k in SHOWN:
            a = result.arrivals[k]
            at = round(a.time * result.clip.fps)
            row.append(Panel(result.clip, at, f"{control}: {a.key}", off(a.error), ghosts=[(poses, k)]))
        items.append(row)
    found = scene("composite")
    curves = {"right shoulder, x": (found, "RightArm", 0), "left shoulder, x": (found, "LeftArm", 0)}
    look = Framing(front, (260, 330), around=box((-0.2, -0.6, 0.0), (0.6, 0.6, 2.2)), margin=0.02)
    return [
        rows(items, folder / "beat_conducting.png", look),
        gain_curves(curves, folder / "beat_conducting_gains.png", title="gains while conducting"),
    ]


def film(folder: Path) -> Path:
    """With its music."""
    from poise.pictures import View, video

    result = scene()
    music = heard(Script.bundled("conducting"), folder / "beat_conducting.wav", result.clip.duration + 1.0)
    return video(
        result.clip, folder / "beat_conducting.mp4", view=View(-24.0, 7.0), sound=music, size=(720, 720),
        trails=("RightFingertips",), trail_seconds=0.5,
    )  # fmt: skip


if __name__ == "__main__":
    print(table({c: scene(c) for c in CONTROLS}))
    print(*draw(Path("out")), film(Path("out")), sep="\n")
