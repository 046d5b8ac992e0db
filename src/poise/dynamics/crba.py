"""The mass matrix by the composite-rigid-body algorithm.

Column d of M is the force that the body parts beyond degree of freedom d, frozen into one rigid
body, need for a unit acceleration of d, felt by d itself and by every degree of freedom above it.
"""

from __future__ import annotations

from typing import Any

from poise.character.tree import LINK_BALL, LINK_HINGE, LINK_NV, LINK_SLIDE, LINK_TRANSLATION, Tree
from poise.compilation import kernel
from poise.dynamics.groups import gather, lane_rows
from poise.dynamics.lanes import WIDTH, accumulate, load, store
from poise.dynamics.links import AXIS, INERTIA, REACH, TURN, block, move_links, rigid_inertia, workspace_rows
from poise.dynamics.rows import (
    accumulate_sym,
    accumulate_vec,
    load_mat,
    load_sym,
    load_vec,
    store_sym,
    store_vec,
)
from poise.manifold.algebra import Sym, Vec, add, cross, dot, rotate_back, scale, sym_apply

# A composite rigid body: rotational inertia 6, first moment of mass 3, mass 1.
_FIRST = INERTIA + 6
_MASS = INERTIA + 9


@kernel(inline=True)
def _project(kind: int, at: int, parent: int, i: int, moment: Vec, force: Vec, work: Any, out: Any) -> None:
    """What the degrees of freedom of link i feel of a moment and a force: one entry of ``out`` each."""
    if kind == LINK_HINGE:
        store(out, at, dot(load_vec(work, block(i) + AXIS), moment))
    elif kind == LINK_SLIDE:
        store(out, at, dot(load_vec(work, block(i) + AXIS), force))
    elif kind == LINK_BALL:
        store_vec(out, at, rotate_back(load_mat(work, block(i) + TURN), moment))
    elif kind == LINK_TRANSLATION:
        store_vec(out, at, rotate_back(load_mat(work, block(parent) + TURN), force))


@kernel(inline=True)
def _axis_of(kind: int, parent: int, i: int, k: int, work: Any) -> Vec:
    """World axis of a link's k-th degree of freedom."""
    if kind in (LINK_HINGE, LINK_SLIDE):
        return load_vec(work, block(i) + AXIS)
    column = block(i if kind == LINK_BALL else parent) + TURN + k
    return (load(work, column), load(work, column + 3), load(work, column + 6))


@kernel(inline=True)
def _about(inertia: Sym, first: Vec, m: Any, r: Vec) -> Sym:
    """The inertia seen from r before the origin: I + 2 (r·h) 1 − r hᵀ − h rᵀ + m (r·r 1 − r rᵀ)."""
    x, y, z = r
    # With h' = 2 h + m r the six entries read alike.
    a, b, c = 2.0 * first[0] + m * x, 2.0 * first[1] + m * y, 2.0 * first[2] + m * z
    return (
        inertia[0] + y * b + z * c,
        inertia[1] - 0.5 * (x * b + y * a),
        inertia[2] - 0.5 * (x * c + z * a),
        inertia[3] + x * a + z * c,
        inertia[4] - 0.5 * (y * c + z * b),
        inertia[5] + x * a + y * b,
    )


@kernel()
def crba_step(tree: Tree, q: Any, still: Any, armature: Any, work: Any, out: Any) -> None:
    """The mass matrix of one state or eight.

    ``out`` has nv² rows. Written are those on and left of the diagonal (M is symmetric) whose two
    degrees of freedom lie on one branch; the others are zero and must be so already. ``still``
    has nv rows of zeros: velocities play no part.
    """
    nv = armature.shape[0]
    move_links(tree, q, still, work)
    kinds, starts, parents = tree.kind, tree.v_start, tree.parent
    mass, centre, inertias = tree.mass, tree.centre, tree.inertia
    for i in range(parents.shape[0]):
        own = block(i)
        inertia, first = rigid_inertia(mass, centre, inertias, i, load_mat(work, own + TURN))
        store_sym(work, own + INERTIA, inertia)
        store_vec(work, own + _FIRST, first)
        store(work, own + _MASS, mass[i])
    for i in range(parents.shape[0] - 1, -1, -1):
        own, kind, parent = block(i), kinds[i], parents[i]
        inertia = load_sym(work, own + INERTIA)
        first, m = load_vec(work, own + _FIRST), load(work, own + _MASS)
        if parent >= 0:
            up, reach = block(parent), load_vec(work, own + REACH)
            accumulate_sym(work, up + INERTIA, _about(inertia, first, m, reach))
            accumulate_vec(work, up + _FIRST, add(first, scale(m, reach)))
            accumulate(work, up + _MASS, m)
        for k in range(LINK_NV[kind]):
            axis, d = _axis_of(kind, parent, i, k, work), starts[i] + k
            if kind in (LINK_HINGE, LINK_BALL):
                moment, force = sym_apply(inertia, axis), cross(axis, first)
            else:
                moment, force = cross(first, axis), scale(m, axis)
            j = i
            while j >= 0:
                _project(kinds[j], d * nv + starts[j], parents[j], j, moment, force, work, out)
                moment = add(moment, cross(load_vec(work, block(j) + REACH), force))
                j = parents[j]
            accumulate(out, d * nv + d, load(armature, d))


@kernel()
def mass_batch(
    first_group: int, last_group: int, tree: Tree, q: Any, still: Any, armature: Any, out: Any
) -> None:
    """``crba_step`` on a range of groups of the frames q (F, nq); still (1, nv); out (F, nv, nv)."""
    nv = armature.shape[0]
    work = lane_rows(workspace_rows(tree.parent.shape[0]))
    result = lane_rows(nv * nv)
    # Degrees of freedom on different branches never meet: their entries stay zero throughout.
    result[:] = 0.0
    rest = gather(still, 0)
    for group in range(first_group, last_group):
        crba_step(tree, gather(q, group), rest, armature, work, result)
        for lane in range(min(WIDTH, q.shape[0] - group * WIDTH)):
            frame = group * WIDTH + lane
            for d in range(nv):
                for e in range(d + 1):
                    entry = result[d * nv + e, lane]
                    out[frame, d, e] = entry
                    out[frame, e, d] = entry
