"""The AMC file: per frame its number, then one line of values for every bone that moves."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.formats.asf_amc.skeleton import AcclaimSkeleton, read_lines

_FRAME = re.compile("[0-9]{1,18}")


@dataclass(frozen=True, eq=False)
class AcclaimMotion:
    """Values (F, k) of every bone with degrees of freedom, angles as the file has them."""

    values: dict[str, Array]
    radians: bool
    frames: int


def read_motion(path: Path, skeleton: AcclaimSkeleton) -> AcclaimMotion:
    """Parse an AMC file for a given skeleton; every frame must give every bone that moves."""
    lines = read_lines(path)
    wanted = {name: len(bone.dofs) for name, bone in skeleton.bones.items() if bone.dofs}
    radians = skeleton.radians
    rows: dict[str, list[list[float]]] = {name: [] for name in wanted}
    frame, frames, began = -1, 0, 0

    def finish(line: int) -> None:
        for name in wanted:
            if len(rows[name]) != frames:
                raise lines.error(f"frame {frame} (line {began}) has no values for bone {name!r}", line)

    for number, words in lines.all:
        if words[0].startswith(":"):
            key = words[0][1:].lower()
            if frames == 0 and key in ("degrees", "radians"):
                radians = key == "radians"
            continue
        if len(words) == 1 and _FRAME.fullmatch(words[0]):
            if frames:
                finish(number)
                if int(words[0]) != frame + 1:
                    raise lines.error(f"frame {words[0]} follows frame {frame}", number)
            frame, frames, began = int(words[0]), frames + 1, number
            continue
        name = words[0]
        if frames == 0:
            raise lines.error(f"expected a frame number, found {name[:40]!r}", number)
        if name not in skeleton.bones:
            listed = ", ".join(wanted)
            raise lines.error(
                f"frame {frame}: no bone named {name!r} in {skeleton.path.name} (available: {listed})", number
            )
        count = wanted.get(name, 0)
        values = lines.floats(words[1:], count, f"frame {frame}: bone {name!r}", number)
        if len(words) - 1 != count:
            raise lines.error(
                f"frame {frame}: bone {name!r} has {len(words) - 1} values, {count} are needed", number
            )
        if count:
            rows[name].append(values)
            if len(rows[name]) != frames:
                raise lines.error(f"frame {frame}: bone {name!r} is given twice", number)
    if frames == 0:
        raise lines.error("there are no frames", lines.all[-1][0])
    finish(lines.all[-1][0])
    return AcclaimMotion({name: np.array(r) for name, r in rows.items()}, radians, frames)
