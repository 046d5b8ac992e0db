"""Beats heard in a recording: onsets, a tempo, the way through the onsets that keeps it best.

1. *Onset strength*: how much louder than 10 ms before each of some bands has become, on a logarithmic scale,
   so that quiet passages count; 400 times a second.
2. *Tempo*: the period at which accents (onset strength, louder things counting more) repeat themselves, over
   several repeats, those that people tap to preferred (a bell over the logarithm of the tempo).
3. *Path*: beats b₁ … b_n that make Σ o(b_i) − T Σ log²((b_i − b_{i−1}) / period) largest, by dynamic
   programming.
4. *When exactly*: a beat lies where the power of the recording, and that of its slope, rise by the largest
   ratio near the peak of its strength; where nothing is heard, between its neighbours. Beats before the first
   onset or after the last are none.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from poise.arrays import Array, IntArray

RATE = 400.0
"""Looks at a recording per second."""
WINDOW = 0.012
"""Each takes in so much of it [s]."""
BEFORE = 4
"""Looks between the two that are compared."""
BANDS = 24
"""In which rises of loudness are looked for, evenly spaced in pitch."""
LOWEST, HIGHEST = 40.0, 12_000.0
"""Of the bands [Hz]."""
RANGE = 1e-4
"""Power below this part of the loudest counts as none."""
SLOW, FAST, USUAL, WIDTH = 50.0, 210.0, 115.0, 1.0
"""Tempos that are looked for [bpm], the usual one, and how far from it others may be [octaves]."""
REPEATS, BETWEEN, ASKEW = 4, 0.5, 0.2
"""Repeats that a period must have; how much speaks against it what repeats after half of it (two beats are
none), and after two or four thirds (nor are three quarters of one)."""
TIGHT = 120.0
"""T: how dear it is to leave the tempo."""
NEAR = 0.045
"""How far from its place on the path a beat's onset may be [s]."""
HEARD, CLEAR = 0.02, 5.5
"""An onset is heard from this part of the usual beat's strength on, and so many times what noise has."""
SHORT, QUIET = 0.003, 0.01
"""Power is a mean over so long [s]; less than this part of the loudest is as good as silence."""
FAINT, OFF = 0.6, 0.006
"""A beat fainter than this part of the usual, and further off where its neighbours have it [s], is theirs."""


def beats_of(samples: Array, rate: int) -> Array:
    """Times of the beats of a recording [s], (B,); none where there are none."""
    strength, accents = onset_strength(samples, rate)
    if len(strength) < 2 * RATE or not strength.max() > 0:
        return np.zeros(0)
    period = _period(accents)
    path = _path(strength, period)
    return _exact(samples, rate, strength, path, period)


def onset_strength(samples: Array, rate: int) -> tuple[Array, Array]:
    """How much begins at each look, (L,); and the same with louder things counting more."""
    wide, hop = max(16, round(WINDOW * rate)), rate / RATE
    padded = np.concatenate([np.zeros(wide), samples, np.zeros(wide)])
    count = int(len(samples) / hop)
    starts = np.round(np.arange(count) * hop + 0.5 * wide).astype(np.int64)
    bands = _bands(wide, rate)
    window, size = np.hanning(wide), 4096
    power = np.zeros((count, bands.shape[1]))
    frames = sliding_window_view(padded, wide)
    for first in range(0, count, size):  # a long recording need not fit twice
        part = frames[starts[first : first + size]]
        power[first : first + size] = np.abs(np.fft.rfft(part * window, axis=1)) ** 2 @ bands
    top = power.max(initial=0.0)
    if not top > 0:
        return np.zeros(count), np.zeros(count)
    loud = np.log10(power / top + RANGE)
    rise = np.zeros(count)
    rise[BEFORE:] = np.maximum(loud[BEFORE:] - loud[:-BEFORE], 0.0).mean(axis=1)
    rise = np.maximum(rise - np.median(rise), 0.0)
    level = np.sqrt(power.sum(axis=1))
    soon = sliding_window_view(np.pad(level, (0, BEFORE), mode="edge"), BEFORE + 1).max(axis=1)
    return rise, rise * np.sqrt(soon / soon.max())


def _bands(wide: int, rate: int) -> Array:
    """Which band takes which frequencies, (bins, bands)."""
    bins = np.fft.rfftfreq(wide, 1 / rate)
    edges = np.geomspace(LOWEST, min(HIGHEST, 0.45 * rate), BANDS + 1)
    which = np.searchsorted(edges, bins) - 1
    found = np.zeros((len(bins), BANDS))
    inside = (which >= 0) & (which < BANDS)
    found[np.flatnonzero(inside), which[inside]] = 1.0
    return found[:, found.any(axis=0)]


def _period(strength: Array) -> float:
    """Looks from beat to beat."""
    smooth = np.convolve(strength, np.hanning(13) / np.hanning(13).sum(), mode="same")
    x = smooth - smooth.mean()
    size = 2 * len(x)
    alike = np.fft.irfft(np.abs(np.fft.rfft(x, size)) ** 2)[: len(x)]
    alike /= np.maximum(len(x) - np.arange(len(x)), 1)
    shortest, longest = RATE * 60 / FAST, RATE * 60 / SLOW
    lags = np.geomspace(shortest, longest, 1500)
    inside = lags < 0.8 * len(x) / REPEATS
    lags = lags[inside] if inside.any() else lags[:1]
    repeats = np.stack([np.interp(k * lags, np.arange(len(x)), alike) for k in range(1, REPEATS + 1)])
    # A period that half of which fits as well is two beats: what lies between speaks against it.
    between = np.maximum(np.interp(0.5 * lags, np.arange(len(x)), alike), 0.0)
    askew = np.max([np.interp(part * lags, np.arange(len(x)), alike) for part in (2 / 3, 4 / 3)], axis=0)
    octaves = np.log2(60 * RATE / lags / USUAL)
    score = repeats.mean(axis=0) + repeats.min(axis=0) - BETWEEN * between - ASKEW * np.maximum(askew, 0.0)
    return float(lags[np.argmax(score * np.exp(-0.5 * (octaves / WIDTH) ** 2))])


