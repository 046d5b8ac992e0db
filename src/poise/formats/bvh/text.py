"""BVH as text: numbers that read back as the same floats, and the HIERARCHY section."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from poise.formats.bvh.hierarchy import FileJoint
from poise.formats.bvh.rate import frame_time_text

_NOTHING = 1e-15
"""Smaller numbers are written as 0: they are rounding."""


def number(value: float, digits: int | None = None) -> str:
    """The shortest text that reads back as this float; never an exponent, which some programs refuse.

    What lies below 1e-15 is written as 0. With ``digits``, so many decimals.
    """
    if digits is not None:
        return f"{value:.{digits}f}"
    if abs(value) < _NOTHING:
        return "0"
    text = repr(float(value))
    return np.format_float_positional(value, trim="-") if "e" in text else text


def numbers(values: Iterable[float], digits: int | None = None) -> str:
    """Numbers in one line."""
    if digits is None:
        values = list(values)
        line = " ".join(map(repr, values))
        if "e" not in line:  # the rule, and three times as fast
            return line
    return " ".join(number(v, digits) for v in values)


def channel_list(channels: Sequence[str]) -> str:
    """What follows the word CHANNELS."""
    return " ".join([str(len(channels)), *channels])


def hierarchy_text(joints: Sequence[FileJoint], digits: int | None = None) -> str:
    """The HIERARCHY section."""
    children: dict[int, list[int]] = {}
    for i, joint in enumerate(joints):
        children.setdefault(joint.parent, []).append(i)
    lines = ["HIERARCHY"]
    # Depth first without recursion: long chains are legal.
    stack: list[tuple[str, int, int]] = [("open", 0, 0)]
    while stack:
        what, i, depth = stack.pop()
        pad, joint = "\t" * depth, joints[i]
        if what == "close":
            lines.append(pad + "}")
            continue
        lines += [f"{pad}{'ROOT' if depth == 0 else 'JOINT'} {joint.name}", pad + "{"]
        lines.append(f"{pad}\tOFFSET {numbers(joint.offset, digits)}")
        lines.append(f"{pad}\tCHANNELS {channel_list(joint.channels)}")
        for end in joint.ends:
            lines += [f"{pad}\tEnd Site", pad + "\t{", f"{pad}\t\tOFFSET {numbers(end, digits)}", pad + "\t}"]
        stack.append(("close", i, depth))
        stack += [("open", child, depth + 1) for child in reversed(children.get(i, []))]
    return "\n".join(lines) + "\n"


def motion_header(frames: int, rate: Fraction) -> str:
    """The first lines of the MOTION section."""
    return f"MOTION\nFrames: {frames}\nFrame Time: {frame_time_text(rate)}\n"
