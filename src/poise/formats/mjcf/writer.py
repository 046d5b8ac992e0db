"""Writing MJCF: the character as a MuJoCo model, every frame of the clip as a keyframe."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from poise.motion import Clip


def save(clip: Clip, path: str | Path, *, contacts: bool = False) -> None:
    """Write the clip's character as a model and its frames as keyframes with their times.

    ``contacts`` lets its solids collide. A loop is written as one cycle and its closing frame.
    """
    from poise.dynamics.mujoco_model import to_mjcf

    q = clip.q
    if clip.loop:
        q = np.concatenate([q, clip.travel.apply(clip.character, q[0], 1)[None]])
    tree = ElementTree.fromstring(to_mjcf(clip.character, contacts=contacts))
    if clip.character.nq:
        keys = ElementTree.SubElement(tree, "keyframe")
        for k, row in enumerate(q):
            said = {
                "name": f"frame {k}",
                "time": repr(float(k / clip.rate)),
                "qpos": " ".join(map(repr, row.tolist())),
            }
            ElementTree.SubElement(keys, "key", said)
    ElementTree.indent(tree)
    Path(path).write_text(ElementTree.tostring(tree, encoding="unicode") + "\n", encoding="utf-8")
