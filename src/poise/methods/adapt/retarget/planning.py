"""The plan by which a target's joints follow a source's, as kernels read it."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, IntArray, frozen
from poise.character import Character, JointKind
from poise.character.labels import roles
from poise.character.limbs import limb_joints
from poise.contacts.differentiated_clip import Mask
from poise.manifold import so3
from poise.methods.adapt.retarget.alignment import Alignment
from poise.methods.adapt.retarget.fitting import MOST
from poise.methods.adapt.retarget.turning import Plan

BONE = (1.0, 2e-3, 2e-3)
"""What counts of a limb: where its bone points, and hardly how it is twisted."""
WEIGHTS: dict[str, tuple[float, float, float]] = {
    "upper_arm": BONE,
    "forearm": BONE,
    "thigh": BONE,
    "shin": BONE,
    "hand": (0.1, 0.05, 0.05),
    "foot": (0.2, 0.1, 0.1),
    "toes": (0.1, 0.05, 0.05),
    "clavicle": (0.2, 0.1, 0.1),
    "spine": (0.1, 0.1, 0.1),
    "neck": (0.1, 0.1, 0.1),
    "hips": (1.0, 1.0, 1.0),
    "chest": (1.0, 1.0, 1.0),
    "head": (0.5, 0.5, 0.5),
}
"""By part, along its bone and across: what hinges that cannot do all give up last."""
OTHER = (0.3, 0.1, 0.1)
"""Of fingers, tails and what else has a counterpart."""
SOFT = (0.02, 0.02, 0.02)
"""Of joints of a trunk between others."""


def plan(alignment: Alignment) -> Plan:
    """How the bodies of a target follow those of a source."""
    pairing = alignment.pairing
    target, n = pairing.target, len(pairing.target.bodies)
    first, second = np.full(n, -1), np.full(n, -1)
    share = np.zeros(n)
    by_first, by_second = np.tile(np.eye(3), (n, 1, 1)), np.tile(np.eye(3), (n, 1, 1))
    directions, weight = np.tile(np.eye(3), (n, 1, 1)), np.tile(OTHER, (n, 1))
    source, own = alignment.ours.rotations, alignment.theirs.rotations
    for t, s in pairing.pairs.items():
        first[t] = s
        by_first[t] = source[s].T @ alignment.turns[t] @ own[t]
        directions[t] = _directions(alignment, t)
        weight[t] = WEIGHTS.get(alignment.parts.get(t, ""), OTHER)
    turn = alignment.turns[-1]
    for t, between in pairing.between.items():
        first[t], second[t], share[t] = between.first, between.second, between.share
        by_first[t] = source[between.first].T @ turn @ own[t]
        by_second[t] = source[between.second].T @ turn @ own[t]
        weight[t] = SOFT
    chains = _chains(target, first >= 0)
    member = np.full(n, -1)
    for c, links in enumerate(chains):
        member[links] = c
    lower, upper = np.full((n, 3), -np.inf), np.full((n, 3), np.inf)
    kinds = [b.joint.kind for b in target.bodies]
    for i, kind in enumerate(kinds):
        if kind in (JointKind.HINGE, JointKind.BALL):
            span = target.dofs(i)
            lower[i], upper[i] = target.lower[span], target.upper[span]
    absolute = [kind in (JointKind.FREE, JointKind.PLANAR) for kind in kinds]
    rest = [np.eye(3) if a else so3.to_matrix(np.asarray(b.rest)) for a, b in zip(absolute, target.bodies)]
    axes = [(0, 1, 0) if k is JointKind.PLANAR else b.joint.axis for k, b in zip(kinds, target.bodies)]
    return Plan(
        parents=_whole(target.parents),
        kind=_whole([int(k) for k in kinds]),
        axis=_array(axes),
        rest=_array(rest),
        coordinates=_whole([target.coordinates(i).start for i in range(n)]),
        lower=_array(lower),
        upper=_array(upper),
        first=_whole(first),
        second=_whole(second),
        share=_array(share),
        by_first=_array(by_first),
        by_second=_array(by_second),
        starts=_whole(np.cumsum([0, *map(len, chains)])),
        links=_whole([i for links in chains for i in links]),
        chain=_whole(member),
        directions=_array(directions),
        weight=_array(weight),
    )


def _array(values: object) -> Array:
    return np.asarray(frozen(np.ascontiguousarray(values, dtype=np.float64)))


def _whole(values: object) -> IntArray:
    return np.asarray(frozen(np.asarray(values, dtype=np.int64), dtype=np.int64))


def _directions(alignment: Alignment, t: int) -> Array:
    """Unit vectors as rows (3, 3) in the body's frame: along its bone, and two across."""
    own = alignment.theirs.rotations[t]
    way = alignment.way(t)
    bone = way[1] if way is not None else _tip(alignment, t)
    if float(np.linalg.norm(bone)) < 1e-9:
        return np.eye(3)
    along = own.T @ (bone / np.linalg.norm(bone))
    across = np.eye(3)[int(np.argmin(np.abs(along)))]
    across = across - (across @ along) * along
    across /= np.linalg.norm(across)
    return np.stack([along, across, np.cross(along, across)])


def _tip(alignment: Alignment, t: int) -> Array:
    """Where a body without a paired child leads: to its farthest point or child, (3,)."""
    target, pose = alignment.pairing.target, alignment.theirs
    own = pose.positions[t]
    ends = [pose.positions[k] - own for k in target.children[t]]
    ends += [pose.rotations[t] @ np.asarray(p) for p in target.bodies[t].points.values()]
    return max(ends, key=lambda e: float(np.linalg.norm(e)), default=np.zeros(3))


def _chains(target: Character, wanted: Mask) -> list[list[int]]:
    """Runs of bodies without branches that hold a hinge, from a branching to the last that is wanted."""
    n = len(target.bodies)
    relevant = np.array(wanted)
    for i in range(n - 1, 0, -1):
        relevant[target.parents[i]] |= relevant[i]
    found: list[list[int]] = []
    done = np.zeros(n, dtype=bool)
    for i in range(n):
        if done[i] or not relevant[i] or target.bodies[i].joint.kind in (JointKind.FREE, JointKind.PLANAR):
            continue
        links, size = [i], target.bodies[i].joint.nv
        for _ in range(n):
            on = [k for k in target.children[links[-1]] if relevant[k]]
            size += target.bodies[on[0]].joint.nv if len(on) == 1 else MOST
            if len(on) != 1 or size > MOST:
                break
            links.append(on[0])
        done[links] = True
        last = max((k for k, link in enumerate(links) if wanted[link]), default=-1)
        links = links[: last + 1]
        if any(target.bodies[k].joint.kind is JointKind.HINGE for k in links):
            found.append(links)
    return found


def known_spots(character: Character) -> dict[str, int]:
    """Role → the body that its limb joint moves."""
    joints = limb_joints(character)
    return {role: joints[body].body for role, body in roles(character).items()}
