"""Spacetime synthesis: the paper's Table 1 at its size, and the same linearised problems given to IPOPT.

Times are CPU seconds: of setting up and solving all problems of a scene, warm, on one thread, without export:
first the search alone, as the paper's (most scenes then miss some keys by millimetres or centimetres), then
refined until every key of the exported motion is met, as users get it. IPOPT (through CasADi) gets one stance
at a time, transcribed on a grid of constant forces with the same modes, keys and γ.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from poise.methods.plan.plan import named, settings_for, solve_all
from poise.methods.plan.scene import bundled as scenes
from poise.methods.plan.scene.partial_key import PartialKey
from poise.methods.plan.scene.reference_pose import ready_pose
from poise.methods.plan.scene.segment import Stance
from poise.methods.plan.scene.settings import Settings
from poise.methods.plan.solve import gauss_newton
from poise.methods.plan.solve.stance import StanceMotion, solve_stance
from poise.methods.plan.solve.stance_problem import StanceProblem
from poise.operations.plan import Planning
from poise.workers import algebra_on_one_thread

PAPER = {
    "four punches": 2.2,
    "four steps": 4.7,
    "side jump": 1.5,
    "somersault": 26.0,
    "camel skating": 4.5,
    "camel hand stand": 45.0,
}
"""Seconds, printed in Table 1."""
GRID = 120
"""Intervals of IPOPT's transcription."""


@algebra_on_one_thread()
def run() -> list[dict[str, Any]]:
    rows = []
    for refined in (False, True):
        ratios = []
        suffix = ", refined" if refined else ""
        for name, printed in PAPER.items():
            seconds = table_row(name, refined=refined)
            ratios.append(printed / seconds)
            rows.append(_row(f"plan: {name}{suffix}", seconds, "s", "the paper's Table 1", printed / seconds))
        mean = float(np.exp(np.mean(np.log(ratios))))
        rows.append(_row(f"plan: Table 1, geometric mean{suffix}", mean, "×", "the paper's Table 1", mean))
    for name, motion, settings in (punch(), preparation()):
        rows += against_ipopt(name, motion, settings)
    return rows


def table_row(name: str, repeats: int = 5, *, refined: bool = False) -> float:
    """Best of several runs of a scene [s]."""
    scene = scenes.get(name)
    character = scene.figure()
    options = Planning(refine=None if refined else 0).filled(scene.options)
    reference = scene.reference(character)
    best = np.inf
    for _ in range(repeats + 1):
        start = time.process_time()
        solve_all(named(scene.segments), settings_for(character, options, reference))
        best = min(best, time.process_time() - start)
    return float(best)


def punch() -> tuple[str, StanceMotion, Settings]:
    scene = scenes.get("four punches")
    return _solved("one punch", scene.segments[0])


def preparation() -> tuple[str, StanceMotion, Settings]:
    key = PartialKey("com", velocity=(0.0, 0.5, 1.2), angular_momentum=(0.0, 0.0, 0.0))
    return _solved("preparation of a jump", Stance(0.6, ("LeftFoot", "RightFoot"), [key], name="prepare"))


def _solved(name: str, stance: Any) -> tuple[str, StanceMotion, Settings]:
    from dataclasses import replace

    scene = scenes.get("four punches")
    character = scene.figure()
    reference = ready_pose(character, scene.feet, lower=scene.lower)
    settings = settings_for(
        character, Planning(modes=15, key_weight=1e5, refine=0, rayleigh=(3.0, 0.005)), reference
    )
    return name, solve_stance(replace(stance, least_push=None), settings, None), settings


def against_ipopt(name: str, motion: StanceMotion, settings: Settings) -> list[dict[str, Any]]:
    gamma = settings.gammas[-1]
    problem = _keys_only(motion.problem)
    best = np.inf
    for _ in range(5):
        start = time.process_time()
        found = gauss_newton.solve(problem, np.zeros(problem.spline.size), settings.gammas, tolerance=1e-6)
        best = min(best, time.process_time() - start)
    built, solved, objective = ipopt(problem, gamma)
    gap = found.objective / objective - 1
    return [
        _row(f"plan: {name}, solve", best, "s", "CasADi + IPOPT, solve only", solved / best),
        _row(f"plan: {name}, IPOPT's building", built, "s", "", None),
        _row(f"plan: {name}, objective over IPOPT's", 100 * gap, "%", "", None),
    ]


def _keys_only(problem: StanceProblem) -> StanceProblem:
    """Without bounds, and without the price on stretch: what IPOPT gets."""
    from poise.methods.plan.solve.stacked_rows import StackedRows

    bare = StanceProblem(problem.stretch, problem.asked)
    bare.stack = StackedRows(problem.footing.warp, problem.asked)
    return bare


