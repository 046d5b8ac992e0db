"""What earlier edits appended to a document and nothing uses any more: its room is used again.

Poise marks what it adds (:data:`MARK`). Of that, what is not used goes: at the end of a list it is taken off,
elsewhere it is spare, since numbers of what follows may stand anywhere in the document. Bytes of ours at the
end of a buffer are cut off and what is used of them is packed anew, under its old number: so a file grows
with what it holds, not with how often it was edited.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from poise.errors import FileFormatError
from poise.formats.gltf.container import Json, is_whole
from poise.formats.gltf.original import KeptDocument
from poise.formats.gltf.packer import Packer

MARK = "poise"
"""What Poise calls the accessors and buffer views that it adds."""
_ZERO: Json = {"componentType": 5126, "count": 1, "type": "SCALAR", "name": MARK}
"""An accessor that needs no bytes."""


class Leftovers:
    """Taken out of a document when made; what is still used goes back with :meth:`packed`."""

    def __init__(self, document: KeptDocument) -> None:
        content = document.content
        self.views: list[Json] = content.setdefault("bufferViews", [])
        self.accessors: list[Json] = content.setdefault("accessors", [])
        self._spare_accessors = _spare(self.accessors, _accessors_in_use(content))
        for number in self._spare_accessors:
            self.accessors[number] = dict(_ZERO)  # it refers to no view any more
        ours = _at_the_end(document, self.views)
        needed = set(_references(content, "bufferView"))
        self._moving = {number: data for number, data in ours.items() if number in needed}
        cuts: dict[int, int] = {}
        for number in ours:
            view = self.views[number]
            cuts[view["buffer"]] = min(_start(view), cuts.get(view["buffer"], _start(view)))
        self._spare_views = _spare(self.views, needed)
        for buffer in sorted(cuts, reverse=True):  # the last first: others may become the last
            document.cut(buffer, cuts[buffer])

    def packed(self, buffer: int, start: int) -> Packer:
        """What packs more into the document, from byte ``start`` of a buffer on."""
        packer = Packer(self.views, self.accessors, buffer=buffer, start=start, name=MARK)
        packer.spare_views, packer.spare_accessors = self._spare_views, self._spare_accessors
        for number, data in self._moving.items():
            packer.move(number, data)
        return packer

    def close(self) -> None:
        """When all is packed: what is still spare stands for bytes that are there."""
        if self._spare_views:  # the last one is none of them
            last = self.views[-1]
            for number in self._spare_views:
                self.views[number] = {
                    "buffer": last["buffer"], "byteOffset": _start(last), "byteLength": 1, "name": MARK
                }  # fmt: skip


def _spare(items: list[Json], used: set[int]) -> list[int]:
    """Numbers of things of ours that nothing uses; those at the end are taken off."""
    while items and items[-1].get("name") == MARK and len(items) - 1 not in used:
        items.pop()
    return [k for k, item in enumerate(items) if item.get("name") == MARK and k not in used]


def _at_the_end(document: KeptDocument, views: list[Json]) -> dict[int, bytes]:
    """Views of ours that lie at the end of their buffer, behind all that is not ours: their bytes."""
    behind: dict[Any, int] = {}
    for view in views:
        if view.get("name") != MARK:
            packed = view.get("extensions")  # which may keep the view's bytes elsewhere
            for each in (view, *(packed.values() if isinstance(packed, dict) else ())):
                if (
                    isinstance(each, dict)
                    and is_whole(each.get("buffer"))
                    and is_whole(each.get("byteLength"))
                ):
                    end = _start(each) + each["byteLength"]
                    behind[each["buffer"]] = max(behind.get(each["buffer"], 0), end)
    found = {}
    for number, view in enumerate(views):
        if view.get("name") == MARK and _start(view) >= behind.get(view.get("buffer"), 0):
            with suppress(FileFormatError):  # what is broken is left where it is
                data, start, length, _ = document.view(number, "the document")
                found[number] = data[start : start + length]
    return found


def _start(view: Json) -> int:
    found = view.get("byteOffset", 0)
    return found if is_whole(found) else 0


def _accessors_in_use(content: Json) -> set[int]:
    """Accessors of animations, meshes and skins; of extensions everything that could be the number of one."""
    used = set(_numbers([animation.get("samplers") for animation in _objects(content, "animations")]))
    for mesh in _objects(content, "meshes"):
        for primitive in _objects(mesh, "primitives"):
            parts = ("attributes", "indices", "targets", "extensions")
            used.update(_numbers([primitive.get(part) for part in parts]))
    used.update(_numbers([skin.get("inverseBindMatrices") for skin in _objects(content, "skins")]))
    return used | set(_numbers([node.get("extensions") for node in _objects(content, "nodes")]))


def _objects(item: Json, kind: str) -> list[Json]:
    """What is an object in a list of a document; others' files hold all sorts of things."""
    found = item.get(kind)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _numbers(item: Any) -> list[int]:
    if isinstance(item, dict):
        return [n for value in item.values() for n in _numbers(value)]
    if isinstance(item, list):
        return [n for value in item for n in _numbers(value)]
    return [item] if is_whole(item) else []


def _references(item: Any, key: str) -> list[int]:
    if isinstance(item, dict):
        own = [item[key]] if is_whole(item.get(key)) else []
        return own + [n for value in item.values() for n in _references(value, key)]
    return [n for value in item for n in _references(value, key)] if isinstance(item, list) else []
