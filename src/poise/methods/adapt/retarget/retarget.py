"""Give a performance to another character: other proportions, or another skeleton altogether.

The motion is put on the target bone by bone (``transfer``), which gets every pose right and no contact. Then
it is adapted: feet stand where the performer's did, scaled; ankles follow the performer's, scaled; hands go
where the performer's hands went beside the shoulders; the floor and the target's own limits hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any

import msgspec
import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.character.labels import path_from_root, roles
from poise.character.limbs import limb_joints
from poise.constraints import (
    Always,
    Constraint,
    FootPlant,
    Path,
    Report,
    oriented,
    pin,
)
from poise.contacts.given import ClipContacts
from poise.contacts.patches import patches
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.adapt.adapt import adapted
from poise.methods.adapt.plants.detect import LEG, detect, known_feet, leg_length, with_points
from poise.methods.adapt.plants.soled import soled
from poise.methods.adapt.problem.limits import bones
from poise.methods.adapt.problem.requirements import Item, free_joints
from poise.methods.adapt.result import AdaptResult
from poise.methods.adapt.retarget import soles
from poise.methods.adapt.retarget.correspondence import Correspondence, correspond
from poise.methods.adapt.retarget.measured import Line, Measured
from poise.methods.adapt.retarget.near_hands import near_hands
from poise.methods.adapt.retarget.planted import Feet, as_it_stands, on_target
from poise.methods.adapt.retarget.touching import TOLERANCE as TOUCH
from poise.methods.adapt.retarget.touching import carried, clearances, constraints, soles_above, touching
from poise.methods.adapt.retarget.transfer import Transfer
from poise.motion import Clip
from poise.motion.hung_feet import SOCKET, hanging
from poise.operations.retarget import Retarget
from poise.watching import Progress

FOLLOW: dict[str, Any] = {"priority": 1, "weight": 0.1, "tolerance": 0.3}
"""How ankles and hands follow: softly, and not in the way of feet that stand."""

LIMBS = 0.05
"""Keys of legs and arms are no farther apart than this [s]. With fewer, knees and elbows swing out where feet
and hands land (by 30° in a cartwheel)."""

STAYS = 0.05
"""How firmly hips stay on their way, by trial on pairs of strangers: firmer gains nothing, and hinders
landings."""

BEARING: dict[str, Any] = {"priority": 1, "weight": 0.1, "tolerance": 1.5}
"""How hips and feet keep their bearing [rad]."""


class RetargetResult(AdaptResult):
    """A performance of another character, and how well each limb does it.

    Examples:
        >>> walk = poise.retarget(poise.clips.get("walk"), "biped180")
        >>> print(walk.table)
    """

    def __init__(self, found: AdaptResult, transfer: Transfer, performer: Clip | None) -> None:
        super().__init__(found.setup, found.coefficients, found.places, found.descents, found.seconds)
        self._clip = found.clip  # whose contacts may be known already
        self.transfer = transfer
        self._performer = performer
        """The motion as it was given; None where feet need not stand as they do there."""
        self._table: tuple[Clip, tuple[Line, ...]] | None = None

    @cached_property
    def plants(self) -> tuple[FootPlant, ...]:
        """The foot plants that were kept, by points of the character itself.

        Heels and balls that only shapes tell (``soled``) are measured as constraints.
        """
        hung = self.setup.hanging
        own = self.setup.problem.clip.character if hung is None else hung.own
        found: list[FootPlant] = []
        for plant in super().plants:
            left = {p: when for p, when in plant.intervals.items() if p in own.points}
            part = plant if len(left) == len(plant.intervals) else with_points(plant, left)
            found += [] if part is None else [part]
        return tuple(found)

    @property
    def table(self) -> tuple[Line, ...]:
        """What a viewer sees, limb by limb, measured on the clip that is handed out."""
        if self._table is None or self._table[0] is not self.clip:
            self._table = self.clip, self._measured(self.clip)
        return self._table[1]

    def _measured(self, clip: Clip) -> tuple[Line, ...]:
        """The table of any clip of these frames."""
        rows = Measured(self.transfer, self.in_problem(clip)).table()
        if self._performer is None:
            return rows
        return (*rows, *soles.lines(self._performer, clip, self.transfer.scale))

    def measured_on(self, clip: Clip) -> Report:
        """Constraints, then limbs: all of them must hold."""
        made = super().measured_on(clip)
        table = self.table if clip is self.clip else self._measured(clip)
        lines = [line.outcome() for line in table]
        bad = ", ".join(o.name for o in lines if not o.met)
        return replace(
            made,
            outcomes=(*made.outcomes, *lines),
            message=made.message + (f"; other than the source: {bad}" if bad else ""),
            details={**made.details, "limbs": [asdict(line) | {"met": line.met} for line in table]},
        )


def retargeted(
    clip: Clip,
    character: Character,
    asked: Retarget,
    *,
    given: ClipContacts | None = None,
    onto: Clip | None = None,
    progress: Progress | None = None,
) -> RetargetResult:
    """The clip performed by another character; feet that stand are those of the source, if they are kept.

    ``onto``: a motion of that character, which tells how it stands where its rest does not.
    """
    performer = clip if asked.plants else None
    # Contacts that are given speak of the soles that the performer's own file has.
    ours, hung = (soled if given is None else hanging)(clip.character), soled(character)
    legs = hanging(character)
    shaped = None if hung is legs else character if legs is None else legs.hung
    clip = clip if ours is None else ours.there(clip)
    if hung is not None:
        character, onto = hung.hung, None if onto is None else hung.there(onto)
    pairing = correspond(clip.character, character, asked.map)
    feet = _feet(pairing)
    plants = detect(clip, [ours for ours, _ in feet], given) if feet and asked.plants else []
    transfer = Transfer(clip, pairing, _low(clip, pairing, plants), onto)
    plain = transfer.clip_on_target()
    touched = touching(transfer, plain, clip) if asked.plants else []
    start = carried(plain, touched)
    standing = [on_target(p, plants, transfer, start, feet) for p in plants]
    if performer is not None:
        standing = soles.longer(performer, character, standing)
    wanted = [*_hips(transfer, start), *_ankles(transfer, start, lifted(plain, start))]
    wanted += _hands(transfer, start) if asked.hands else ()
    wanted += [*_bearing(transfer, start), *near_hands(transfer, start)]
    if performer is not None:
        close = TOUCH * leg_length(character) / LEG
        wanted += [*constraints(touched, start, close), *clearances(start, touched, close)]
        skin = patches(character if shaped is None else shaped)
        wanted += soles_above(start, skin, close)
    if asked.floor is None:
        heights = {p: float(as_it_stands(character, p)[2]) for _, points in feet for p in points}
        asked = msgspec.structs.replace(asked, floor=heights or None)
    if asked.joints is None:
        asked = msgspec.structs.replace(asked, joints=tuple(_carriers(start, transfer, feet)))
    limbs = _limbs(character)
    asked = msgspec.structs.replace(
        asked,
        prices={**_sockets(character), **asked.prices},
        key_spacing=_spacing(character, limbs, asked.key_spacing),
    )

    def told(found: AdaptResult) -> set[str]:
        made = RetargetResult(found, transfer, performer)
        return {outcome.name for outcome in made.report.outcomes if not outcome.met}

    items: list[Item] = [*standing, *wanted]
    found = adapted(start, items, asked, progress=progress, hung=hung, finely=limbs or None, told=told)
    return RetargetResult(found, transfer, performer)


def _carriers(start: Clip, transfer: Transfer, feet: Feet) -> list[str]:
    """Joints that carry feet and hands; heads and fingers stay as they are."""
    character, known = start.character, transfer.pairing.roles()
    ends = [character.names[known[r][1]] for r in known if r.endswith((" foot", " hand"))]
    points = [character.point(p) for p in [*ends, *(p for _, theirs in feet for p in theirs)]]
    # A body's own joint does not move its origin.
    moved = [p.body if np.any(p.position) else int(character.parents[p.body]) for p in points]
    free = free_joints(start)
    ways = {i for body in moved for i in path_from_root(character, body)}
    # Toes bend up from the ground: without them knees would.
    ways |= {i for r in known if r.endswith(" toes") for i in path_from_root(character, known[r][1])}
    return [character.names[i] for i in sorted(ways) if i in free] or ["*"]


def _limbs(character: Character) -> list[int]:
    """Bodies of arms and legs."""
    known = roles(character)
    starts = [known[r] for r in known if r.endswith((" thigh", " upper_arm"))]
    return sorted({i for start in starts for i in character.subtree(start)})


def _spacing(character: Character, limbs: Sequence[int], asked: Any) -> Any:
    """Distances of keys, finer for limbs; what says more than one distance stays."""
    if not isinstance(asked, int | float):
        return asked
    return {**{character.names[i]: min(asked, LIMBS) for i in limbs}, "*": asked}


def _sockets(character: Character) -> dict[str, float]:
    """Prices that keep bones in their sockets: files let hips and spines slide that only turn."""
    inner = [b for b in character.bodies[1:] if b.joint.kind is JointKind.FREE]
    return {f"{b.name}.{axis}": SOCKET for b in inner for axis in "xyz"}


def _feet(pairing: Correspondence) -> Feet:
    """Points of feet that correspond, of source and target."""
    return list(zip(known_feet(pairing.source), known_feet(pairing.target)))


def _low(clip: Clip, pairing: Correspondence, plants: Sequence[FootPlant]) -> float | None:
    """Height of the source's ankles in the lowest of its stands [m]; None without any."""
    kin, known = Kinematics(clip.character, clip.q), pairing.roles()
    found = []
    for role in ("left foot", "right foot"):
        if role not in known:
            continue
        ankle = known[role][0]
        own = set(clip.character.subtree(ankle))
        for plant in plants:
            bodies = {clip.character.point(p).body for p in plant.intervals}
            if bodies <= own:
                times = np.concatenate([w.times(clip) for w in plant.intervals.values()])
                frames = np.unique(np.rint(times * clip.fps).astype(int) % clip.frames)
                found.append(float(np.median(kin.positions[frames, ankle, 2])))
    return min(found) if found else None


