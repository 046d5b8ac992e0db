"""Linear equations with the pattern of a tree: entries only where two degrees of freedom share a branch.

The mass matrix has it, and so has any matrix that couples a joint with its ancestors and descendants alone.
Elimination from the leaves to the root fills nothing in, O(n d²) for branches of depth d, symmetric or not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from poise.arrays import IntArray, frozen
from poise.character.tree import LINK_NV, Tree
from poise.compilation import kernel


def dofs_above(tree: Tree) -> IntArray:
    """The degree of freedom just above each on its branch, −1 at the top, (nv,)."""
    above: list[int] = []
    last: list[int] = []  # last degree of freedom at or above each link
    for i, parent in enumerate(tree.parent.tolist()):
        up = last[parent] if parent >= 0 else -1
        for k in range(LINK_NV[int(tree.kind[i])]):
            above.append(up)
            up = int(tree.v_start[i]) + k
        last.append(up)
    return np.asarray(frozen(above, dtype=np.int64))


@kernel(allocates=False)
def branch_solve(above: Any, a: Any, x: Any) -> None:
    """Solve A y = x in place: ``x`` (n,) becomes y and ``a`` (n, n) is used up. No pivoting."""
    n = x.shape[0]
    for k in range(n - 1, -1, -1):
        over = 1.0 / a[k, k]
        i = above[k]
        while i >= 0:
            share = a[i, k] * over
            if share != 0.0:
                x[i] -= share * x[k]
                j = above[k]
                while j >= 0:
                    a[i, j] -= share * a[k, j]
                    j = above[j]
            i = above[i]
    for k in range(n):
        total = x[k]
        j = above[k]
        while j >= 0:
            total -= a[k, j] * x[j]
            j = above[j]
        x[k] = total / a[k, k]
