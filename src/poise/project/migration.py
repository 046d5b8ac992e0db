"""Older project files, brought up to date one version at a time. Steps work on plain data and never change.

Version 1 had ``type`` for the kind of a layer and ``enabled`` for what is now ``muted``, named clips by their
paths alone, and kept targets within the kinodynamics layer that had to meet them.

Version 2 read files without turning figures to face x: what its layers say in places of the world holds for
clips that stand as their files have them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from poise.errors import InputError
from poise.project.document import VERSION


def migrated(data: Any) -> tuple[dict[str, Any], int]:
    """A project's plain data in the present version, without the header; and the version it had."""
    if not isinstance(data, dict):
        raise InputError("a project is a mapping, and this is none")
    if data.get("poise") != "project":
        raise InputError(
            f"field 'poise' must be \"project\", not {data.get('poise')!r}: no project of Poise's"
        )
    version = data.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise InputError(f"field 'version' must be a whole number from 1 to {VERSION}, not {version!r}")
    if version > VERSION:
        raise InputError(
            f"field 'version': {version} is from a later Poise; this one reads 1 to {VERSION}: update Poise"
        )
    found = {k: v for k, v in data.items() if k not in ("poise", "version")}
    for number in range(version, VERSION):
        try:
            found = STEPS[number](found)
        except (KeyError, TypeError, AttributeError, ValueError) as problem:
            raise InputError(f"version {number} cannot be brought up to date: {problem!r}") from None
    return found, version


def migrated_event(event: Mapping[str, Any], version: Any) -> dict[str, Any]:
    """An event of a journal (:mod:`poise.project.journal`) in the present version."""
    if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version <= VERSION:
        raise InputError(f"a journal of version {version!r:.40}, which this Poise does not know")
    found = dict(event)
    for number in range(version, VERSION):
        if isinstance(found.get("document"), dict):
            found["document"] = STEPS[number](found["document"])
        if isinstance(found.get("do"), dict):
            found["do"] = _command(found["do"], COMMAND_STEPS[number])
    return found


def _command(old: dict[str, Any], step: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """A command, or each of a group."""
    if isinstance(old.get("commands"), list):
        return {**old, "commands": [_command(c, step) if isinstance(c, dict) else c for c in old["commands"]]}
    return step(old)


def _from_1(old: dict[str, Any]) -> dict[str, Any]:
    new = dict(old)
    clips = old.get("clips", {})
    new["clips"] = {n: {"file": entry} if isinstance(entry, str) else entry for n, entry in clips.items()}
    layers: list[dict[str, Any]] = []
    for entry in old.get("layers", []):
        layer = {k: v for k, v in entry.items() if k not in ("type", "enabled", "targets")}
        layer = {"kind": entry["type"], **layer}
        if not entry.get("enabled", True):
            layer["muted"] = True
        layers.append(layer)
        if entry.get("targets"):
            hits = {"kind": "targets", "name": f"{entry['name']} targets", "constraints": entry["targets"]}
            layers.append({**hits, **({"muted": True} if "muted" in layer else {})})
            if old.get("output") == entry["name"]:
                new["output"] = hits["name"]
    new["layers"] = layers
    return new


def _from_2(old: dict[str, Any]) -> dict[str, Any]:
    return {**old, "clips": {n: _standing(entry) for n, entry in old.get("clips", {}).items()}}


def _command_from_2(old: dict[str, Any]) -> dict[str, Any]:
    return {**old, "clip": _standing(old.get("clip"))} if old.get("do") == "put-clip" else old


def _standing(entry: Any) -> Any:
    """A clip of version 2, which stands as its file has it."""
    if not isinstance(entry, dict) or not entry.get("file") or _frontless(str(entry["file"])):
        return entry
    return {**entry, "read": {"front": "kept", **(entry.get("read") or {})}}


def _frontless(file: str) -> bool:
    """Of a format whose files have no front; where the name does not tell, it may be of another."""
    return file.lower().endswith((".xml", ".mjcf", ".npz"))


STEPS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: _from_1, 2: _from_2}
"""By the version they start from."""
COMMAND_STEPS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {1: dict, 2: _command_from_2}
"""The same for single commands; those of version 1 are taken as they are, or not understood."""
