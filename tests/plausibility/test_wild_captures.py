"""Captures of all kinds: real people did them, so only recordings can be wrong; and good ones, lifted.

The whole set, and faults put in, is measured by ``python -m benchmarks.contacts``.
"""

from __future__ import annotations

import numpy as np
import pytest

import poise


@pytest.fixture(scope="module")
def capture(shared_data):
    def load(name: str) -> poise.Clip:
        path = shared_data / "cmu_wild" / f"{name}.bvh"
        if not path.exists():
            pytest.skip(f"the capture {name} is not among the real clips")
        return poise.load(path)

    return load


@pytest.mark.parametrize(
    ("name", "tops"),
    [("13_35", {"step": 40, "step 2": 62, "step 3": 20}), ("114_05", {"seat": 45}), ("83_23", {"step": 14})],
)
def test_steps_and_seats_are_asked_about(capture, name, tops):
    report = poise.check(capture(name)).report
    assert report.plausible, str(report)
    assert "plausible if there is a" in report.verdict
    found = {q.name: q.words for q in report.questions}
    assert set(found) == set(tops)
    for surface, top in tops.items():
        said = int(found[surface].split(" cm")[0].split()[-1])
        assert said == pytest.approx(top, abs=3), surface


@pytest.mark.parametrize("name", ["16_15", "79_49"])
def test_everyday_captures_are_plausible_and_ask_nothing(capture, name):
    report = poise.check(capture(name)).report
    assert report.plausible, str(report)
    assert not report.questions


@pytest.mark.parametrize("name", ["75_13", "141_01"])
def test_a_wrong_rate_is_the_recordings_fault(capture, name):
    report = poise.check(capture(name)).report
    assert report.support.pace == 2.0
    assert "the recording is wrong" in report.verdict
    assert "plays about 2× too fast" in report.verdict


def test_what_trembles_is_no_spin_from_nowhere(capture):
    """A backflip whose hips tremble in the air: the moments about the vertical cancel before it lands."""
    clip = capture("88_05")
    report = poise.check(clip.replaced(rate=clip.rate / 2)).report
    assert not [f for f in report.of("impact") if f.serious], str(report)


def test_short_steps_of_a_run_at_its_right_rate_are_not_called_fast(capture):
    """Which of the frames that nothing carries fall is a choice; how much it matters is part of the doubt."""
    clip = capture("141_01")
    report = poise.check(clip.replaced(rate=clip.rate / 2)).report
    assert report.plausible, str(report)
    assert not report.of("gravity")


@pytest.mark.parametrize("name", ["02_04", "83_23"])
def test_levitation_is_asked_about_and_condemned_once_the_world_is_known(capture, name):
    clip = capture(name)
    own = poise.check(clip, confirm="all").report
    start, t, q = 0.45 * clip.duration, np.asarray(clip.times), np.array(clip.q)
    rise, fall = (np.clip(s / 0.4, 0, 1) for s in (t - start + 0.4, start + 1.6 - t))
    q[:, 2] += 0.5 * rise**2 * (3 - 2 * rise) * fall**2 * (3 - 2 * fall)
    lifted = clip.with_q(q)
    free = poise.check(lifted).report
    words = {q.words for q in poise.check(clip).report.questions}
    assert any(q.kind == "surface" and q.words not in words for q in free.questions), str(free)
    known = poise.check(lifted, world=own.world).report
    assert not known.plausible
    assert not known.questions
    assert poise.check(clip, world=own.world).report.plausible
