"""The arrays that compiled kernels read: a tree of *links* with simple joints.

Kernels know only hinge, slide, ball, translation (three slides) and fixed links. A free joint is
a massless translation link followed by a ball; a planar joint is two massless slides followed by a
hinge about y. Degrees of freedom keep their order, so q and v are the character's own.

Placement of link i with parent p:

    x_i = x_p + R_p (offset_i + t_i),    R_i = R_p · rest_i · Q_i

with ``t`` the joint's translation (``rest_i axis_i q`` for a slide, ``(q0, q1, q2)`` for a
translation link) and ``Q`` its rotation (about ``axis_i`` for a hinge, the quaternion of a ball).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from poise.arrays import Array, IntArray, frozen
from poise.character.joint import JointKind, as_array
from poise.manifold import so3

if TYPE_CHECKING:
    from poise.character.body import Body

LINK_FIXED = 0
LINK_HINGE = 1
LINK_SLIDE = 2
LINK_BALL = 3
LINK_TRANSLATION = 4
LINK_NQ = (0, 1, 1, 4, 3)
LINK_NV = (0, 1, 1, 3, 3)


class Tree(NamedTuple):
    """Read-only arrays over L links; parents come before children, depth first."""

    parent: IntArray
    """Parent link, −1 for the world (L,)."""
    kind: IntArray
    """LINK_… (L,)."""
    q_start: IntArray
    """First coordinate in q (L,)."""
    v_start: IntArray
    """First degree of freedom in v (L,)."""
    offset: Array
    """In the parent link's frame (L, 3)."""
    rest: Array
    """Parent-from-joint rotation matrices (L, 3, 3)."""
    axis: Array
    """In the joint frame (L, 3)."""
    mass: Array
    """(L,), zero for massless links."""
    centre: Array
    """Centre of mass in the link frame (L, 3)."""
    inertia: Array
    """About the centre, link axes (L, 3, 3)."""
    armature: Array
    """Per degree of freedom (nv,)."""
    body: IntArray
    """Body carried by the link, −1 for massless helpers (L,)."""
    link: IntArray
    """The link that carries each body (n,)."""
    root_links: int
    """How many leading links make up the root's joint."""


def build_tree(bodies: tuple[Body, ...], parents: IntArray) -> Tree:
    """Links of a depth-first list of bodies."""
    parent: list[int] = []
    kind: list[int] = []
    offset: list[Array] = []
    rest: list[Array] = []
    axis: list[Array] = []
    carries: list[int] = []
    link_of_body: list[int] = []
    identity, zero = np.eye(3), np.zeros(3)

    def put(up: int, what: int, at: Array, turn: Array, about: Array, body: int) -> int:
        parent.append(up)
        kind.append(what)
        offset.append(at)
        rest.append(turn)
        axis.append(about)
        carries.append(body)
        return len(parent) - 1

    for i, body in enumerate(bodies):
        up = link_of_body[parents[i]] if parents[i] >= 0 else -1
        at, turn = np.asarray(body.offset), so3.to_matrix(body.rest)
        about = as_array(body.joint.axis)
        match body.joint.kind:
            case JointKind.FREE:
                # The joint's own coordinates say where the body is: offset is only its rest value.
                up = put(up, LINK_TRANSLATION, zero, identity, about, -1)
                up = put(up, LINK_BALL, zero, identity, about, i)
            case JointKind.PLANAR:
                ex, ey, ez = identity
                up = put(up, LINK_SLIDE, at * ey, identity, ex, -1)
                up = put(up, LINK_SLIDE, zero, identity, ez, -1)
                up = put(up, LINK_HINGE, zero, identity, ey, i)
            case JointKind.BALL:
                up = put(up, LINK_BALL, at, turn, about, i)
            case JointKind.HINGE:
                up = put(up, LINK_HINGE, at, turn, about, i)
            case JointKind.SLIDE:
                up = put(up, LINK_SLIDE, at, turn, about, i)
            case JointKind.FIXED:
                up = put(up, LINK_FIXED, at, turn, about, i)
        link_of_body.append(up)

    count = len(parent)
    mass, centre, inertia = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3, 3))
    for body_index, link in enumerate(link_of_body):
        own = bodies[body_index].mass
        mass[link], centre[link], inertia[link] = own.mass, own.centre, own.inertia
    q_start = np.concatenate([[0], np.cumsum([LINK_NQ[k] for k in kind])[:-1]])
    v_start = np.concatenate([[0], np.cumsum([LINK_NV[k] for k in kind])[:-1]])
    armature = np.concatenate([as_array(b.joint.armature) for b in bodies])
    whole = np.int64
    return Tree(
        parent=frozen(parent, dtype=whole),
        kind=frozen(kind, dtype=whole),
        q_start=frozen(q_start, dtype=whole),
        v_start=frozen(v_start, dtype=whole),
        offset=frozen(offset),
        rest=frozen(rest),
        axis=frozen(axis),
        mass=frozen(mass),
        centre=frozen(centre),
        inertia=frozen(inertia),
        armature=frozen(armature),
        body=frozen(carries, dtype=whole),
        link=frozen(link_of_body, dtype=whole),
        root_links=link_of_body[0] + 1,
    )


def part_of(tree: Tree, links: IntArray) -> tuple[Tree, IntArray, IntArray]:
    """Some links, each with its parent, as a tree of their own, and their columns of q and v."""
    number = np.full(len(tree.parent) + 1, -1)  # the last for the world
    number[links] = np.arange(len(links))
    kind = tree.kind[links]
    columns, starts = [], []
    for start, widths in ((tree.q_start, LINK_NQ), (tree.v_start, LINK_NV)):
        width = np.array(widths)[kind]
        ends = np.cumsum(width)
        starts.append(ends - width)
        columns.append(np.repeat(start[links] - starts[-1], width) + np.arange(width.sum()))
    whole = np.int64
    part = Tree(
        parent=frozen(number[tree.parent[links]], dtype=whole),
        kind=frozen(kind, dtype=whole),
        q_start=frozen(starts[0], dtype=whole),
        v_start=frozen(starts[1], dtype=whole),
        offset=frozen(tree.offset[links]),
        rest=frozen(tree.rest[links]),
        axis=frozen(tree.axis[links]),
        mass=frozen(tree.mass[links]),
        centre=frozen(tree.centre[links]),
        inertia=frozen(tree.inertia[links]),
        armature=frozen(tree.armature[columns[1]]),
        body=frozen(tree.body[links], dtype=whole),
        link=frozen(number[tree.link], dtype=whole),
        root_links=tree.root_links,
    )
    return part, columns[0], columns[1]
