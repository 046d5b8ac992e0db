"""Loops: no way is taken that would tear them, and what is taken back says why."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips
from poise.motion import Clip
from poise.operations.fix import Fix
from poise.plausibility.judge import judge
from poise.repair import carriage, fix


@pytest.fixture(scope="module")
def popped() -> Clip:
    """A loop that stands still, but for an arm that is elsewhere for one frame."""
    reach = clips.get("reach")
    q = np.repeat(reach.q[:1], 60, axis=0)
    q[40, reach.character.coordinates("RightForeArm")] += 1.0
    return Clip(reach.character, q, 60, loop=True)


@pytest.mark.parametrize("loop", [True, False])
def test_a_loop_is_not_carried_on_with_all_that_follows(popped, loop, monkeypatch):
    clip = popped.replaced(loop=loop)
    asked = Fix()
    tried: list = []
    monkeypatch.setattr(fix.Bench, "_carried", lambda self, state, name, ways, *, gated: tried.extend(ways))
    report = judge(clip, asked, None)
    bench = fix.Bench(asked, report, None, clip, lambda part: None)
    bench._body(fix.State(clip, report, np.arange(60.0)), [])
    lasting = {carriage.unspun, carriage.dragged_back} & {way for _, way in tried}
    assert not lasting if loop else len(lasting) == 2
    assert carriage.lifted in {way for _, way in tried}


def test_what_is_taken_back_from_a_loop_says_why(popped, monkeypatch):
    assert any(o.done for o in poise.fix(popped).outcomes)
    monkeypatch.setattr(fix, "folded", lambda clip, long: clip)
    words = [o.words for o in poise.fix(popped).outcomes]
    assert any("taken back, nothing of it" in w for w in words), words
