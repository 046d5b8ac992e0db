"""States of many windows, by the processor or a graphics card."""

from __future__ import annotations

import numpy as np

from poise.dynamics.lanes import WIDTH
from poise.dynamics.window_arrays import Mechanism, Scheme, Springs, States, Windows, block_rows
from poise.dynamics.windows import EIGHT, FOUR, run_window, run_windows
from poise.kernels.graphics_card import THREADS, Card, card, serves
from poise.workers import for_ranges, thread_count

LEAST = 192
"""Windows for each of the processor's threads from which on a card gains: it takes 7 ms for the first, one
thread of the processor 40 µs for each (46 degrees of freedom, 0.3 s, order 2; H200)."""


def gains(device: str | None, count: int) -> bool:
    """Whether a card is to run so many windows."""
    return serves(device, count, LEAST * thread_count())


def run_batch(
    mechanism: Mechanism, springs: Springs, windows: Windows, scheme: Scheme, device: str | None = None
) -> States:
    """States at the ends of all legs; tables may lie on the card already."""
    count, legs = windows.steps.shape
    nq, nv = springs.q.shape[1], springs.v.shape[1]
    if not isinstance(springs.q, np.ndarray) or gains(device, count):
        on_card = card()
        with on_card.lock:
            found = run_on_card(on_card, mechanism, springs, windows, scheme)
            return States(on_card.fetch(found.q), on_card.fetch(found.v))
    out = States(np.empty((count, legs, nq)), np.empty((count, legs, nv)))
    lanes = FOUR if count <= FOUR.shape[-1] else EIGHT
    groups = -(-count // lanes.shape[-1])
    for_ranges(run_windows, groups, lanes, mechanism, springs, windows, scheme, out)
    return out


def run_on_card(
    on_card: Card, mechanism: Mechanism, springs: Springs, windows: Windows, scheme: Scheme
) -> States:
    """The same, left on the card until the next call; whoever calls holds the card's lock."""
    count, legs = windows.steps.shape
    nq, nv, links = springs.q.shape[1], springs.v.shape[1], len(mechanism.tree.parent)
    constant = (on_card.put(name, each) for name, each in zip(Mechanism._fields[1:], mechanism[1:]))
    moved = Mechanism(on_card.constant(mechanism.tree), *constant)
    followed = on_card.put_all("springs", springs, order="F")
    begun = on_card.put_all("windows", windows)
    out = States(on_card.room("out q", (count, legs, nq)), on_card.room("out v", (count, legs, nv)))
    rows = block_rows(nq, nv, links, len(mechanism.lower), len(springs.anchored))
    most = min(count, on_card.processors * THREADS)
    tiles = max(1, on_card.fitting("window blocks", 8 * rows * WIDTH, -(-most // WIDTH)))
    slots = tiles * WIDTH
    blocks = on_card.room("window blocks", (tiles, rows, 1, 1, WIDTH))
    whole = on_card.room("window rows", (2, slots), np.int64)
    for first in range(0, count, slots):
        on_card.run(
            run_window, first, min(slots, count - first), moved, followed, begun, scheme, blocks, whole, out
        )
    return out
