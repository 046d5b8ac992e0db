"""What can be done to a motion, as functions.

Made from the declarations; do not edit: ``python -m poise.operations.functions`` makes it anew.

Every function takes a clip or the result of another one, and checks its options before anything is computed.
Long work tells ``progress`` the part done, and ends with ``CancelledError`` when ``cancel`` says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from poise.operations.hit import Hit
from poise.operations.loosen import Loosen
from poise.operations.running import call
from poise.operations.wear import Wear

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from poise.constraints import Constraint, FootPlant
    from poise.dynamics.elastic import Surface
    from poise.methods.loosen.hit.hit import HitResult
    from poise.methods.loosen.operations import LoosenResult
    from poise.motion import Clip
    from poise.operations.quantities import (
        Colour,
        Count,
        Density,
        Duration,
        Factor,
        Length,
        Pascals,
        Place,
        Ratio,
    )
    from poise.operations.result import Result
    from poise.operations.values.bell import Bell
    from poise.operations.values.obstacle import Obstacle
    from poise.operations.values.tension import Tension, TensionKey
    from poise.operations.wear import Quaternion
    from poise.watching import Cancel, Progress

__all__ = [
    "hit",
    "loosen",
    "wear",
]


def loosen(
    clip: Clip | Result,
    tension: Tension | Sequence[TensionKey] = "relaxed",
    window: Duration | Sequence[Duration] | Literal["auto", "adaptive"] = "auto",
    *,
    gravity: Literal["on", "off", "compensated"] = "on",
    root: Literal["prescribed", "driven"] = "prescribed",
    dampers: Literal["rest", "reference"] = "rest",
    step: Duration = 0.01,
    order: Literal[1, 2] = 2,
    obstacles: Sequence[Obstacle] | None = None,
    touching: str = "*",
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> LoosenResult:
    """Loosen a motion: every frame becomes the end of a short simulation that follows the animation.

    Args:
        clip: The motion, or what another operation gave.
        tension: How tightly joints hold the animation: overall, by joint or limb, or keyed over
            time [Hz] (tense: 12 Hz; firm: 7 Hz; relaxed: 4.5 Hz; loose: 2.5 Hz; drunk: 1.6 Hz).
        window: How far back each frame looks; longer follows through more [s] (auto: one length for
            the clip; adaptive: as each frame needs).
        gravity: Whether limbs weigh anything (on: they sag; off: they do not; compensated: springs
            carry the weight of the animated pose).
        root: How the root moves (prescribed: as animated; driven: on springs, like any joint).
        dampers: What dampers slow down (rest: all motion; reference: only what differs from the
            animation).
        step: Longest step of the simulation [s].
        order: Order of the integrator (1: robust: backward Euler; 2: accurate, and stable at any
            step).
        obstacles: Solids that limbs run into.
        touching: Bodies that touch them, by name or limb; the others go through.
        progress: Told the part done, from 0 to 1.
        cancel: Asked whether to stop.
    """
    options: dict[str, Any] = {
        "tension": tension,
        "window": window,
        "gravity": gravity,
        "root": root,
        "dampers": dampers,
        "step": step,
        "order": order,
        "obstacles": obstacles,
        "touching": touching,
    }
    found = call(Loosen, options, clip, progress=progress, cancel=cancel)
    return cast("LoosenResult", found)


def hit(
    clip: Clip | Result,
    constraints: Sequence[Constraint | FootPlant | Mapping[str, Any]],
    tension: Tension | Sequence[TensionKey] = "relaxed",
    window: Duration | Sequence[Duration] | Literal["auto", "adaptive"] = "auto",
    *,
    gravity: Literal["on", "off", "compensated"] = "on",
    root: Literal["prescribed", "driven"] = "prescribed",
    dampers: Literal["rest", "reference"] = "rest",
    step: Duration = 0.01,
    order: Literal[1, 2] = 2,
    obstacles: Sequence[Obstacle] | None = None,
    touching: str = "*",
    width: Duration | Bell = 1.0,
    widths: dict[str, Duration | Bell] | None = None,
    joints: Sequence[str] | None = None,
    method: Literal["newton", "paper"] = "newton",
    iterations: int = 30,
    accuracy: float = 5e-09,
    scale: float = 1.0,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> HitResult:
    """Loosen a motion and correct it so that the loose motion meets its targets at exact times.

    Args:
        clip: The motion, or what another operation gave.
        constraints: What to meet, and when: places, velocities, poses of the loose motion.
        tension: How tightly joints hold the animation: overall, by joint or limb, or keyed over
            time [Hz] (tense: 12 Hz; firm: 7 Hz; relaxed: 4.5 Hz; loose: 2.5 Hz; drunk: 1.6 Hz).
        window: How far back each frame looks; longer follows through more [s] (auto: one length for
            the clip; adaptive: as each frame needs).
        gravity: Whether limbs weigh anything (on: they sag; off: they do not; compensated: springs
            carry the weight of the animated pose).
        root: How the root moves (prescribed: as animated; driven: on springs, like any joint).
        dampers: What dampers slow down (rest: all motion; reference: only what differs from the
            animation).
        step: Longest step of the simulation [s].
        order: Order of the integrator (1: robust: backward Euler; 2: accurate, and stable at any
            step).
        obstacles: Solids that limbs run into.
        touching: Bodies that touch them, by name or limb; the others go through.
        width: How long corrections last [s].
        widths: The same for single constraints, by their names [s].
        joints: Joints or limbs that may change; left out: those that reach.
        method: How targets are met (newton: all at once; paper: one by one, as published).
        iterations: Most steps of the search.
        accuracy: How near is near enough (of angles in rad) [m].
        scale: Shortens the steps of the published method.
        progress: Told the part done, from 0 to 1.
        cancel: Asked whether to stop.
    """
    options: dict[str, Any] = {
        "constraints": constraints,
        "tension": tension,
        "window": window,
        "gravity": gravity,
        "root": root,
        "dampers": dampers,
        "step": step,
        "order": order,
        "obstacles": obstacles,
        "touching": touching,
        "width": width,
        "widths": widths,
        "joints": joints,
        "method": method,
        "iterations": iterations,
        "accuracy": accuracy,
        "scale": scale,
    }
    found = call(Hit, options, clip, progress=progress, cancel=cancel)
    return cast("HitResult", found)


def wear(
    clip: Clip | Result,
    mesh: str | Surface | Clip = "hat",
    *,
    to: str = "Head",
    young: Pascals | None = None,
    poisson: float = 0.3,
    density: Density = 100.0,
    ratio: Ratio = 0.06,
    offset: Place | None = None,
    rotation: Quaternion | None = None,
    scale: Factor | None = None,
    frame: Literal["bone", "world"] | None = None,
    grip: Length | None = None,
    cells: int = 220,
    modes: Count = 14,
    gravity: Literal["on", "off", "compensated"] = "on",
    colour: Colour = (0.16, 0.05, 0.3),
    window: Duration | Literal["auto"] = "auto",
    large: bool = False,
    constraints: Sequence[Constraint | FootPlant | Mapping[str, Any]] | None = None,
    width: Duration | None = None,
    joints: Sequence[str] | None = None,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> Result:
    """Put something soft on a bone: it sways with the motion, and may be made to hit.

    Args:
        clip: The motion, or what another operation gave.
        mesh: The mesh: the bundled hat, a file (GLB, OBJ) or a clip's skin.
        to: The bone that carries it.
        young: Young's modulus, softer sways more; left out: 20 kPa, for a hat as its size asks
            [Pa].
        poisson: Poisson's ratio.
        density: Density [kg/m³].
        ratio: Damping ratio of its slowest mode.
        offset: Where its origin is on the bone; left out, the hat is fitted [m].
        rotation: How it is turned, as a quaternion w, x, y, z.
        scale: Scale factor.
        frame: Axes of its place (bone: the bone's; world: the world's, where the character stands
            at rest).
        grip: What is within this distance of the bone is held; left out, what lies inside it [m].
        cells: Elements, about.
        modes: Modes of vibration.
        gravity: Whether it weighs anything (on: it sags; off: it does not; compensated: it has its
            modelled shape at rest).
        colour: Its colour, linear red, green and blue.
        window: How far back each frame looks [s] (auto: until little is left of a blow).
        large: For large motions of the mesh: exact, and slower.
        constraints: Where points of it, or of its wearer, are to be.
        width: How long corrections last [s].
        joints: Joints or limbs that may change; left out: all.
        progress: Told the part done, from 0 to 1.
        cancel: Asked whether to stop.
    """
    options: dict[str, Any] = {
        "mesh": mesh,
        "to": to,
        "young": young,
        "poisson": poisson,
        "density": density,
        "ratio": ratio,
        "offset": offset,
        "rotation": rotation,
        "scale": scale,
        "frame": frame,
        "grip": grip,
        "cells": cells,
        "modes": modes,
        "gravity": gravity,
        "colour": colour,
        "window": window,
        "large": large,
        "constraints": constraints,
        "width": width,
        "joints": joints,
    }
    found = call(Wear, options, clip, progress=progress, cancel=cancel)
    return cast("Result", found)
