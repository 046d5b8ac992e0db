"""Quick answers while something is dragged: some frames of what an operation would give.

A loosened frame looks back over its own window and at nothing else, so it is made alone, to the bits that the
whole clip has. Targets that move take a few steps from the correction last found for the clip (``hit.drag``).
A whole motion is simulated in longer steps while something moves.
Everything else is made in full and remembered, so that more frames of the same are there at once.
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray
from poise.contacts.given import ClipContacts
from poise.errors import InputError
from poise.methods.loosen.hit.drag import drag
from poise.methods.loosen.hit.hit import HitResult
from poise.methods.loosen.operations import given_plants, loosen_frames
from poise.methods.loosen.simulate.simulator import Simulator
from poise.methods.loosen.window.windows import windows_of
from poise.motion import Clip
from poise.operations.declare import Operation
from poise.operations.frozen_data import encoded, thaw
from poise.operations.hit import Hit
from poise.operations.loosen import Loosen
from poise.operations.situation import Situation
from poise.operations.values.wishes import wishes_on
from poise.serve.aiming import aimed, shifted
from poise.serve.session import Session

MOST_FRAMES = 100_000
"""Frames of one request."""
LONGER_STEP = 1.0 / 70.0
"""Of the simulation of a whole motion while something moves [s]: three steps of a frame at 24 a second, where
five are usual. Bundled walks, runs, punches and jumps are then off by less than a centimetre; drunken leaps
by more."""


class Glimpse:
    """Some frames, and whether they are those that a bake gives."""

    def __init__(self, clip: Clip, q: Array, *, exact: bool) -> None:
        self.clip, self.q, self.exact = clip, q, exact


def glimpse(
    session: Session,
    name: str,
    operation: Operation,
    situation: Situation,
    frames: list[int] | None,
    *,
    quick: bool,
) -> Glimpse:
    """The configurations of some frames, or of all that there are then."""
    who = session.performances.get(name)
    clip, shifts = who.clip, session.shifts(name)
    known, asked = session.solved.find(f"{name}/full"), _asked(operation, situation.contacts)
    made = known[2] if known is not None and known[0] is clip and known[1] == asked else None
    if made is None and isinstance(operation, Loosen):
        q, exact = None, not quick
        if quick:
            q = _quickly(session, name, clip, shifted(operation, shifts), situation.contacts, frames)
        if q is None and not isinstance(operation, Hit):
            chosen = list(range(clip.frames)) if frames is None else frames
            q, exact = loosen_frames(operation, situation, chosen), True
            if q is not None:
                _remember_windows(session, name, clip, operation, situation.contacts)
        if q is not None:
            return Glimpse(clip, q, exact=exact)
    if made is None:
        result, _ = aimed(operation, situation, who, shifts)
        made = result.clip
        if not operation.uses() and not result.attached:  # what others give may be other things next time
            session.solved.put(f"{name}/full", (clip, asked, made))
    if frames is not None and max(frames) >= made.frames:
        raise InputError(f"field 'frames': the motion then has {made.frames} frames, not {max(frames) + 1}")
    return Glimpse(made, np.asarray(made.q if frames is None else made.q[frames]), exact=True)


def checked_frames(given: Any, clip: Clip) -> list[int] | None:
    """Numbers of frames, from a message; None stands for all."""
    if given is None:
        return None
    if not isinstance(given, list) or not 0 < len(given) <= MOST_FRAMES:
        raise InputError(f"field 'frames' must be a list of 1 to {MOST_FRAMES} frame numbers")
    for k in given:
        if type(k) is not int or not 0 <= k < clip.frames:
            raise InputError(f"field 'frames': the clip has frames 0 to {clip.frames - 1}, not {k!r:.20}")
    return list(given)


def _asked(operation: Operation, said: ClipContacts | None) -> tuple[bytes, bytes]:
    """What is asked for, as a key: the options, and the contacts that the host says there are."""
    return encoded(operation), b"" if said is None else encoded(said)


def _quickly(
    session: Session,
    name: str,
    clip: Clip,
    operation: Loosen,
    said: ClipContacts | None,
    frames: list[int] | None,
) -> Array | None:
    """From what was found before; None where nothing was, or where it takes more."""
    if isinstance(operation, Hit):
        found = _dragged(session, name, clip, operation, said)
        return None if found is None else _frames_of(found, frames)
    return _loosened(session, name, clip, operation, said, frames)


def _dragged(
    session: Session, name: str, clip: Clip, operation: Hit, said: ClipContacts | None
) -> HitResult | None:
    """A few steps from what was last found."""
    before = session.solved.find(f"{name}/hit")
    if before is None or before[0] is not clip or before[1] != _setup(operation, said):
        return None
    wanted = wishes_on(thaw(operation.constraints), clip)
    _, setup, first, last = before
    if not wanted or operation.world is not None:
        return None
    if last is not None and last[0] == operation.constraints:
        found: HitResult = last[1]  # the same targets again: other frames of the same motion
        return found
    found = drag(first, wanted, last[1] if last is not None else None)
    session.solved.put(f"{name}/hit", (clip, setup, first, (operation.constraints, found)))
    return found


def remember(
    session: Session, name: str, clip: Clip, operation: Operation, said: ClipContacts | None, found: Any
) -> None:
    """A solver's own result, to go on from."""
    if isinstance(operation, Hit) and isinstance(found, HitResult):
        session.solved.put(f"{name}/hit", (clip, _setup(operation, said), found, None))


