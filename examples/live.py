"""Live pictures of the site: clips that play in the page, over one shared viewer.

``python examples/live.py [folder]`` writes them, into ``docs/live`` if no folder is given; ``make docs``
does so first.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import poise
from poise.contacts.find import find
from poise.contacts.support import Support
from poise.files import write_text
from poise.motion import Clip
from poise.studio.page import page, share
from poise.world import Ball, Surface, World

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "live"
FIST = "RightHandCentre"
HIT = 0.85
"""When the bundled punch lands [s]."""


def _mark() -> poise.constraints.Constraint:
    """Where the fist of the bundled punch is when it lands."""
    punch = poise.clips.get("punch")
    there = poise.kinematics.Kinematics(punch.character, punch.at(HIT)).point(FIST)[0]
    return poise.constraints.pin(FIST, there, HIT)


def animated() -> Clip:
    """A boxer's cross as it was keyed."""
    return poise.clips.get("punch")


def loose() -> Clip:
    """The same on loose muscles: it sags, trails and misses."""
    return poise.loosen(animated(), "loose").clip


def hitting() -> Clip:
    """As loose, and on the mark to the frame."""
    return poise.hit(animated(), [_mark()], "loose").clip


def target(clip: Clip) -> World:
    """The mark, for everybody to see."""
    return World((Surface("mark", Ball(0.04), place=_mark().target.value),))


def steps() -> Clip:
    """Two cycles of a walk."""
    return poise.repeat(poise.clips.get("walk"), 2).clip


def walk() -> Clip:
    """A walk with weight in arms and spine, feet planted."""
    return poise.loosen(steps(), "relaxed").clip


def broken() -> Clip:
    """A jump with three faults."""
    return importlib.import_module("61_fix").broken()


def fixed() -> Clip:
    """The same jump, repaired."""
    return importlib.import_module("61_fix").scene().clip


def jump() -> Clip:
    """A jump."""
    return poise.clips.get("jump")


def run() -> Clip:
    """A run."""
    return poise.repeat(poise.clips.get("run"), 3).clip


Shown = Callable[[Clip], World | Support] | None
"""What a page shows beside the clip: surfaces, or what carries it."""
LIVE: dict[str, tuple[str, Callable[[], Clip], Shown]] = {
    "punch-animated": ("Animated", animated, target),
    "punch-loose": ("Loosened", loose, target),
    "punch-hitting": ("Loosened, and on the mark", hitting, target),
    "walk-animated": ("A walk", steps, None),
    "walk-relaxed": ("A relaxed walk", walk, None),
    "jump-broken": ("A broken jump", broken, None),
    "jump-fixed": ("The jump, repaired", fixed, None),
    "jump": ("A jump and what carries it", jump, find),
    "run": ("A run and what carries it", run, find),
}


def draw_all(folder: Path = FOLDER) -> list[Path]:
    """Every live picture, and the viewer they share."""
    folder.mkdir(parents=True, exist_ok=True)
    share(folder)
    written = []
    for name, (title, make, shown) in LIVE.items():
        clip = make()
        world = shown(clip) if shown else None
        written.append(write_text(folder / f"{name}.html", page(clip, title=title, world=world, viewer=".")))
        print(written[-1], flush=True)
    return written


if __name__ == "__main__":
    draw_all(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
