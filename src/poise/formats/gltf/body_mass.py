"""Masses in a node's ``extras``: what Poise writes beside a joint so that its own files keep their weight.

    extras.poise.mass = {"mass": kg, "centre": [x, y, z], "inertia": 3 × 3}      (the body's frame, our axes)
    asset.extras.mass_source                                                      where they came from

They are believed only if every body has them and no scale lies between the file and the body.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.character import Character, Mass
from poise.errors import PoiseError
from poise.formats.gltf.container import Document
from poise.formats.gltf.rig import MADE_UP, Rig


def mass_extras(mass: Mass) -> dict[str, Any]:
    """What a written node says about its body's mass."""
    return {
        "mass": mass.mass,
        "centre": np.asarray(mass.centre).tolist(),
        "inertia": np.asarray(mass.inertia).tolist(),
    }


def with_remembered_masses(character: Character, document: Document, rig: Rig) -> Character:
    """The character with the masses its nodes state, or as it is."""
    asset = document.content["asset"].get("extras")
    source = asset.get("mass_source") if isinstance(asset, dict) else None
    if not isinstance(source, str) or source in ("", "none"):
        return character
    nodes = document.items("nodes")
    found: dict[str, Mass] = {}
    for name, node, frame in zip(rig.names, rig.nodes, rig.rest):
        mass = None if node == MADE_UP else _remembered(nodes[node].get("extras"))
        if mass is None or not np.allclose(frame.stretch, np.eye(3), rtol=0, atol=1e-5):
            return character
        found[name] = mass
    return character.with_masses([found[name] for name in character.names], source)


def _remembered(extras: Any) -> Mass | None:
    said = extras.get("poise") if isinstance(extras, dict) else None
    told = said.get("mass") if isinstance(said, dict) else None
    if not isinstance(told, dict):
        return None
    try:
        return Mass(float(told["mass"]), told["centre"], told["inertia"])
    except (PoiseError, KeyError, TypeError, ValueError):
        return None  # edited by other hands: as if nothing had been said
