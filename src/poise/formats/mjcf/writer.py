"""Writing MJCF: the character as a MuJoCo model, every frame of the clip as a keyframe."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from poise.character import Character
from poise.character.joint import as_array
from poise.files import write_text
from poise.formats.cycle import loop_facts, with_closing_frame
from poise.motion import Clip

FACTS = "poise"
"""Name of the custom text that holds what keyframes cannot: the exact rate and the loop, as JSON."""


def losses(clip: Clip) -> tuple[str, ...]:
    """What a clip has that its MJCF file will not."""
    return ("MJCF has no skin: bodies and solids are written",) if clip.character.skin is not None else ()


def save(clip: Clip, path: str | Path, *, contacts: bool = False) -> None:
    """Write the clip's character as a model and its frames as keyframes with their times.

    ``contacts`` lets its solids collide. A loop is written as one cycle and its closing frame; that it is
    one, and the exact rate, stand in a custom text.
    """
    from poise.dynamics.mujoco_model import to_mjcf

    q = with_closing_frame(clip)
    tree = ElementTree.fromstring(to_mjcf(clip.character, contacts=contacts))
    names = _named(tree, clip.character)
    if clip.character.nq:
        keys = ElementTree.SubElement(tree, "keyframe")
        for k, row in enumerate(q):
            said = {
                "name": f"frame {k}",
                "time": repr(float(k / clip.rate)),
                "qpos": " ".join(map(repr, row.tolist())),
            }
            ElementTree.SubElement(keys, "key", said)
    facts = json.dumps({"rate": str(clip.rate), **loop_facts(clip), **_speeds(clip.character, names)})
    custom = ElementTree.SubElement(tree, "custom")
    ElementTree.SubElement(custom, "text", {"name": FACTS, "data": facts})
    ElementTree.indent(tree)
    write_text(path, ElementTree.tostring(tree, encoding="unicode") + "\n")


def _named(tree: ElementTree.Element, character: Character) -> dict[str, str]:
    """Give joints the names of their own; what each is called in the model, by body.

    Without mass a body is only a joint there, and its name the joint's: that one stays.
    """
    joints = {str(j.get("name")): j for j in tree.iter("joint")}
    taken, found = set(joints), {}
    for body in character.bodies:
        if body.joint.nv != 1 or body.name not in joints:
            continue
        own = body.joint.name
        if own and own not in taken and body.mass.mass > 0:
            joints[body.name].set("name", own)
            taken.add(own)
        found[body.name] = str(joints[body.name].get("name"))
    return found


def _speeds(character: Character, names: dict[str, str]) -> dict[str, dict[str, float]]:
    """Limits of speed, which MuJoCo has none of, by the names that joints have in the model."""
    said = {b.name: float(as_array(b.joint.speed)[0]) for b in character.bodies if b.joint.nv == 1}
    found = {names[n]: v for n, v in said.items() if np.isfinite(v) and n in names}
    return {"speeds": found} if found else {}
