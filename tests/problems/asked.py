"""What random problems ask for: constraints with numbers from sensible to absurd, and how far off they are.

Each wish knows how to become a constraint of the product, and how to be measured on a motion without it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from own_kinematics import Stance, angle_between, rotation

from poise import constraints as ask
from poise.character import Character
from poise.constraints import Constraint

KINDS = ("pin", "pin", "pin", "distance", "plane", "centre", "turn", "joined", "velocity")
ABSURD = (0.0, -0.0, 1e300, -1e300, 1e-300, 1e12, -1e9, 5e-324, 1.7e308, float("inf"), float("nan"))

Motion = Callable[[float], np.ndarray]
"""Configuration at a time [s]."""


@dataclass
class Wish:
    """One requirement, in the words of the test."""

    kind: str
    first: str
    """A point or a body."""
    second: str
    number: np.ndarray
    """A place, offset, velocity or quaternion; of a distance and a plane: the place, or the height last."""
    least: float
    most: float
    when: float | tuple[float, float]
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return str(self.options["name"])

    def constraint(self) -> Constraint:
        """For the product; may be refused."""
        match self.kind:
            case "pin":
                return ask.pin(self.first, self.number, self.when, **self.options)
            case "distance":
                return ask.keep_distance(
                    self.first, self.number, self.when, least=self.least, most=self.most, **self.options
                )
            case "plane":
                return ask.above(self.first, self.when, height=self.number[2], **self.options)
            case "centre":
                return ask.balanced(self.number, self.when, **self.options)
            case "turn":
                return ask.oriented(self.first, self.number, self.when, **self.options)
            case "joined":
                return ask.joined(self.first, self.second, self.when, offset=self.number, **self.options)
            case "velocity":
                return ask.moving(self.first, self.number, self.when, **self.options)
        raise LookupError(self.kind)

    def times(self, fps: float) -> list[float]:
        """The frames of an interval, or the time itself [s]."""
        if not isinstance(self.when, tuple):
            return [self.when]
        frames = range(int(self.when[0] * fps) - 1, int(self.when[1] * fps) + 2)
        return [k / fps for k in frames if self.when[0] - 1e-7 <= k / fps <= self.when[1] + 1e-7]

    def off(
        self, character: Character, motion: Motion, fps: float, end: float, *, seen: bool = False
    ) -> float:
        """The worst error over all times, as the product defines it; the motion ends at ``end`` [s].

        ``seen``: velocities are those of paths through frames, as viewers see them.
        """
        if seen and self.kind == "velocity":
            return max(self._seen_at(character, motion, t, fps, end) for t in self.times(fps))
        return max(self._off_at(character, motion, t, end) for t in self.times(fps))

    def _seen_at(self, character: Character, motion: Motion, time: float, fps: float, end: float) -> float:
        def place(frame: int) -> np.ndarray:
            return Stance(character, motion(frame / fps)).point(self.first)

        last = np.inf if np.isinf(end) else round(end * fps)

        def pace(frame: int) -> np.ndarray:
            """Of the parabola through three frames: around, or on one side at an end."""
            first = 0 if frame == 0 and np.isfinite(end) else frame - 2 if frame == last else frame - 1
            a, b, c = (place(first + k) for k in range(3))
            slopes = {0: -1.5 * a + 2 * b - 0.5 * c, 1: 0.5 * (c - a), 2: 0.5 * a - 2 * b + 1.5 * c}
            return slopes[frame - first] * fps

        x = time * fps
        if abs(x - round(x)) < 1e-9 * max(1.0, abs(x)):
            return float(np.linalg.norm(pace(round(x)) - self.number))
        k = min(int(np.floor(x)), last - 1)
        s, a, b = x - k, place(k), place(k + 1)
        cubic = np.polynomial.polynomial.polyder
        m, n = pace(k) / fps, pace(k + 1) / fps
        shape = [a, m, 3 * (b - a) - 2 * m - n, 2 * (a - b) + m + n]
        rate = sum(c * s**j for j, c in enumerate(cubic(np.array(shape), axis=0))) * fps
        return float(np.linalg.norm(rate - self.number))

    def _off_at(self, character: Character, motion: Motion, time: float, end: float) -> float:
        stance = Stance(character, motion(time))
        if self.kind == "turn":
            return angle_between(rotation(*self.number), stance.turn(self.first))
        if self.kind == "velocity":
            # The second derivative jumps at frames: a short step, on each side that there is.
            first, last = max(time - 1e-7, 0.0), min(time + 1e-7, end)
            if first == last:
                return float(np.linalg.norm(self.number))
            middle = 0.5 * (first + last)
            before, half, after = (
                Stance(character, motion(t)).point(self.first) for t in (first, middle, last)
            )
            pace = (after - before) / (last - first)
            bend = 2 * (after - 2 * half + before) / (last - first)  # at the ends only one side is there
            pace = pace - bend if time == first else pace + bend if time == last else pace
            return float(np.linalg.norm(pace - self.number))
        place = stance.centre_of_mass if self.kind == "centre" else stance.point(self.first)
        if self.kind == "plane":
            return max(0.0, self.number[2] - place[2])
        if self.kind == "joined":
            place = stance.point(self.second) - place
        away = float(np.linalg.norm(place - self.number))
        if self.kind == "distance":
            return max(0.0, self.least - away, away - self.most)
        return away

    @property
    def scale(self) -> float:
        """Rounding is relative to numbers of this size."""
        return float(max(1.0, np.abs(self.number).max(), abs(self.least)))


def wish(
    rng: np.random.Generator, character: Character, motion: Motion, when: Any, kinds: tuple[str, ...]
) -> Wish:
    """A random wish on a motion, at or over the given time."""
    kind = str(rng.choice(kinds))
    names = list(character.points)
    bodies = [body.name for body in character.bodies]
    first = str(rng.choice(bodies if kind == "turn" else names))
    second = str(rng.choice(names))
    time = when[0] if isinstance(when, tuple) else when
    stance = Stance(character, motion(time))
    spread = float(
        rng.choice([0.0, 0.01, 0.1, 0.3, 1.0, 10.0, 1e4], p=[0.05, 0.2, 0.3, 0.2, 0.15, 0.07, 0.03])
    )
    number = spread * rng.normal(size=3)
    if kind in ("pin", "distance", "plane"):
        number = number + stance.point(first)
    elif kind == "joined":
        number = number + stance.point(second) - stance.point(first)
    elif kind == "centre":
        number = number + stance.centre_of_mass
    elif kind == "velocity":
        number = 10 * number
    else:
        number = rng.normal(size=4)
        number /= np.linalg.norm(number)
    least = float(rng.choice([0.0, 0.05, 0.5, 2.0]))
    made = Wish(kind, first, second, number, least, least + float(rng.choice([0.0, 0.1, 1.0, np.inf])), when)
    made.options = {
        "weight": float(10 ** rng.uniform(-2, 2)),
        "priority": int(rng.choice([0, 0, 0, 1, 2])),
    }
    return made


def spoil(rng: np.random.Generator, one: Wish) -> None:
    """Put an absurd number somewhere."""
    number = float(rng.choice(ABSURD))
    where = rng.integers(6)
    if where <= 2:
        one.number = np.array(one.number)
        one.number[rng.integers(len(one.number))] = number
    elif where == 3:
        one.options["weight"] = number
    elif where == 4:
        one.options["tolerance"] = number
    else:
        one.options["priority"] = rng.choice(np.array([number, -1, 10**30, 7], dtype=object))


def wishes(
    rng: np.random.Generator,
    character: Character,
    motion: Motion,
    times: Callable[[], Any],
    kinds: tuple[str, ...] = KINDS,
) -> tuple[list[Wish], bool]:
    """One to six, some contradictory or twice the same; and whether any number in them is absurd."""
    found: list[Wish] = []
    for _ in range(int(rng.choice([1, 2, 3, 6], p=[0.4, 0.3, 0.2, 0.1]))):
        made = wish(rng, character, motion, times(), kinds)
        if found and rng.uniform() < 0.15:  # the same point again, elsewhere or at the same place
            made = Wish(**{**vars(found[0]), "options": dict(found[0].options)})
            if rng.uniform() < 0.7 and made.kind != "turn":
                made.number = made.number + rng.normal(size=3)
        found.append(made)
    absurd = rng.uniform() < 0.15
    if absurd:
        spoil(rng, found[int(rng.integers(len(found)))])
    for k, made in enumerate(found):
        made.options["name"] = f"wish {k}"
    return found, bool(absurd)
