"""A batch in one line: how many clips, what became of them, what is left, and what was left out."""

from __future__ import annotations

from poise.batch.outcome import Outcome, Summary

DONE = Outcome(clip="a", state="done")


def test_the_line_says_what_there_is_to_say_and_no_more():
    assert str(Summary(outcomes=(DONE,))) == "1 clip: 1 done"
    failed = Outcome(clip="b", state="failed")
    assert str(Summary(outcomes=(DONE, failed), kept=1, waiting=2)) == (
        "4 clips: 1 done, 1 failed (1 before); 2 still to do"
    )
    assert str(Summary(outcomes=(), waiting=1)) == "1 clip: none done; 1 still to do"
    left = str(Summary(outcomes=(DONE,), left_out=("x.fbx",)))
    assert left.startswith("1 clip: 1 done; 1 file of formats Poise does not read left out (")
    assert "x.fbx" in left


def test_of_a_clip_that_never_ran_nothing_is_said():
    bare = Outcome(clip="b", state="failed")
    assert (bare.frames, bare.seconds, bare.plausible, bare.problem, bare.output) == (0, 0.0, None, "", "")
    assert Summary(outcomes=()).kept == Summary(outcomes=()).waiting == 0
    assert Summary(outcomes=(DONE,)).fine
    assert not Summary(outcomes=(DONE,), waiting=1).fine
    assert not Summary(outcomes=(DONE, bare)).fine
