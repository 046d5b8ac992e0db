"""Beats: times to be somewhere, from a list, a tempo, a MIDI file or a recording; keys moved onto them."""

from __future__ import annotations

import wave
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, checked, frozen
from poise.errors import FileFormatError, InputError, MissingDependencyError
from poise.methods.perform.script.beat_tracker import beats_of
from poise.methods.perform.script.timed_pose import TimedPose
from poise.reading import Budget, read_bytes

BEATS = 100_000
"""Quarter notes that any MIDI file may stand for: half a day of them."""
SLOWEST, FASTEST = 2_000, 1_000_000
"""Samples per second of a recording."""
ENDLESS = (1 << 31) - 65536
"""Bytes of samples that mean "until the end of the file"."""


@dataclass(frozen=True, eq=False)
class Beats:
    """Increasing times [s]."""

    times: Array
    source: str = ""

    def __post_init__(self) -> None:
        times = np.sort(checked(self.times, "beats", (None,)))
        if len(times) == 0 or times[0] < 0:
            raise InputError("beats must be at least one, at 0 s or later")
        object.__setattr__(self, "times", frozen(times))

    def __len__(self) -> int:
        return len(self.times)

    def __iter__(self) -> Iterator[float]:
        return iter(self.times.tolist())

    @property
    def tempo(self) -> float:
        """Beats per minute, by the median gap; 0 for a single beat."""
        return 60.0 / float(np.median(np.diff(self.times))) if len(self.times) > 1 else 0.0

    @classmethod
    def at_tempo(cls, bpm: float, count: int, *, start: float = 0.0) -> Beats:
        """``count`` beats at so many per minute."""
        if not (0 < bpm <= 10_000 and 0 < count <= 1_000_000):
            raise InputError(
                f"a tempo is more than 0 and at most 10000 beats per minute, a count 1 to 1000000, "
                f"not {bpm!r} and {count!r}"
            )
        return cls(start + 60.0 / bpm * np.arange(count, dtype=np.float64), f"{bpm:g} bpm")

    @classmethod
    def from_midi(cls, path: str | Path, *, notes: bool = False) -> Beats:
        """Quarter notes of a MIDI file's tempo track, or with ``notes`` the onsets of its notes."""
        try:
            import mido
        except ImportError:
            raise MissingDependencyError("mido", "reading MIDI files", "pip install 'poise[music]'") from None
        data = read_bytes(path)
        if len(data) >= 14 and not int.from_bytes(data[12:14], "big", signed=True) > 0:
            raise FileFormatError(
                path, "it does not count in ticks per quarter note: its division is 0, or it has time codes"
            )
        try:
            file = mido.MidiFile(file=BytesIO(data))
            events = list(file)  # in time order, waits in seconds
        except (
            Exception
        ) as problem:  # whatever the library falls over: it was given sound code and these bytes
            raise FileFormatError(path, f"not a MIDI file: {type(problem).__name__} {problem}") from None
        now, onsets = 0.0, []
        for message in events:
            now += message.time
            if message.type == "note_on" and message.velocity > 0:
                onsets.append(now)
        if notes:
            if not onsets:
                raise FileFormatError(path, "the file has no notes")
            return cls(np.unique(np.round(onsets, 9)), str(path))
        return cls(_quarter_notes(file, now, Budget(path, len(data), free=BEATS)), str(path))

    @classmethod
    def from_wav(cls, path: str | Path) -> Beats:
        """Heard in a recording: see :mod:`poise.methods.perform.script.beat_tracker`."""
        found = beats_of(*read_wav(path))
        if len(found) == 0:
            raise FileFormatError(path, "no beats were found in the file")
        return cls(found, str(path))

    def divided(self, parts: int) -> Beats:
        """With ``parts`` − 1 more between each two."""
        if parts < 1:
            raise InputError(f"a beat divides into 1 or more parts, not {parts}")
        fine = np.interp(
            np.arange((len(self.times) - 1) * parts + 1) / parts, np.arange(len(self.times)), self.times
        )
        return Beats(fine, self.source)


def snap(
    keys: Sequence[TimedPose], beats: Beats | ArrayLike, *, division: int = 1, strength: float = 1.0
) -> list[TimedPose]:
    """Keys moved to beats, in order, no two times to one beat, with the least total movement.

    ``division`` counts parts of a beat too; ``strength`` below 1 moves only part of the way. Keys at time 0
    stay.
    """
    if not 0 <= strength <= 1:
        raise InputError(f"strength must be from 0 to 1, not {strength!r}")
    grid = (
        (beats if isinstance(beats, Beats) else Beats(np.asarray(beats, dtype=np.float64)))
        .divided(division)
        .times
    )
    grid = grid[grid > 0]
    moments = np.array(sorted({k.time for k in keys if k.time > 0}))
    if len(moments) > len(grid):
        raise InputError(f"{len(moments)} key times do not fit on {len(grid)} beats")
    chosen = _in_order(moments, grid)
    moved = {t: t + strength * (float(grid[j]) - t) for t, j in zip(moments.tolist(), chosen)}
    return [key.at(moved.get(key.time, key.time)) for key in keys]