def _setup(operation: Hit, said: ClipContacts | None) -> tuple[bytes, bytes]:
    """What was asked for beside the targets."""
    return _asked(msgspec.structs.replace(operation, constraints=()), said)


def _frames_of(found: HitResult, frames: list[int] | None) -> Array:
    """Those alone, or all: exact at the targets."""
    old = found.problem.simulator
    simulator = old.like(correction=found.correction)
    return _states(simulator, found.problem.all_windows, frames, found.problem.times)


def _states(simulator: Simulator, windows: Array, frames: list[int] | None, at: ArrayLike = ()) -> Array:
    """Configurations at frames as they are baked; at all frames nearly so, and exact at times ``at`` [s]."""
    clip = simulator.clip

    def simulated(by: Simulator, chosen: IntArray) -> Array:
        return clip.held(by.states(clip.times[chosen], windows[chosen])[0])

    if frames is not None:
        return simulated(simulator, np.asarray(frames))
    longer = max(LONGER_STEP, simulator.options.step)
    rough = simulator.like(options=msgspec.structs.replace(simulator.options, step=longer))
    q = np.array(simulated(rough, np.arange(clip.frames)))
    near = np.rint(np.asarray(at, dtype=np.float64) * clip.fps).astype(np.int64)
    exact = np.unique(np.clip(near, 0, clip.frames - 1))
    if len(exact) and rough.per_frame != simulator.per_frame:
        q[exact] = simulated(simulator, exact)
    return q


def _remember_windows(
    session: Session, name: str, clip: Clip, operation: Loosen, said: ClipContacts | None
) -> None:
    simulator = Simulator(clip, operation.spec, operation, plants=given_plants(said, clip))
    windows = windows_of(simulator, operation.window)
    session.solved.put(
        f"{name}/loosen", (clip, operation.window, windows, simulator.plants, operation.contacts, said)
    )


def _loosened(
    session: Session,
    name: str,
    clip: Clip,
    operation: Loosen,
    said: ClipContacts | None,
    frames: list[int] | None,
) -> Array | None:
    """With the windows chosen before, while a slider moves: choosing them anew takes longer than a frame."""
    known = session.solved.find(f"{name}/loosen")
    if known is None or known[0] is not clip:
        return None
    if (known[1], *known[4:]) != (operation.window, operation.contacts, said):
        return None
    if operation.world is not None or operation.part == "face":
        return None
    simulator = Simulator(clip, operation.spec, operation, plants=known[3])
    return _states(simulator, known[2], frames)
