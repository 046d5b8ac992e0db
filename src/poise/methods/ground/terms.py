"""On which terms a motion is put on the ground: what stays, and how much may change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from poise.motion import Clip
from poise.operations.values.pin_in_time import Pin


@dataclass(frozen=True)
class Terms:
    """Those of a motion that somebody performed or drew: most of it is to stay."""

    pins: Sequence[Pin] = ()
    """What keeps its place at instants."""
    rms: float = 0.08
    """Changes beyond it are another motion: root mean square over joints and changed frames [m] …"""
    most: float = 0.30
    """… and furthest of a joint [m]."""
    rounds: int = 5
    """Most solves: contacts are found anew in what came out, and what they do not carry is solved again, so
    that a result that is put in again stays as it is."""
    finish: Callable[[Clip], Clip] | None = None
    """What is done to a clip before it is measured and handed out: puts the last digits right."""
    timed: bool = False
    """Whether its times are as they are meant, however fast that is."""


def planned(pins: Sequence[Pin], finish: Callable[[Clip], Clip] | None = None) -> Terms:
    """Those of a motion that was made up from keys: they say what it is, and all between them may change."""
    return Terms(pins, rms=0.15, most=0.60, rounds=1, finish=finish, timed=True)
