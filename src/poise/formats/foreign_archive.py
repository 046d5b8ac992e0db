"""NumPy archives that are not Poise's own: AMASS, positions of joints, markers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from poise.errors import FileFormatError, InputError
from poise.formats import amass
from poise.formats.joint_arrays.reader import BESIDE, KEYS, How
from poise.formats.joint_arrays.reader import from_arrays as from_joints
from poise.formats.options import refuse_options
from poise.motion.clip import Clip
from poise.reading import read_arrays

SHOWN = 8
"""Names of arrays that a complaint lists."""


def load_foreign(
    data: bytes,
    path: Path,
    members: Sequence[str],
    *,
    body: str | None = None,
    parents: str | None = None,
    names: str | None = None,
    **how: Unpack[How],
) -> Clip:
    """The clip of an archive, by the names of its arrays."""
    given = {"parents": parents, "names": names}
    known = {name.removesuffix(".npy") for name in members}
    if amass.is_amass(known):
        refuse_options(path, "an AMASS file, which says it", ("body", "fps", "mass", "up"), {**given, **how})
        return amass.from_arrays(
            read_arrays(data, path, only=amass.WANTED),
            path,
            body=body,
            fps=how.get("fps"),
            up=how.get("up"),
            mass=how.get("mass", True),
        )
    if body is not None:
        raise InputError(f"body does not apply: {path.name} is not an AMASS file")
    if "marker_names" in known:
        from poise.formats.captures.fitted import load

        refuse_options(path, "an archive of markers, which says it", ("mass",), {**given, **how})
        return load(path, mass=how.get("mass", True))
    if known.intersection(KEYS):
        arrays = read_arrays(data, path, only={*KEYS, *BESIDE})
        return from_joints(arrays, path, parents=parents, names=names, **how)
    listed = ", ".join(sorted(known)[:SHOWN])
    raise FileFormatError(
        path,
        "a NumPy archive, but not one of Poise's, nor AMASS (poses, trans), nor joints (positions); it holds "
        f"{listed}",
    )
