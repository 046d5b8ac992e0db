"""Which layer works on which, and what may follow what.

A layer that starts a motion stands alone; any other works on the layer that its ``input`` names or, without
one, on the layer before it in the list. So a plain list is a stack, and two chains in one list are two takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from poise.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from poise.project.document import Document
    from poise.project.layer import Layer


def inputs(document: Document) -> dict[str, str | None]:
    """By layer, the layer that it works on; None for those that start a motion."""
    found: dict[str, str | None] = {}
    before: str | None = None
    for layer in document.layers:
        found[layer.name] = None if layer.starts else (layer.input or before)
        before = layer.name
    return found


def check_order(document: Document) -> None:
    """Refuse what makes no sense, in words."""
    by_name: dict[str, Layer] = {layer.name: layer for layer in document.layers}
    feeds = inputs(document)
    for k, layer in enumerate(document.layers):
        where = f"layer {k} ({layer.name!r})"
        below = feeds[layer.name]
        if layer.starts:
            if layer.input is not None:
                raise InputError(f"{where}: field 'input': {layer.do} starts a motion, it takes none")
            if layer.weight != 1.0:
                raise InputError(f"{where}: field 'weight': {layer.do} starts a motion: 1, or mute it")
            continue
        if below is None:
            raise InputError(
                f"{where}: {layer.do} changes a motion; put one before it that starts one "
                "(load, plan, key with poses, perform)"
            )
        if below not in by_name:
            problem = UnknownNameError("layer", below, by_name)
            raise InputError(f"{where}: field 'input': {problem}")
        done = by_name[below].do
        if done in layer.REFUSES:
            raise InputError(f"{where}: {layer.do} cannot follow {below!r} ({done}): {layer.REFUSES[done]}")
        if by_name[below].LAST and not layer.LAST:
            raise InputError(
                f"{where}: it cannot change the motion under {below!r} ({done}), which follows that motion; "
                "put it before"
            )
    for k, layer in enumerate(document.layers):
        if layer.input is not None:  # without one, a layer works on what stands before it: no way back
            chain(feeds, layer.name, where=f"layer {k} ({layer.name!r}): field 'input': ")


def chain(feeds: dict[str, str | None], name: str, *, where: str = "") -> list[str]:
    """The layers that a layer rests on, from the first to itself."""
    found: list[str] = []
    at: str | None = name
    while at is not None:
        if at in found:
            way = " → ".join([at, *reversed(found[found.index(at) :])])
            raise InputError(f"{where}layers work on one another in a circle: {way}")
        found.append(at)
        at = feeds[at]
    return found[::-1]
