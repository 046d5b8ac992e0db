"""An independent, naive evaluation of BVH text: where every joint and end site is, in file axes and units.

Matrices, one frame and one joint at a time, straight from the definition; nothing of Poise.
"""

from __future__ import annotations

import re

import numpy as np


def turn(axis: str, degrees: float) -> np.ndarray:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    i, j = {"X": (1, 2), "Y": (2, 0), "Z": (0, 1)}[axis]
    out = np.eye(3)
    out[i, i] = out[j, j] = c
    out[i, j], out[j, i] = -s, s
    return out


def world_positions(
    text: str, *, added: bool = False, frames: list[int] | None = None
) -> tuple[list[str], np.ndarray]:
    """Names and positions (F, P, 3) of joints and end sites ("J_end"), depth first.

    ``added`` says that position channels are added to OFFSET rather than put in its place;
    ``frames`` are those wanted, all if not given.
    """
    skeleton, _, motion = re.sub(r"\r\n?", "\n", text).partition("MOTION")
    words = re.findall(r"[{}]|[^\s{}]+", skeleton)
    joints: list[dict] = []
    stack: list[int] = []
    n = 1
    while n < len(words):
        word = words[n]
        if word in ("ROOT", "JOINT", "End"):
            name = words[n + 1] if word != "End" else joints[stack[-1]]["name"] + "_end"
            joints.append({"name": name, "parent": stack[-1] if stack else -1, "channels": []})
            n += 2
        elif word == "{":
            stack.append(len(joints) - 1)
            n += 1
        elif word == "}":
            stack.pop()
            n += 1
        elif word == "OFFSET":
            joints[stack[-1]]["offset"] = np.array([float(w) for w in words[n + 1 : n + 4]])
            n += 4
        else:
            assert word == "CHANNELS", word
            count = int(words[n + 1])
            joints[stack[-1]]["channels"] = words[n + 2 : n + 2 + count]
            n += 2 + count
    lines = [line for line in motion.split("\n") if line.strip()][2:]
    lines = lines if frames is None else [lines[k] for k in frames]
    out = np.zeros((len(lines), len(joints), 3))
    for frame, line in enumerate(lines):
        values = iter(float(w) for w in line.split())
        place: list[np.ndarray] = []
        turns: list[np.ndarray] = []
        for joint in joints:
            shift, rotation = joint["offset"].copy(), np.eye(3)
            for channel in joint["channels"]:
                value = next(values)
                if channel.endswith("position"):
                    axis = "XYZ".index(channel[0])
                    shift[axis] = value + (joint["offset"][axis] if added else 0.0)
                else:
                    rotation = rotation @ turn(channel[0], value)
            if joint["parent"] >= 0:
                up = joint["parent"]
                shift, rotation = place[up] + turns[up] @ shift, turns[up] @ rotation
            place.append(shift)
            turns.append(rotation)
        out[frame] = place
    return [j["name"] for j in joints], out
