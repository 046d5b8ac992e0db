"""What is taken back leaves its neighbours alone; windows are times, not frames; contacts follow time."""

from __future__ import annotations

import numpy as np
import pytest
from faults import bump

import poise
from poise import clips
from poise.contacts.given import ClipContacts, GivenContact
from poise.methods.loosen.glitches import cleaned, spins
from poise.motion import operators
from poise.operations.fix import Fix
from poise.plausibility.finding import Finding
from poise.repair import fix as fixing
from poise.repair.accept import Worse
from poise.repair.harm import harms
from poise.repair.stretch import Stretch


def popped(clip: poise.Clip, frames: range, joint: str, turn: float) -> poise.Clip:
    q, character = np.array(clip.q), clip.character
    d = np.zeros(character.nv)
    d[character.dofs(character.index(joint)).start] = turn
    for f in frames:
        q[f] = character.manifold.plus(q[f], d)
    return clip.with_q(q)


def test_a_repair_that_is_blamed_goes_alone(monkeypatch):
    """Two stretches 0.2 s apart: the first one is blamed, the second one stays."""
    clip = clips.get("reach")
    report = poise.check(clip, floor=0.0).report
    found = [Finding("pop", at, at, "LeftHand", 0.05, "m", 0.0, 0.6, "jumps", "recording") for at in (60, 72)]
    q = np.array(clip.q)
    q[:, 0] += 1e-4
    stretches = [Stretch(f.start, f.end, q[f.start : f.end + 1], (f,), "made anew") for f in found]
    bench = fixing.Bench(Fix(), report, None, clip, lambda part: None)
    monkeypatch.setattr(fixing, "harms", lambda *rest: [])
    blames = iter([Worse(60, "something"), None])
    monkeypatch.setattr(fixing, "condemned", lambda before, after: next(blames))
    monkeypatch.setattr(fixing, "_blamed", lambda todo, *rest: [todo[0]])
    state = fixing.State(clip, report, np.arange(clip.frames, dtype=np.float64))
    done = bench._kept(state, "pops", stretches, found, "made anew")
    changed = np.flatnonzero((done.clip.q != clip.q).any(axis=1))
    assert changed.tolist() == [72]
    assert done.outcomes[0].findings == (found[1],)
    assert "1 taken back: something" in done.outcomes[0].words


def test_harm_does_not_depend_on_the_frame_rate():
    """The same change of the same motion is judged alike at 60 and 240 frames per second."""
    slow = clips.get("reach")
    fast = operators.resample(slow, 240)
    said = []
    for clip, times in ((slow, 1), (fast, 4)):
        report = poise.check(clip, floor=0.0).report
        fault = Finding("skate", 50 * times, 70 * times, "left foot", 0.05, "m", 0.0, 0.7, "slides")
        d = np.zeros((clip.frames, clip.character.nv))
        dofs = clip.character.dofs(clip.character.index("RightArm"))
        d[:, dofs] = 0.2 * bump(clip.frames, 90 * times, 130 * times, 10 * times)[:, None]
        moved = np.where((d != 0).any(axis=1)[:, None], clip.character.manifold.plus(clip.q, d), clip.q)
        (harm,) = harms(report, clip.with_q(moved), [fault])
        said.append((harm.words, harm.at / clip.fps))
    assert said[0][0] == said[1][0]
    assert said[0][1] == pytest.approx(said[1][1], abs=1 / 60)


def test_contacts_that_are_given_follow_a_flight_that_is_stretched():
    given = ClipContacts(
        contacts=(
            GivenContact(part="left foot", start=0, end=69, surface="floor"),
            GivenContact(part="left foot", start=98, end=156, surface="floor"),
        )
    )
    sources = np.concatenate([np.arange(70.0), np.linspace(70, 97, 36), np.arange(98.0, 157.0)])
    moved = given.retimed(sources.tolist())
    assert [(c.start, c.end) for c in moved.contacts] == [(0, 69), (106, 164)]
    assert given.retimed(sources[:90].tolist()).contacts == moved.contacts[:1]
    jump = operators.speed(clips.get("jump"), 1.3)
    bench = fixing.Bench(Fix(), poise.check(jump, floor=0.0).report, given, jump, lambda part: None)
    longer = jump.with_frames(np.repeat(jump.q, 2, axis=0), None)
    seen = bench.check(longer, np.repeat(np.arange(float(jump.frames)), 2))
    assert [(c.start, c.end) for c in seen.contacts] == [(0, 139), (196, 2 * jump.frames - 1)]


def test_pops_that_follow_on_each_other_are_both_found():
    """Arms jump one after the other, each for three frames: six frames in a row in which something jumps."""
    clip = clips.get("reach")
    bad = popped(popped(clip, range(80, 83), "LeftArm", 0.5), range(83, 86), "RightArm", 0.5)
    found = [f for f in poise.check(bad, floor=0.0).report.findings if f.kind == "pop"]
    assert any(f.start <= 81 <= f.end + 1 for f in found), found
    assert any(f.start - 1 <= 84 <= f.end + 1 for f in found), found
    fixed = poise.fix(bad, floor=0.0)
    gap = np.linalg.norm(
        fixed.clip.character.placement(fixed.clip.q).positions - clip.character.placement(clip.q).positions,
        axis=2,
    )
    assert gap.max() < 0.02


def test_a_joint_that_jumps_is_put_right_alone():
    """An arm jumps while a foot twitches, too little to be seen: the foot stays as it is."""
    clip = clips.get("reach")
    bad = popped(popped(clip, range(80, 83), "LeftArm", 0.8), range(80, 83), "RightFoot", 0.03)
    fixed = poise.fix(bad, floor=0.0)
    assert [o.repair for o in fixed.outcomes if o.done] == ["pops"]
    arm = clip.character.coordinates(clip.character.index("LeftArm"))
    others = np.delete(np.arange(clip.character.nq), np.arange(arm.start, arm.stop))
    np.testing.assert_array_equal(fixed.clip.q[:, others], bad.q[:, others])
    assert (fixed.clip.q[80:83, arm] != bad.q[80:83, arm]).any()


def test_a_flip_over_the_seam_of_a_loop_is_bridged():
    """Half of a cycle with an arm turned over: it flips twice, once over the seam."""
    walk = clips.get("walk")
    bad = popped(walk, range(32, walk.frames), "LeftArm", 2.6)
    assert len(spins(bad)) == 2
    mended = cleaned(bad)
    assert not spins(mended)
