"""How deep bodies are in each other and in the ground, by points on the surfaces of their solids."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.character.shape import Shape, ShapeKind
from poise.kinematics import Kinematics
from poise.manifold import so3

DIRECTIONS = 80
SLIM = 0.012
"""Solids thinner than this part of the figure's height are fingers and toes: they do not count."""


def directions() -> Array:
    """Spread evenly over the sphere (N, 3)."""
    k = np.arange(DIRECTIONS) + 0.5
    z, turn = 1 - 2 * k / DIRECTIONS, np.pi * (1 + 5**0.5) * k
    return np.stack([np.sqrt(1 - z**2) * np.cos(turn), np.sqrt(1 - z**2) * np.sin(turn), z], axis=1)


def surface(shape: Shape) -> Array:
    """Points on a solid, in its body's frame (N, 3)."""
    a, b, c = np.asarray(shape.size).tolist()
    way = directions()
    match shape.kind:
        case ShapeKind.SPHERE:
            out = a * way
        case ShapeKind.CAPSULE:
            out = np.concatenate([a * way + (0, 0, s * b) for s in (-1.0, 0.0, 1.0)])
        case ShapeKind.CYLINDER:
            flat = way * (1, 1, 0) / np.linalg.norm(way[:, :2], axis=1, keepdims=True)
            out = np.concatenate([a * flat + (0, 0, s * b) for s in (-1.0, 0.0, 1.0)])
        case ShapeKind.ELLIPSOID:
            out = (a, b, c) * way
        case ShapeKind.BOX:
            out = (a, b, c) * way / np.abs(way).max(axis=1, keepdims=True)
    return np.asarray(out @ so3.to_matrix(shape.rotation).T + np.asarray(shape.position))


def depth(shape: Shape, points: Array) -> Array:
    """How far points (…, 3) of the body's frame are inside a solid [m]; negative outside."""
    a, b, c = np.asarray(shape.size).tolist()
    x = (points - np.asarray(shape.position)) @ so3.to_matrix(shape.rotation)
    aside, along = np.linalg.norm(x[..., :2], axis=-1), np.abs(x[..., 2])
    match shape.kind:
        case ShapeKind.SPHERE:
            return np.asarray(a - np.linalg.norm(x, axis=-1))
        case ShapeKind.CAPSULE:
            return np.asarray(a - np.hypot(aside, np.maximum(along - b, 0.0)))
        case ShapeKind.CYLINDER:
            return np.minimum(a - aside, b - along)
        case ShapeKind.ELLIPSOID:
            return np.asarray((1 - np.linalg.norm(x / (a, b, c), axis=-1)) * min(a, b, c))
        case ShapeKind.BOX:
            return np.asarray(((a, b, c) - np.abs(x)).min(axis=-1))


def lowest(character: Character, q: Array) -> tuple[float, str]:
    """The lowest point of all solids and named points of poses (F, nq) [m], and whose it is."""
    kin = Kinematics(character, q)
    found = [(float(kin.point(name)[:, 2].min()), name) for name in character.points]
    for i, body in enumerate(character.bodies):
        for shape in body.shapes:
            height = surface(shape) @ kin.rotations[:, i, 2].T + kin.positions[:, i, 2]
            found.append((float(height.min()), body.name))
    return min(found)


def overlaps(character: Character, q: Array) -> dict[tuple[str, str], float]:
    """Pairs of bodies that are not neighbours, and by how much deeper than at rest they are in each other.

    Neighbours are joined, joined to the same, or all of the trunk.
    """
    poses = np.concatenate([character.rest_pose()[None], q])
    kin = Kinematics(character, poses)
    slim = SLIM * float(kin.positions[0, :, 2].max())
    stout = [[s for s in body.shapes if np.asarray(s.size)[0] > slim] for body in character.bodies]
    skins = [np.concatenate([surface(s) for s in shapes]) if shapes else None for shapes in stout]
    reach = [0.0 if p is None else float(np.linalg.norm(p, axis=1).max()) for p in skins]
    out: dict[tuple[str, str], float] = {}
    for i, skin in enumerate(skins):
        for k, shapes in enumerate(stout):
            if skin is None or not shapes or i == k or _neighbours(character, i, k):
                continue
            gap = np.linalg.norm(kin.positions[:, i] - kin.positions[:, k], axis=1) - reach[i] - reach[k]
            near = np.flatnonzero(gap < 0)
            if not near.size:
                continue
            place = skin @ kin.rotations[near, i].swapaxes(1, 2) + kin.positions[near, i][:, None]
            own = (place - kin.positions[near, k][:, None]) @ kin.rotations[near, k]
            worst = np.zeros(len(poses))
            worst[near] = np.max([depth(s, own).max(axis=1) for s in shapes], axis=0)
            deeper = float((worst[1:] - max(worst[0], 0.0)).max())
            pair = (character.names[min(i, k)], character.names[max(i, k)])
            out[pair] = max(deeper, out.get(pair, 0.0))
    return {pair: value for pair, value in out.items() if value > 0}


def _neighbours(character: Character, i: int, k: int) -> bool:
    """Whether bodies are joined, joined to the same, or both belong to the trunk."""
    near = [{j, *(up for up in (character.parents[j],) if up >= 0)} for j in (i, k)]
    trunk = {"spine", "head", "hump"}
    return bool(near[0] & near[1]) or {character.bodies[j].limb for j in (i, k)} <= trunk
