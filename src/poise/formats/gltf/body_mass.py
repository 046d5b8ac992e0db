"""Masses in a node's ``extras``: what Poise writes beside a joint so that its own files keep their weight.

    extras.poise.mass = {"mass": kg, "centre": [x, y, z], "inertia": 3 × 3}      (the body's frame, our axes)
    extras.poise.mass.stretch                                                     3 × 3; none where it is 1
    asset.extras.mass_source                                                      where they came from

They are believed only if every body has them, with the scale between file and body that it had then.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character, Mass
from poise.errors import PoiseError
from poise.formats.gltf.container import Document
from poise.formats.gltf.rig import MADE_UP, Rig


def mass_extras(mass: Mass, stretch: Array | None = None) -> dict[str, Any]:
    """What a written node says about its body's mass; ``stretch``: between the file and the body."""
    plain = stretch is None or _same(stretch, np.eye(3))
    return {
        **({} if stretch is None or plain else {"stretch": stretch.tolist()}),
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
        if mass is None or not _same(frame.stretch, mass[1]):
            return character
        found[name] = mass[0]
    return character.with_masses([found[name] for name in character.names], source)


def _same(a: Array, b: Array) -> bool:
    return bool(np.allclose(a, b, rtol=1e-5, atol=1e-5 * np.abs(b).max()))


def _remembered(extras: Any) -> tuple[Mass, Array] | None:
    """A mass, and the stretch it goes with."""
    said = extras.get("poise") if isinstance(extras, dict) else None
    told = said.get("mass") if isinstance(said, dict) else None
    if not isinstance(told, dict):
        return None
    try:
        stretch = np.array(told.get("stretch", np.eye(3)), dtype=np.float64).reshape(3, 3)
        return Mass(float(told["mass"]), told["centre"], told["inertia"]), stretch
    except (PoiseError, KeyError, TypeError, ValueError):
        return None  # edited by other hands: as if nothing had been said
