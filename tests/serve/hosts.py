"""What a host program would tell of a clip: bones in the world, with rolls and a heading of its own."""

from __future__ import annotations

import numpy as np

from poise.manifold import so3
from poise.motion import Clip


def told(
    clip: Clip, *, seed: int = 0, quarters: int = 0, name: str = "walk"
) -> tuple[dict, dict, dict, dict]:
    """Heads and arrays of the requests ``character`` and ``clip``: bones rolled at random, a turned world."""
    who = clip.character
    rng = np.random.default_rng(seed)
    roll = so3.exp(rng.normal(size=(len(who.bodies), 3)))
    world = so3.exp(np.array([0.0, 0.0, 0.5 * np.pi * quarters]))

    def bones(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        at = who.placement(q)
        turns = so3.from_matrix(at.rotations)
        return so3.rotate(world, at.positions), so3.multiply(so3.multiply(world, turns), roll)

    rest, turned = bones(who.rest_pose()[None])
    positions, rotations = bones(clip.q)
    tips, places = [], []
    for i, body in enumerate(who.bodies):
        for point in list(body.points.values())[:1]:
            tips.append(body.name)
            level = who.rest_placement().rotations[i]
            places.append(so3.rotate(world, who.rest_placement().positions[i] + level @ np.asarray(point)))
    head = {
        "ask": "character",
        "name": who.name,
        "bones": list(who.names),
        "parents": who.parents.tolist(),
        "tips": tips,
    }
    arrays = {"rest_positions": rest[0], "rest_rotations": turned[0], "tips": np.array(places).reshape(-1, 3)}
    motion = {"ask": "clip", "name": name, "character": who.name, "rate": str(clip.rate)}
    return head, arrays, motion, {"positions": positions, "rotations": rotations}
