"""Exertion: what motors have to give for a changed motion, and joints that are eased where it is too much.

Torques are those of inverse dynamics below 10 Hz, on the contacts that carry the motion, as ``check`` finds
them; but no peak is too short to count. Of a joint whose limb touches nothing they have a part τ_s that
remains when it stands still, and one that grows with the square of its speed:

    τ = τ_s + τ_d,        slower by κ:  τ_s + κ² τ_d

so that κ = √((limit − τ_s) / τ_d) is enough, both in the direction of τ. Where the limb stands on something,
or τ_s alone is too much, no easing helps, and the report says what is lacking.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.constraints import Constraint, During, Outcome, constrain
from poise.contacts.given import ClipContacts
from poise.dynamics import inverse_dynamics
from poise.gravity import EARTH
from poise.handles import JointValue
from poise.motion import Clip
from poise.plausibility.finding import Finding
from poise.plausibility.motor_rules import BEYOND, motor_torques, torques_over
from poise.plausibility.physics import Physics, physics

NAME = "torque of motors"
ROOM = 0.9
"""Share of their strength that eased motors are to use: what the solver leaves over is below one."""
SLOWEST = 0.5
"""No joint is eased to less of its speed at a time."""
AROUND = 0.25
"""Joints are eased for so long before and after they are too weak [s]: where else should they go?"""
HELPED = 0.5
"""No motor is eased where this share of those that lack torque, or more, would not be helped by it."""
IDLE = 0.1
"""Joints that are slower than this have nothing to ease [rad/s, m/s]."""
PULL = 3.0
"""Weight beside a foot that stands, 1: as that of motors' speeds."""
NAMED = 4
"""Motors that are named; the others are counted."""
DOUBT = 0.02
"""A share of the frames in which no torque is known, that is not worth a word."""


@dataclass(frozen=True, eq=False)
class Exertion:
    """What motors give for a clip."""

    physics: Physics
    torque: Array
    """(N, nv) [N·m, of slides N], not a number where what carries is unknown."""
    findings: tuple[Finding, ...]
    """Motors that have not got it, worst first."""

    def excess(self, other: Exertion) -> float:
        """What is lacking, over what motors have, in all frames of which this and another motion of the same
        clip know it: the measure by which easing is judged."""
        over = np.maximum(self.torque / self.most - BEYOND[0], 0.0)
        known = np.isfinite(self.torque) & np.isfinite(other.torque)
        return float(over[known].sum())

    @property
    def most(self) -> Array:
        """What motors have (nv,)."""
        return np.asarray(self.physics.clip.character.effort)

    @property
    def unknown(self) -> float:
        """Share of the clip's frames in which no torque is known."""
        return float(np.isnan(self.torque[self.physics.take.own]).any(axis=1).mean())

    def outcome(self) -> Outcome:
        """Whether motors have what it takes: the one that has least."""
        own, take = self.torque[self.physics.take.own], self.physics.take
        share = np.nan_to_num(own) / self.most
        f, k = (int(i) for i in np.unravel_index(int(np.argmax(share)), share.shape))
        got, most, time = float(np.nan_to_num(own)[f, k]), float(self.most[k]), f * take.dt
        unit = "N" if self._slides(k) else "N·m"
        if self.findings:
            worst = max(self.findings, key=lambda found: found.amount / found.expected)
            got, most, unit = worst.amount, worst.expected, worst.unit
            time = (worst.start % take.clip.frames) * take.dt
        return Outcome(
            NAME, "at all times", (most,), (got,), max(got - most, 0.0), unit, (BEYOND[0] - 1.0) * most,
            not self.findings, time, reason="; ".join(self._words()),
        )  # fmt: skip

    def warnings(self) -> tuple[str, ...]:
        """What could not be known."""
        if self.unknown <= DOUBT:
            return ()
        share = f"{100 * self.unknown:.0f} % of the frames"
        return (f"torques of motors are unknown in {share}: nothing that was found carries the motion there",)

    def details(self) -> list[dict[str, Any]]:
        """Motors that are too weak, as plain data."""
        return [asdict(found) for found in self.findings]

    def _slides(self, dof: int) -> bool:
        character = self.physics.clip.character
        return bool(character.bodies[int(character.dof_body[dof])].joint.kind.name == "SLIDE")

    def _words(self) -> Iterator[str]:
        """The worst of each motor, and its frames."""
        worst = dict[str, Finding]()
        for found in sorted(self.findings, key=lambda found: -found.amount / found.expected):
            worst.setdefault(found.where, found)
        for found in list(worst.values())[:NAMED]:
            yield f"{found.words} (frames {found.start} to {found.end})"
        if len(worst) > NAMED:
            yield f"and {len(worst) - NAMED} more motors"


