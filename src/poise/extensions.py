"""What other packages add to Poise: entry points, loaded when something of their group is asked for.

group               what an entry point names                        see
poise.operations    a class, an operation's declaration              operations/declare
poise.handles       a class of handles                               handles/handle
poise.curves        a class of bases                                 curves/basis
poise.formats       a row of the table of formats                    formats/registry
poise.characters    a function without arguments, a preset           character/presets
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Any

from poise.errors import InputError


@cache
def extensions(group: str) -> dict[str, Any]:
    """What other packages offer in a group, by name."""
    found: dict[str, Any] = {}
    for point in entry_points(group=group):
        package = point.dist.name if point.dist is not None else point.value
        if point.name in found:
            raise InputError(f"two packages offer {point.name!r} to {group}, one is {package}: remove one")
        try:
            found[point.name] = point.load()
        except Exception as problem:  # whatever a stranger's module does when it is imported
            raise InputError(
                f"the package {package} offers {point.name!r} to {group}, but {point.value} cannot be loaded "
                f"({type(problem).__name__}: {problem}): update or remove it"
            ) from problem
    return found
