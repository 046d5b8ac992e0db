"""Edits as data: each takes a document to the next, can be written as JSON and done again.

    {"do": "set", "layer": "loose", "path": "tension", "value": "drunk"}

A list of them is a macro, and what a user interface sends. Commands of one ``gesture`` (a drag) are one step
of undo. What a command cannot do it refuses, and the document stays as it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from poise.errors import InputError, UnknownNameError
from poise.operations.decoding import converted
from poise.operations.frozen_data import as_plain, freeze, thaw
from poise.project import data_path
from poise.project.camera_commands import DropCamera, PutCamera, RenameCamera, SetCuts
from poise.project.clip_entry import ClipEntry
from poise.project.command import Command
from poise.project.contact_commands import (
    AddContact,
    ConfirmSurface,
    PutContacts,
    RemoveContact,
    SetContact,
)
from poise.project.decoding import layer_from
from poise.project.document import Document
from poise.project.layer import LAYERS, AnyLayer, Layer


class SetField(Command, tag="set-project", frozen=True, kw_only=True):
    """Name, character or output of the project."""

    field: str
    value: str

    @property
    def target(self) -> tuple[str, ...]:
        return ("project", self.field)

    def apply(self, document: Document) -> Document:
        fields = ("name", "character", "output")
        if self.field not in fields:
            raise UnknownNameError("field of the project", self.field, fields)
        return document.changed(**{self.field: self.value})


class PutClip(Command, tag="put-clip", frozen=True, kw_only=True):
    """Add a clip, or link a name to another one."""

    name: str
    clip: ClipEntry

    @property
    def target(self) -> tuple[str, ...]:
        return ("clip", self.name)

    def apply(self, document: Document) -> Document:
        if not self.name:
            raise InputError("a clip needs a name")
        return document.changed(clips={**document.clips, self.name: self.clip})


class DropClip(Command, tag="drop-clip", frozen=True, kw_only=True):
    """Take a clip out that no layer uses."""

    name: str

    def apply(self, document: Document) -> Document:
        if self.name not in document.clips:
            raise UnknownNameError("clip", self.name, document.clips)
        users = [layer.name for layer in document.layers if self.name in layer.uses()]
        if users:
            raise InputError(f"clip {self.name!r} is used by {', '.join(users)}: it cannot be removed")
        kept = {k: v for k, v in document.contacts.items() if k != self.name}
        return document.changed(
            clips={k: v for k, v in document.clips.items() if k != self.name}, contacts=kept
        )


class SetWorld(Command, tag="set-world", frozen=True, kw_only=True):
    """The world around the project's motions: a file, surfaces as typed, plain data, or none."""

    world: Any = None

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "world", freeze(self.world, "world"))

    @property
    def target(self) -> tuple[str, ...]:
        return ("world",)

    def apply(self, document: Document) -> Document:
        if self.world is not None and not isinstance(self.world, str | Mapping):
            raise InputError(f"a world is a file, surfaces or a mapping, not {self.world!r:.40}")
        return document.changed(world=self.world)


class PutSurface(Command, tag="put-surface", frozen=True, kw_only=True):
    """A surface added to the project's world, or put in the place of the one of its name."""

    surface: dict[str, Any]

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "surface", freeze(self.surface, "surface"))

    @property
    def target(self) -> tuple[str, ...]:
        return ("surface", str(self.surface.get("name", "")))

    def apply(self, document: Document) -> Document:
        listed = _surfaces(document)
        name = self.surface.get("name")
        places = [k for k, each in enumerate(listed) if each.get("name") == name]
        new = thaw(self.surface)
        if places:
            listed[places[0]] = new
        else:
            listed.append(new)
        return document.changed(world={"surfaces": listed})


class DropSurface(Command, tag="drop-surface", frozen=True, kw_only=True):
    """A surface taken out of the project's world."""

    name: str

    def apply(self, document: Document) -> Document:
        listed = _surfaces(document)
        names = [each.get("name") for each in listed]
        if self.name not in names:
            raise UnknownNameError("surface", self.name, [str(n) for n in names])
        left = [each for each in listed if each.get("name") != self.name]
        return document.changed(world={"surfaces": left} if left else None)


