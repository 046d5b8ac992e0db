"""Joints of a rig that hang as strands: hair, tails, straps, cloth bones.

A chain is joints one below the other; its beads are their origins and the tip. Its first bone stays as
animated and holds the strand; the others are turned, each by the smallest rotation from where its parent and
its own animation would have it, so that it points at the next bead: twists and lengths are the rig's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.character.capsule_masses import bone_ends
from poise.character.joint import JointKind
from poise.character.labels import labelled
from poise.constraints import Report
from poise.dynamics import GRAVITY
from poise.dynamics.cloth import strand_of
from poise.errors import InputError
from poise.manifold import so3
from poise.methods.loosen.contact.surfaces import surroundings
from poise.methods.loosen.wear.drape import Drape
from poise.methods.loosen.wear.flesh import solids_of
from poise.methods.loosen.wear.garment import Garment
from poise.motion import Clip
from poise.motion.takes import told_jumps
from poise.operations.hang import Hang
from poise.operations.result import Result
from poise.operations.situation import Situation

BEND = 0.125
"""Bending length over a chain's length, where none is given."""
THICK = 0.25
"""Radius of beads over the mean length of a chain's bones."""


class Chain(NamedTuple):
    """Joints one below the other."""

    bodies: tuple[int, ...]
    tips: Array
    """Where the next bead is in each body's frame [m], (k, 3)."""


class HangResult(Result):
    """The motion whose chains hang, and how far they went.

    Examples:
        >>> camel = poise.characters.camel()
        >>> hung = poise.hang(poise.Clip(camel, [camel.rest_pose()] * 30, 30), "Tail*", bend=0.05)
        >>> print(hung.moved.max())
    """

    def __init__(self, clip: Clip, before: Clip, chains: tuple[Chain, ...], report: Report | None) -> None:
        super().__init__(clip, report)
        self.before = before
        """The motion as it was given."""
        self.chains = chains
        """What hangs."""

    @property
    def moved(self) -> Array:
        """How far the ends of the bones of chains are from where they were animated [m], (F, k)."""
        joints = [body for chain in self.chains for body in chain.bodies]
        tips = np.concatenate([chain.tips for chain in self.chains])
        before, after = (c.character.placement(c.q) for c in (self.before, self.clip))
        ends = [
            at[:, joints] + np.einsum("fkij,kj->fki", turns[:, joints], tips) for at, turns in (before, after)
        ]
        return np.asarray(np.linalg.norm(ends[1] - ends[0], axis=2))

    def facts(self) -> dict[str, Any]:
        names = self.clip.character.names
        return super().facts() | {
            "chains": [[names[b] for b in chain.bodies] for chain in self.chains],
            "largest_deviation_m": float(self.moved.max(initial=0.0)),
        }

    def __str__(self) -> str:
        names = self.clip.character.names
        told = "; ".join(f"{names[c.bodies[0]]} … {names[c.bodies[-1]]}" for c in self.chains)
        words = f"{self.report}\n" if self.report is not None else ""
        return f"{words}{told}: bones moved by up to {100 * self.moved.max(initial=0.0):.1f} cm"


def hang(asked: Hang, at: Situation) -> HangResult:
    """The motion whose chains hang."""
    clip = at.motion
    chains = chains_of(clip.character, asked.joints)
    q, notes = _hung(asked, at, chains, range(clip.frames))
    notes = (*notes, *told_jumps(clip))
    return HangResult(clip.with_q(q), clip, chains, Report(warnings=notes) if notes else None)


def hang_frames(asked: Hang, at: Situation, frames: Sequence[int]) -> Array | None:
    """Some frames alone, (k, nq), to the bits that all of them give."""
    clip = at.motion
    return clip.held(_hung(asked, at, chains_of(clip.character, asked.joints), frames)[0])


def chains_of(character: Character, names: Sequence[str]) -> tuple[Chain, ...]:
    """The chains that names, patterns or limbs mean; each joint is in one of them."""
    meant: set[int] = set()
    known = labelled(character)
    for name in names:
        meant |= set(known.select(name))
    taken: set[int] = set()
    chains = []
    for first in sorted(meant):
        if first in taken:
            continue
        chain = [first]
        for body in range(first + 1, len(character.bodies)):  # depth first: what is below comes later
            if body in meant and int(character.parents[body]) == chain[-1]:
                chain.append(body)
        taken |= set(chain)
        chains.append(_chain(character, tuple(chain)))
    return tuple(chains)