def _path(strength: Array, period: float) -> IntArray:
    """The looks that beats fall on."""
    o = strength / max(float(np.std(strength)), 1e-12)
    o = np.convolve(o, np.hanning(9) / np.hanning(9).sum(), mode="same")
    near, far = round(0.6 * period), round(1.6 * period)
    gaps = np.arange(near, far + 1)
    price = TIGHT * np.log(gaps / period) ** 2
    total, back = o.copy(), np.full(len(o), -1, dtype=np.int64)
    for t in range(near, len(o)):
        usable = gaps[: max(0, min(len(gaps), t - near + 1))]
        offers = total[t - usable] - price[: len(usable)]
        best = int(np.argmax(offers))
        if offers[best] > 0:
            total[t], back[t] = o[t] + offers[best], t - int(usable[best])
    t = int(np.argmax(total))
    found = [t]
    while back[t] >= 0:
        t = int(back[t])
        found.append(t)
    return np.array(found[::-1])


def _exact(samples: Array, rate: int, strength: Array, path: IntArray, period: float) -> Array:
    """Beats at their onsets, unheard ones between others, silent ends left off [s]."""
    reach = round(NEAR * RATE)
    usual = float(np.median([strength[_peak(strength, int(t), reach)] for t in path]))
    noise = float(np.percentile(strength, 75))  # half of it is below what was taken off
    least = max(HEARD * usual, min(CLEAR * noise, 0.3 * usual))
    looks = path.tolist()
    while (sooner := looks[0] - period) >= -0.1 * period:
        if strength[_peak(strength, round(sooner), reach)] <= least:
            break
        looks.insert(0, _peak(strength, round(sooner), reach))
    while (later := looks[-1] + period) < len(strength):
        if strength[_peak(strength, round(later), reach)] <= least:
            break
        looks.append(_peak(strength, round(later), reach))
    peaks = np.array([_peak(strength, round(t), reach) for t in looks])
    height = strength[peaks]
    heard = height > least
    if heard.sum() < 2:
        return np.zeros(0)
    ranks = np.cumsum(np.concatenate([[0], np.maximum(np.round(np.diff(looks) / period), 1)]))[heard]
    times = np.array([_rise(samples, rate, p / RATE) for p in peaks[heard]])
    times = _agreed(ranks, times, height[heard] < FAINT * usual)
    return np.interp(np.arange(ranks[0], ranks[-1] + 1), ranks, times)


def _agreed(ranks: Array, times: Array, faint: NDArray[np.bool_]) -> Array:
    """Times with faint ones that are off moved to where their neighbours say."""
    steps = np.diff(times) / np.diff(ranks)
    found = times.copy()
    for i in np.flatnonzero(faint):
        near = np.flatnonzero((np.abs(ranks - ranks[i]) <= 5) & (ranks != ranks[i]))
        step = float(np.median(steps[max(0, i - 5) : i + 5]))
        said = float(np.median(times[near] + step * (ranks[i] - ranks[near]))) if len(near) > 2 else times[i]
        if abs(said - times[i]) > OFF:
            found[i] = said
    return np.maximum.accumulate(found)


def _peak(strength: Array, look: int, reach: int) -> int:
    """The strongest look near one."""
    low = max(0, look - reach)
    return low + int(np.argmax(strength[low : look + reach + 1]))


def _rise(samples: Array, rate: int, time: float) -> float:
    """When power rises most near a time, by its ratio: its mean over 3 ms against that over the 3 ms before.

    That of the sound itself, which tells where a bass begins, and that of its slope, which tells a hat over a
    bass that still sounds, count alike. By their difference, the second swing of a deep tone would be more of
    an onset than its first.
    """
    short = max(2, round(SHORT * rate))
    low = max(0, round((time - 0.025) * rate))
    sound = samples[low : round((time + 0.02) * rate)]
    if len(sound) < 2 * short + 2:
        return time
    heard = []
    for part in (sound, np.diff(sound, prepend=sound[0])):
        sums = np.concatenate([[0.0], np.cumsum(part**2)])
        ahead, behind = sums[2 * short :] - sums[short:-short], sums[short:-short] - sums[: -2 * short]
        least = QUIET * max(float(ahead.max()), 1e-300)
        heard.append((np.log((ahead + least) / (behind + least)), part, behind))
    best = int(np.argmax(heard[0][0] + heard[1][0]))
    _, part, behind = max(heard, key=lambda of: float(of[0][best]))
    # The onset is where the stretch that is louder begins to hear anything of what comes.
    start, floor = best + short, behind[best] / short
    loud = part[start : start + short] ** 2
    over = np.flatnonzero(loud > floor + 0.1 * (loud.max(initial=0.0) - floor))
    return (low + start + (int(over[0]) if len(over) else 0)) / rate
