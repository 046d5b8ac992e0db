"""How a prop moves: place and turn over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from reprlib import repr
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import FARTHEST, Array, checked, frozen
from poise.errors import InputError, UnknownNameError
from poise.manifold import so3
from poise.world.shapes.shape import number


class Pose(NamedTuple):
    """Where a frame is, and how it moves.

    Examples:
        >>> ride = poise.world.Track([0.0, 2.0], [(0, 0, 0), (0, 0, 3)])
        >>> print(ride.at(1.0).velocity)
    """

    place: Array
    """[m] (…, 3)"""
    turn: Array
    """World from own (…, 3, 3)."""
    velocity: Array
    """Of its origin [m/s] (…, 3)."""
    spin: Array
    """Angular velocity in the world [rad/s] (…, 3)."""


@dataclass(frozen=True, eq=False)
class Track:
    """Keys of a frame: straight between them and turning evenly, held before and after.

    Raises:
        InputError: Times do not increase, or there is not one place for each.

    Examples:
        >>> ride = poise.world.Track([0.0, 2.0], [(0, 0, 0), (0, 0, 3)])
        >>> lift = poise.world.Surface("lift", poise.world.Box((1, 1, 0.05)), track=ride)
    """

    times: ArrayLike
    """They increase [s] (K,)."""
    places: ArrayLike
    """[m] (K, 3)"""
    turns: ArrayLike | None = None
    """Rotation vectors [rad] (K, 3); none: it does not turn."""
    appears: bool = False
    """Whether it is not there at all before the first of its keys."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        times = checked(self.times, "times of a track", (None,), most=FARTHEST)
        if not len(times) or (np.diff(times) <= 0).any():
            raise InputError("times of a track must increase, and there must be one")
        put(self, "times", frozen(times))
        put(self, "places", frozen(checked(self.places, "places of a track", (len(times), 3), most=FARTHEST)))
        if self.turns is not None:
            put(
                self, "turns", frozen(checked(self.turns, "turns of a track", (len(times), 3), most=FARTHEST))
            )
        if not isinstance(self.appears, bool):
            raise InputError(f"'appears' of a track must be true or false, not {self.appears!r}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Track) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((np.asarray(self.times).tobytes(), np.asarray(self.places).tobytes()))

    @property
    def nbytes(self) -> int:
        """Of its keys."""
        held = (self.times, self.places, self.turns)
        return sum(int(np.asarray(part).nbytes) for part in held if part is not None)

    def at(self, time: ArrayLike) -> Pose:
        """Where it is at times (…) [s]; at a key it moves as it does after it."""
        t = np.asarray(time, dtype=np.float64)
        times, places = np.asarray(self.times), np.asarray(self.places)
        k = np.clip(np.searchsorted(times, t, side="right") - 1, 0, max(len(times) - 2, 0))
        n = np.minimum(k + 1, len(times) - 1)
        long = np.where(n > k, times[n] - times[k], 1.0)
        s = np.clip((t - times[k]) / long, 0.0, 1.0)
        moving = (t >= times[0]) & (t < times[-1])
        rate = np.where(moving, 1.0 / long, 0.0)
        way = places[n] - places[k]
        place = places[k] + s[..., None] * way
        velocity = rate[..., None] * way
        if self.turns is None:
            still = np.zeros(place.shape)
            return Pose(place, np.broadcast_to(np.eye(3), (*t.shape, 3, 3)), velocity, still)
        turns = so3.exp(np.asarray(self.turns))
        by = so3.difference(turns[n], turns[k])  # in the frame at key k
        turn = so3.multiply(turns[k], so3.exp(s[..., None] * by))
        return Pose(place, so3.to_matrix(turn), velocity, rate[..., None] * so3.rotate(turns[k], by))

    def there(self, time: ArrayLike) -> Any:
        """Whether it is there at times (…)."""
        t = np.asarray(time, dtype=np.float64)
        return t >= np.asarray(self.times)[0] if self.appears else np.ones(t.shape, dtype=bool)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        found: dict[str, Any] = {
            "times": np.asarray(self.times).tolist(),
            "places": np.asarray(self.places).tolist(),
        }
        if self.turns is not None:
            found["turns"] = np.asarray(self.turns).tolist()
        return found | ({"appears": True} if self.appears else {})

    @classmethod
    def from_dict(cls, data: Any) -> Track:
        """A track from plain data: times and places, or a list of keys in any order."""
        if isinstance(data, list | tuple):
            return cls._of_keys(data)
        known = ("times", "places", "turns", "appears")
        if not isinstance(data, dict) or "times" not in data or "places" not in data:
            raise InputError(f"a track is written with its times and places, not {repr(data)}")
        for name in data:
            if name not in known:
                raise UnknownNameError("field", name, known, where="a track")
        return cls(**data)

    @classmethod
    def _of_keys(cls, keys: Sequence[Any]) -> Track:
        """A track from keys, each with its time, its place and perhaps its turn."""
        known = ("time", "place", "turn")
        for key in keys:
            if not isinstance(key, dict) or "time" not in key or "place" not in key:
                raise InputError(f"a key of a track is written with its time and place, not {repr(key)}")
            for name in key:
                if name not in known:
                    raise UnknownNameError("field", name, known, where="a key of a track")
            number(key["time"], "time of a track's key")
        ordered = sorted(keys, key=lambda key: float(key["time"]))
        turns = [key.get("turn", (0.0, 0.0, 0.0)) for key in ordered]
        return cls(
            [key["time"] for key in ordered],
            [key["place"] for key in ordered],
            turns if any("turn" in key for key in keys) else None,
        )
