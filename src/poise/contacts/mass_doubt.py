"""How the centre of mass would move were the masses a little different from what was guessed.

A limb whose share of the mass is wrong by ε pulls the centre of mass by ε s (x_limb − c), s its share; a
trunk whose own centre is off by δ in its frame by s R δ. In a somersault both turn with the body, and bend
the path of the centre of mass: 2 cm at 8 rad/s are 1.3 m/s².
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.character.labels import labelled
from poise.kinematics import Kinematics

SHARE = 0.15
"""Standard deviation of a limb's mass, over what was guessed."""
CENTRE = 0.02
"""Of the place of the trunk's centre in the trunk, of a body of 1.75 m [m]."""


def mass_doubt(character: Character, q: Array, scale: float) -> Array:
    """Ways of the centre of mass in frames q (F, nq), each for one standard deviation of one thing that was
    guessed [m] (F, K, 3)."""
    if character.mass_source == "given":
        return np.zeros((len(q), 0, 3))
    mass = np.array([b.mass.mass for b in character.bodies])
    kin = Kinematics(character, q)
    centres = np.array([np.asarray(b.mass.centre) for b in character.bodies])
    at = kin.positions + np.einsum("fbij,bj->fbi", kin.rotations, centres) - kin.com[:, None]
    share = mass / character.total_mass
    limbs = [b.limb for b in labelled(character).bodies]
    ways = [
        SHARE * np.einsum("b,fbi->fi", np.where([m == limb for m in limbs], share, 0.0), at)
        for limb in dict.fromkeys(limbs)
    ]
    middle = [i for i, limb in enumerate(limbs) if limb == "spine"] or [int(np.argmax(mass))]
    trunk = max(middle, key=lambda i: mass[i])
    ways += [CENTRE * scale * share[middle].sum() * kin.rotations[:, trunk, :, j] for j in range(3)]
    return np.stack(ways, axis=1)