def _hips(transfer: Transfer, start: Clip) -> list[Constraint]:
    """Hips stay on their way: they are not to sway for the millimetres that few keys leave at the feet.

    Feet are made exact by a finer curve on the legs; a root that moves for them drags the whole body along.
    """
    known = transfer.pairing.roles()
    body = known["hips"][1] if "hips" in known else 0
    path = Kinematics(start.character, start.q).positions[:, body]
    return [_follow(transfer, body, path, weight=STAYS)]


def lifted(plain: Clip, start: Clip) -> Array:
    """How much higher hands, knees or a seat carry the root than legs would, (F,) [m]."""
    free = start.character.bodies[0].joint.kind is JointKind.FREE
    return np.asarray(start.q[:, 2] - plain.q[:, 2]) if free else np.zeros(start.frames)


def _ankles(transfer: Transfer, start: Clip, lift: Array) -> list[Constraint]:
    """Ankles follow the source's: above the ground where it has them, beside the target's own hips.

    Who stands on the hands is carried by the arms, whatever their length: ankles go along.
    """
    known, there = transfer.pairing.roles(), transfer.source.positions
    here = Kinematics(start.character, start.q).positions
    most = FOLLOW["tolerance"] * max(1.0, leg_length(start.character) / LEG)
    found = []
    for side in ("left", "right"):
        if f"{side} foot" not in known:
            continue
        ours, theirs = known[f"{side} foot"]
        path = transfer.moved(there[:, ours])
        path[:, 2] += lift
        if f"{side} thigh" in known:
            path[:, :2] = here[:, theirs, :2]
        found.append(_follow(transfer, theirs, path, tolerance=most))
    return found