def _chain(character: Character, bodies: tuple[int, ...]) -> Chain:
    names = character.names
    if len(bodies) < 2:
        raise InputError(
            f"field 'joints': a chain has at least two joints, and {names[bodies[0]]} stands alone: the "
            "first bone stays as animated (see loosen for single joints)"
        )
    for body in bodies[1:]:
        kind = character.bodies[body].joint.kind
        if kind is not JointKind.BALL:
            raise InputError(
                f"field 'joints': {names[body]} is a {kind.name.lower()} joint; chains hang by ball joints "
                "(see loosen for others)"
            )
    ends = bone_ends(character, bodies[-1])
    if not ends:
        raise InputError(f"field 'joints': {names[bodies[-1]]} has no length to hang by")
    tips = [np.asarray(character.bodies[below].offset) for below in bodies[1:]]
    return Chain(bodies, np.array([*tips, ends[0]]))


def _garment(character: Character, chain: Chain, asked: Hang) -> Garment:
    """A chain as a strand in the frame of its first bone, as it is at rest."""
    at, turns = character.rest_placement()
    first = chain.bodies[0]
    beads = [at[b] for b in chain.bodies]
    beads.append(at[chain.bodies[-1]] + turns[chain.bodies[-1]] @ chain.tips[-1])
    points = (np.array(beads) - at[first]) @ turns[first]
    length = np.linalg.norm(np.diff(points, axis=0), axis=1)
    bend = BEND * float(length.sum()) if asked.bend is None else asked.bend
    radius = THICK * float(length.mean()) if asked.thickness is None else asked.thickness
    sheet = strand_of(points, np.array([0, 1]), bend=bend, thickness=min(radius, 0.5 * float(length.min())))
    pull = np.array(GRAVITY) if asked.gravity == "on" else np.zeros(3)
    none = np.zeros((0, 3), dtype=np.int64)
    return Garment(
        name=character.names[first], bone=character.names[first], colour=(0.5, 0.5, 0.5), sheet=sheet,
        faces=none, seen=none[:, 0], radii=np.full(len(points), radius), gravity=pull, ratio=asked.ratio,
        friction=asked.friction, skin=radius,
    )  # fmt: skip


def _hung(
    asked: Hang, at: Situation, chains: tuple[Chain, ...], frames: Sequence[int]
) -> tuple[Array, tuple[str, ...]]:
    """Configurations (k, nq) whose chains point from bead to bead."""
    clip = at.motion
    around = surroundings(asked, clip, at)
    own = {body for chain in chains for body in chain.bodies}
    solids = [s for s in solids_of(clip.character) if s.body not in own] if asked.collide else []
    q = np.array(clip.q[list(frames)])
    for k, chain in enumerate(chains):
        held = int(clip.character.parents[chain.bodies[0]])  # what it grows out of is not in its way
        others = [s for s in solids if s.body != held]
        drape = Drape(clip, _garment(clip.character, chain, asked), others, around.surfaces, asked.window)
        beads = drape.frames(frames, lambda part, k=k: at.progress((k + part) / len(chains)))  # type: ignore[misc]
        turn_to(clip.character, chain, beads, q)
    return q, around.notes


def turn_to(character: Character, chain: Chain, beads: Array, q: Array) -> None:
    """Turn the joints of a chain, from its second on, so that bones point from bead to bead (F, k + 1, 3)."""
    turns = character.placement(q)[1]
    above = turns[:, chain.bodies[0]]
    for i, body in enumerate(chain.bodies):
        if i == 0:
            continue
        part = character.coordinates(body)
        rest = so3.to_matrix(np.asarray(character.bodies[body].rest))
        base = above @ rest
        meant = base @ so3.to_matrix(q[:, part])
        way = beads[:, i + 1] - beads[:, i]
        way = way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12)
        bone = chain.tips[i] / np.linalg.norm(chain.tips[i])
        above = _shortest(meant @ bone, way) @ meant
        turned = so3.from_matrix(np.swapaxes(base, 1, 2) @ above)
        same = np.einsum("fi,fi->f", turned, q[:, part]) >= 0  # of the two quaternions the one it had
        q[:, part] = np.where(same[:, None], turned, -turned)


def _shortest(a: Array, b: Array) -> Array:
    """The smallest rotations (F, 3, 3) that take unit vectors a to b, (F, 3)."""
    axis, cosine = np.cross(a, b), np.einsum("fi,fi->f", a, b)
    sine = np.linalg.norm(axis, axis=1)
    angle = np.arctan2(sine, cosine)
    return np.asarray(so3.to_matrix(so3.exp(axis * (angle / np.maximum(sine, 1e-12))[:, None])))
