"""Reference tables under many corrections at once, and tables of trials that change one coefficient each.

One row at a time, by the processor or by threads of a graphics card.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from poise.character.tree import LINK_BALL, LINK_FIXED, LINK_TRANSLATION, Tree
from poise.compilation import kernel
from poise.methods.loosen.simulate.reference import Change, Table, corrected_ball


class Bells(NamedTuple):
    """Every basis function at every row, and its slope, (R, K)."""

    value: Any
    slope: Any


class TrialRows(NamedTuple):
    """N rows of the tables of P trials, one table after another."""

    row: Any
    """The base's row that each comes from (N,)."""
    trial: Any
    """The trial that it belongs to (N,); −1: the base itself."""
    link: Any
    """The link that a trial moves (P,)."""
    dof: Any
    """The degree of freedom that it changes (P,)."""
    function: Any
    """The basis function that it takes more of (P,)."""
    amount: Any
    """How much more (P,)."""


@kernel(inline=True, allocates=False)
def _three(rows: Any, k: int, c: int, count: int, dof: int, more: float) -> Any:
    """Up to three numbers of row k from c on, ``more`` added to that of ``dof``."""
    x = rows[k, c] + (more if dof == c else 0.0)
    if count == 1:
        return (x, 0.0, 0.0)
    y = rows[k, c + 1] + (more if dof == c + 1 else 0.0)
    return (x, y, rows[k, c + 2] + (more if dof == c + 2 else 0.0))


@kernel(inline=True, allocates=False)
def _correct_link(
    tree: Tree, link: int, still: Table, k: int, f: Any, rate: Any, out: Table, to: int
) -> None:
    """One link's coordinates in row ``to``: those of the still motion's row k under a change f."""
    kind, a, c = tree.kind[link], tree.q_start[link], tree.v_start[link]
    q, v = still
    if kind == LINK_BALL:
        before = (q[k, a], q[k, a + 1], q[k, a + 2], q[k, a + 3])
        x, w = corrected_ball(before, (v[k, c], v[k, c + 1], v[k, c + 2]), f, rate)
        out.q[to, a], out.q[to, a + 1], out.q[to, a + 2], out.q[to, a + 3] = x
        out.v[to, c], out.v[to, c + 1], out.v[to, c + 2] = w
        return
    out.q[to, a] = q[k, a] + f[0]
    out.v[to, c] = v[k, c] + rate[0]
    if kind == LINK_TRANSLATION:
        out.q[to, a + 1], out.q[to, a + 2] = q[k, a + 1] + f[1], q[k, a + 2] + f[2]
        out.v[to, c + 1], out.v[to, c + 2] = v[k, c + 1] + rate[1], v[k, c + 2] + rate[2]


@kernel(inline=True, allocates=False)
def _copy(source: Table, k: int, out: Table, to: int) -> None:
    for j in range(source.q.shape[1]):
        out.q[to, j] = source.q[k, j]
    for j in range(source.v.shape[1]):
        out.v[to, j] = source.v[k, j]


@kernel(inline=True, allocates=False)
def _numbers(kind: int) -> int:
    return 3 if kind in (LINK_BALL, LINK_TRANSLATION) else 1


@kernel()
def correct_rows(tree: Tree, links: Any, still: Table, change: Change, out: Table) -> None:
    """Tables (N R, …): the reference (R, …) under N corrections (N R, nv), which move ``links`` alone."""
    for to in range(change.curve.shape[0]):
        k = to % still.q.shape[0]
        _copy(still, k, out, to)
        for i in range(links.shape[0]):
            link = links[i]
            kind, c = tree.kind[link], tree.v_start[link]
            if kind == LINK_FIXED:
                continue
            count = _numbers(kind)
            f, rate = _three(change.curve, to, c, count, -1, 0.0), _three(change.slope, to, c, count, -1, 0.0)
            _correct_link(tree, link, still, k, f, rate, out, to)


@kernel(allocates=False)
def perturb_row(
    slot: int,
    to: int,
    tree: Tree,
    still: Table,
    change: Change,
    base: Table,
    bells: Bells,
    trials: TrialRows,
    out: Table,
) -> None:
    """Row ``to`` of the trials' tables: the corrected base, with one coefficient changed.

    The link that the trial moves is computed anew from the still motion, where its basis function is not
    zero. ``slot`` is the thread's number, for those that need room.
    """
    k, p = trials.row[to], trials.trial[to]
    _copy(base, k, out, to)
    if p < 0:
        return
    b, link, d = trials.function[p], trials.link[p], trials.dof[p]
    high, steep = bells.value[k, b], bells.slope[k, b]
    if high != 0.0 or steep != 0.0:
        count, c, amount = _numbers(tree.kind[link]), tree.v_start[link], trials.amount[p]
        f = _three(change.curve, k, c, count, d, amount * high)
        rate = _three(change.slope, k, c, count, d, amount * steep)
        _correct_link(tree, link, still, k, f, rate, out, to)


@kernel()
def perturb_rows(
    first: int,
    last: int,
    tree: Tree,
    still: Table,
    change: Change,
    base: Table,
    bells: Bells,
    trials: TrialRows,
    out: Table,
) -> None:
    """``perturb_row`` over a range of rows."""
    for to in range(first, last):
        perturb_row(0, to, tree, still, change, base, bells, trials, out)
