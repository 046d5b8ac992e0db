"""Adapt a whole clip: the smallest change of the animation that meets constraints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import msgspec
import numpy as np

from poise.arrays import Array
from poise.contacts.given import ClipContacts
from poise.kernels.compile_log import working_time
from poise.methods.adapt.exertion import eased
from poise.methods.adapt.problem.carried import carried_by, coefficients_of
from poise.methods.adapt.problem.displacement import bodies_of
from poise.methods.adapt.problem.motors import driven_beyond, speed_limits
from poise.methods.adapt.problem.prior import PosePrior
from poise.methods.adapt.problem.problem import Problem, Stage, Window
from poise.methods.adapt.problem.requirements import Item, free_joints, held_joints, requirements
from poise.methods.adapt.result import AdaptResult, Setup
from poise.methods.adapt.solve.gauss_newton import Descent, Effort
from poise.motion import Clip
from poise.motion.hung_feet import Hanging, hanging
from poise.operations.adapt import Change
from poise.operations.values.displacement import Displacement
from poise.watching import Progress, watcher

HOLD, EXACT = (1.0, 1e-2, 300.0), (50.0, 1e-2, 100.0)
"""Pull, smoothness and knees of the displacement that holds points, by default and exactly. It has a key at
every frame: fewer would ring."""
LIMBS = (4.0, 4e-3, 400.0)
"""The same where limbs alone hold points: they have nothing above them to help, so they pull harder."""
MET, STANDS = 2.5e-4, 2e-3
"""What counts as a foot that stands still [m]: exactly, and to the eye."""
DAMPING = 1e-4
"""Of the first step; displacements that pull harder begin more carefully."""
FINISH = 10
"""Steps that displacements on top may take at least: what they finish shall stand."""
MOVE = Effort(steps=1, factorisations=2, damping=1.0)
"""Of one move of the pointer: careful, but sure of who acts."""
ROUNDS = 4
"""How often, at most, a change goes on for motors that it drove beyond their speed."""
EASINGS, GAINS = 5, 0.9
"""How often, at most, it goes on for motors that lack torque, while each time leaves so much of the lack."""
NEAR = 1.0
"""A drag changes the motion so long before and after [s]."""

Telling = Callable[["AdaptResult"], set[str]]
"""What of a result is missed, by name."""


def adapted(
    clip: Clip,
    items: Sequence[Item],
    asked: Change,
    *,
    prior: PosePrior | None = None,
    within: Window | None = None,
    progress: Progress | None = None,
    hung: Hanging | None = None,
    contacts: ClipContacts | None = None,
    told: Telling | None = None,
    finely: Sequence[int] | None = None,
) -> AdaptResult:
    """Change a clip as little as possible so that constraints and foot plants hold.

    What is asked describes the displacement curve; where points are held over intervals a second, finer one
    on the joints that carry them follows. ``within`` [s] lets only that stretch change and looks at nothing
    outside it. Feet that hang beside the legs are hung under the shins for it; ``hung``: they already are.
    ``contacts`` carry the clip, where the user says so. ``told`` tells what of a result is missed, where that
    is more than its constraints: nothing of it is given up to ease motors.
    ``finely``: the bodies whose joints alone bend sharply there: what is above does not shake with a foot.
    """
    began = working_time()
    setup = replace(_setup(clip, items, asked, prior, hung, finely), contacts=contacts)
    problem = setup.problem
    start = tuple(stage.start for stage in problem.stages)
    found = _solved(setup, start, problem.free.estimate.copy(), within, asked.iterations, progress, began)
    if not asked.joint_limits:
        return found
    return _eased(_slowed(found, within, progress, began), within, progress, began, told or _told)


def _slowed(
    found: AdaptResult, within: Window | None, progress: Progress | None, began: float
) -> AdaptResult:
    """On from a result in which motors turn faster than they can, though they did not come near it before."""
    for _ in range(ROUNDS):
        late = driven_beyond(found.in_problem(found.clip), _moved(found), {i.name for i in found.items})
        if not late:
            break
        found = _on(found, late, within, progress, began)
    return found


def _eased(
    found: AdaptResult, within: Window | None, progress: Progress | None, began: float, told: Telling
) -> AdaptResult:
    """On from a result for which motors have not got the torque, as long as easing them gains something.

    Whatever was met stays so, and what was lacking before the change is not mended.
    """
    now = found.exertion
    if now is None or not now.findings:
        return found
    for round_ in range(1, EASINGS + 1):
        slower = eased(now, set(_moved(found)), round_)
        if not slower:
            break
        tried = _on(found, slower, within, progress, began, means=True)
        then, lost = tried.exertion, told(tried) - told(found)
        if then is None or lost or then.excess(now) > GAINS * now.excess(then):
            break
        found, now = tried, then
        if not now.findings:
            break
    return found


def _told(found: AdaptResult) -> set[str]:
    """What is missed, by name."""
    return {outcome.name for outcome in found.report.outcomes if not outcome.met}


def _moved(found: AdaptResult) -> list[int]:
    """Bodies whose joints a change may turn."""
    problem = found.setup.problem
    dofs = np.concatenate([s.space.dofs for s in problem.stages])
    return [int(i) for i in np.unique(problem.clip.character.dof_body[dofs])]


def _on(
    found: AdaptResult,
    more: Sequence[Item],
    within: Window | None,
    progress: Progress | None,
    began: float,
    *,
    means: bool = False,
) -> AdaptResult:
    """On from a result that is asked for more; by ``means`` of which no report tells."""
    tell = watcher("the adaptation", progress, None)
    setup, steps = found.setup.with_items([*found.items, *more]), found.setup.asked.iterations
    if means:
        setup = replace(setup, means=setup.means | {item.name for item in more})
    again = _solved(setup, found.coefficients, found.places, within, steps, lambda _: tell(1.0), began)
    descents = (*found.descents, *again.descents)
    return AdaptResult(setup, again.coefficients, again.places, descents, again.seconds)


def continued(
    result: AdaptResult,
    items: Sequence[Item],
    *,
    within: Window | None = None,
    iterations: int | None = None,
    progress: Progress | None = None,
) -> AdaptResult:
    """The same motion adapted to other constraints, in the same way, on from an earlier result."""
    began = working_time()
    setup = result.setup.with_items(items)
    places = setup.problem.free.estimate.copy()
    if result.places.shape == places.shape:
        places = result.places
    steps = setup.asked.iterations if iterations is None else iterations
    return _solved(setup, result.coefficients, places, within, steps, progress, began)


def dragged(
    result: AdaptResult, items: Sequence[Item], within: Window, *, iterations: int = 1
) -> AdaptResult:
    """One move of the pointer: a step of the first displacement within a window, under those on top.

    ``items`` are those of the result with the dragged one replaced. What it costs depends on the window
    alone; ``continued`` refines the whole when the pointer rests.
    """
    began = working_time()
    setup = result.setup.with_items(items)
    places = result.places if result.places.shape == setup.problem.free.estimate.shape else None
    found, _ = setup.problem.solve(
        0,
        result.coefficients,
        setup.problem.free.estimate if places is None else places,
        window=within,
        above=True,
        effort=replace(MOVE, steps=iterations),
    )
    coefficients = (found.coefficients, *result.coefficients[1:])
    return AdaptResult(setup, coefficients, found.places, (found,), working_time() - began)


def around(clip: Clip, times: Sequence[float], *, near: float = NEAR) -> Window:
    """The window of a drag: from ``near`` [s] before the first time to as long after the last."""
    low, high = min(times) - near, max(times) + near
    return (low, high) if clip.loop else (max(0.0, low), min(clip.duration, high))


def _solved(
    setup: Setup,
    start: Sequence[Array],
    places: Array,
    within: Window | None,
    steps: int,
    progress: Progress | None,
    began: float,
) -> AdaptResult:
    """One displacement after the other, from coefficients."""
    problem, coefficients, descents = setup.problem, list(start), []
    tell, count = watcher("the adaptation", progress, None), len(problem.stages)
    for number in range(count):

        def watch(state: Descent, number: int = number) -> None:
            tell((number + min(1.0, state.steps / steps)) / count)

        pull = problem.stages[number].space.asked.pull
        effort = Effort(steps=steps, damping=DAMPING * max(1.0, pull) ** 2)
        if number:
            effort = replace(effort, steps=max(steps, FINISH), near=0.8 * MET, stands=0.5 * STANDS)
        found, _ = problem.solve(
            number, coefficients, places, window=within, aim=True, effort=effort, watch=watch
        )
        coefficients[number], places = found.coefficients, found.places
        descents.append(found)
    return AdaptResult(setup, tuple(coefficients), places, tuple(descents), working_time() - began)


def _setup(
    clip: Clip,
    items: Sequence[Item],
    asked: Change,
    prior: PosePrior | None,
    hung: Hanging | None,
    finely: Sequence[int] | None,
) -> Setup:
    given = None
    if hung is None:
        hung = hanging(clip.character)
        given = clip if hung is not None else None
    if hung is not None:
        clip = hung.there(clip)
        prior = None if prior is None else prior.hung(hung)
        asked = msgspec.structs.replace(asked, prices={**hung.prices, **asked.prices})
    first = Displacement(
        key_spacing=asked.key_spacing,
        basis=asked.basis,
        joints=asked.joints,
        ends=asked.ends,
        locked=asked.locked,
        smoothness=asked.smoothness,
    )
    told = asked.displacements
    free = free_joints(clip) if told is not None else bodies_of(first, clip.character, free_joints(clip))
    wanted = requirements(
        clip,
        [*items, *(speed_limits(clip) if asked.joint_limits else ())],
        floor=asked.floor,
        limits=asked.joint_limits,
        free=free,
        tolerance=MET if asked.exact else STANDS,
    )
    chosen = [first] if told is None else list(told)
    held = held_joints(wanted, free)
    if told is None and held:
        root = [i for i in free if clip.character.parents[i] < 0]
        names = tuple(clip.character.names[i] for i in [*root, *held])
        pull, smooth, knees = EXACT if asked.exact else HOLD if finely is None else LIMBS
        fine = Displacement(key_spacing=clip.dt, ends=first.ends, joints=names, locked=first.locked)
        chosen.append(msgspec.structs.replace(fine, pull=pull, smoothness=smooth, knees=knees))
    calm = [] if finely is None else [i for i in free if i not in finely]
    stages = [
        Stage.of(
            clip, each, free, asked.objective, asked.prices, prior if k == 0 else None, calm if k else []
        )
        for k, each in enumerate(chosen)
    ]
    way = carried_by(clip, items)
    if way is not None:
        stages[0] = stages[0].carried(coefficients_of(stages[0].space, way))
    problem = Problem(clip, tuple(stages), wanted.blocks, wanted.free_places())
    return Setup(problem, wanted, asked, hung, given)
