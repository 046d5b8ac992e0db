"""Vectors and matrices in the rows of a plain or lane array, as the tuples of ``manifold.algebra``."""

from __future__ import annotations

from typing import Any

from poise.compilation import kernel
from poise.dynamics.lanes import accumulate, load, store
from poise.manifold.algebra import Mat, Sym, Vec


@kernel(inline=True)
def load_vec(array: Any, row: int) -> Vec:
    """Three rows."""
    return (load(array, row), load(array, row + 1), load(array, row + 2))


@kernel(inline=True)
def store_vec(array: Any, row: int, a: Vec) -> None:
    """Write three rows."""
    store(array, row, a[0])
    store(array, row + 1, a[1])
    store(array, row + 2, a[2])


@kernel(inline=True)
def accumulate_vec(array: Any, row: int, a: Vec) -> None:
    """Add to three rows."""
    accumulate(array, row, a[0])
    accumulate(array, row + 1, a[1])
    accumulate(array, row + 2, a[2])


@kernel(inline=True)
def load_sym(array: Any, row: int) -> Sym:
    """Six rows."""
    return (
        load(array, row),
        load(array, row + 1),
        load(array, row + 2),
        load(array, row + 3),
        load(array, row + 4),
        load(array, row + 5),
    )


@kernel(inline=True)
def store_sym(array: Any, row: int, a: Sym) -> None:
    """Write six rows."""
    store_vec(array, row, (a[0], a[1], a[2]))
    store_vec(array, row + 3, (a[3], a[4], a[5]))


@kernel(inline=True)
def accumulate_sym(array: Any, row: int, a: Sym) -> None:
    """Add to six rows."""
    accumulate_vec(array, row, (a[0], a[1], a[2]))
    accumulate_vec(array, row + 3, (a[3], a[4], a[5]))


@kernel(inline=True)
def load_mat(array: Any, row: int) -> Mat:
    """Nine rows."""
    return (
        load(array, row),
        load(array, row + 1),
        load(array, row + 2),
        load(array, row + 3),
        load(array, row + 4),
        load(array, row + 5),
        load(array, row + 6),
        load(array, row + 7),
        load(array, row + 8),
    )


@kernel(inline=True)
def store_mat(array: Any, row: int, a: Mat) -> None:
    """Write nine rows."""
    store_vec(array, row, (a[0], a[1], a[2]))
    store_vec(array, row + 3, (a[3], a[4], a[5]))
    store_vec(array, row + 6, (a[6], a[7], a[8]))


@kernel(inline=True)
def accumulate_mat(array: Any, row: int, a: Mat) -> None:
    """Add to nine rows."""
    accumulate_vec(array, row, (a[0], a[1], a[2]))
    accumulate_vec(array, row + 3, (a[3], a[4], a[5]))
    accumulate_vec(array, row + 6, (a[6], a[7], a[8]))
