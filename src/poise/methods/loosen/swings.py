"""The swings that will be seen: how fast each limb, and the body as a whole, swings on its springs.

Of a limb its slowest, all else held, M x = μ K x over its joints in the rest pose: f = 1/(2π √μ); that is
what a tension's frequency means. Arms on a spine that gives way swing slower than each alone: the slowest of
the whole body, with the root as it is held, is told beside them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import Character
from poise.dynamics import mass_matrix
from poise.methods.loosen.simulate.gains import WHOLE, limbs_of
from poise.methods.loosen.simulate.simulator import Simulator

ALIKE = 0.03
"""Sides whose frequencies differ by no more than this part are told as one."""
MOST = 8
"""So many limbs are named, the slowest."""


@dataclass(frozen=True)
class Swing:
    """One limb's slowest swing; keyed tensions have a range of them."""

    limb: str
    slowest: float
    fastest: float
    """[Hz]"""
    ratio: float
    """Of its damping to critical damping."""

    def __str__(self) -> str:
        low, high = f"{self.slowest:.2g}", f"{self.fastest:.2g}"
        return f"{self.limb} {low} Hz" if low == high else f"{self.limb} {low} to {high} Hz"


def swings(simulator: Simulator) -> tuple[Swing, ...]:
    """Of all limbs that are loose, slowest first; last that of the whole body."""
    character = simulator.clip.character
    mass, gains = mass_matrix(character, character.rest_pose()), simulator.gains
    loose = _loose(simulator)
    found: dict[str, Swing] = {}
    for bodies in limbs_of(character):
        dofs = np.concatenate([np.arange(character.nv)[character.dofs(body)] for body in bodies])
        dofs = dofs[loose[dofs]]
        if len(dofs):
            one = _swing(_name(character, bodies[0]), mass, gains.stiffness, gains.damping, dofs)
            if one.limb not in found or one.slowest < found[one.limb].slowest:
                found[one.limb] = one
    told = sorted(_paired(found), key=lambda s: s.slowest)[:MOST]
    if not told:
        return ()
    everything = np.flatnonzero(loose)
    return (*told, _swing("all together", mass, gains.stiffness, gains.damping, everything))


def _loose(simulator: Simulator) -> Array:
    """Which degrees of freedom the simulation moves, (nv,)."""
    tree = simulator.clip.character.tree
    out = np.zeros(simulator.clip.character.nv, dtype=bool)
    ends = [*tree.v_start[1:].tolist(), len(out)]
    for link, (start, end) in enumerate(zip(tree.v_start.tolist(), ends)):
        out[start:end] = not simulator.held.prescribed[link]
    return out


def _swing(name: str, mass: Array, stiffness: Array, damping: Array, dofs: IntArray) -> Swing:
    paces, ratios = [], []
    firm = stiffness[:, dofs].sum(axis=1)
    for row in {int(firm.argmin()), int(firm.argmax())}:
        root = np.sqrt(stiffness[row, dofs])
        mu, shapes = np.linalg.eigh(mass[np.ix_(dofs, dofs)] / np.outer(root, root))
        x = shapes[:, -1] / root
        omega = 1.0 / np.sqrt(mu[-1])
        paces.append(float(omega / (2 * np.pi)))
        modal = float(x @ (damping[row, dofs] * x)) / float(x @ mass[np.ix_(dofs, dofs)] @ x)
        ratios.append(modal / (2 * omega))
    return Swing(name, min(paces), max(paces), float(ratios[int(np.argmin(paces))]))


def _name(character: Character, body: int) -> str:
    own = character.bodies[body]
    limb = WHOLE.get(own.limb, own.limb)
    if not limb:
        return character.names[body]
    return f"{own.side} {limb}" if own.side in ("left", "right") else limb


def _paired(found: dict[str, Swing]) -> list[Swing]:
    """Left and right as one where they are alike."""
    out = []
    for name, swing in found.items():
        side, _, limb = name.partition(" ")
        other = found.get(f"{'right' if side == 'left' else 'left'} {limb}") if limb else None
        alike = other is not None and abs(other.slowest - swing.slowest) <= ALIKE * swing.slowest
        if alike and side == "right":
            continue
        out.append(Swing(f"{limb}s", swing.slowest, swing.fastest, swing.ratio) if alike else swing)
    return out
