"""All operations, by name. A new one is a declaration and a line here, or another package's entry point."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from poise.errors import InputError, UnknownNameError
from poise.extensions import extensions
from poise.operations.declare import Operation, name_of

GROUP = "poise.operations"
"""Entry points under which other packages offer theirs, ``name = "module:Class"``."""
_HOMES = {
    "load": "load:Load",
    "assemble": "assemble:Assemble",
    "solve_markers": "solve_markers:SolveMarkers",
    "key": "key:Key",
    "plan": "plan:Plan",
    "perform": "perform:Perform",
    "pose": "pose:Pose",
    "retouch": "retouch:Retouch",
    "adapt": "adapt:Adapt",
    "retarget": "retarget:Retarget",
    "reroute": "reroute:Reroute",
    "loop": "loop:Loop",
    "loosen": "loosen:Loosen",
    "hit": "hit:Hit",
    "hang": "hang:Hang",
    "wear": "wear:Wear",
    "ground": "ground:Ground",
    "check": "check:Check",
    "fix": "fix:Fix",
    "trim": "trim:Trim",
    "resample": "resample:Resample",
    "mirror": "mirror:Mirror",
    "repeat": "repeat:Repeat",
}


@cache
def operations() -> dict[str, type[Operation]]:
    """Every operation, in the order of use."""
    found: dict[str, type[Operation]] = {}
    for name, home in _HOMES.items():
        module, _, cls = home.partition(":")
        found[name] = getattr(import_module(f"poise.operations.{module}"), cls)
    for name, made in extensions(GROUP).items():
        if not (isinstance(made, type) and issubclass(made, Operation)) or name_of(made) in found:
            raise InputError(f"{made!r} is no operation of its own, which {GROUP} offers as {name!r}")
        found[name_of(made)] = made
    return found


def operation(name: str) -> type[Operation]:
    """The operation of that name."""
    known = operations()
    if name not in known:
        raise UnknownNameError("operation", name, known)
    return known[name]
