"""A few key-frames in, planned motion out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked
from poise.character import Character
from poise.constraints.report import Outcome, Report
from poise.dynamics.modal import Rayleigh
from poise.errors import InputError
from poise.kernels.compile_log import working_time
from poise.methods.plan.check import check
from poise.methods.plan.motion_piece import MotionPiece
from poise.methods.plan.result import PlanResult, clip_of
from poise.methods.plan.scene.hold import as_holds
from poise.methods.plan.scene.partial_key import PartialKey
from poise.methods.plan.scene.segment import Flight, Segment, Stance
from poise.methods.plan.scene.settings import Settings, limbs
from poise.methods.plan.scene.springs import stiffness as springs
from poise.methods.plan.solve.flight import FlightMotion, solve_flight
from poise.methods.plan.solve.stance import StanceMotion, solve_stance
from poise.operations.plan import USUAL, Planning
from poise.watching import Progress
from poise.workers import algebra_on_one_thread
from poise.world import World

MOST_TURN = 4 * np.pi
"""No bone of a sensible motion turns further from its reference [rad]."""
CHECKING = 0.1
"""Part of all work that is the check under full dynamics."""
OUTSIDE = 0.05
"""How far outside what is held the ground may push, unsaid [m]."""
SEARCH = 30
"""Steps that half of a segment's search takes, about."""


@algebra_on_one_thread()
def plan_segments(
    character: Character,
    segments: Sequence[Segment],
    asked: Planning,
    *,
    reference: ArrayLike | None = None,
    name: str = "",
    world: World | None = None,
    progress: Progress = lambda part: None,
) -> PlanResult:
    """Motion of least effort through the segments, one after the other.

    ``reference`` (nq,) is the pose it starts from, springs pull towards, and rests in (rest pose by default).
    ``world`` is what is there (level ground by default): flights come down on it, soles stay out of it.

    The report has an outcome per key, and by segment how plausible the motion is under full dynamics; a key
    that cannot be met is reported as missed, with the reason, never passed over. ``progress`` is told the
    part done at every step of every search, and may end it by raising.
    """
    asked = asked.filled({})
    if not segments:
        raise InputError("a plan needs at least one segment")
    if isinstance(segments[0], Flight):
        raise InputError("the first segment must be a Stance: a flight needs something to take off from")
    settings = settings_for(character, asked, reference)
    if world is not None:
        settings.world = world
    began = working_time()
    row_of = named(segments)
    pieces = solve_all(
        merged(row_of) if asked.together else row_of,
        settings,
        lambda part: progress((1 - CHECKING) * part),
    )
    seconds = working_time() - began
    row = tuple(pieces)
    clip = clip_of(row, name or "plan", asked.fps or USUAL["fps"])
    outcomes: list[Outcome] = []
    between: list[str] = []
    begins = 0.0
    for piece in pieces:
        outcomes += piece.outcomes(begins)
        between += piece.off_the_curve(begins, clip)
        begins += piece.duration
    looks = []
    for k, piece in enumerate(pieces if asked.judge else []):
        progress(1 - CHECKING * (1 - k / len(pieces)))
        looks.append(check(piece, settings))
    missed = sum(not o.met for o in outcomes)
    report = Report(
        outcomes=tuple(outcomes),
        iterations=sum(p.iterations for p in pieces),
        seconds=seconds,
        message="every key is met" if not missed else f"{missed} of {len(outcomes)} asked for are missed",
        warnings=(*between, *(w for look in looks for w in _warnings(look.to_dict()))),
        details={
            "segments": [
                {
                    "name": p.name,
                    "seconds": p.duration,
                    "heading": p.frame.heading,
                    "effort": p.effort,
                    "iterations": p.iterations,
                    **p.facts,
                    **(looks[k].to_dict() if looks else {}),
                }
                for k, p in enumerate(pieces)
            ]
        },
    )
    unsupported = tuple(w for look in looks for w in _forces(look.to_dict()))
    return PlanResult(clip, report, row, unsupported, settings.world)


def settings_for(character: Character, asked: Planning, reference: ArrayLike | None = None) -> Settings:
    """Options, filled in."""
    asked = asked.filled({})
    q0 = character.rest_pose() if reference is None else checked(reference, "reference", (character.nq,))
    stiff = springs(character, q0, asked.springs, asked.stiffer)
    assert asked.modes is not None and asked.refine is not None  # noqa: PT018  filled in
    assert asked.key_weight is not None and asked.rayleigh is not None  # noqa: PT018
    damping = Rayleigh(*asked.rayleigh)
    return Settings(character, np.asarray(q0), stiff, damping, asked.modes, asked.key_weight, asked.refine)


