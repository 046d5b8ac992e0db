"""Joint torques by inverse dynamics, with the floor's push applied where it is known to act.

    τ = M v̇ + c + g − Jᵀ w

In flight w = 0. What touches carries the total wrench, as far as a floor can give it: pushing, from within
the support polygon. What the motion asks beyond that is left on the root, a ``residual`` out of nowhere.
While several parts touch, the motion does not tell their shares (a closed chain may press against itself):
they are taken to press as evenly as the centre of pressure allows, friction in proportion (``load_shares``).
Where a support is unexplained no torque is known, and none is a number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.contacts.differentiated_clip import Mask, Take
from poise.dynamics import inverse_dynamics
from poise.plausibility.contact_points import SOLE, Touching
from poise.plausibility.contacts import Contacts
from poise.plausibility.floor import Floor
from poise.plausibility.forces import Forces
from poise.plausibility.polygon import nearest_inside, support_polygon

STRICT = 1e4
"""How much more the centre of pressure counts than even shares."""


@dataclass(frozen=True, eq=False)
class Torques:
    """Inverse dynamics over the N frames of a take."""

    tau: Array
    """Generalised forces [N·m, N] (N, nv); not a number where unknown."""
    magnitude: Array
    """Of each body's joint [N·m] (N, n); of slides [N]."""
    residual: Array
    """What is left on the root's own degrees of freedom once contacts are applied (N, root's nv): a force
    or torque out of nowhere, where the contacts are known."""


def torques(take: Take, touch: Touching, contact: Contacts, total: Forces, floor: Floor) -> Torques:
    """Joint torques of a take."""
    character, kin = take.clip.character, take.kin
    n = len(character.bodies)
    wrench = np.zeros((take.frames, n, 6))
    known = np.ones((take.frames, n), dtype=bool)
    for f in range(take.frames):
        held = contact.touching[f]
        if held.any() and np.isfinite(total.pressure[f]).all():  # else it hardly presses, or would pull
            wrench[f] = _pushes(take, touch, total, floor, f, held)
    for start, end, _ in contact.unexplained:
        known[start : end + 1] = False
    down = (0.0, 0.0, -total.gravity)
    tau = inverse_dynamics(character, kin.q, kin.v, take.acceleration, gravity=down, wrenches=wrench)
    root = tau[:, character.dofs(0)].copy()
    magnitude = np.zeros((take.frames, n))
    for i in range(n):
        span = character.dofs(i)
        magnitude[:, i] = np.linalg.norm(tau[:, span], axis=1)
        tau[~known[:, i], span] = np.nan
    magnitude[~known] = np.nan
    root[~known[:, 0]] = np.nan
    return Torques(tau, magnitude, root)


def _pushes(take: Take, touch: Touching, total: Forces, floor: Floor, f: int, held: Mask) -> Array:
    """What the floor does to each body in a frame: force and moment about the body's origin (n, 6)."""
    force, points = total.force[f], touch.places[f, held]
    polygon = support_polygon(points[:, :2], SOLE * take.stature)
    spot = nearest_inside(polygon, total.pressure[f])
    share = load_shares(points[:, :2], spot)
    # Points stand for patches of sole: the spot may lie beside them all.
    places = points + np.append(spot - share @ points[:, :2], 0.0)
    places[:, 2] = [floor.at(place) for place in places]
    centre = share @ places
    arm = centre - total.com[f]
    twist = total.moment[f, 2] - (arm[0] * force[1] - arm[1] * force[0])
    wrench = np.zeros((len(take.clip.character.bodies), 6))
    for part in np.unique(touch.part[held]):
        own = touch.part[held] == part
        # The joint nearest the root among those that touch: nothing beyond it is loaded otherwise.
        body, part_share = int(touch.body[held][own].min()), share[own].sum()
        pressed = share[own] @ places[own] - part_share * take.kin.positions[f, body]
        wrench[body, :3] += part_share * force
        wrench[body, 3:] += np.cross(pressed, force)
        wrench[body, 5] += part_share * twist
    return wrench


def load_shares(points: Array, spot: Array) -> Array:
    """Shares (k,) of the load on points (k, 2), as even as can be: least Σ s², s ≥ 0, Σ s = 1, Σ s x = spot.

    A spot outside the points' hull is met as nearly as the points allow.
    """
    from scipy.optimize import nnls

    size = max(float(np.abs(points - spot).max()), 1e-9)
    rows = np.vstack([STRICT * np.ones(len(points)), STRICT * (points - spot).T / size, np.eye(len(points))])
    share, _ = nnls(rows, np.concatenate([[STRICT, 0.0, 0.0], np.zeros(len(points))]))
    return np.asarray(share / share.sum())
