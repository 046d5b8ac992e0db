"""A capture as a clip: fitted with a character on reading; joints as markers on writing."""

from __future__ import annotations

from pathlib import Path

from poise.character import Character
from poise.errors import FileFormatError, InputError
from poise.formats.captures.files import load_markers, save_markers
from poise.formats.weighing import MassOption, Weighing
from poise.markers import Markers
from poise.motion.clip import Clip

HUMANOID = "humanoid"


def load(
    path: str | Path,
    *,
    up: str | None = None,
    scale: float | None = None,
    character: str = HUMANOID,
    mass: MassOption = True,
) -> Clip:
    """Read a capture and fit a character to it (a preset or a file), as ``solve_markers`` does."""
    from poise.methods.markers.result import fitted_clip
    from poise.methods.markers.solve import solve

    path = Path(path)
    markers = load_markers(path, up=up, scale=scale)
    weighed = Weighing.of(mass)
    try:
        fit = solve(markers, character_named(character), mass=weighed.total)
    except FileFormatError:
        raise
    except InputError as problem:
        raise FileFormatError(path, str(problem)) from None
    return fitted_clip(fit, markers)


def character_named(name: str) -> Character:
    """A preset, or the character of a file."""
    from poise.character import presets
    from poise.formats.registry import load as load_clip

    return presets.get(name) if name in presets.names() else load_clip(name).character


def save(clip: Clip, path: str | Path) -> None:
    """Write joints and named points as markers."""
    save_markers(as_markers(clip), path)


def as_markers(clip: Clip) -> Markers:
    """Joints and named points of a clip as markers."""
    import numpy as np

    character = clip.character
    where = character.placement(clip.q)
    names = tuple(character.points)
    body = [p.body for p in character.points.values()]
    place = np.array([p.position for p in character.points.values()])
    x = where.positions[:, body] + np.einsum("fpij,pj->fpi", where.rotations[:, body], place)
    return Markers(names, x, clip.rate, clip.name, clip.source)


def losses(clip: Clip) -> tuple[str, ...]:
    """What a file of markers cannot hold."""
    return ("bones, rotations and masses: joints are written as markers",)
