"""A state machine: each state is a pose to reach in so many seconds and what comes after it.

A *cue*, given at a time or by the touch of a thrown body (``"contact"``), may send a state elsewhere at once;
the pose on the way to which it came is then given up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from poise.character import Character
from poise.errors import InputError, UnknownNameError
from poise.methods.perform.script.pose import JointPose, PoseLibrary
from poise.methods.perform.script.style import Style
from poise.methods.perform.script.timed_pose import TimedPose

CONTACT = "contact"
"""The cue that a touch gives."""


class Cue(NamedTuple):
    """Something to react to."""

    time: float
    name: str


@dataclass(frozen=True)
class State:
    """Reach a pose, then go on."""

    name: str
    pose: str
    """Of the library."""
    seconds: float
    """From when the state begins to the pose [s]."""
    next: str | None = None
    """The state after it; None: stay."""
    on: Mapping[str, str] = field(default_factory=dict)
    """Where cues lead, by their names."""
    style: Style | None = None
    note: str = ""


class Machine:
    """States by name; the first is where it begins."""

    def __init__(
        self, library: PoseLibrary, states: Sequence[State], *, cues: Sequence[Cue] = (), name: str =
        "machine", start: str | None = None,
    ) -> None:  # fmt: skip
        if not states:
            raise InputError("a state machine needs at least one state")
        self.library, self.name, self.cues = library, name, tuple(cues)
        self.states = {s.name: s for s in states}
        self.first: JointPose | None = library[start] if start is not None else None
        """The pose to begin with."""
        if len(self.states) < len(states):
            raise InputError(f"states of {name!r} need names of their own")
        for state in states:
            library[state.pose]
            if not (isinstance(state.seconds, (int, float)) and 0 < state.seconds < math.inf):
                raise InputError(f"state {state.name!r} must take some time, not {state.seconds!r} s")
            for other in [*([state.next] if state.next is not None else []), *state.on.values()]:
                if other not in self.states:
                    raise UnknownNameError(
                        "state", other, self.states, where=f"{name} (after {state.name!r})"
                    )
        self._begin = states[0]

    @property
    def character(self) -> Character:
        """Who performs it."""
        return self.library.character

    def keys(self, end: float, cues: Sequence[Cue] = ()) -> list[TimedPose]:
        """Keys up to ``end`` [s], given these cues beside its own."""
        waiting = sorted([*self.cues, *cues])
        state: State | None = self._begin
        now, out = 0.0, []
        while state is not None and now < end:
            due = now + state.seconds
            heard = next((c for c in waiting if now <= c.time < due and c.name in state.on), None)
            pose = self.library[state.pose]
            key = TimedPose(
                pose, due, lead=state.seconds, style=state.style, name=state.name, note=state.note
            )
            if heard is None:
                out.append(key)
                now, after = due, state.next
                if after is None:  # it stays until something happens
                    heard = next((c for c in waiting if c.time >= due and c.name in state.on), None)
                    if heard is not None:
                        now, after = heard.time, state.on[heard.name]
            else:
                if heard.time > now:
                    out.append(replace(key, until=heard.time, note=""))
                now, after = heard.time, state.on[heard.name]
            if heard is not None:
                waiting = [c for c in waiting if c is not heard]
            state = self.states[after] if after is not None else None
        return out
