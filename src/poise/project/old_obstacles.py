"""Obstacles of older projects and recipes: a kind of their own once, surfaces of a world now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from poise.errors import InputError

OF_SURFACES = {"position": "place", "path": "track", "half": "shape/half", "radius": "shape/radius"}
"""Fields of obstacles that surfaces have elsewhere."""
SLIPPERY = 0.8
"""Friction of obstacles that did not say theirs; surfaces have another."""


def _surface(obstacle: Any) -> Any:
    """An obstacle of version 5 as a surface of a world."""
    if not isinstance(obstacle, dict):
        return obstacle
    round_ = obstacle.get("half") is None
    kind, size = ("ball", "radius") if round_ else ("box", "half")
    new = {"name": obstacle.get("name"), "shape": {"kind": kind, size: obstacle.get(size)}}
    new |= {k: v for k, v in obstacle.items() if k in ("turn", "bounce", "muted")}
    new["friction"] = obstacle.get("friction", SLIPPERY)
    if keys := obstacle.get("path"):
        return new | {"track": [_key(key) for key in keys]}
    return new | ({"place": obstacle["position"]} if "position" in obstacle else {})


def _key(key: Any) -> Any:
    return {"time": key.get("time"), "place": key.get("position")} if isinstance(key, dict) else key


def with_surfaces(options: dict[str, Any]) -> dict[str, Any]:
    """Options of a loosened motion whose obstacles, if it has any, are surfaces of its world."""
    if "obstacles" not in options:
        return options
    new = {k: v for k, v in options.items() if k != "obstacles"}
    made = [_surface(each) for each in options["obstacles"] or ()]
    world = new.get("world")
    if not made:
        return new
    if isinstance(world, dict):
        return new | {"world": {**world, "surfaces": [*(world.get("surfaces") or ()), *made]}}
    # A world that a layer named took the place of the project's; now its surfaces stand beside that.
    return new | {"world": {**({} if world is None else {"beside": world}), "surfaces": made}}


def command_with_surfaces(old: dict[str, Any]) -> dict[str, Any]:
    """An edit of an obstacle as that of a surface, for layers without a world of their own: for others it
    means something else (see ``LayerWorlds``)."""
    new = dict(old)
    if isinstance(old.get("layer"), dict):
        new["layer"] = with_surfaces(old["layer"])
    parts = str(old.get("path", "")).split("/")
    if parts[0] != "obstacles":
        return new
    if len(parts) == 1:
        whole = with_surfaces({"obstacles": old.get("value")})
        return new | {"path": "world"} | ({"value": whole.get("world")} if "value" in old else {})
    field = parts[2] if len(parts) > 2 else ""
    rest = [("place" if p == "position" else p) for p in parts[3:]]
    there = [*([OF_SURFACES.get(field, field)] if field else []), *rest]
    new["path"] = "/".join(["world", "surfaces", parts[1], *there])
    if "value" in old:
        value = old["value"]
        if not field:
            value = _surface(value)
        elif field == "path" and len(parts) == 3:
            value = [_key(key) for key in value or ()]
        elif field == "path" and len(parts) == 4:
            value = _key(value)
        new["value"] = value
    return new


LAST = 5
"""The last version that had them."""


class LayerWorlds:
    """Which layers of an older project have, or had, obstacles and which a world of their own.

    In a layer that has both, obstacles come after the world's own surfaces, or beside its file: an edit of
    one by its number, or of either as a whole, would change the other. Such an edit is not understood, and
    its journal is put aside. Names are never forgotten: what is undone may be done again.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.having: dict[str, set[str]] = {"obstacles": set(), "world": set()}
        self._note_document(document)

    def heed(self, event: Mapping[str, Any]) -> None:
        """Take note of an event in words of its own version; refused where it edits either of both."""
        if isinstance(event.get("document"), dict):
            self._note_document(event["document"])
        if isinstance(event.get("do"), dict):
            self._heed_command(event["do"])

    def _note_document(self, document: Mapping[str, Any]) -> None:
        for layer in document.get("layers") or ():
            if isinstance(layer, dict):
                self._note(str(layer.get("name")), layer)

    def _note(self, name: str, options: Mapping[str, Any]) -> None:
        for word, names in self.having.items():
            if options.get(word):
                names.add(name)

    def _heed_command(self, command: Mapping[str, Any]) -> None:
        for each in command.get("commands") or ():
            if isinstance(each, dict):
                self._heed_command(each)
        layer = command.get("layer")
        if isinstance(layer, dict):
            self._note(str(layer.get("name")), layer)
            return
        name, word = str(layer), str(command.get("path", "")).split("/")[0]
        if command.get("do") == "rename-layer":
            for names in self.having.values():
                names.update({str(command.get("name"))} if name in names else ())
        elif isinstance(command.get("options"), dict):
            self._note(name, command["options"])
        elif word in self.having:
            self.having[word].add(name)
            if all(name in names for names in self.having.values()):
                raise InputError(
                    f"layer {name!r} has obstacles and a world: which {word!r} means is not known"
                )