def _bearing(transfer: Transfer, start: Clip) -> list[Constraint]:
    """Trunk and feet keep the way they face as far as they can, softly: a robot's root may be its chest."""
    joints, known = limb_joints(start.character), transfer.pairing.roles()
    turns = Kinematics(start.character, start.q).rotations
    found = []
    for role in ("hips", "chest", "left foot", "right foot"):
        if role in known:
            body = joints[known[role][1]].body
            name = start.character.names[body]
            path = Path(np.asarray(start.times), so3.continuous(so3.from_matrix(turns[:, body])))
            found.append(oriented(name, path, Always(), name=f"{name} faces", **BEARING))
    return found


def _hands(transfer: Transfer, start: Clip) -> list[Constraint]:
    """Hands keep the places that the source's have beside the shoulders, scaled as the trunk, or the arm."""
    pairing, there = transfer.pairing, transfer.source.positions
    here, known = Kinematics(start.character, start.q).positions, pairing.roles()
    found = []
    for side in ("left", "right"):
        parts = [known.get(role) for role in ("hips", f"{side} upper_arm", f"{side} hand")]
        if None in parts:
            continue
        hips, shoulder, hand = (p for p in parts if p is not None)
        ratios = []
        for first, last in ((hips, shoulder), (shoulder, hand)):
            ours, theirs = (
                bones(c, first[k], last[k]) for k, c in enumerate((pairing.source, pairing.target))
            )
            ratios.append(theirs / ours)
        way = min(ratios) * (there[:, hand[0]] - there[:, shoulder[0]])
        found.append(_follow(transfer, hand[1], here[:, shoulder[1]] + way))
    return found


def _follow(transfer: Transfer, body: int, path: Array, **other: float) -> Constraint:
    """A body's origin goes along a path (F, 3), softly."""
    name = transfer.pairing.target.names[body]
    times = np.asarray(transfer.clip.times)
    return pin(name, Path(times, path), Always(), name=f"{name} follows", **{**FOLLOW, **other})
