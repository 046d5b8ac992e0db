"""Unit: a body of sixty metres was written in centimetres. Nothing else can be said of it: it falls, for its
size, ten times too fast."""

from __future__ import annotations

from collections.abc import Iterator

from poise.character.human_strength import is_human
from poise.plausibility.finding import Finding
from poise.plausibility.physics import Physics

SMALLEST, LARGEST = 0.1, 12.0
"""Statures beyond are a wrong unit [m]: from a mouse to a giraffe twice over."""
USUAL = (0.01, 0.001, 0.0254, 0.1, 100.0, 10.0, 1000.0)
"""Scales of files in centimetres, millimetres, inches …, likeliest first."""
SCORE = 0.3
"""Of the finding: the recording is wrong."""
PEOPLE = 0.9, 2.3
"""Statures of people [m]."""


def wrong_unit(physics: Physics) -> Iterator[Finding]:
    """The finding that a body is absurdly large or small."""
    size = physics.take.stature
    if SMALLEST < size < LARGEST:
        return
    scale = next((s for s in USUAL if 0.3 < s * size < 3.0), None)
    remedy = "" if scale is None else f"; {_as_if(physics, scale)} it would be {size * scale:.2f} m"
    words = f"is {size:.3g} m tall: is its unit right?{remedy}"
    bound = LARGEST if size > LARGEST else SMALLEST
    last = physics.clip.frames - 1
    yield Finding("unit", 0, last, "", size, "m", bound, SCORE, words, "recording")


def wrong_size(physics: Physics) -> str:
    """That a figure built like a person falls as things do at the size of a person, though not at its own;
    else empty. Accelerations grow with lengths: what was drawn r² times too large seems r times too fast."""
    pace, size, (small, tall) = physics.pace, physics.take.stature, PEOPLE
    if pace is None or not pace.off or small <= size <= tall or not is_human(physics.clip.character):
        return ""
    scale = 1 / pace.ratio**2
    if not small <= scale * size <= tall:
        return ""
    return (
        f"it is {size:.2g} m tall: at {scale * size:.2g} m ({_as_if(physics, scale)}) it would fall as it "
        "should, and may then be judged anew"
    )


def _as_if(physics: Physics, times: float) -> str:
    """How to have a figure so many times as large: options of reading are the unit of a file [m]."""
    source = physics.clip.source
    return f"at {times:.2g} times its size" if source is None else f"with scale={times * source.unit:.2g}"