def read_wav(path: str | Path) -> tuple[Array, int]:
    """Samples of a PCM WAV file, channels mixed, −1 … 1, and their rate [Hz]."""
    data = read_bytes(path)
    try:
        with wave.open(BytesIO(data), "rb") as file:
            width, rate, channels = file.getsampwidth(), file.getframerate(), file.getnchannels()
            frames = file.getnframes()
            raw = file.readframes(frames)
    except (wave.Error, EOFError, RuntimeError, ValueError, OSError) as problem:
        raise FileFormatError(path, f"not a PCM WAV file: {problem or 'it ends too early'}") from None
    there = len(raw) // (width * channels)
    # A program that writes to a pipe does not know the length beforehand, and says the most that can be said.
    if there < frames and frames * width * channels < ENDLESS:
        raise FileFormatError(path, f"cut off: it should have {frames:,} samples and has {there:,}")
    if not SLOWEST <= rate <= FASTEST:
        raise FileFormatError(path, f"{rate} samples per second; {SLOWEST} to {FASTEST} can be read")
    raw = raw[: there * width * channels]
    if width == 1:
        samples = np.frombuffer(raw, dtype=np.uint8).astype(np.float64) / 128 - 1
    elif width in (2, 4):
        samples = np.frombuffer(raw, dtype=f"<i{width}").astype(np.float64) / 2 ** (8 * width - 1)
    elif width == 3:
        bytes3 = np.frombuffer(raw, dtype=np.uint8).reshape(-1, 3).astype(np.int32)
        whole = bytes3[:, 0] | bytes3[:, 1] << 8 | bytes3[:, 2] << 16
        samples = ((whole ^ 0x800000) - 0x800000) / 2.0**23
    else:
        raise FileFormatError(path, f"samples of {width} bytes are not known")
    if len(samples) == 0:
        raise FileFormatError(path, "the file has no samples")
    return samples.reshape(-1, channels).mean(axis=1), rate


def _quarter_notes(file: Any, end: float, budget: Budget) -> Array:
    """Times of quarter notes under a file's tempo changes, up to ``end`` [s]."""
    ticks = file.ticks_per_beat
    changes = []
    for track in file.tracks:
        at = 0
        for message in track:
            at += message.time
            if message.type == "set_tempo":
                changes.append((at, message.tempo))
    found: list[float] = []
    now, tick, tempo = 0.0, 0, 500_000
    pending = deque(sorted(changes))
    if any(tempo <= 0 for _, tempo in changes):
        raise FileFormatError(budget.path, "a tempo of 0: its quarter notes last no time at all")
    while now <= end + 1e-9 or not found:
        while pending and pending[0][0] <= tick:
            tempo = pending.popleft()[1]
        budget.spend(1, f"quarter notes over {end:g} s")
        found.append(now)
        goal = tick + ticks
        while tick < goal:  # a tempo may change within a beat
            stop = min(goal, pending[0][0]) if pending else goal
            now += (stop - tick) / ticks * tempo / 1e6
            tick = stop
            while pending and pending[0][0] <= tick:
                tempo = pending.popleft()[1]
    return np.array(found)


def _in_order(moments: Array, grid: Array) -> list[int]:
    """For each moment a place on the grid, increasing, with the least sum of squares."""
    cost = np.full(len(grid), np.inf)
    back: list[IntArray] = []
    for k, t in enumerate(moments):
        own = (grid - t) ** 2
        if k == 0:
            cost, arg = own, np.zeros(len(grid), dtype=np.int64)
        else:
            best, arg, total = np.inf, np.zeros(len(grid), dtype=np.int64), np.full(len(grid), np.inf)
            at = 0
            for j in range(1, len(grid)):
                if cost[j - 1] < best:
                    best, at = cost[j - 1], j - 1
                total[j], arg[j] = best + own[j], at
            cost = total
        back.append(arg)
    if not len(moments):
        return []
    j = int(np.argmin(cost))
    out = [j]
    for k in range(len(moments) - 1, 0, -1):
        j = int(back[k][j])
        out.append(j)
    return out[::-1]
