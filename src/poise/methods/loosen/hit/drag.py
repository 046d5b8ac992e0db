"""One move of the pointer: targets of a solved problem are elsewhere, and the answer must be there at once.

Within reach a move begins at the correction that the drag began with and at what inverse kinematics makes of
the whole move: that is most of the way however far the pointer has gone, and nothing depends on the way. Out
of reach the nearest correction is followed from one move to the next by a few steps of least squares, each
as long as the last ones proved right: the limb goes along smoothly, where answers found afresh would leap
between poses that are as near. ``hit`` finds the answer that stays when the pointer rests.
"""

from __future__ import annotations

from collections.abc import Sequence

from poise.constraints import Constraint
from poise.kernels.compile_log import working_time
from poise.methods.loosen.hit.correction import build
from poise.methods.loosen.hit.giving_room import with_room
from poise.methods.loosen.hit.hit import HitResult, hit, same_but_targets
from poise.methods.loosen.hit.hold import Hold, is_hold
from poise.methods.loosen.hit.problem import Problem, Start
from poise.methods.loosen.hit.report import report
from poise.methods.loosen.hit.search import bells_of, searched
from poise.methods.loosen.hit.solve import size, solve
from poise.methods.loosen.simulate.gains import inertia_of
from poise.methods.loosen.simulate.simulator import Simulator
from poise.motion import Clip
from poise.solvers import Solution
from poise.workers import algebra_on_one_thread

STEPS, FOLLOWING = 4, 3
"""Of one move: within reach, and beyond."""
ROUGH, CLOSE = 1e-5, 1e-4
"""Where a move ends, and what looks like being there [m or rad]."""
PASSES = 3
"""Of places that are held."""
STRIDE = 0.05
"""What is out of reach and moves by less [m or rad] is likely to stay so."""


@algebra_on_one_thread()
def drag(result: HitResult, constraints: Sequence[Constraint], last: HitResult | None = None) -> HitResult:
    """A few steps from where the drag began, ``result``, to other targets or other times.

    Clip, tension and windows stay. ``last`` is what the move before this one gave: from there it goes on
    where targets are out of reach. What a move costs is bounded wherever they are.
    """
    began = working_time()
    clip = result.problem.simulator.clip
    before = result.problem.simulator.simulations
    if result.problem.holds:
        problem, solution = dragged_holds(result, constraints, last)
    elif same_but_targets(result.problem, clip, constraints):
        problem = result.problem.retargeted(constraints)
        if last is None or not same_but_targets(last.problem, clip, constraints):
            last = result
        solution = _found(problem, result, last)
    else:
        problem = _at_other_times(result, constraints)
        solution = _steps(problem, problem.guess, STEPS)
    simulations = problem.simulator.simulations - before
    told = report(problem, solution, simulations, working_time() - began, brief=True)
    return HitResult(problem, solution, told, result.asked)


@algebra_on_one_thread()
def drag_along(result: HitResult, clip: Clip, constraints: Sequence[Constraint]) -> HitResult:
    """The same where the clip was moved too, its frames as many: a few steps from the last correction."""
    began = working_time()
    old = result.problem.simulator
    if result.problem.holds or any(is_hold(c, clip) for c in constraints):
        return hit(clip, constraints, result.asked, plants=old.plants)
    simulator = Simulator(clip, old.tension, old.options, plants=old.plants)
    problem = Problem(simulator, constraints, result.problem.layout, result.problem.all_windows)
    problem = problem.bounded(result.problem.beside) if result.problem.beside else problem
    last = result.solution
    alike = len(last.residual) == problem.measure.rows
    if alike and size(last) > CLOSE:
        solution = _followed(problem, last)
    else:
        solution = _steps(problem, Start(last.x, last.jacobian if alike else None), STEPS)
    told = report(problem, solution, simulator.simulations, working_time() - began)
    return HitResult(problem, solution, told, result.asked)


def dragged_holds(
    result: HitResult, constraints: Sequence[Constraint], last: HitResult | None
) -> tuple[Problem, Solution]:
    """Held places that are dragged: aims go along with their targets, and a pass or two bring them there."""
    begun = last or result
    old = result.problem.simulator.like(holds=())
    known = {hold.constraint.name: hold for hold in begun.problem.holds}

    def moved(holds: Sequence[Hold]) -> list[Hold]:
        return [h.after(known[h.constraint.name]) if h.constraint.name in known else h for h in holds]

    def solved(problem: Problem, begin: Start, *, nearest: bool = True) -> Solution:
        start = begun.solution
        if len(start.x) == len(begin.u) and len(start.residual) == problem.measure.rows:
            begin = Start(start.x, start.jacobian)
        return _steps(problem, begin, STEPS)

    windows = result.problem.all_windows
    return searched(old, constraints, result.asked, windows, solved, passes=PASSES, moved=moved)


def _found(problem: Problem, first: HitResult, last: HitResult) -> Solution:
    beyond = size(last.solution)
    followed: Solution | None = None
    if beyond > CLOSE and abs(problem.size(last.solution.x) - beyond) < STRIDE:
        followed = _followed(problem, last.solution)
        if size(followed) > CLOSE:
            return followed
    solution = _steps(problem, _moved(problem, first), STEPS)
    if size(solution) <= CLOSE:
        return solution
    return followed or _followed(problem, last.solution)


def _followed(problem: Problem, last: Solution) -> Solution:
    begin = Start(last.x, last.jacobian, radius=last.radius, everywhere=problem.cheap)
    return _steps(problem, begin, FOLLOWING)


def _moved(problem: Problem, first: HitResult) -> Start:
    """The correction that the drag began with, and what inverse kinematics makes of the move."""
    begun = first.solution
    if any(len(rows.times) > 1 for rows in problem.rows):
        return Start(begun.x, begun.jacobian)  # a pose says too little about an interval
    now = problem.guess
    change = now.u - first.problem.guess.u
    known = begun.jacobian if now.jacobian is None else now.jacobian
    return Start(begun.x + change, known, rough=problem.cheap)


def _steps(problem: Problem, begin: Start, count: int) -> Solution:
    return solve(problem, begin, iterations=count, accuracy=ROUGH, nearest=False)


def _at_other_times(result: HitResult, constraints: Sequence[Constraint]) -> Problem:
    old, asked = result.problem, result.asked
    simulator, bells = old.simulator, bells_of(result.asked, constraints)
    if simulator.plants:
        simulator = simulator.like(plants=with_room(simulator.plants, simulator.clip, constraints, bells))
    layout = build(simulator, constraints, bells, asked.joints, inertia_of(simulator.clip.character))
    return Problem(simulator, constraints, layout, old.all_windows)
