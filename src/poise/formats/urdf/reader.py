"""Reading URDF: MuJoCo understands links, joints and masses; limits of speed are read from the XML.

MuJoCo keeps limits of position and effort and drops those of speed. Meshes and looks are left out before it
sees the file, so it opens no other; simple solids stay. A base without a joint is set free: robots walk. What
hangs from a link called ``world`` moves as its joint says: a fixed one bolts it down.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from pathlib import Path
from typing import Any

from poise.dynamics.mujoco_warnings import heard_warnings
from poise.errors import FileFormatError
from poise.formats.mjcf.claims import MOST
from poise.formats.mjcf.gathered import parsed
from poise.formats.mjcf.reader import clip_of, mujoco_library
from poise.motion import Clip
from poise.reading import read_bytes

LOOKS = ("visual", "material", "gazebo", "transmission", "mujoco", "sensor")
"""Elements that say nothing of how a robot moves, or that would have MuJoCo open files."""
WORLD = "world"
"""The link that is no part of a robot, by custom and to MuJoCo."""
LIGHT = 1e-6
"""Mass [kg] and moments [kg·m²] that links have at least: frames of sensors come without any."""


def load(path: str | Path, *, root: str | None = None, fps: Fraction | float | str | None = None) -> Clip:
    """Read a robot in its zero pose; ``root`` is another link to begin at."""
    path = Path(path)
    tree = parsed(read_bytes(path), path)
    if tree.tag != "robot":
        raise FileFormatError(path, f"not URDF: the outermost element is <{tree.tag}>, not <robot>")
    links, joints = len(tree.findall("link")), len(tree.findall("joint"))
    if max(links, joints) > MOST:
        raise FileFormatError(path, f"{links:,} links and {joints:,} joints; at most {MOST:,} are read")
    notes = _without_looks(tree)
    speeds = _speeds(tree, path)
    _let_float(tree)
    return clip_of(path, "urdf", _compiled(tree, path, notes), notes, root=root, fps=fps, speeds=speeds)


def _let_float(tree: ElementTree.Element) -> None:
    """Take out an empty base from which the robot floats: MuJoCo lets nothing float but what is outermost."""
    links = {link.get("name"): link for link in tree.findall("link")}
    bases = set(links) - {_end(joint, "child") for joint in tree.findall("joint")}
    for name in bases - {WORLD}:
        hanging = [joint for joint in tree.findall("joint") if _end(joint, "parent") == name]
        if (
            len(hanging) == 1
            and hanging[0].get("type") == "floating"
            and links[name].find("inertial") is None
        ):
            tree.remove(hanging[0])
            tree.remove(links[name])


def _bolted(tree: ElementTree.Element) -> bool:
    """Whether a fixed joint holds the robot to the world."""
    joints = tree.findall("joint")
    return any(_end(joint, "parent") == WORLD and joint.get("type") == "fixed" for joint in joints)


def _end(joint: ElementTree.Element, which: str) -> str | None:
    """The link at one end of a joint, ``parent`` or ``child``."""
    link = joint.find(which)
    return None if link is None else link.get("link")


def _without_looks(tree: ElementTree.Element) -> list[str]:
    """Take out what is only seen, and meshes; notes on what was."""
    meshes = 0
    for parent in list(tree.iter()):
        for child in list(parent):
            if child.tag == "mesh" and parent.tag == "geometry":
                meshes += 1
            if child.tag in LOOKS or (child.tag == "collision" and child.find(".//mesh") is not None):
                parent.remove(child)
    return [f"{meshes} meshes are not drawn (masses are the file's)"] if meshes else []


def _speeds(tree: ElementTree.Element, path: Path) -> dict[str, float]:
    """The fastest that each joint moves, by its name [rad/s or m/s]; what is zero or missing is no limit."""
    found: dict[str, float] = {}
    for joint in tree.findall("joint"):
        limit = joint.find("limit")
        text = limit.get("velocity") if limit is not None else None
        if text is None:
            continue
        try:
            value = float(text)
        except ValueError:
            name = joint.get("name")
            raise FileFormatError(path, f"joint {name!r}: its velocity {text!r} is not a number") from None
        if math.isfinite(value) and value > 0:
            found[joint.get("name", "")] = value
    return found


def _compiled(tree: ElementTree.Element, path: Path, notes: list[str]) -> Any:
    mujoco = mujoco_library()
    with heard_warnings() as heard:
        try:
            spec = mujoco.MjSpec.from_string(ElementTree.tostring(tree, encoding="unicode"))
            spec.compiler.fusestatic = False  # links that are fixed to others keep their names
            spec.compiler.boundmass = spec.compiler.boundinertia = LIGHT
            spec.compiler.balanceinertia = True
            base = spec.worldbody.first_body()
            if base is not None and not list(base.joints) and not _bolted(tree):
                base.add_freejoint()
            model = spec.compile()
        except (ValueError, TypeError, mujoco.FatalError) as problem:
            text = "; ".join(line.strip() for line in str(problem).splitlines() if line.strip())
            raise FileFormatError(path, f"MuJoCo: {text}") from None
    notes += [f"MuJoCo warns: {warning}" for warning in heard]
    return model
