"""What a viewer sees of a retargeted motion, limb by limb, measured on the clip that is handed out.

* *direction*: bones between limb joints point as the source's do, each relative to how the two are built;
* *level*: feet, and the way the head looks and is held;
* *reach*: ankles and hands relative to hips and shoulders, in leg lengths, those of the source scaled;
* *hands*: how far they are from each other and from head and trunk, while that is near; from the trunk's
  line in spans (``trunk``);
* *inside*: how deep arms go into the trunk, beyond what the source's do;
* *above*, *below*, *slide*: soles while the source's stand (``soles``).

A line that is beyond its tolerance in more than a few frames is missed, and the limb named.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from poise.arrays import Array
from poise.character.limbs import centres
from poise.constraints import Outcome
from poise.kinematics import Kinematics
from poise.methods.adapt.problem.limits import bones
from poise.methods.adapt.retarget.planning import known_spots
from poise.methods.adapt.retarget.reference_pose import frame_of
from poise.methods.adapt.retarget.transfer import Transfer
from poise.methods.adapt.retarget.trunk import span, trunk
from poise.motion import Clip

DIRECTION, LEVEL = np.radians(30.0), np.radians(30.0)
"""How far a bone, a foot or a head may be off [rad]."""
USUAL = np.radians(10.0)
"""How far half of the time [rad]."""
REACH = 0.25
"""How far an ankle or a hand may be from its place, over the leg's length: what 30° of one bone do."""
APART, NEAR = 0.1, 0.25
"""How far the distance between hands, or of a hand from the body, may be off where it is nearer than that;
over the leg's length."""
INSIDE = 0.03
"""How much deeper than the source's an arm may go into the trunk, over the leg's length."""
TRUNK = 0.055 * 2.05
"""Thinnest radius of a trunk about its line, over the leg's length."""
UNITS = {
    "rad": (float(np.degrees(1.0)), "°", float(np.degrees(1.0)), "°"),
    "leg": (100.0, " % of the leg", 1.0, "leg lengths"),
    "m": (100.0, " cm", 1.0, "m"),
    "m/s": (100.0, " cm/s", 1.0, "m/s"),
}
"""Factor and unit in which lines are printed, and in which reports have them."""
SELDOM = 2.0
"""Percent of the frames in which a line may be beyond its tolerance: landings, turns of capture."""
BONES = (
    ("upper_arm", "forearm", "upper arm"),
    ("forearm", "hand", "forearm"),
    ("thigh", "shin", "thigh"),
    ("shin", "foot", "shin"),
)


@dataclass(frozen=True)
class Line:
    """One row of the table."""

    limb: str
    what: str
    usual: float
    """Median over all frames."""
    worst: float
    """All but the worst two percent."""
    time: float
    """When it is worst [s]."""
    tolerance: float
    unit: str

    @property
    def met(self) -> bool:
        """Whether it is within its tolerance; directions also half of the time within ten degrees."""
        steady = self.what != "direction" or self.usual <= max(USUAL, self.tolerance / 3)
        return bool(self.worst <= self.tolerance and steady)

    def __str__(self) -> str:
        mark = "✓" if self.met else "✗"
        factor, unit = UNITS[self.unit][:2]
        usual, worst, most = (factor * v for v in (self.usual, self.worst, self.tolerance))
        return f"{mark} {self.limb:18} {self.what:10} {usual:5.1f} {worst:5.1f}{unit} (at most {most:.3g})"

    def outcome(self) -> Outcome:
        """As reports have it."""
        factor, unit = UNITS[self.unit][2:]
        got = float(factor * self.worst)
        steady = self.worst > self.tolerance or self.met
        usual = f"{factor * self.usual:.0f}° half of the time, where {factor * USUAL:.0f}° are allowed"
        return Outcome(
            name=f"{self.limb}: {self.what}",
            when="always",
            wanted=(0.0,),
            got=(got,),
            error=got,
            unit=unit,
            tolerance=float(factor * self.tolerance),
            met=self.met,
            worst_time=self.time,
            priority=1,
            reason="" if steady else usual,
        )


