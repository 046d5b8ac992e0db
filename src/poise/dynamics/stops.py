"""Joint limits inside a simulation: one-sided springs, implicit and without branches.

A joint feels its limit over a zone of m = 6° before it and the whole way beyond. With the zone's edge e, the
depth y = max(x − e, 0) and i = min(y, m),

    way = i²/2m + (y − i),    s = i/m,    τ = −K way − D s v.

The quadratic onset is what keeps neighbouring frames alike: a spring that switches on at once does so a step
earlier in one window than in the next, and frames jump. Limits *give way to the reference*: the edge never
lies before the animated angle, so a clip that is beyond its limits is not fought.

In the implicit step the stiffness stands that the step's *end* will meet, s' = max(s(x), s(x + h v)): what is
left explicit would be stiff. Balls are limited in their exponential coordinates x = log q; the torque leads
along log(q⁻¹ exp(x − way)).
"""

from __future__ import annotations

from typing import Any

from poise.character.tree import LINK_BALL, LINK_FIXED, LINK_HINGE, LINK_SLIDE, Tree
from poise.compilation import kernel
from poise.dynamics.elementary import quat_exp, quat_log, quat_product
from poise.dynamics.lanes import accumulate, load, store, where_less
from poise.dynamics.rows import load_vec, store_vec
from poise.dynamics.window_arrays import Mechanism, Work

MARGIN = 0.105
"""Width of the zone in which a limit stiffens [rad or m]: 6°, wide enough for steps of 10 ms."""


@kernel(inline=True, allocates=False)
def _depth(x: Any, edge: Any) -> Any:
    """Way of the spring beyond ``edge``, and its stiffness there over the full one."""
    y = where_less(edge, x, x - edge, 0.0)
    inner = where_less(y, MARGIN, y, MARGIN)
    return inner * inner * (0.5 / MARGIN) + (y - inner), inner * (1.0 / MARGIN)


@kernel(inline=True, allocates=False)
def _beyond(x: Any, v: Any, r: Any, lower: float, upper: float, h: float) -> Any:
    """Way beyond the limits of x (signed), stiffness there, and the larger of that and the one a step ahead.

    ``r`` is the reference, before which no zone begins.
    """
    high, low = upper - MARGIN, -lower - MARGIN
    above = where_less(high, r, r, high)
    below = where_less(low, -r, -r, low)
    up, stiff_up = _depth(x, above)
    down, stiff_down = _depth(-x, below)
    ahead = x + h * v
    _, soon_up = _depth(ahead, above)
    _, soon_down = _depth(-ahead, below)
    now, soon = stiff_up + stiff_down, soon_up + soon_down
    return up - down, now, where_less(now, soon, soon, now)


@kernel(inline=True, allocates=False)
def _quat(rows: Any, a: int) -> Any:
    return (load(rows, a), load(rows, a + 1), load(rows, a + 2), load(rows, a + 3))


@kernel(allocates=False)
def press_stops(
    tree: Tree,
    lower: Any,
    upper: Any,
    limited: Any,
    q: Any,
    v: Any,
    target: Any,
    h: float,
    over: Any,
    touch: Any,
    stop: Any,
) -> None:
    """How far joints press into their limits (``over``), how stiff these are (``touch``) and will be."""
    for i in range(tree.parent.shape[0]):
        kind, a, c = tree.kind[i], tree.q_start[i], tree.v_start[i]
        if kind in (LINK_HINGE, LINK_SLIDE):
            way, now, soon = _beyond(load(q, a), load(v, c), load(target, a), lower[c], upper[c], h)
            store(over, c, way)
            store(touch, c, now)
            store(stop, c, soon)
        elif kind == LINK_BALL and limited[i]:
            here, spin = _quat(q, a), load_vec(v, c)
            e, r = quat_log(here), quat_log(_quat(target, a))
            o0, n0, s0 = _beyond(e[0], spin[0], r[0], lower[c], upper[c], h)
            o1, n1, s1 = _beyond(e[1], spin[1], r[1], lower[c + 1], upper[c + 1], h)
            o2, n2, s2 = _beyond(e[2], spin[2], r[2], lower[c + 2], upper[c + 2], h)
            back = (here[0], -here[1], -here[2], -here[3])
            way = quat_log(quat_product(back, quat_exp((e[0] - o0, e[1] - o1, e[2] - o2))))
            store_vec(over, c, (-way[0], -way[1], -way[2]))
            now, soon = n0 + n1 + n2, s0 + s1 + s2
            store_vec(touch, c, (now, now, now))
            store_vec(stop, c, (soon, soon, soon))
        elif kind != LINK_FIXED:
            for k in range(3):
                store(over, c + k, 0.0)
                store(touch, c + k, 0.0)
                store(stop, c + k, 0.0)


@kernel(merged=True, allocates=False)
def push_back(mechanism: Mechanism, at: Any, share: float, work: Work) -> None:
    """Add the limits' force and implicit inertia over ``share`` [s] of a step, ``press_stops`` done."""
    for c in range(mechanism.armature.shape[0]):
        k, d, x = mechanism.stop_stiffness[c], mechanism.stop_damping[c], load(at, c)
        soon = load(work.stop, c)
        p, r = k * soon, d * soon
        store(work.stop_p, c, p)
        store(work.stop_d, c, r)
        force = -k * load(work.over, c) - d * load(work.touch, c) * x
        accumulate(work.tau, c, force - share * p * x)
        accumulate(work.joint, c, share * (r + share * p))


@kernel(merged=True, allocates=False)
def push_back_again(mechanism: Mechanism, then: Any, share: float, work: Work) -> None:
    """The second stage's: the force where the step ends, with the inertia of its start."""
    for c in range(mechanism.armature.shape[0]):
        p, d = load(work.stop_p, c), load(work.stop_d, c)
        slow, spin, x = load(work.k1v, c), load(work.k1q, c), load(then, c)
        force = -mechanism.stop_stiffness[c] * load(work.over, c)
        force = force - mechanism.stop_damping[c] * load(work.touch, c) * x
        inner = p * (2.0 * spin - x + 2.0 * share * slow) + 2.0 * d * slow
        accumulate(work.tau, c, force + share * inner)
