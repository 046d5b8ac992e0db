"""Figures face x inside, whichever way they face in their file, and in files they stand as they did.

A reader takes the usual front of a file for x: z where y is up, −y where z is up. A figure whose hips,
shoulders and feet clearly face another of the file's axes at rest is turned in addition, by quarters, which
are exact: what is written is turned back, bit for bit, in whatever format. Everything else stays as the file
has it: figures at odd headings, lying or shapeless ones, things that are no figures.

| front            | the file's axis that becomes x                            |
|------------------|-----------------------------------------------------------|
| "auto"           | the one the figure faces, else the usual one              |
| "x", "-y", …     | this one                                                  |
| "kept"           | z of y-up files, x of z-up files: axes keep their names as far as they can |
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character import JointKind
from poise.errors import UnknownNameError
from poise.motion import Clip

FRONTS = {"y": ("z", "x", "-z", "-x"), "z": ("-y", "x", "y", "-x")}
"""By up axis: the axes that lie 0, 1, 2 and 3 quarter turns to the left of the usual front."""
_KEPT = {"y": "z", "z": "x"}


def faced(clip: Clip, front: str = "auto") -> Clip:
    """A clip as its reader made it, turned so that the file's ``front`` is x; its source remembers."""
    source = clip.source
    if source is None:
        return clip
    ways = FRONTS[source.up]
    if front not in ("auto", "kept", *ways):
        raise UnknownNameError("front", str(front), ("auto", "kept", *ways), where=source.path)
    quarters = (
        _heading(clip) if front == "auto" else ways.index(_KEPT[source.up] if front == "kept" else front)
    )
    if not quarters:
        return clip
    notes = source.notes
    if front == "auto":
        way = ways[quarters]
        notes = (
            *notes,
            f"the figure faces {way} in the file: turned to face x (say front='kept' to leave it)",
        )
    return _turned(clip, -quarters).replaced(source=replace(source, notes=notes, front=ways[quarters]))


def unfaced(clip: Clip) -> Clip:
    """A clip turned back to where its file had it."""
    source = clip.source
    ways = FRONTS.get(source.up, ()) if source is not None else ()
    if source is None or source.front not in ways or _is_planar(clip):
        return clip
    return _turned(clip, ways.index(source.front)).replaced(source=replace(source, front=""))


def _heading(clip: Clip) -> int:
    from poise.character.facing import quarter_heading

    return 0 if _is_planar(clip) else quarter_heading(clip.character) or 0


def _is_planar(clip: Clip) -> bool:
    """Whether a joint is bound to the x–z plane, and with it the character."""
    return any(b.joint.kind is JointKind.PLANAR for b in clip.character.bodies)


def _turned(clip: Clip, quarters: int) -> Clip:
    from poise.character import quarter_turn
    from poise.motion import Travel

    travel = Travel(
        quarter_turn.turned_vector(np.asarray(clip.travel.translation), quarters), clip.travel.yaw
    )
    return clip.replaced(
        character=quarter_turn.turned(clip.character, quarters),
        q=quarter_turn.turned_configurations(clip.character, clip.q, quarters),
        travel=travel,
    )