class Measured:
    """Source and result side by side."""

    def __init__(self, transfer: Transfer, clip: Clip) -> None:
        self.transfer, self.clip = transfer, clip
        self.pairing, self.alignment = transfer.pairing, transfer.alignment
        self.ours, self.theirs = transfer.source, Kinematics(clip.character, clip.q)
        characters = self.pairing.source, self.pairing.target
        self.at = [
            centres(c, np.asarray(k.positions), np.asarray(k.rotations))
            for c, k in zip(characters, (self.ours, self.theirs))
        ]
        self.spots = [known_spots(c) for c in characters]
        self.legs = [self._leg(k) for k in (0, 1)]
        self.spans = [span(at, spots) for at, spots in zip(self.at, self.spots)]

    def table(self) -> tuple[Line, ...]:
        """All lines, limb by limb."""
        rows = [*self._directions(), *self._levels(), *self._reaches(), *self._hands(), *self._insides()]
        return tuple(rows)

    def _leg(self, k: int) -> float:
        character = (self.pairing.source, self.pairing.target)[k]
        known = self.pairing.roles()
        both = [s for s in ("left", "right") if f"{s} thigh" in known and f"{s} foot" in known]
        lengths = [bones(character, known[f"{s} thigh"][k], known[f"{s} foot"][k]) for s in both]
        return float(np.mean(lengths)) if lengths else 0.5 * float(np.ptp(self.at[k][0, :, 2]))

    def _line(self, limb: str, what: str, off: Array, tolerance: float, unit: str) -> Line:
        worst = float(np.percentile(off, 100.0 - SELDOM))
        time = float(self.clip.times[int(np.argmax(off))])
        return Line(limb, what, float(np.median(off)), worst, time, float(tolerance), unit)

    def _place(self, k: int, role: str) -> Array | None:
        """Path of a role's limb joint (F, 3)."""
        body = self.spots[k].get(role)
        return None if body is None else self.at[k][:, body]

    def _directions(self) -> list[Line]:
        found = []
        for side in ("left", "right"):
            for first, last, name in BONES:
                ways = [self._way(k, f"{side} {first}", f"{side} {last}") for k in (0, 1)]
                if ways[0] is not None and ways[1] is not None:
                    off = _angle(ways[0], ways[1])
                    found.append(self._line(f"{side} {name}", "direction", off, DIRECTION, "rad"))
        for name, part in (("hips", "thigh"), ("shoulders", "upper_arm")):
            ways = [self._way(k, f"right {part}", f"left {part}") for k in (0, 1)]
            if ways[0] is not None and ways[1] is not None:
                found.append(self._line(name, "direction", _angle(ways[0], ways[1]), DIRECTION, "rad"))
        return found

    def _way(self, k: int, first: str, last: str) -> Array | None:
        a, b = self._place(k, first), self._place(k, last)
        if a is None or b is None or float(np.linalg.norm(b - a, axis=1).min()) < 1e-4:
            return None
        return b - a

    def _levels(self) -> list[Line]:
        """Feet, trunk and head: turned from how they are built as the source's are."""
        found = []
        turns = self.alignment.turns
        frame = frame_of(self.pairing.target, self.alignment.theirs)
        if frame is None:
            return []
        for t, part in self.alignment.parts.items():
            if part not in ("foot", "head", "chest"):
                continue
            s = self.pairing.pairs[t]
            wanted = self.ours.rotations[:, s] @ (self.alignment.ours.rotations[s].T @ turns[t])
            got = self.theirs.rotations[:, t] @ self.alignment.theirs.rotations[t].T
            side = next((r.split()[0] for r, b in self.spots[1].items() if b == t and " " in r), "")
            limb = f"{side} {part}".strip()
            for axis, what in ((0, "gaze" if part == "head" else "heading"), (2, "upright")):
                off = _angle(wanted @ frame[:, axis], got @ frame[:, axis])
                found.append(self._line(limb, what, off, LEVEL, "rad"))
        return found

    def _reaches(self) -> list[Line]:
        """Ankles from hips, hands from shoulders: the source's way, each bone of the target's length."""
        found = []
        for side in ("left", "right"):
            for names, limb in (
                (("thigh", "shin", "foot"), "leg"),
                (("upper_arm", "forearm", "hand"), "arm"),
            ):
                paths = [
                    [p for n in names if (p := self._place(k, f"{side} {n}")) is not None] for k in (0, 1)
                ]
                if min(map(len, paths)) < len(names):
                    continue
                wanted: Array = np.zeros(3)
                for j in range(2):
                    ways = [p[j + 1] - p[j] for p in paths]
                    lengths = [float(np.median(np.linalg.norm(w, axis=1))) for w in ways]
                    wanted = wanted + ways[0] * (lengths[1] / max(lengths[0], 1e-9))
                off = np.linalg.norm(paths[1][2] - paths[1][0] - wanted, axis=1) / self.legs[1]
                found.append(self._line(f"{side} {limb}", "reach", off, REACH, "leg"))
        return found

    def _hands(self) -> list[Line]:
        found = []
        for first, last in (
            ("left hand", "right hand"),
            *((f"{s} hand", other) for s in ("left", "right") for other in ("head", "trunk")),
        ):
            ways = self._to_trunk(first) if last == "trunk" else self._between(last, first)
            if not ways:
                continue
            sizes = self.spans if last == "trunk" and min(self.spans) > 0 else self.legs
            least = sizes[0] / self.legs[0]  # in the source's legs, however long the target's are
            apart = [least * np.linalg.norm(way, axis=1) / size for way, size in zip(ways, sizes)]
            if not (close := apart[0] < NEAR).any():
                continue
            off = np.abs(apart[1] - apart[0])[close]
            worst, at = float(np.percentile(off, 100.0 - SELDOM)), np.flatnonzero(close)[int(np.argmax(off))]
            name = f"{first} to {last}"
            time = float(self.clip.times[at])
            found.append(Line(name, "distance", float(np.median(off)), worst, time, APART, "leg"))
        return found

    def _between(self, first: str, last: str) -> list[Array]:
        """From one limb joint to another, of source and target; nothing where one of them is not known."""
        both = [(self._place(k, first), self._place(k, last)) for k in (0, 1)]
        ways = [b - a for a, b in both if a is not None and b is not None]
        return ways if len(ways) == 2 else []

    def _to_trunk(self, hand: str) -> list[Array]:
        """From the trunk to a hand: from as high on its line as is next to the source's hand."""
        lines = [trunk(at, spots) for at, spots in zip(self.at, self.spots)]
        places = [self._place(k, hand) for k in (0, 1)]
        if lines[0] is None or lines[1] is None or places[0] is None or places[1] is None:
            return []
        share = lines[0].share(places[0])
        return [places[0] - lines[0].at(share), places[1] - lines[1].at(share)]

    def _insides(self) -> list[Line]:
        found = []
        for side in ("left", "right"):
            deep = [self._depth(k, side) for k in (0, 1)]
            if deep[0] is not None and deep[1] is not None:
                more = np.maximum(deep[1] - np.maximum(deep[0], 0.0), 0.0)
                found.append(self._line(f"{side} arm", "inside", more, INSIDE, "leg"))
        return found

    def _depth(self, k: int, side: str) -> Array | None:
        """How deep the far half of a forearm is in the trunk, over the leg's length (F,)."""
        elbow, hand = self._place(k, f"{side} forearm"), self._place(k, f"{side} hand")
        line = [self._place(k, r) for r in ("hips", "spine", "chest")]
        places = [p for p in line if p is not None]
        if elbow is None or hand is None or len(places) < 2:
            return None
        away = [
            _distance((1 - s) * elbow + s * hand, a, b) for s in (0.5, 0.75, 1.0) for a, b in pairwise(places)
        ]
        return np.asarray(TRUNK - np.min(away, axis=0) / self.legs[k])


def _angle(a: Array, b: Array) -> Array:
    """Between directions (F, 3) [rad]."""
    return np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), np.sum(a * b, axis=1))


def _distance(place: Array, a: Array, b: Array) -> Array:
    """Of places (F, 3) from segments a–b (F,)."""
    way = b - a
    along = np.clip(((place - a) * way).sum(axis=1) / np.maximum((way * way).sum(axis=1), 1e-12), 0.0, 1.0)
    return np.asarray(np.linalg.norm(place - a - along[:, None] * way, axis=1))
