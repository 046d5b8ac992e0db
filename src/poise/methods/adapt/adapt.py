"""Adapt a whole clip: the smallest change of the animation that meets constraints."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.constraints import FootPlace, FootPlant, Report
from poise.curves import TangentCurve
from poise.errors import InputError
from poise.methods.adapt.problem.displacement import Keys, Layer, Locks
from poise.methods.adapt.problem.prior import PosePrior
from poise.methods.adapt.problem.problem import Problem, Stage, Window
from poise.methods.adapt.problem.requirements import (
    Floor,
    Item,
    Requirements,
    free_joints,
    held_joints,
    requirements,
)
from poise.methods.adapt.report import report
from poise.methods.adapt.solve.gauss_newton import Descent, Effort
from poise.motion import Clip, edit
from poise.watching import Cancel, Progress, watcher

HOLD, EXACT = (1.0, 1e-2, 300.0), (50.0, 1e-2, 100.0)
"""Strength, smoothness and knees of the layer that holds points, by default and exactly. It has a key at
every frame: fewer would ring."""
MET, STANDS = 2.5e-4, 2e-3
"""What counts as a foot that stands still [m]: exactly, and to the eye."""
DAMPING = 1e-4
"""Of the first step; layers that pull harder begin more carefully."""
FINISH = 10
"""Steps that layers on top may take at least: what they finish shall stand."""
MOVE = Effort(steps=1, factorisations=2, damping=1.0)
"""Of one move of the pointer: careful, but sure of who acts."""
NEAR = 1.0
"""A drag changes the motion so long before and after [s]."""


@dataclass(frozen=True, eq=False)
class Setup:
    """Everything of a call but its constraints: what a later call must share to go on from its result."""

    layers: tuple[Layer, ...]
    problem: Problem
    asked: Requirements
    options: Mapping[str, Any]
    """As they were given."""


@dataclass(frozen=True, eq=False)
class Result:
    """An adapted clip. Hand it to the next call as ``start`` to go on from here."""

    setup: Setup
    coefficients: tuple[Array, ...]
    """Of each layer (K, m)."""
    places: Array
    """Of free plants (P, 3)."""
    descents: tuple[Descent, ...]
    seconds: float

    @cached_property
    def displacement(self) -> tuple[TangentCurve, ...]:
        """What was added, one curve after the other: clip ⊕ d₁ ⊕ d₂ …"""
        stages = self.setup.problem.stages
        return tuple(
            c for stage, values in zip(stages, self.coefficients) for c in stage.space.curves(values)
        )

    @cached_property
    def clip(self) -> Clip:
        """The adapted motion."""
        clip = self.setup.problem.clip
        for curve in self.displacement:
            clip = edit.apply(curve, clip)
        return clip

    def poses(self, first: int, last: int) -> Array:
        """Configurations of frames first … last − 1 alone, (last − first, nq): what a drag redraws."""
        return self.setup.problem.poses(slice(first, last), self.coefficients)

    @cached_property
    def plants(self) -> tuple[FootPlant, ...]:
        """The foot plants of the call, free ones where they were put."""
        found, free = [], 0
        for asked in self.setup.asked.asked:
            if isinstance(asked.item, FootPlant):
                place = asked.item.place
                if asked.place is not None:
                    place = FootPlace(*(float(x) for x in self.places[free]))
                    free += 1
                found.append(replace(asked.item, place=place))
        return tuple(found)

    @cached_property
    def report(self) -> Report:
        """How well every constraint is met, worst share of the cost first in ``details["shares"]``."""
        return report(self.setup.asked, self.clip, self.places, self.plants, self.descents, self.seconds)


def adapt(
    clip: Clip,
    constraints: Sequence[Item],
    *,
    keys: Keys | Mapping[str, Keys] = 0.1,
    basis: str = "bspline",
    joints: Sequence[str] | None = None,
    ends: str = "auto",
    locked: Locks | Mapping[str, Locks] = (),
    layers: Sequence[Layer] | None = None,
    objective: str = "length",
    prices: Mapping[str, float] | None = None,
    smoothness: float = 1e-2,
    pose_prior: PosePrior | None = None,
    limits: bool = True,
    floor: Floor = None,
    exact: bool = False,
    start: Result | None = None,
    window: Window | None = None,
    steps: int = 20,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> Result:
    """Change a clip as little as possible so that constraints and foot plants hold.

    ``keys``, ``basis``, ``joints``, ``ends``, ``locked`` and ``smoothness`` describe the displacement curve
    (see ``Layer``); where points are held over intervals a second, finer layer on the joints that carry them
    follows. ``layers`` replaces both. ``objective`` weighs what is seen to move: "length" of bones, "mass",
    or plain "joints"; ``prices`` makes joints (by pattern) dearer or cheaper. ``floor`` keeps the feet above
    a height [m], above heights by point, or (True) above where the clip itself stands. ``exact`` holds
    points to a fifth of a millimetre, at the price of what the capture's noise then does to the knees.

    ``start`` goes on from an earlier result of the same clip, whose options hold (others are refused);
    ``window`` [s] lets only that stretch change and looks at nothing outside it. ``progress`` is told the
    part done, ``cancel`` may end the call with ``CancelledError``.
    """
    began = time.perf_counter()
    options = {
        "keys": keys, "basis": basis, "joints": joints, "ends": ends, "locked": locked, "layers": layers,
        "objective": objective, "prices": prices, "smoothness": smoothness, "pose_prior": pose_prior,
        "limits": limits, "floor": floor, "exact": exact,
    }  # fmt: skip
    if start is None:
        first = Layer(keys, basis, joints, ends, locked, smoothness=smoothness)
        setup = _setup(clip, constraints, first, options)
        coefficients = [stage.zero() for stage in setup.problem.stages]
    else:
        _refuse_others(options, start.setup.options)
        setup = _updated(start.setup, clip, constraints)
        coefficients = list(start.coefficients)
    problem = setup.problem
    places = problem.free.estimate.copy()
    if start is not None and start.places.shape == places.shape:
        places = start.places
    descents = []
    tell, count = watcher("the adaptation", progress, cancel), len(problem.stages)
    for number in range(count):

        def watch(state: Descent, number: int = number) -> None:
            tell((number + min(1.0, state.steps / steps)) / count)

        strength = problem.stages[number].space.layer.strength
        effort = Effort(steps=steps, damping=DAMPING * max(1.0, strength) ** 2)
        if number:
            effort = replace(effort, steps=max(steps, FINISH), near=0.8 * MET, stands=0.5 * STANDS)
        found, _ = problem.solve(
            number, coefficients, places, window=window, aim=True, effort=effort, watch=watch
        )
        coefficients[number], places = found.coefficients, found.places
        descents.append(found)
    return Result(setup, tuple(coefficients), places, tuple(descents), time.perf_counter() - began)


def drag(
    result: Result,
    constraints: Sequence[Item],
    window: Window,
    *,
    steps: int = 1,
) -> Result:
    """One move of the pointer: a step of the first layer within a window, under the layers on top.

    ``constraints`` is the list of the call that gave ``result`` with the dragged one replaced. What it costs
    depends on the window alone; ``adapt`` with ``start`` refines the whole when the pointer rests.
    """
    began = time.perf_counter()
    setup = _updated(result.setup, result.setup.problem.clip, constraints)
    places = result.places if result.places.shape == setup.problem.free.estimate.shape else None
    found, _ = setup.problem.solve(
        0,
        result.coefficients,
        setup.problem.free.estimate if places is None else places,
        window=window,
        above=True,
        effort=replace(MOVE, steps=steps),
    )
    coefficients = (found.coefficients, *result.coefficients[1:])
    return Result(setup, coefficients, found.places, (found,), time.perf_counter() - began)


def around(clip: Clip, times: Sequence[float], *, near: float = NEAR) -> Window:
    """The window of a drag: from ``near`` [s] before the first time to as long after the last."""
    low, high = min(times) - near, max(times) + near
    return (low, high) if clip.loop else (max(0.0, low), min(clip.duration, high))


def _setup(clip: Clip, constraints: Sequence[Item], first: Layer, options: Mapping[str, Any]) -> Setup:
    layers, exact = options["layers"], options["exact"]
    free = free_joints(clip) if layers is not None else first.bodies(clip.character, free_joints(clip))
    asked = requirements(
        clip,
        constraints,
        floor=options["floor"],
        limits=options["limits"],
        free=free,
        tolerance=MET if exact else STANDS,
    )
    chosen = list(layers) if layers is not None else [first]
    if not chosen:
        raise InputError("at least one layer is needed")
    held = held_joints(asked, free)
    if layers is None and held:
        root = [i for i in free if clip.character.parents[i] < 0]
        names = [clip.character.names[i] for i in [*root, *held]]
        strength, smooth, knees = EXACT if exact else HOLD
        fine = Layer(clip.dt, ends=first.ends, joints=names, locked=first.locked)
        chosen.append(replace(fine, strength=strength, smoothness=smooth, knees=knees))
    stages = [
        Stage.of(
            clip,
            layer,
            free,
            options["objective"],
            options["prices"],
            options["pose_prior"] if k == 0 else None,
        )
        for k, layer in enumerate(chosen)
    ]
    problem = Problem(clip, tuple(stages), asked.blocks, asked.free_places())
    return Setup(tuple(chosen), problem, asked, options)


def _refuse_others(given: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """A start has its options; leaving them out means those, giving others is an error."""
    usual: Mapping[str, Any] = adapt.__kwdefaults__ or {}
    for name, value in given.items():
        same = [value is v or (np.isscalar(value) and value == v) for v in (usual[name], known[name])]
        if not any(same):
            raise InputError(
                f"{name}={value!r} differs from the start's {known[name]!r}: begin anew without it"
            )


def _updated(setup: Setup, clip: Clip, constraints: Sequence[Item]) -> Setup:
    if clip is not setup.problem.clip:
        raise InputError("a start belongs to the clip it was made from: begin anew with another")
    asked = setup.asked.with_items(constraints)
    problem = setup.problem.with_blocks(asked.blocks, asked.free_places())
    return replace(setup, problem=problem, asked=asked)