def exertion(clip: Clip, contacts: ClipContacts | None = None) -> Exertion | None:
    """What motors give for a clip; None where no limits of torque are known, or no torques."""
    character = clip.character
    if clip.frames < 3 or not character.total_mass > 0 or not np.isfinite(character.effort).any():
        return None
    measured = physics(clip, contacts=contacts)
    if measured.torques is None:
        return None
    return Exertion(measured, motor_torques(measured), tuple(torques_over(measured, lasting=0.0)))


def eased(found: Exertion, free: set[int], round_: int) -> list[Constraint]:
    """Bounds on the speed of joints that would then have what it takes; none where easing helps few of the
    motors that lack it."""
    slower = dict[int, list[tuple[int, int, float]]]()
    helped = 0
    for each in found.findings:
        share = _slower(found, each)
        if share < 1.0:
            helped += 1
            character = found.physics.clip.character
            for body in character.subtree(character.names.index(each.where)):
                if body in free and character.bodies[body].joint.nv == 1:
                    slower.setdefault(int(body), []).append((each.start, each.end, share))
    if helped < HELPED * len(found.findings):
        return []
    bounds = (_bounds(found.physics.clip, body, spans, round_) for body, spans in slower.items())
    return [bound for each in bounds for bound in each]


def _slower(found: Exertion, weak: Finding) -> float:
    """How much slower a limb would have to be; 1 where that does not help."""
    take, footing = found.physics.take, found.physics.footing
    character = take.clip.character
    top = character.names.index(weak.where)
    limb = set(character.subtree(top))
    rows = np.arange(max(weak.start + take.lead, 0), min(weak.end + take.lead, take.frames - 1) + 1)
    touching = footing.touching[rows][:, [int(b) in limb for b in footing.patches.body]].any()
    if character.bodies[top].joint.nv != 1 or (touching and not footing.bolted):
        return 1.0
    dof, q = character.dofs(top).start, np.ascontiguousarray(take.kin.q[rows])
    still = np.zeros((len(rows), character.nv))
    down, v, turn = (0.0, 0.0, -EARTH), np.asarray(take.kin.v[rows]), take.acceleration[rows]
    rest = inverse_dynamics(character, q, still, still, gravity=down)[:, dof]
    whole = inverse_dynamics(character, q, v, turn, gravity=down)[:, dof]
    way = np.where(whole >= 0, 1.0, -1.0)
    over = way * whole > float(found.most[dof])
    room, driven = ROOM * float(found.most[dof]) - way * rest, way * (whole - rest)
    if not over.any() or (room[over] <= 0).any():
        return 1.0
    return max(float(np.sqrt((room[over] / driven[over]).min())), SLOWEST)


def _bounds(clip: Clip, body: int, spans: list[tuple[int, int, float]], round_: int) -> Iterator[Constraint]:
    """On one joint, in frames around those in which a motor is too weak; where these meet, one."""
    character, around = clip.character, round(AROUND / clip.dt)
    merged: list[tuple[int, int, float]] = []
    for start, end, share in sorted(spans):
        a, b = max(start - around, 0), min(end + around, clip.frames - 1)
        if merged and a <= merged[-1][1]:
            before = merged.pop()
            a, b, share = before[0], max(b, before[1]), min(share, before[2])
        merged.append((a, b, share))
    name = character.names[body]
    for a, b, share in merged:
        fastest = float(np.abs(clip.velocity[a : b + 1, character.dofs(body)]).max()) if b - a > 1 else 0.0
        if fastest < IDLE:
            continue
        times = float(clip.times[a]), float(clip.times[b])
        yield constrain(
            JointValue(name),
            np.zeros(1),
            During(*times),
            lower=-share * fastest,
            upper=share * fastest,
            rate=True,
            name=f"{name} eased {times[0]:.2f} to {times[1]:.2f} s" + (f" ({round_})" if round_ > 1 else ""),
            weight=PULL,
            # A means: what counts is what motors then give.
            tolerance=max(fastest, 1.0),
        )
