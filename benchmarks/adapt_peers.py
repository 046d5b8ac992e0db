"""The elastic problem of a short clip as others would write it: CasADi + IPOPT, and SciPy.

    minimise ½ cᵀ M c + ½ Σ W s²   subject to   lower ≤ e(c) − s ≤ upper

M, W and the bounds are ours; CasADi writes the kinematics itself (checked to agree), with exact derivatives.
SciPy is given our compiled rows and their Jacobians.
"""

from __future__ import annotations

import time
from typing import Any

import casadi as ca
import numpy as np

from poise.character.tree import LINK_BALL, LINK_HINGE, LINK_SLIDE, LINK_TRANSLATION
from poise.kinematics.layout import layout
from poise.methods.adapt.problem.problem import Stage
from poise.methods.adapt.rows.kernels import BALL, LENGTH, LINE
from poise.methods.adapt.solve.system import System
from poise.speed.adapting import flat, sparse_jacobian, unflat


def ipopt(system: System, stage: Stage, dense: np.ndarray) -> tuple[np.ndarray, float]:
    """Coefficients (K, m) and processor time [s] of the solve alone."""
    space, table = stage.space, system.table
    c = ca.MX.sym("c", space.count)
    rows, members = [], []
    for s in range(table.samples.count):
        d = _displacement(system, s, c)
        own = np.arange(table.entries.row_start[s], table.entries.row_start[s + 1])
        rows.append(_frame(system, s, own)(d))
        members.append(own)
    error = ca.vertcat(*rows)
    order = np.concatenate(members)
    check = ca.Function("check", [c], [error])
    trial = 0.05 * np.random.default_rng(0).normal(size=(space.keys, space.size))
    ours = system.evaluate(trial, jacobian=False)[order]
    assert np.abs(np.array(check(flat(stage, trial))).ravel() - ours).max() < 1e-9
    slack = ca.MX.sym("s", table.count)
    merit = 0.5 * ca.dot(c, ca.mtimes(ca.DM(dense), c)) + 0.5 * ca.dot(ca.DM(table.weight[order]), slack**2)
    problem = {"x": ca.vertcat(c, slack), "f": merit, "g": error - slack}
    options = {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes", "ipopt.tol": 1e-6}
    solver = ca.nlpsol("solver", "ipopt", problem, options)
    start = np.zeros(space.count + table.count)
    began = time.process_time()
    found = solver(x0=start, lbg=table.lower[order], ubg=table.upper[order])
    seconds = time.process_time() - began
    return unflat(stage, np.array(found["x"]).ravel()[: space.count]), seconds


def scipy_trust_constr(
    system: System, stage: Stage, dense: np.ndarray, steps: int
) -> tuple[np.ndarray, float]:
    """Coefficients (K, m) and processor time [s] after at most so many steps."""
    from scipy.optimize import NonlinearConstraint, minimize
    from scipy.sparse import block_diag, csr_matrix, diags, hstack, identity

    space, table = stage.space, system.table
    n, rows = space.count, table.count
    hessian = block_diag([csr_matrix(dense), diags(table.weight)]).tocsr()

    def error(x: np.ndarray) -> np.ndarray:
        return system.evaluate(unflat(stage, x[:n]), jacobian=False) - x[n:]

    def jacobian(x: np.ndarray) -> Any:
        system.evaluate(unflat(stage, x[:n]))
        return hstack([sparse_jacobian(system, n), -identity(rows)]).tocsr()

    kept = NonlinearConstraint(
        error, table.lower, table.upper, jac=jacobian, hess=lambda x, v: csr_matrix((n + rows, n + rows))
    )
    began = time.process_time()
    found = minimize(
        lambda x: (0.5 * x @ (hessian @ x), hessian @ x),
        np.zeros(n + rows),
        jac=True,
        hess=lambda x: hessian,
        method="trust-constr",
        constraints=[kept],
        options={"maxiter": steps},
    )
    return unflat(stage, found.x[:n]), time.process_time() - began


def _displacement(system: System, s: int, c: Any) -> Any:
    """d (nv,) at a sample."""
    space, stencil = system.space, system.stencil
    matrix = np.zeros((space.clip.character.nv, space.count))
    for i, dof in enumerate(space.dofs):
        g = space.group[i]
        for a in range(4):
            slot = space.slot[i, stencil.columns[g, s, a]]
            if slot >= 0:
                matrix[dof, slot] += stencil.weights[0, g, s, a]
    return ca.mtimes(ca.sparsify(ca.DM(matrix)), c)


def _frame(system: System, s: int, rows: np.ndarray) -> Any:
    """Errors of a sample's rows as a function of its displacement."""
    character = system.space.clip.character
    tree, q = layout(character), system.base.q[s]
    d = ca.SX.sym("d", character.nv)
    place: dict[int, Any] = {}
    turn: dict[int, Any] = {}
    quaternion: dict[int, Any] = {}
    for link in range(len(tree.kind)):
        above, body = int(tree.above[link]), int(tree.slot[link])
        a, v = int(tree.q_start[link]), int(tree.v_start[link])
        x, r = ca.DM(tree.offset[link]), ca.DM.eye(3)
        if above >= 0:
            x, r = place[above] + ca.mtimes(turn[above], x), turn[above]
        r = ca.mtimes(r, ca.DM(tree.rest[link]))
        kind = tree.kind[link]
        if kind == LINK_BALL:
            quaternion[a] = _product(ca.DM(q[a : a + 4]), _exp(d[v : v + 3]))
            r = ca.mtimes(r, _matrix(quaternion[a]))
        elif kind == LINK_TRANSLATION:
            x = x + ca.mtimes(r, ca.DM(q[a : a + 3]) + d[v : v + 3])
        elif kind == LINK_SLIDE:
            x = x + ca.mtimes(r, ca.DM(tree.axis[link])) * (q[a] + d[v])
        elif kind == LINK_HINGE:
            r = ca.mtimes(r, _matrix(_exp(ca.DM(tree.axis[link]) * (q[a] + d[v]))))
        place[body], turn[body] = x, r
    table, out = system.table, []
    for row in rows:
        detail = table.detail[row]
        kind, what, numbers = (values[detail] for values in table.details)
        if kind in (LINE, LENGTH):
            way = place[what[0]] + ca.mtimes(turn[what[0]], ca.DM(numbers[:3]))
            if what[1] >= 0:
                way = way - place[what[1]] - ca.mtimes(turn[what[1]], ca.DM(numbers[3:6]))
            if kind == LINE:
                value = ca.dot(ca.DM(numbers[6:]), way)
            else:
                value = ca.norm_2(way - ca.DM(numbers[6:]))
        elif kind == BALL:
            back = ca.DM(numbers[:4] * [1, -1, -1, -1])
            value = _log(_product(back, quaternion[int(what[0])]))[int(what[2])]
        else:
            dof = system.space.dofs[table.entries.dof[table.entries.start[row]]]
            value = q[what[0]] + d[int(dof)]
        out.append(value - table.target[row])
    return ca.Function("frame", [d], [ca.vertcat(*out)])


def _exp(v: Any) -> Any:
    square = ca.dot(v, v) + 1e-24
    half = 0.5 * ca.sqrt(square)
    return ca.vertcat(ca.cos(half), ca.sin(half) / (2 * half) * v)


def _log(p: Any) -> Any:
    size = ca.sqrt(ca.dot(p[1:4], p[1:4]) + 1e-24)
    sign = ca.if_else(p[0] < 0, -1.0, 1.0)
    return 2 * ca.atan2(size, sign * p[0]) / size * sign * p[1:4]


def _product(a: Any, b: Any) -> Any:
    return ca.vertcat(
        a[0] * b[0] - ca.dot(a[1:4], b[1:4]), a[0] * b[1:4] + b[0] * a[1:4] + ca.cross(a[1:4], b[1:4])
    )


def _matrix(p: Any) -> Any:
    w, x, y, z = p[0], p[1], p[2], p[3]
    return ca.vertcat(
        ca.horzcat(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        ca.horzcat(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        ca.horzcat(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
