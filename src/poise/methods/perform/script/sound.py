"""Something to hear: struck notes and clicks, synthesised, as a WAV file to put under a film."""

from __future__ import annotations

import re
import wave
from collections.abc import Iterable, Sequence
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.errors import InputError
from poise.files import write_bytes
from poise.methods.perform.script.timed_pose import TimedPose

RATE = 44100
"""[Hz]"""
_PARTIALS = ((1.0, 1.0), (2.0, 0.45), (3.0, 0.28), (4.0, 0.16), (5.0, 0.1), (6.0, 0.06))
"""Of a plucked note: multiples of its frequency, and how loud each is."""
_STEPS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}


class Note(NamedTuple):
    """A struck string."""

    time: float
    """[s]"""
    pitch: float
    """[Hz]; 0: a click."""
    seconds: float = 0.5
    """How long it rings."""
    loudness: float = 1.0


def pitch(name: str) -> float:
    """The frequency of a note: "A4" is 440 Hz, "Eb4", "F#3"."""
    found = re.fullmatch(r"([A-G])([#b]?)(-?\d)", name.strip()) if isinstance(name, str) else None
    if found is None:
        raise InputError(f'a note is written like "G4", "Eb4" or "F#3", not {name!r}')
    letter, sign, octave = found.groups()
    semitones = _STEPS[letter] + {"": 0, "#": 1, "b": -1}[sign] + 12 * (int(octave) - 4) - 9
    return 440.0 * 2 ** (semitones / 12)


def pitches(text: str) -> list[float]:
    """Of the notes that a key names, "G4 B4 D5"."""
    if not isinstance(text, str):
        raise InputError(f'notes are written like "G4 Eb4", not {text!r}')
    return [pitch(name) for name in text.split()]


def render(notes: Iterable[Note], duration: float) -> Array:
    """Samples −1 … 1 of notes that begin exactly at their times, (duration · RATE,)."""
    if not (np.isfinite(duration) and 0 < duration <= 3600):
        raise InputError(f"a sound lasts between 0 and 3600 s, not {duration!r}")
    out = np.zeros(int(round(duration * RATE)))
    dice = np.random.default_rng(5)
    for note in notes:
        first = int(round(note.time * RATE))
        t = np.arange(max(0, min(len(out) - first, int(2.5 * note.seconds * RATE)))) / RATE
        if len(t) == 0:
            continue
        if note.pitch <= 0:
            voice = np.sin(2 * np.pi * 1600 * t) * np.exp(-t / 0.012)
        else:
            voice = np.zeros(len(t))
            for k, share in _PARTIALS:
                fade = np.exp(-t * (0.6 + 0.5 * k) / note.seconds)
                voice += share * np.sin(2 * np.pi * k * note.pitch * t) * fade
            voice += 0.5 * dice.normal(size=len(t)) * np.exp(-t / 0.004)  # the stroke of the bow
        out[first : first + len(t)] += note.loudness * voice * np.minimum(1.0, t / 0.0015)
    return out * (0.8 / max(1e-9, float(np.abs(out).max())))


def of_keys(keys: Sequence[TimedPose]) -> list[Note]:
    """A note for every key's time: its own where it has one, else a click."""
    heard: dict[float, str] = {}
    for key in keys:
        if key.time > 0:
            heard[key.time] = heard.get(key.time) or key.note
    times = [*sorted(heard), np.inf]
    out = []
    for now, after in pairwise(times):
        found = pitches(heard[now])
        ring = min(1.4, 1.6 * (after - now)) if np.isfinite(after) else 1.4
        out += [Note(now, p, ring, 1.0 / len(found)) for p in found] or [Note(now, 0.0)]
    return out


def write(path: str | Path, samples: Array) -> Path:
    """A mono WAV file of 16 bits."""
    whole = np.round(32767 * np.clip(samples, -1, 1)).astype("<i2")
    recording = BytesIO()
    with wave.open(recording, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(whole.tobytes())
    return write_bytes(path, recording.getbuffer())
