"""Whether anybody else carries decides how far a contact goes on: asked of all other parts by the frame."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from poise import clips
from poise.contacts import supported
from poise.contacts.differentiated_clip import runs
from poise.contacts.find import find
from poise.contacts.patches import FOOT, HAND
from poise.contacts.supported import _held, _pushed_off


def test_others_are_all_other_parts(monkeypatch):
    asked = []
    plain = supported._pushed_off

    def heard(state, ks, load, on, others):
        asked.append((np.array(on), np.array(others)))
        return plain(state, ks, load, on, others)

    monkeypatch.setattr(supported, "_pushed_off", heard)
    find(clips.get("walk"))
    assert sum(on.any() for on, _ in asked) >= 2, "both feet"
    for k, (_, others) in enumerate(asked):
        rest = [on for j, (on, _) in enumerate(asked) if j != k]
        assert np.array_equal(others, np.any(rest, axis=0))
    assert not all(others.all() for _, others in asked)


FRAMES, DT = 40, 1 / 120


def stood(**more) -> tuple:
    """A recorded foot on the ground from frame 10 to 20 that pushes up to 23, near it from 7 to 22, of
    a body that is slowed down from 8 on: its state, its patches, its load, and when it was seen to touch."""
    on = np.zeros(FRAMES, dtype=bool)
    on[10:21] = True
    load, gap, wrench, com = (np.zeros((FRAMES, n)) for n in (1, 1, 6, 3))
    load[:24], wrench[:24, 2] = 0.5, 1.0
    gap[:7], gap[23:] = 1.0, 1.0
    speed = -3.0 + 20.0 * DT * np.maximum(np.arange(FRAMES) - 8, 0)
    com[:, 2] = np.cumsum(speed) * DT
    patches = SimpleNamespace(kind=[HAND if more.get("hand") else FOOT], give=np.array([0.01]))
    need = SimpleNamespace(
        frames=FRAMES,
        dt=DT,
        widening=3,
        doubt=more.get("doubt", 1.0),
        patches=patches,
        wrench=wrench,
        com=com,
    )
    return SimpleNamespace(need=need, gap=gap), np.array([0]), load, on


def spans(mask) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in runs(mask)]


def test_a_foot_pushes_as_long_as_it_is_near_and_must_carry():
    nobody = np.zeros(FRAMES, dtype=bool)
    assert spans(_pushed_off(*stood(), nobody)) == [(8, 22)]
    assert spans(_pushed_off(*stood(doubt=0.5), nobody)) == [(10, 20)], "drawn feet touch to the frame"
    assert spans(_pushed_off(*stood(hand=True), nobody)) == [(10, 20)]


def test_a_foot_beside_another_does_not_push_on():
    soon, before = (np.zeros(FRAMES, dtype=bool) for _ in range(2))
    soon[24], before[6] = True, True
    assert spans(_pushed_off(*stood(), soon)) == [(8, 20)], "four frames on another carries"
    assert spans(_pushed_off(*stood(), before)) == [(10, 22)]
    assert spans(_pushed_off(*stood(), np.roll(soon, 1))) == [(8, 22)]


def test_a_part_holds_on_from_halfway_between_the_rows_that_say_so():
    need = SimpleNamespace(frames=13, rows=np.array([0, 4, 8, 12]))
    grips = [(2, np.array([False, True, False, False])), (5, np.array([False, False, False, True]))]
    state = SimpleNamespace(need=need, grips=grips)
    assert np.flatnonzero(_held(state, np.array([1, 2]))).tolist() == [3, 4, 5]
    assert np.flatnonzero(_held(state, np.array([2, 5]))).tolist() == [3, 4, 5, 11, 12]
    assert not _held(state, np.array([0])).any()
