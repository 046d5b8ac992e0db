"""Beats heard in sounds of the test's own making: clicks and drums, swung, noisy, with a quiet start."""

from __future__ import annotations

import numpy as np
import pytest

from poise.methods.perform.script.beat_tracker import beats_of

RATE = 44_100
TEMPOS = (60, 72, 85, 96, 110, 120, 133, 150, 165, 180)
CASES = {
    "plain": {},
    "noisy": {"noise": 0.02},
    "quiet start": {"quiet": True},
    "swung": {"swing": 1 / 6},
    "all of it": {"noise": 0.02, "quiet": True, "swing": 0.12},
}


def stroke(kind, rng):
    """A sound that begins at once."""
    t = np.arange(int(0.08 * RATE)) / RATE
    noise = rng.standard_normal(len(t) + 1)
    if kind == "click":
        return np.sin(2 * np.pi * 1500 * t) * np.exp(-t / 0.01)
    if kind == "kick":
        sweep = np.sin(2 * np.pi * (50 * t + 3.6 * (1 - np.exp(-t / 0.03))))
        return sweep * np.exp(-t / 0.05) + 0.3 * noise[1:] * np.exp(-t / 0.002)
    if kind == "snare":
        body = 0.5 * np.sin(2 * np.pi * 190 * t) * np.exp(-t / 0.04)
        return 0.6 * noise[1:] * np.exp(-t / 0.03) + body
    return 0.3 * np.diff(noise) * np.exp(-t / 0.012)


def song(tempo, style, noise=0.0, quiet=False, swing=0.0):
    """Samples, and when the beats are [s]."""
    rng, beat = np.random.default_rng(tempo), 60 / tempo
    true = 0.13 + 0.037 * (7 * tempo % 10) + np.arange(24) * beat
    x = np.zeros(int((true[-1] + 1.0) * RATE))

    def put(time, kind, gain):
        at, s = round(time * RATE), stroke(kind, rng)
        room = x[at : at + len(s)]
        room += gain * s[: len(room)]

    for k, t in enumerate(true):
        gain = 0.08 + 0.92 * min(1, k / 12) if quiet else 1.0
        if style == "clicks":
            put(t, "click", gain)
        else:
            put(t, "snare" if k % 2 else "kick", gain)
            put(t, "hat", gain)
            put(t + beat * (0.5 + swing), "hat", 0.8 * gain)
    return 0.9 * x / np.abs(x).max() + noise * rng.standard_normal(len(x)), true


@pytest.mark.parametrize("tempo", TEMPOS)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("style", ["clicks", "drums"])
def test_every_beat_is_heard_within_ten_milliseconds(style, case, tempo):
    samples, true = song(tempo, style, **CASES[case])
    heard = beats_of(samples, RATE)
    assert heard[0] == pytest.approx(true[0], abs=0.01)
    assert 60 / np.median(np.diff(heard)) == pytest.approx(tempo, rel=0.002)
    np.testing.assert_allclose(heard, true, atol=0.01)


@pytest.mark.parametrize("rate", [8000, 22_050, 96_000])
def test_other_rates(rate):
    samples, true = song(120, "drums")
    at = np.arange(int(len(samples) * rate / RATE)) * RATE / rate
    heard = beats_of(np.interp(at, np.arange(len(samples)), samples), rate)
    np.testing.assert_allclose(heard, true, atol=0.01)


def test_silence_and_noise_have_none_or_say_so():
    assert len(beats_of(np.zeros(RATE * 3), RATE)) == 0
    assert len(beats_of(np.zeros(10), RATE)) == 0


def test_a_tempo_that_drifts_is_followed():
    rng = np.random.default_rng(1)
    true = 0.3 + np.cumsum(np.concatenate([[0.0], np.linspace(0.52, 0.46, 30)]))
    x = np.zeros(int((true[-1] + 1) * RATE))
    for t in true:
        s = stroke("click", rng)
        x[round(t * RATE) : round(t * RATE) + len(s)] += s
    np.testing.assert_allclose(beats_of(x, RATE), true, atol=0.01)


def note(pitch, rise, seconds=0.45):
    """A plucked string [Hz, s]."""
    t = np.arange(int(seconds * RATE)) / RATE
    tone = sum(np.sin(2 * np.pi * pitch * n * t) / n for n in range(1, 6))
    return 0.3 * tone * np.exp(-4 * t) * np.minimum(t / rise, 1)


def laid(times, sounds, seconds, rng):
    """Sounds laid over faint noise."""
    x = np.zeros(int(seconds * RATE))
    for t, s in zip(times, sounds):
        room = x[round(t * RATE) :][: len(s)]
        room += s[: len(room)]
    return x + 0.003 * rng.standard_normal(len(x))


def test_deep_tones_begin_with_their_first_swing():
    """The saw-tooth of a bass jumps twice as far after 15 ms as where it begins, and was heard there."""
    true = 0.31 + np.arange(16) * 60 / 118
    sounds = [1.5 * note(65, 0.002) if k % 3 == 0 else 0.5 * note(262, 0.002) for k in range(16)]
    heard = beats_of(laid(true, sounds, true[-1] + 1, np.random.default_rng(3)), RATE)
    np.testing.assert_allclose(heard[:16], true, atol=0.01)


@pytest.mark.parametrize("tempo", [72, 165])
def test_three_quarters_of_a_beat_are_no_beat(tempo):
    """A kick on every beat, a hat between, notes around that: 72 was heard as 96, 165 as 110."""
    rng, beat = np.random.default_rng(tempo), 60 / tempo
    t = np.arange(8000) / RATE
    kick = np.sin(2 * np.pi * (50 * t + 2.5 * (1 - np.exp(-40 * t)))) * np.exp(-12 * t)
    times, sounds = [], []
    for b in np.arange(0.31, 11.7, beat):
        times += [b, b + beat / 2, b + beat / 4, b + 3 * beat / 4]
        sounds += [kick, 1.3 * stroke("hat", rng)]
        sounds += [0.6 * note(440 * 2 ** (rng.integers(0, 12) / 12), 0.004) for _ in range(2)]
    heard = beats_of(laid(times, sounds, 12, rng), RATE)
    beats = tempo / 60 * np.median(np.diff(heard))
    assert min(abs(beats - own) for own in (0.5, 1.0, 2.0)) < 0.01, f"{beats:.3f} beats"
