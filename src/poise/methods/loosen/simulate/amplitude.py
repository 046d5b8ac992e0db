"""How much of the simulation each joint shows, and which joints the animation moves.

    q = q_K ⊕ a · (q_KD ⊖ q_K),    a ∈ [0, 1]

joint by joint, after the window, so frames stay free of history. Where a is exactly 0 or 1, the bits are the
animation's or the simulation's. A joint that is *keyed* throughout is moved by the animation inside the
simulation too, and all others feel it; one that is keyed at some times is held tightly there and shows none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.character.tree import LINK_BALL, LINK_FIXED, LINK_NQ, Tree
from poise.compilation import kernel
from poise.dynamics.elementary import quat_exp, quat_log, quat_product, quat_unit
from poise.errors import InputError
from poise.operations.values.tension import KEYED, is_keyed

Curve = Callable[[Array], Array]
"""Amplitudes of all degrees of freedom at times [s], (T, nv)."""


@kernel()
def blend_rows(tree: Tree, still: Any, share: Any, q: Any) -> None:
    """q (N, nq) becomes what is shown of it beside ``still`` (N, nq); ``share`` is (N, nv)."""
    for n in range(q.shape[0]):
        for i in range(tree.parent.shape[0]):
            kind, a, c = tree.kind[i], tree.q_start[i], tree.v_start[i]
            if kind == LINK_FIXED or share[n, c] == 1.0:
                continue
            x = share[n, c]
            if x == 0.0:
                for k in range(LINK_NQ[kind]):
                    q[n, a + k] = still[n, a + k]
            elif kind == LINK_BALL:
                back = (still[n, a], -still[n, a + 1], -still[n, a + 2], -still[n, a + 3])
                there = (q[n, a], q[n, a + 1], q[n, a + 2], q[n, a + 3])
                way = quat_log(quat_product(back, there))
                start = (still[n, a], still[n, a + 1], still[n, a + 2], still[n, a + 3])
                turned = quat_exp((x * way[0], x * way[1], x * way[2]))
                q[n, a], q[n, a + 1], q[n, a + 2], q[n, a + 3] = quat_unit(quat_product(start, turned))
            else:
                for k in range(LINK_NQ[kind]):
                    q[n, a + k] = still[n, a + k] + x * (q[n, a + k] - still[n, a + k])


def eased(x: Array) -> Array:
    """From 0 to 1 over 0 … 1, with two continuous derivatives."""
    x = np.clip(x, 0.0, 1.0)
    return np.asarray(x * x * x * (10.0 - x * (15.0 - 6.0 * x)))


def keyed_bodies(character: Character, tension: Any) -> list[int]:
    """Bodies whose joints are keyed throughout."""
    if not _uses_keyed(tension):
        return []
    specs = [spec for _, spec in tension] if is_keyed(tension) else [tension]
    free = np.zeros(len(character.bodies), dtype=bool)
    for spec in specs:
        free |= ~_keyed(character, spec)
    return [i for i in range(len(free)) if not free[i]]


def _keyed(character: Character, spec: Any) -> Any:
    """Which bodies a tension that does not change keys (n,)."""
    out = np.zeros(len(character.bodies), dtype=bool)
    for pattern, value in spec.items() if isinstance(spec, Mapping) else [("*", spec)]:
        out[character.select(pattern)] = isinstance(value, str) and value == KEYED
    return out


def amplitude_curve(character: Character, asked: Any, tension: Any, period: float | None) -> Curve | None:
    """What an amplitude and the keyed joints of a tension ask for; None: all is shown."""
    all_of_it = isinstance(asked, float | int) and asked == 1
    curves = [] if all_of_it else [_keys(character, asked, _shares, period)]
    if _uses_keyed(tension):
        curves.append(_keys(character, tension, lambda c, spec: 1.0 - _per_dof(c, _keyed(c, spec)), period))
    found = [c for c in curves if c is not None]
    return product_of(found)


def product_of(curves: list[Curve]) -> Curve | None:
    """All of them at once."""
    if len(curves) < 2:
        return curves[0] if curves else None

    def shown(times: Array) -> Array:
        out = curves[0](times)
        for each in curves[1:]:
            out = out * each(times)
        return out

    return shown


def _uses_keyed(tension: Any) -> bool:
    specs = [spec for _, spec in tension] if is_keyed(tension) else [tension]
    return any(
        value == KEYED
        for spec in specs
        for value in (spec.values() if isinstance(spec, Mapping) else [spec])
        if isinstance(value, str)
    )


def _keys(
    character: Character, asked: Any, of: Callable[[Character, Any], Array], period: float | None
) -> Curve | None:
    """A curve through keys, eased between them; or what does not change."""
    if isinstance(asked, float | int | str | Mapping) or not is_keyed(asked):
        row = of(character, asked)
        return None if (row == 1.0).all() else lambda times: np.tile(row, (len(times), 1))
    at = np.array([float(time) for time, _ in asked])
    if len(at) == 0 or (np.diff(at) <= 0).any() or not np.isfinite(at).all():
        raise InputError("a keyed amplitude needs increasing, finite times")
    rows = np.array([of(character, spec) for _, spec in asked])
    if (rows == 1.0).all():
        return None
    if period is not None:
        if len(at) > 1 and at[-1] - at[0] >= period * (1 - 1e-9):
            at, rows = at[:-1], rows[:-1]  # the last key is the first again
        at = np.concatenate([at[-1:] - period, at, at[:1] + period])
        rows = np.concatenate([rows[-1:], rows, rows[:1]])

    def shown(times: Array) -> Array:
        t = np.asarray(times, dtype=np.float64)
        if period is not None:
            t = at[1] + np.mod(t - at[1], period)
        k = np.clip(np.searchsorted(at, t, side="right") - 1, 0, max(len(at) - 2, 0))
        if len(at) == 1:
            return np.tile(rows[0], (len(t), 1))
        part = eased((t - at[k]) / (at[k + 1] - at[k]))[:, None]
        return np.asarray(np.where(part == 1.0, rows[k + 1], rows[k] + part * (rows[k + 1] - rows[k])))

    return shown


def _shares(character: Character, spec: Any) -> Array:
    """Amplitudes that do not change, (nv,)."""
    out = np.ones(character.nv)
    for pattern, value in spec.items() if isinstance(spec, Mapping) else [("*", spec)]:
        if not 0.0 <= float(value) <= 1.0:
            raise InputError(f"an amplitude lies between 0 and 1; that of {pattern!r} is {value}")
        for body in character.select(pattern):
            out[character.dofs(body)] = float(value)
    return out


def _per_dof(character: Character, bodies: Any) -> Array:
    out = np.zeros(character.nv)
    for body in np.flatnonzero(bodies).tolist():
        out[character.dofs(body)] = 1.0
    return out
