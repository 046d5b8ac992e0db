"""Beats, keys and sound of a performance, for its lane on the time line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.errors import InputError, MissingDependencyError
from poise.methods.perform.script import file as script_file
from poise.methods.perform.script.beats import Beats, read_wav
from poise.methods.perform.script.script import Script
from poise.operations.frozen_data import encoded, thaw
from poise.operations.perform import Perform
from poise.reading import beside
from poise.studio.server.answers import Music

PARTS = 2000
"""Of a sound's envelope: more than a screen is wide."""
REMEMBERED = 8
"""Sounds whose beats are kept."""
_known: dict[bytes, Music] = {}


def music(layer: Perform, folder: Path) -> Music:
    """What a layer is played to; files that it names lie under ``folder``."""
    home = folder.resolve()
    for file in layer.files():
        beside(home, file, "field 'script': the music")
    stamps = [(home / file).stat().st_mtime_ns for file in layer.files() if (home / file).is_file()]
    key = encoded([layer.script, str(home), stamps])
    if key not in _known:  # beats of a recording take a while to find
        if len(_known) >= REMEMBERED:
            del _known[next(iter(_known))]
        _known[key] = _music(layer, home)
    return _known[key]


def snapped(name: str, layer: Perform, folder: Path) -> list[dict[str, Any]]:
    """The script's keys, each on a beat of its own, moved as little as possible; those at the start stay."""
    data = _data(layer)
    if not isinstance(layer.script, Mapping) or "keys" not in data:
        raise InputError(f"layer {name!r} has no keys of its own: take its script apart first")
    if not data.get("beats"):
        raise InputError(f"layer {name!r} has no beats to put keys on")
    beats = script_file._beats(data["beats"], folder.resolve())
    script = script_file.from_data({**data, "quantise": False}, folder.resolve(), None)
    assert isinstance(script, Script)
    found = []
    for entry, key in zip(data["keys"], script.snapped(beats).keys):
        told = {"pose": entry[0]} if isinstance(entry, list) else dict(entry)
        for word in ("after", "at", "beat"):
            told.pop(word, None)
        on = np.flatnonzero(np.isclose(beats.times, key.time, atol=1e-9))
        found.append({**told, "beat": int(on[0]) + 1} if len(on) else {**told, "at": float(key.time)})
    return found


def _music(layer: Perform, folder: Path) -> Music:
    told = _data(layer).get("beats", {})
    file = str(told.get("wav") or told.get("midi") or "")
    beats, keys, problem = _beats(layer, told, folder)
    samples, rate = read_wav(beside(folder, file, "the music")) if "wav" in told else (np.zeros(0), 1)
    low, high = _envelope(samples)
    return Music(
        beats=beats.times.tolist() if beats is not None else [],
        tempo=beats.tempo if beats is not None else 0.0,
        keys=keys,
        file=file,
        seconds=len(samples) / rate,
        low=low,
        high=high,
        problem=problem,
    )


def _data(layer: Perform) -> dict[str, Any]:
    """The script as its file has it."""
    if layer.script is None:
        return {}
    if isinstance(layer.script, str):
        found: dict[str, Any] = script_file.read_data(script_file.bundled(layer.script))
        return found
    plain: dict[str, Any] = thaw(layer.script)
    return plain


def _beats(layer: Perform, told: Any, folder: Path) -> tuple[Beats | None, list[float], str]:
    """Beats, times of keys, and what is wrong where there are none: the sound is shown all the same."""
    beats = None
    try:
        beats = script_file._beats(told, folder) if told else None
        found = script_file.from_data(_data(layer), folder, None)
        return beats, [float(t) for t in found.times] if isinstance(found, Script) else [], ""
    except (InputError, MissingDependencyError) as problem:
        return beats, [], str(problem)


def _envelope(samples: Array) -> tuple[list[float], list[float]]:
    """Least and most of each part."""
    if not len(samples):
        return [], []
    starts = np.unique(np.linspace(0, len(samples), min(PARTS, len(samples)), endpoint=False).astype(int))
    low, high = np.minimum.reduceat(samples, starts), np.maximum.reduceat(samples, starts)
    return np.round(low, 4).tolist(), np.round(high, 4).tolist()
