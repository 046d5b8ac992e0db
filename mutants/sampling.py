"""A sample of all breakages by a seed: as many from every package, no two from one function.

Functions are drawn by lot, large or small, then one breakage of each. The lots are digests of names: what is
new in one file changes nothing in the draw of the others.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence

from mutants.mutation import Mutation


def lot(seed: int, name: str) -> str:
    """The lot of a name."""
    return hashlib.sha256(f"{seed} {name}".encode()).hexdigest()


def by_package(every: Iterable[Mutation]) -> dict[str, list[Mutation]]:
    """Breakages of each package."""
    found: dict[str, list[Mutation]] = defaultdict(list)
    for mutation in every:
        found[mutation.package].append(mutation)
    return dict(sorted(found.items()))


def drawn(own: Sequence[Mutation], count: int, seed: int) -> list[Mutation]:
    """So many breakages, each of another function."""
    functions: dict[str, list[Mutation]] = defaultdict(list)
    for mutation in own:
        functions[f"{mutation.file}::{mutation.function}"].append(mutation)
    first = sorted(functions, key=lambda place: lot(seed, place))[:count]
    return [min(functions[place], key=lambda m: (lot(seed, m.key), m.start)) for place in first]


def sample(every: Sequence[Mutation], each: int, seed: int) -> list[Mutation]:
    """``each`` breakages of every package."""
    return [m for own in by_package(every).values() for m in drawn(own, each, seed)]
