"""From plain data to documents and layers; what is wrong is said by entry and field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from poise.contacts.given import ClipContacts
from poise.errors import InputError, UnknownNameError
from poise.operations.decoding import converted, refuse_unknown
from poise.operations.values.camera import FilmCamera
from poise.project.clip_entry import ClipEntry
from poise.project.document import Document
from poise.project.layer import LAYERS, Layer


def document_from(data: Any) -> Document:
    """A checked document from plain data of the present version, without the file's header."""
    if not isinstance(data, Mapping):
        raise InputError(f"a project is a mapping, not {data!r:.40}")
    refuse_unknown(data, Document, "a project")
    clips = data.get("clips", {})
    if not isinstance(clips, Mapping):
        raise InputError("field 'clips' must be a mapping of names to clips")
    for name, entry in clips.items():
        converted(entry, ClipEntry, f"clip {name!r}")
    contacts = data.get("contacts", {})
    if not isinstance(contacts, Mapping):
        raise InputError("field 'contacts' must be a mapping of clips to contacts")
    for name, entry in contacts.items():
        converted(entry, ClipContacts, f"contacts of {name!r}")
    cameras = data.get("cameras", {})
    if not isinstance(cameras, Mapping):
        raise InputError("field 'cameras' must be a mapping of names to cameras")
    for name, entry in cameras.items():
        converted(entry, FilmCamera, f"camera {name!r}")
    layers = data.get("layers", [])
    if not isinstance(layers, list):
        raise InputError("field 'layers' must be a list")
    found = [layer_from(entry, f"layer {k}") for k, entry in enumerate(layers)]
    rest = {k: v for k, v in data.items() if k != "layers"}
    made: Document = converted(rest, Document, "project")
    made = msgspec.structs.replace(made, layers=tuple(found))
    made.check()
    return made


def layer_from(data: Any, where: str = "a layer") -> Layer:
    """A layer from plain data."""
    if not isinstance(data, Mapping):
        raise InputError(f"{where} must be a mapping, not {data!r:.40}")
    if isinstance(data.get("name"), str):
        where = f"{where} ({data['name']!r})"
    if "do" not in data:
        raise InputError(f"{where}: field 'do' is missing (available: {', '.join(LAYERS)})")
    if not isinstance(data["do"], str) or data["do"] not in LAYERS:
        raise InputError(f"{where}: field 'do': {UnknownNameError('operation', data['do'], LAYERS)}")
    found: Layer = converted(data, LAYERS[data["do"]], where)
    return found
