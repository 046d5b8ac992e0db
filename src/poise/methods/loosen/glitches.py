"""Joints that spin as no body's do: named before they are simulated, and mended where that is asked.

A simulation takes every frame at its word. A thumb that flips over for a frame, at 120 frames per second,
turns with 200 rad/s and more: it whips, and what hangs on it goes along. The fastest real joints of captures
(feet and toes of runners) reach 57 rad/s; most of what is faster lies near π · fps or half of it, a turn by
180° or 90° within a frame: an angle that was read the other way round.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from poise.arrays import Array
from poise.character import JointKind
from poise.character.tree import LINK_BALL, LINK_HINGE, LINK_NV
from poise.contacts.differentiated_clip import runs
from poise.motion import Clip
from poise.motion.operators import despike
from poise.motion.operators.neighbours import extended

FASTEST = 60.0
"""Faster spins are no body's [rad/s]: of 49 captures 26 stay below it, their feet at up to 57."""
FLIP = 0.4 * math.pi
"""Turns by more within a frame are flips [rad]."""
TOLD = 6
"""So many are named one by one."""
REACH = 5
"""Frames looked at on either side by what mends them; spins of a joint that lie nearer are one."""
LONGEST, SLOW = 0.25, 0.75
"""A flip is turned over in up to twice this time [s], and at this part of the fastest."""
ROUNDS = 3
"""Times that what is left is bridged."""


@dataclass(frozen=True)
class Spin:
    """A joint that turns too fast at some frame, and perhaps at some after it."""

    body: int
    joint: str
    frame: int
    """The first of them."""
    last: int
    speed: float
    """The fastest of them [rad/s]."""
    flips: bool

    def __str__(self) -> str:
        where = f"frame {self.frame}" if self.last == self.frame else f"frames {self.frame} to {self.last}"
        return f"{self.joint} {'flips' if self.flips else 'spins'} at {where} ({self.speed:.0f} rad/s)"


@lru_cache(maxsize=16)
def spins(clip: Clip) -> tuple[Spin, ...]:
    """What turns faster than any body's joint, in order of time; the root's turns count too."""
    character = clip.character
    if clip.frames < 2:
        return ()
    q = extended(clip, 1)[1:] if clip.loop else np.asarray(clip.q)
    steps = character.manifold.minus(q[1:], q[:-1])
    tree = character.tree
    found = []
    owner = {int(link): body for body, link in enumerate(tree.link)}
    for link in range(len(tree.parent)):
        if tree.kind[link] not in (LINK_HINGE, LINK_BALL):
            continue
        first = int(tree.v_start[link])
        turn = np.linalg.norm(steps[:, first : first + LINK_NV[tree.kind[link]]], axis=1)
        body = owner.get(link, 0)
        for a, b in runs(turn * clip.fps > FASTEST):
            most = float(turn[a : b + 1].max())
            flips = most > FLIP
            found.append(Spin(body, character.names[body], a, b + 1, most * clip.fps, flips))
    return tuple(sorted(_joined(found), key=lambda s: (s.frame, s.body)))


def _joined(found: Sequence[Spin]) -> list[Spin]:
    """Those of one joint that follow on each other as one: away, and back."""
    out: list[Spin] = []
    for spin in found:
        last = out[-1] if out else None
        if last is not None and last.body == spin.body and spin.frame - last.last <= REACH:
            most, flips = max(last.speed, spin.speed), last.flips or spin.flips
            out[-1] = Spin(spin.body, spin.joint, last.frame, spin.last, most, flips)
        else:
            out.append(spin)
    return out


def warnings_of(found: Sequence[Spin], *, cleaned: bool = False) -> tuple[str, ...]:
    """In words, the worst first, and what can be done."""
    if not found:
        return ()
    worst = sorted(found, key=lambda s: -s.speed)
    said = "; ".join(map(str, worst[:TOLD]))
    more = f"; and {len(worst) - TOLD} more" if len(worst) > TOLD else ""
    remedy = (
        "these last too long to be mended: trim them" if cleaned else "no body moves so fast; clean mends it"
    )
    return (f"{said}{more}: {remedy}",)


@lru_cache(maxsize=16)
def cleaned(clip: Clip) -> Clip:
    """The clip without spins that no body has; joints that have none keep their bits.

    Glitches, frames that leave the motion and come back, are taken out (``despike``). What is left, a joint
    that flips over and stays so, is turned over in as many frames as it takes to be slow enough.
    """
    found = spins(clip)
    if not found:
        return clip
    clip = despike(clip, window=REACH, joints=sorted({spin.joint for spin in found}))
    for _ in range(ROUNDS):  # what is bridged may lie near another
        found = spins(clip)
        if not found:
            break
        q = np.array(clip.q)
        for spin in found:
            _bridge(clip, spin, q)
        clip = clip.with_q(q)
    return clip


def _bridge(clip: Clip, spin: Spin, q: Array) -> None:
    """Turn a joint evenly from before a spin to after it, in place; longer where that is still too fast."""
    character = clip.character
    manifold, free = character.manifold, character.bodies[spin.body].joint.kind is JointKind.FREE
    here, columns = character.dofs(spin.body), character.coordinates(spin.body)
    if free:  # it turns; where it is, is another matter
        here, columns = slice(here.start + 3, here.stop), slice(columns.start + 3, columns.stop)
    most = max(1, int(LONGEST * clip.fps))
    count = clip.frames
    # Over a loop's seam; but a root that turns on from cycle to cycle is another one there.
    around = clip.loop and not (free and abs(clip.travel.yaw) > 0.0)
    for more in range(most):
        a, b = spin.frame - more, spin.last + more
        if not around:
            a, b = max(a, 0), min(b, count - 1)
        elif b - a >= count:
            break
        way = manifold.minus(q[b % count], q[a % count])
        way[: here.start] = way[here.stop :] = 0.0
        if np.linalg.norm(way) * clip.fps <= SLOW * FASTEST * (b - a):
            break
    share = np.arange(1, b - a)[:, None] / (b - a)
    between = np.arange(a + 1, b) % count
    q[between, columns] = manifold.plus(q[a % count], share * way)[:, columns]
