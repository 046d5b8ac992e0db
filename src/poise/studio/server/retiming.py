"""Tracks as data with their keys at other times: what a person wrote stays as written, but for its times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from poise.methods.key.path.path import Path

Clock = Callable[[float], float]


def fixed(tracks: dict[str, Any], path: Path) -> dict[str, Any]:
    """Timed as the hints of their path ask, every other key moving along with the path's."""
    old, new = ([key.time for key in p.keys] for p in (path, path.fixed()))

    def clock(t: float) -> float:
        if t >= old[-1]:
            return t + new[-1] - old[-1]
        return float(np.interp(t, old, new)) if t > old[0] else t + new[0] - old[0]

    return retimed(tracks, lambda t: round(clock(t), 9))


def retimed(tracks: dict[str, Any], clock: Clock) -> dict[str, Any]:
    """With every key moved from t to ``clock(t)`` [s]."""
    found = dict(tracks)
    if "poses" in tracks:
        found["poses"] = _keys(tracks["poses"], clock)
    if "pins" in tracks:
        found["pins"] = [_pin(pin, clock) for pin in tracks["pins"]]
    for name in ("path", "inertia"):
        if tracks.get(name):
            found[name] = {**tracks[name], "keys": _keys(tracks[name]["keys"], clock)}
    if "spins" in tracks:
        found["spins"] = [
            {**spin, "start": clock(spin["start"]), "end": clock(spin["end"])} for spin in tracks["spins"]
        ]
    return found


def _keys(keys: list[dict[str, Any]], clock: Clock) -> list[dict[str, Any]]:
    return [{**key, "time": clock(key["time"])} for key in keys]


def _pin(pin: dict[str, Any], clock: Clock) -> dict[str, Any]:
    found = dict(pin)
    for name in ("targets", "gains"):
        if name in pin:
            found[name] = _keys(pin[name], clock)
    if pin.get("at") is not None:
        found["at"] = [clock(t) for t in pin["at"]]
    return found