class AddLayer(Command, tag="add-layer", frozen=True, kw_only=True):
    """A layer on top, or at a place."""

    layer: AnyLayer
    at: int | None = None

    def apply(self, document: Document) -> Document:
        layers = list(document.layers)
        place = len(layers) if self.at is None else self.at
        if not 0 <= place <= len(layers):
            raise InputError(f"no place {place}: layers stand at 0 to {len(layers) - 1}")
        layers.insert(place, self.layer)
        return document.changed(layers=tuple(layers))


class RemoveLayer(Command, tag="remove-layer", frozen=True, kw_only=True):
    """A layer taken out; those that named it as their input go on from what it worked on."""

    layer: str

    def apply(self, document: Document) -> Document:
        from poise.project.layer_order import inputs

        k, below = document.index(self.layer), inputs(document)[self.layer]
        rest = [each for i, each in enumerate(document.layers) if i != k]
        kept = [msgspec.structs.replace(e, input=below) if e.input == self.layer else e for e in rest]
        output = "" if document.output == self.layer else document.output
        try:
            return document.changed(layers=tuple(kept), output=output)
        except InputError as problem:  # about who is left, by a place that is not theirs yet
            users = [name for name, feed in inputs(document).items() if feed == self.layer]
            if not users:
                raise
            why = re.sub(r"^layer \d+ \(.+?\): ", "", str(problem))
            named = " and ".join(map(repr, users))
            works = "works" if len(users) == 1 else "work"
            raise InputError(f"{self.layer!r} cannot go, for {named} {works} on it: {why}") from problem


class MoveLayer(Command, tag="move-layer", frozen=True, kw_only=True):
    """A layer to another place, where its kind allows."""

    layer: str
    to: int

    @property
    def target(self) -> tuple[str, ...]:
        return ("move", self.layer)

    def apply(self, document: Document) -> Document:
        layers = list(document.layers)
        moved = layers.pop(document.index(self.layer))
        if not 0 <= self.to <= len(layers):
            raise InputError(f"no place {self.to}: layers stand at 0 to {len(layers)}")
        layers.insert(self.to, moved)
        return document.changed(layers=tuple(layers))


class RenameLayer(Command, tag="rename-layer", frozen=True, kw_only=True):
    """Another name, also where others refer to it."""

    layer: str
    name: str

    def apply(self, document: Document) -> Document:
        document.index(self.layer)

        def renamed(each: Layer) -> Layer:
            if each.name == self.layer:
                return msgspec.structs.replace(each, name=self.name)
            return msgspec.structs.replace(each, input=self.name) if each.input == self.layer else each

        output = self.name if document.output == self.layer else document.output
        return document.changed(layers=tuple(renamed(each) for each in document.layers), output=output)


class Become(Command, tag="become", frozen=True, kw_only=True):
    """Another operation in a layer's place: a loosened motion becomes one that hits. Options of both stay."""

    layer: str
    operation: str
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    """Those that differ, or that only the new one has."""

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "options", freeze(self.options, "options"))

    def apply(self, document: Document) -> Document:
        if self.operation not in LAYERS:
            raise UnknownNameError("operation", self.operation, LAYERS)
        known = LAYERS[self.operation].__struct_fields__

        def changed(data: dict[str, Any]) -> dict[str, Any]:
            kept = {k: v for k, v in data.items() if k in known}
            return {**kept, **thaw(self.options), "do": self.operation}

        return _edited(document, self.layer, changed)


class Set(Command, tag="set", frozen=True, kw_only=True):
    """A value somewhere in a layer: ``muted``, ``tension``, ``constraints/0/target/value``."""

    layer: str
    path: str
    value: Any

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "value", freeze(self.value, "value"))

    @property
    def target(self) -> tuple[str, ...]:
        return ("layer", self.layer, self.path)

    def apply(self, document: Document) -> Document:
        if self.path == "name":
            raise InputError("a layer's name is changed by rename-layer, which tells the others")
        return _edited(document, self.layer, lambda data: data_path.put(data, self.path, thaw(self.value)))


