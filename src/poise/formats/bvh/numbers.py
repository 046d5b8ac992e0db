"""All numbers of a text at once, with the place of each: fast, and exact to the last bit."""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, IntArray

COMPILED_FROM = 1_500_000
"""Texts of at least so many bytes are worth loading the compiled parser …"""
LOADED_FROM = 100_000
"""… or so many, where other kernels have been loaded before."""


class Numbers(NamedTuple):
    """Values (N,) and byte ranges (N,), (N,); ``bad`` is the first token that is no number, or −1."""

    values: Array
    starts: IntArray
    ends: IntArray
    bad: int


def read_numbers(text: bytes) -> Numbers:
    """Numbers separated by blanks; NaN and infinity are read as such, other words are ``bad``."""
    enough = LOADED_FROM if "numba" in sys.modules else COMPILED_FROM
    return read_compiled(text) if len(text) >= enough else read_plain(text)


def read_compiled(text: bytes) -> Numbers:
    """The same as :func:`read_plain`, some thirty times as fast."""
    from poise.formats.bvh import number_kernel

    raw = np.frombuffer(text, dtype=np.uint8)
    count = number_kernel.count_tokens(raw)
    values, starts, ends = np.empty(count), np.empty(count, np.int64), np.empty(count, np.int64)
    number_kernel.parse_tokens(raw, values, starts, ends)
    bad = -1
    for n in np.flatnonzero(np.isnan(values)):
        value = _number(text[starts[n] : ends[n]])
        if value is None:
            bad = int(n)
            break
        values[n] = value
    return Numbers(values, starts, ends, bad)


def read_plain(text: bytes) -> Numbers:
    """Every token by ``float()``."""
    solid = np.concatenate([[False], np.frombuffer(text, dtype=np.uint8) > 32, [False]])
    edges = np.flatnonzero(solid[1:] != solid[:-1])
    starts, ends = edges[0::2], edges[1::2]
    tokens = [text[a:b] for a, b in zip(starts.tolist(), ends.tolist())]
    try:
        if b"_" not in text:  # which float() would take for a separator
            return Numbers(np.array([float(t) for t in tokens]), starts, ends, -1)
    except ValueError:
        pass
    read = [_number(t) for t in tokens]
    bad = read.index(None) if None in read else -1
    return Numbers(np.array(read, dtype=np.float64), starts, ends, bad)


def _number(token: bytes) -> float | None:
    try:
        return None if b"_" in token else float(token)
    except ValueError:
        return None
