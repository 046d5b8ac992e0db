"""A sample of all breakages by a seed: as many from every package, no two from one function."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence

from mutants.mutation import Mutation


def by_package(every: Iterable[Mutation]) -> dict[str, list[Mutation]]:
    """Breakages of each package."""
    found: dict[str, list[Mutation]] = defaultdict(list)
    for mutation in every:
        found[mutation.package].append(mutation)
    return dict(sorted(found.items()))


def sample(every: Sequence[Mutation], each: int, seed: int) -> list[Mutation]:
    """``each`` breakages of every package: a function by chance, large or small, then one of its."""
    chosen: list[Mutation] = []
    for package, own in by_package(every).items():
        functions: dict[tuple[str, str], list[Mutation]] = defaultdict(list)
        for mutation in own:
            functions[mutation.file, mutation.function].append(mutation)
        chance = random.Random(f"{seed} {package}")
        places = sorted(functions)
        chance.shuffle(places)
        chosen += [chance.choice(functions[place]) for place in places[:each]]
    return chosen