class Insert(Command, tag="insert", frozen=True, kw_only=True):
    """An entry put into a list of a layer: ``constraints/1``."""

    layer: str
    path: str
    value: Any

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "value", freeze(self.value, "value"))

    def apply(self, document: Document) -> Document:
        return _edited(document, self.layer, lambda data: data_path.insert(data, self.path, thaw(self.value)))


class Remove(Command, tag="remove", frozen=True, kw_only=True):
    """An entry taken out of a layer; a field so gets its default again."""

    layer: str
    path: str

    def apply(self, document: Document) -> Document:
        return _edited(document, self.layer, lambda data: data_path.remove(data, self.path))


class Group(Command, tag="group", frozen=True, kw_only=True):
    """Several edits as one step: all or none."""

    commands: tuple[Any, ...]
    label: str = ""

    def __post_init__(self) -> None:
        made = tuple(c if isinstance(c, Command) else command_from(c) for c in self.commands)
        msgspec.structs.force_setattr(self, "commands", made)

    @property
    def target(self) -> tuple[str, ...]:
        """Of values alone, all that it sets: keys that are dragged together."""
        if not all(isinstance(command, Set) for command in self.commands):
            return ()
        return ("group", *(part for command in self.commands for part in command.target))

    def apply(self, document: Document) -> Document:
        for command in self.commands:
            document = command.apply(document)
        return document


COMMANDS: dict[str, type[Command]] = {
    str(cls.__struct_config__.tag): cls
    for cls in (
        SetField, PutClip, DropClip, SetWorld, PutSurface, DropSurface, AddLayer, RemoveLayer, MoveLayer,
        RenameLayer, Become, Set, Insert,
        Remove, Group,
        PutContacts, AddContact, SetContact, RemoveContact, ConfirmSurface,
        PutCamera, RenameCamera, DropCamera, SetCuts,
    )
}  # fmt: skip


def command_from(data: Any) -> Command:
    """A command from plain data, or from JSON."""
    if isinstance(data, str | bytes):
        try:
            data = msgspec.json.decode(data)
        except (ValueError, RecursionError) as problem:
            raise InputError(f"not a command: {problem}") from None
    if not isinstance(data, Mapping):
        raise InputError(f"a command is a mapping, not {data!r:.40}")
    word = data.get("do")
    if not isinstance(word, str) or word not in COMMANDS:
        raise UnknownNameError("command", word, COMMANDS)
    plain: Any = thaw(data)
    if word == "add-layer":
        layer = layer_from(plain.pop("layer", None), f"command {word!r}: field 'layer'")
        rest = converted({**plain, "layer": as_plain(layer)}, COMMANDS[word], f"command {word!r}")
        return msgspec.structs.replace(rest, layer=layer)
    found: Command = converted(plain, COMMANDS[word], f"command {word!r}")
    return found


def script_from(data: Any) -> list[Command]:
    """A macro: a list of commands; errors name the entry."""
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise InputError(f"a script is a list of commands, not {data!r:.40}")
    found = []
    for k, entry in enumerate(data):
        try:
            found.append(entry if isinstance(entry, Command) else command_from(entry))
        except InputError as problem:
            raise InputError(f"entry {k}: {problem}") from None
    return found


def _surfaces(document: Document) -> list[dict[str, Any]]:
    """Surfaces of the project's world as plain data; a world in a file is not edited."""
    if isinstance(document.world, str):
        raise InputError(
            f"the world is {document.world!r}: read it (poise.load_world) and set what it holds to edit it"
        )
    found = thaw(document.world or {}).get("surfaces", [])
    return list(found)


def _edited(document: Document, name: str, change: Callable[[Any], Any]) -> Document:
    k, old = document.index(name), document.layer(name)
    changed = layer_from(change({"do": old.do, **as_plain(old)}), f"layer {k}")
    return document.with_layer(name, changed)
