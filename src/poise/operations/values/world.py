"""A world as operations take it: a file, surfaces as they are typed, or plain data; one value for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import pi
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poise.operations.frozen_data import thaw

if TYPE_CHECKING:
    from poise.motion import Clip
    from poise.world import World

FORM = "FILE|SURFACES"
"""How a world is typed."""
BESIDE = "beside"
"""Of surfaces that are written out: a file, or typed ones, that stand beside them."""
NOTHING = "none"
"""No world at all, where a project has one."""


def plain_world(options: dict[str, Any]) -> dict[str, Any]:
    """Options whose ``world`` may be a World or a path, as it is declared."""
    world = options.get("world")
    if world is not None and hasattr(world, "to_dict"):
        return options | {"world": world.to_dict()}
    if hasattr(world, "__fspath__"):
        return options | {"world": str(world)}
    return options


def world_file(world: Any) -> tuple[str, ...]:
    """The file that a world is in, if it is in one."""
    if isinstance(world, Mapping):
        return world_file(world.get(BESIDE))
    if not isinstance(world, str) or world == NOTHING:
        return ()
    from poise.world.shorthand import is_typed

    return () if is_typed(world) else (world,)


def world_of(world: Any, folder: Path = Path()) -> World:
    """The world that an option says; files lie relative to a folder."""
    from poise.world import World
    from poise.world.shorthand import is_typed, typed_world

    if isinstance(world, str):
        if world == NOTHING:
            return World()
        if is_typed(world):
            return typed_world(world)
        from poise.formats.scenery import load_world

        return load_world(folder / world)
    data = thaw(world)
    if not isinstance(data, dict) or BESIDE not in data:
        return World.from_dict(data)
    own = World.from_dict({k: v for k, v in data.items() if k != BESIDE})
    return world_of(data[BESIDE], folder).with_surfaces(own.surfaces)


def is_alone(world: Any) -> bool:
    """Whether nothing of a project's world is wanted beside it."""
    return world == NOTHING or (isinstance(world, Mapping) and world.get(BESIDE) == NOTHING)


def world_around(
    world: Any, folder: Path, clip: Clip, named: Callable[[str], Clip] | None = None, *, own: bool = True
) -> World:
    """The world that an option says, as it is around a motion.

    It is turned as the figure was, where both are in one file, and props are where bodies carry them: those
    of other characters by the ``named`` clips, and the figure's ``own``.
    """
    found = world_of(world, folder)
    source = clip.source
    if source is not None and source.front and (file := world_file(world)):
        path = folder / file[0]
        if path.exists() and Path(source.path).exists() and path.samefile(source.path):
            from poise.formats.facing import FRONTS

            found = found.turned(-0.5 * pi * FRONTS[source.up].index(source.front))
    others = {s.character for s in found.surfaces if s.character} if named is not None else set()
    known = {name: named(name) for name in others} if named is not None else {}
    return found.carried_by(clip if own else None, known)