def ipopt(problem: StanceProblem, gamma: float) -> tuple[float, float, float]:
    """Seconds to build, seconds to solve, and the objective found."""
    import casadi as ca

    from poise.curves import oscillation

    start = time.process_time()
    spline, asked = problem.spline, problem.asked[0]
    low = spline.steered
    h = problem.duration / GRID
    step = oscillation(spline.stiffness[:low], spline.damping[:low], h)
    x, f = ca.SX.sym("x", 2 * low), ca.SX.sym("f", low)
    ahead = []
    for i in range(low):
        t, r = step.transition[i], step.response[i]
        ahead.append(t[0, 0] * x[2 * i] + t[0, 1] * x[2 * i + 1] + r[0] * f[i])
        ahead.append(t[1, 0] * x[2 * i] + t[1, 1] * x[2 * i + 1] + r[1] * f[i])
    move = ca.Function("move", [x, f], [ca.vertcat(*ahead)])
    residual = _residual(ca, problem, asked, x)
    miss = ca.Function("miss", [x], [residual])
    states = [ca.MX(spline.start[:low].ravel())]
    variables, equal, effort = [], [], ca.MX(0)
    for k in range(GRID):
        force, state = ca.MX.sym(f"f{k}", low), ca.MX.sym(f"x{k}", 2 * low)
        variables += [force, state]
        equal.append(move(states[-1], force) - state)
        effort = effort + 0.5 * h * ca.sumsqr(force)
        states.append(state)
    goal = effort + gamma * ca.sumsqr(miss(states[-1]))
    whole = ca.vertcat(*variables)
    solver = ca.nlpsol(
        "solver", "ipopt", {"x": whole, "f": goal, "g": ca.vertcat(*equal)},
        {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes", "ipopt.tol": 1e-6},
    )  # fmt: skip
    built = time.process_time() - start
    best, value = np.inf, np.nan
    for _ in range(2):
        start = time.process_time()
        found = solver(x0=np.zeros(whole.shape[0]), lbg=0, ubg=0)
        best = min(best, time.process_time() - start)
        value = float(found["f"])
    return built, best, value


def _residual(ca: Any, problem: StanceProblem, asked: Any, x: Any) -> Any:
    """The keys at the end as an expression of the modal state."""
    footing, low = problem.footing, problem.spline.steered
    turning = problem.turns.turning
    last = len(problem.instants) - 1
    base, base_rate = problem.turns.fixed[:, last].reshape(2, -1)
    positions = ca.vertcat(*[x[2 * i] for i in range(low)])
    velocities = ca.vertcat(*[x[2 * i + 1] for i in range(low)])
    angles = base + ca.mtimes(ca.DM(turning), positions)
    rates = base_rate + ca.mtimes(ca.DM(turning), velocities)
    t, w = ca.SX.sym("t", 3), ca.SX.sym("w", 3)
    # A hair off zero, where the formula is regular.
    size = ca.sqrt(ca.sumsqr(t) + 1e-16)
    hat = ca.skew(t)
    turn = ca.SX.eye(3) + ca.sin(size) / size * hat + (1 - ca.cos(size)) / size**2 * ca.mtimes(hat, hat)
    rate = ca.reshape(ca.jtimes(ca.reshape(turn, 9, 1), t, w), 3, 3)
    both = ca.Function("turn", [t, w], [turn, rate])
    pieces = [both(angles[3 * i : 3 * i + 3], rates[3 * i : 3 * i + 3]) for i in range(footing.figure.bones)]
    turns, speeds = ca.horzcat(*[p[0] for p in pieces]), ca.horzcat(*[p[1] for p in pieces])  # (3, 3n)
    b, constant = footing.warp.handle(asked.columns)
    y = ca.reshape(ca.mtimes(turns, ca.DM(b)) + ca.DM(constant), -1, 1)
    dy = ca.reshape(ca.mtimes(speeds, ca.DM(b)), -1, 1)
    out = ca.mtimes(ca.DM(asked.place), y) + ca.mtimes(ca.DM(asked.rate), dy) - asked.target
    if asked.momentum:
        warp, mass = footing.warp, footing.figure.centred_mass[1:, 1:]  # its first row and column vanish
        free = np.eye(len(warp.keep)) - warp.keep @ warp.keep.T
        ahead = ca.mtimes(turns, ca.DM(free @ mass @ free)) + ca.DM(warp.rest[:, 1:] @ mass @ free)
        cross = ca.mtimes(ahead, speeds.T)
        spin = ca.vertcat(cross[1, 2] - cross[2, 1], cross[2, 0] - cross[0, 2], cross[0, 1] - cross[1, 0])
        out = out + ca.mtimes(ca.DM(asked.spin), spin)
    return out


def _row(key: str, value: float, unit: str, peer: str, ratio: float | None) -> dict[str, Any]:
    return {"key": key, "value": value, "unit": unit, "direction": "lower", "peer": peer, "ratio": ratio}


if __name__ == "__main__":
    for row in run():
        ratio = "" if row["ratio"] is None else f"{row['ratio']:8.1f}×  {row['peer']}"
        print(f"{row['key']:<60} {row['value']:10.4g} {row['unit']:<3} {ratio}", flush=True)
