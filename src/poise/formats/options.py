"""Options of reading and writing, over all formats; each format refuses those that are not its own.

Nothing heavy is imported for them: they are what editors complete and type checkers check.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

from poise.errors import InputError

if TYPE_CHECKING:
    from fractions import Fraction
    from pathlib import Path

    from poise.formats.weighing import MassOption


class ReadOptions(TypedDict, total=False):
    """How a file is to be understood.

    Examples:
        >>> clip = poise.load("walk.bvh", scale=0.01, up="y")
    """

    front: str
    """Which way its figure faces; ``auto``: as its feet say (BVH, ASF/AMC, glTF, FBX, USD)."""
    up: str | None
    """The axis that points up in the file, y or z (all but MJCF and URDF)."""
    scale: float | None
    """Metres per unit of length (BVH, ASF/AMC, glTF, FBX, USD)."""
    mass: MassOption
    """Whether, and how, bodies get masses; a number is the whole [kg] (BVH, ASF/AMC, glTF, FBX, USD)."""
    positions: str
    """What channels of positions below the root mean (BVH)."""
    drop_tpose: bool | str
    """Whether a pose of rest before the motion is left out (BVH)."""
    skeleton: str | Path | None
    """The ASF file of a motion (ASF/AMC)."""
    rate: float | str | None
    """Frames per second, which the file does not say (ASF/AMC)."""
    animation: str | int | None
    """Which of several animations (glTF, FBX)."""
    skin: str | int | None
    """Which of several skins (glTF), or skeletons (FBX, USD)."""
    fps: Fraction | float | str | None
    """Frames per second to sample at (glTF, FBX, USD, MJCF)."""
    root: str | None
    """The body to begin at (MJCF, URDF)."""
    parents: str | None
    """Numbers of the joints that joints hang from, "-1,0,1,…" (joint positions)."""
    names: str | None
    """Names of joints, with commas (joint positions)."""
    body: str | None
    """A body model's file, for lengths of bones (AMASS)."""
    character: str
    """Who is fitted: a preset or a file (C3D, TRC)."""


class WriteOptions(TypedDict, total=False):
    """How a file is to be written.

    Examples:
        >>> poise.clips.get("walk").save("small.bvh", digits=3)
    """

    up: str | None
    """The axis that points up (BVH)."""
    scale: float | None
    """Metres per unit of length (BVH)."""
    digits: int | None
    """Decimal places (BVH)."""
    fresh: bool
    """A new document, not a copy of the one that the motion came from (glTF, FBX, USD)."""
    mesh: bool
    """Whether the skin goes along (glTF, FBX, USD)."""
    tolerance: float | None
    """How far morphed meshes may be off [m] (glTF)."""
    contacts: bool
    """Whether bodies collide (MJCF)."""


def refuse_options(path: Path, what: str, applying: Sequence[str], given: Mapping[str, object]) -> None:
    """Complain of an option that is given and means nothing for a file of that kind."""
    wrong = next((name for name, value in given.items() if value is not None and name not in applying), None)
    if wrong is not None:
        raise InputError(f"{wrong} does not apply: {path.name} is {what}; {_listed(applying)}")


def _listed(applying: Sequence[str]) -> str:
    return f"it takes only {', '.join(applying)}" if applying else "it takes no options"
