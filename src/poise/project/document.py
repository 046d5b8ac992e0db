"""A project as a value: clips, layers, and which of them is the result. Frozen; an edit makes another one.

Documents share what they have in common, so that keeping every one of them for undo costs little, and a
document's digest tells whether two are the same.
"""

from __future__ import annotations

from hashlib import blake2b
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec

from poise.contacts.given import ClipContacts
from poise.errors import InputError, PoiseError, UnknownNameError
from poise.operations.frozen_data import as_plain, encoded, freeze
from poise.operations.values.camera import Cut, FilmCamera, check_cameras
from poise.operations.values.world import world_file, world_of
from poise.project.clip_entry import ClipEntry
from poise.project.layer import AnyLayer, Layer

VERSION = 7
"""Of the file; see ``migration``."""


class Document(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Everything that an edit can change."""

    name: str = ""
    character: Annotated[
        str,
        msgspec.Meta(
            description="The clip whose character performs what starts from scratch; empty: as layers say"
        ),
    ] = ""
    clips: Annotated[dict[str, ClipEntry], msgspec.Meta(description="By name")] = msgspec.field(
        default_factory=dict
    )
    layers: Annotated[tuple[AnyLayer, ...], msgspec.Meta(description="From the first to the last")] = ()
    contacts: Annotated[
        dict[str, ClipContacts], msgspec.Meta(description="By clip: what carries it, as the user says")
    ] = msgspec.field(default_factory=dict)
    world: Annotated[
        str | dict[str, Any] | None,
        msgspec.Meta(
            description="The surfaces around its motions, for layers that name none: a file, surfaces as "
            "they are typed, or what a file of a world holds"
        ),
    ] = None
    cameras: Annotated[
        dict[str, FilmCamera], msgspec.Meta(description="By name: what films see the motion with")
    ] = msgspec.field(default_factory=dict)
    cuts: Annotated[
        tuple[Cut, ...],
        msgspec.Meta(description="Which camera is seen from when on; none: the first camera, all the time"),
    ] = ()
    output: Annotated[str, msgspec.Meta(description="The layer that is the result; empty: the last")] = ""

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "clips", MappingProxyType(dict(self.clips)))
        msgspec.structs.force_setattr(self, "contacts", MappingProxyType(dict(self.contacts)))
        msgspec.structs.force_setattr(self, "cameras", MappingProxyType(dict(self.cameras)))
        msgspec.structs.force_setattr(self, "world", freeze(self.world, "world"))

    def layer(self, name: str) -> Layer:
        """The layer of that name."""
        return self.layers[self.index(name)]

    def index(self, name: str) -> int:
        """Its place in the list."""
        for k, layer in enumerate(self.layers):
            if layer.name == name:
                return k
        raise UnknownNameError("layer", name, [layer.name for layer in self.layers])

    @property
    def result(self) -> str:
        """The name of the layer that is the result."""
        if self.output:
            return self.output
        if not self.layers:
            raise InputError("the project has no layers yet")
        return str(self.layers[-1].name)

    def changed(self, **changes: object) -> Document:
        """A checked copy with some fields changed."""
        made = msgspec.structs.replace(self, **changes)
        made.check(self.layers)
        return made

    def with_layer(self, name: str, layer: Layer) -> Document:
        """With one layer replaced."""
        k = self.index(name)
        return self.changed(layers=(*self.layers[:k], layer, *self.layers[k + 1 :]))

    def check(self, known: tuple[Layer, ...] = ()) -> None:
        """That names are one's own, what is named exists, and layers may stand as they do.

        ``known`` layers were checked before and are not looked into again.
        """
        from poise.project.layer_order import check_order

        for name, entry in self.clips.items():
            with _naming(f"clip {name!r}"):
                entry.check()
        for name, said in self.contacts.items():
            with _naming(f"contacts of {name!r}"):
                if name not in self.clips:
                    raise UnknownNameError("clip", name, self.clips, where="the project")
                said.check()
        names = [layer.name for layer in self.layers]
        for k, layer in enumerate(self.layers):
            with _naming(f"layer {k} ({layer.name!r})"):
                if not layer.name:
                    raise InputError("field 'name': a layer needs one")
                if names.count(layer.name) > 1:
                    raise InputError(f"field 'name': two layers are named {layer.name!r}")
                for clip in layer.uses():
                    if clip not in self.clips:
                        raise UnknownNameError("clip", clip, self.clips, where="the project")
                if not any(layer is other for other in known):
                    layer.check()
        if self.character and self.character not in self.clips:
            with _naming("field 'character'"):
                raise UnknownNameError("clip", self.character, self.clips, where="the project")
        if self.world is not None and not world_file(self.world):
            with _naming("field 'world'"):
                world_of(self.world)
        with _naming("the project's cameras"):
            check_cameras(self.cameras, self.cuts)
        if self.output:
            with _naming("field 'output'"):
                self.index(self.output)
        check_order(self)

    @property
    def digest(self) -> str:
        """The same for the same document, whatever way it came about."""
        return blake2b(encoded(self), digest_size=16).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """As plain data, as it stands in a file."""
        return {"poise": "project", "version": VERSION, **as_plain(self)}


class ProjectFile(Document, frozen=True, kw_only=True):
    """A document as it stands in a file (for the schema)."""

    poise: Literal["project"]
    version: Literal[7]


class _naming:
    """Complaints led by where they belong."""

    def __init__(self, where: str) -> None:
        self.where = where

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, problem: Any, trace: Any) -> None:
        if isinstance(problem, PoiseError):
            raise InputError(f"{self.where}: {problem}") from None