@algebra_on_one_thread()
def solve_all(
    segments: Sequence[Segment], settings: Settings, told: Progress = lambda part: None
) -> list[MotionPiece]:
    """Segments solved in their order, each from where the last one ended; ``told`` the part done."""
    character = settings.character
    settings.limbs = limbs(
        character,
        (h for s in segments for h in as_holds(character, s.holds if isinstance(s, Stance) else s.lands)),
    )
    pieces: list[MotionPiece] = []
    before: tuple[Array, Array] | None = None
    heading = 0.0
    for done, segment in enumerate(segments):
        steps = count()

        def step(done: int = done, steps: Iterator[int] = steps) -> None:
            taken = next(steps)  # how many it will be nobody knows: each brings it a little nearer to its end
            told((done + taken / (taken + SEARCH)) / len(segments))

        settings.told = step
        step()
        piece: StanceMotion | FlightMotion
        try:
            if isinstance(segment, Stance):
                piece = solve_stance(segment, settings, before, pieces[-1] if pieces else None)
                heading = piece.frame.heading
            else:
                assert before is not None  # the first segment is a stance
                piece = solve_flight(segment, settings, before, heading)
            before = piece.end
        except np.linalg.LinAlgError:
            raise InputError(
                f"segment {segment.name!r} cannot be solved: it asks for more than the body can do in its "
                "time. Make it longer, or ask for less speed or spin"
            ) from None
        _refuse_nonsense(piece)
        pieces.append(piece)
    return pieces


def _refuse_nonsense(piece: MotionPiece) -> None:
    """A search that asked for the impossible may end with limbs that turn round and round."""
    turn = float(np.abs(piece.angles(np.linspace(0, piece.duration, 9))).max())
    missed = [o for o in piece.outcomes(0.0) if not o.met]
    if turn < MOST_TURN or not missed:
        return
    worst = max(missed, key=lambda o: o.error / o.tolerance)
    raise InputError(
        f"segment {piece.name!r} cannot be solved: {worst.name.partition(': ')[2]} misses by "
        f"{worst.error:.3g} {worst.unit}, and limbs turn round and round. Bend the knees of the reference "
        "pose, make the segment longer, or ask for less speed or spin"
    )


def named(segments: Sequence[Segment]) -> list[Segment]:
    """Segments with names: those without get a number."""
    from dataclasses import replace

    return [s if s.name else replace(s, name=f"segment {k}") for k, s in enumerate(segments, start=1)]


def _warnings(look: dict[str, float | str]) -> list[str]:
    """What an animator should know."""
    found = _forces(look)
    if float(look["most_turn"]) > np.pi:
        turned = f"{look['most_turned']} turns by {np.degrees(float(look['most_turn'])):.0f}°"
        found.append(f"{look['segment']}: {turned}")
    return found


def _forces(look: dict[str, float | str]) -> list[str]:
    """What the ground cannot give."""
    found = []
    segment = look["segment"]
    if float(look["least_vertical"]) < 0:
        found.append(
            f"{segment}: the ground would have to pull (vertical force {look['least_vertical']:.2f} weights)"
        )
    if float(look["friction"]) > 1.0:
        found.append(f"{segment}: needs friction of {float(look['friction']):.1f}")
    if float(look["zmp_outside"]) > OUTSIDE:
        away = f"{100 * float(look['zmp_outside']):.0f} cm outside what is held"
        found.append(f"{segment}: the ground would have to push {away} (grounded=True mends that)")
    return found


def merged(segments: Sequence[Segment]) -> list[Segment]:
    """The same segments with rows of stances on the same feet put together."""
    out: list[Segment] = []
    for segment in segments:
        last = out[-1] if out else None
        if isinstance(segment, Stance) and isinstance(last, Stance) and _belong(last, segment):
            out[-1] = _together(last, segment)
        else:
            out.append(segment)
    return out


def _belong(first: Stance, second: Stance) -> bool:
    free = first.slide is None and second.slide is None and not second.stop and not first.rest
    return free and tuple(first.holds) == tuple(second.holds)


def _together(first: Stance, second: Stance) -> Stance:
    pushes = [p for p in (first.least_push, second.least_push) if p is not None]
    frictions = [p for p in (first.friction, second.friction) if p is not None]
    return replace(
        second,
        duration=first.duration + second.duration,
        keys=[
            *_later(first.keys, 0.0, first.duration),
            *_later(second.keys, first.duration, second.duration),
        ],
        stop=first.stop,
        nodes=first.nodes + second.nodes,
        least_push=min(pushes) if len(pushes) == 2 else None,
        friction=max(frictions) if len(frictions) == 2 and len(pushes) == 2 else None,
        above=[*dict.fromkeys([*first.above, *second.above])],
        limits=first.limits or second.limits,
        name=" + ".join(n for n in (first.name, second.name) if n),
    )


def _later(keys: Sequence[PartialKey], by: float, duration: float) -> list[PartialKey]:
    return [replace(k, at=by + (duration if k.at is None else k.at)) for k in keys]
