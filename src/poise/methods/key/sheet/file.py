"""Keyframes as JSON, both ways. What a person writes by hand may be shorter than what is written back.

    {"poise": "tracks", "version": 1, "name": "hop",
     "character": "humanoid",                        a preset, a file, or a whole character as data
     "poses": [{"time": 0, "q": […]},                a configuration, or
               {"time": 0.5, "joints": {"LeftLeg": "40 deg"}},          the rest pose with joints changed, or
               {"time": 1, "clip": "jump.bvh", "at": 0.3, "joints": {…}}],  a pose of a clip
     "pins": [{"point": "LeftFoot", "at": [0, 0.6], "fade": 0.1},       held over an interval, or
              {"handle": {…}, "targets": [{"time": 0, "value": null}], "gains": [{"time": 0, "value": 1}]}],
     "path": {…}, "inertia": {"measure": "gyration", "keys": [{"time": 0, "value": 0.4}]},
     "spins": [{"start": 0.6, "end": 1.1, "turns": 1}], "fade": 0.2}

Every key may have an "ease" and be "muted". Errors name the track, the key by its index, and the field.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from poise.character import Character, presets, serial
from poise.errors import InputError, UnknownNameError
from poise.files import write_text
from poise.handles import Handle, PointPosition, RotationalInertia, handle_from_dict
from poise.manifold import ProductManifold
from poise.methods.key.path.path import Path
from poise.methods.key.pose.values import pose
from poise.methods.key.sheet.file_entries import as_list, as_number, as_text, as_truth, naming, require_fields
from poise.methods.key.sheet.inertia import InertiaTrack
from poise.methods.key.sheet.key import TrackKey
from poise.methods.key.sheet.keyframes import FADE, Keyframes
from poise.methods.key.sheet.pin import NUMBER, Pin, hold, space_of
from poise.methods.key.sheet.track import Track
from poise.methods.key.spin.spin import Spin
from poise.reading import beside, blaming, read_json

if TYPE_CHECKING:
    from poise.motion import Clip

VERSION = 1
Read = Callable[[str], "Clip"]
_KEY = ("time", "ease", "muted")
_POSE = ("q", "joints", "clip", "at")
_PIN = ("name", "point", "handle", "muted", "targets", "gains", "at", "to", "gain", "fade")
_TRACKS = (
    "poise",
    "version",
    "name",
    "character",
    "poses",
    "pins",
    "path",
    "path_muted",
    "inertia",
    "spins",
    "fade",
)


# Writing -------------------------------------------------------------------------------------------


def to_dict(keyframes: Keyframes) -> dict[str, Any]:
    """The whole document; poses as configurations, pins as targets and gains."""
    data: dict[str, Any] = {
        "poise": "tracks",
        "version": VERSION,
        "name": keyframes.name,
        "character": _character_to_dict(keyframes),
        "poses": _keys_to_dicts(keyframes.pose_track, "q"),
        "pins": [_pin_to_dict(pin) for pin in keyframes.pins],
    }
    if keyframes.path is not None:
        data["path"] = keyframes.path.to_dict()
        data["path_muted"] = keyframes.path_muted
    if keyframes.inertia is not None:
        data["inertia"] = {
            "measure": keyframes.inertia.measure,
            "keys": _keys_to_dicts(keyframes.inertia.values, "value"),
            "muted": keyframes.inertia.muted,
        }
    return {**data, "spins": [spin.to_dict() for spin in keyframes.spins], "fade": keyframes.fade}


def save(keyframes: Keyframes, path: str | FilePath) -> FilePath:
    """Write JSON; what stood at ``path`` before is replaced whole or, if anything goes wrong, not at all."""
    text = json.dumps(to_dict(keyframes), indent=1, ensure_ascii=False, allow_nan=False)
    return write_text(path, text)


def _character_to_dict(keyframes: Keyframes) -> Any:
    for name in presets.names():
        if presets.get(name) is keyframes.character:
            return name
    return keyframes.file or serial.to_dict(keyframes.character)


def _keys_to_dicts(track: Track, field: str) -> list[dict[str, Any]]:
    return [
        {
            "time": key.time,
            field: None if key.value is None else list(key.value),
            **({} if key.ease == "spline" else {"ease": key.ease}),
            **({"muted": True} if key.muted else {}),
        }
        for key in track.keys
    ]


def _pin_to_dict(pin: Pin) -> dict[str, Any]:
    return {
        "name": pin.name,
        "handle": pin.handle.to_dict(),
        "targets": _keys_to_dicts(pin.targets, "value"),
        "gains": _keys_to_dicts(pin.gains, "value"),
        "muted": pin.muted,
    }


# Reading -------------------------------------------------------------------------------------------


def load(path: str | FilePath, *, read: Read | None = None) -> Keyframes:
    """Read a file; clips and characters it names are looked for beside it."""
    path = FilePath(path)
    data = read_json(path)

    def near(name: str) -> Clip:
        assert read is not None
        file = beside(path.parent, name, "what the tracks name")
        return read(str(file) if os.path.exists(file) else name)

    with blaming(path, "tracks"):
        return from_dict(data, read=near if read is not None else None)


def from_dict(data: Any, *, read: Read | None = None) -> Keyframes:
    """The document that the data describe; ``read`` opens clips and characters that they name."""
    require_fields(data, "tracks", _TRACKS, needs=("version", "character", "poses"))
    if data.get("poise", "tracks") != "tracks":
        raise InputError(f"this is a {data['poise']!r} file, not key-frames")
    if data["version"] != VERSION:
        raise InputError(f"tracks of version {data['version']!r}; this Poise reads version {VERSION}")
    with naming("character"):
        character, file = _character(data["character"], read)
    poses = _track("poses", data["poses"], character.manifold, _POSE, lambda e: _pose(e, character, read))
    pins = []
    for i, entry in enumerate(as_list(data.get("pins", []), "pins")):
        with naming(f"pins[{i}]"):
            pins.append(_pin(entry, character))
    path = data.get("path")
    with naming("path"):
        # The document's version speaks for its parts, where a person leaves theirs out.
        whole = {"version": VERSION, **path} if isinstance(path, Mapping) else path
        path = None if path is None else Path.from_dict(whole)
    inertia = data.get("inertia")
    with naming("inertia"):
        inertia = None if inertia is None else _inertia(inertia)
    spins = []
    for i, entry in enumerate(as_list(data.get("spins", []), "spins")):
        with naming(f"spins[{i}]"):
            spins.append(Spin.from_dict(entry))
    return Keyframes(
        character,
        poses,
        tuple(pins),
        path,
        as_truth(data.get("path_muted", False)),
        inertia,
        tuple(spins),
        fade=as_number(data.get("fade", FADE), "fade"),
        name=as_text(data.get("name", ""), "name"),
        file=file,
    )


def _character(said: Any, read: Read | None) -> tuple[Character, str]:
    if isinstance(said, Mapping):
        return serial.from_dict(said), ""
    if not isinstance(said, str):
        raise InputError(f"a preset's name, a file, or a character as data, not {said!r}")
    if said in presets.names():
        return presets.get(said), ""
    if "." not in said and "/" not in said:
        raise UnknownNameError("preset character", said, presets.names())
    return _opened(said, read).character, said


def _opened(name: str, read: Read | None) -> Clip:
    if read is None:
        raise InputError(f"{name!r} must be read from a file: give read=poise.load")
    return read(name)


def _pose(entry: Mapping[str, Any], character: Character, read: Read | None) -> Any:
    if "q" in entry:
        if len(set(entry) & set(_POSE)) > 1:
            raise InputError("a pose is given by q, or by clip and joints, not by both")
        return entry["q"]
    base = None
    if "clip" in entry:
        clip = _opened(entry["clip"], read)
        if clip.character.names != character.names or clip.character.nq != character.nq:
            raise InputError(f"clip {entry['clip']!r} has other joints than {character.name!r}")
        base = clip.at(as_number(entry.get("at", 0.0), "at"))
    elif "joints" not in entry:
        raise InputError("a pose needs q, joints or clip")
    joints = entry.get("joints", {})
    if not isinstance(joints, Mapping):
        raise InputError(f'joints is written {{"LeftLeg": "40 deg", …}}, not {joints!r}')
    return pose(character, joints, base=base)


def _pin(entry: Any, character: Character) -> Pin:
    require_fields(entry, "pin", _PIN)
    handle = _handle(entry).bind(character)
    name = entry.get("name") or (entry["point"] if isinstance(entry.get("point"), str) else handle.label)
    with naming(repr(name)):
        muted = as_truth(entry.get("muted", False))
        if "targets" not in entry and "gains" not in entry:
            at = entry.get("at")
            if at is not None:
                at = tuple(as_number(t, "at") for t in as_list(at, "at"))
            fade = entry.get("fade", 0.1)
            fades = fade if isinstance(fade, list) and len(fade) == 2 else [fade, fade]
            pin = hold(
                handle,
                at=at,
                to=entry.get("to"),
                gain=as_number(entry.get("gain", 1.0), "gain"),
                fade=(as_number(fades[0], "fade"), as_number(fades[1], "fade")),
                name=name,
            )
            return pin.replaced(muted=muted)
        for short in ("at", "to", "gain", "fade"):
            if short in entry:
                raise InputError(f"{short!r} belongs to a held pin, this one has targets and gains")
        targets = _track("targets", entry.get("targets"), space_of(handle), ("value",), _value)
        gains = _track("gains", entry.get("gains"), NUMBER, ("value",), _value)
        return Pin(handle, targets, gains, name, muted)


def _handle(entry: Mapping[str, Any]) -> Handle:
    if ("point" in entry) == ("handle" in entry):
        raise InputError("a pin needs a point or a handle, one of them")
    return PointPosition(entry["point"]) if "point" in entry else handle_from_dict(entry["handle"])


def _inertia(entry: Any) -> InertiaTrack:
    require_fields(entry, "inertia", ("measure", "keys", "muted"), needs=("keys",))
    measure = entry.get("measure", "gyration")
    values = _track("keys", entry["keys"], space_of(RotationalInertia(measure)), ("value",), _value)
    return InertiaTrack(values, measure, as_truth(entry.get("muted", False)))


def _value(entry: Mapping[str, Any]) -> Any:
    if "value" not in entry:
        raise InputError("a value is missing")
    return entry["value"]


def _track(
    name: str,
    entries: Any,
    manifold: ProductManifold,
    fields: tuple[str, ...],
    value: Callable[[Mapping[str, Any]], Any],
) -> Track:
    """A track from a list of keys, each with its own errors."""
    keys: list[TrackKey] = []
    for i, entry in enumerate(as_list(entries, name)):
        with naming(f"{name}[{i}]"):
            require_fields(entry, "key", (*_KEY, *fields), needs=("time",))
            time, muted = as_number(entry["time"], "time"), as_truth(entry.get("muted", False))
            key = TrackKey(time, value(entry), entry.get("ease", "spline"), muted)
            keys += Track(manifold, (key,)).keys  # checks that the value fits
    with naming(name):
        return Track(manifold, tuple(keys))
