"""Feet of clips that are fast throughout: played twice as fast, balls of feet stand at the same frames."""

from __future__ import annotations

from poise import clips
from poise.methods.adapt.plants.detect import detect


def frames_of(clip) -> dict[str, list[tuple[int, int]]]:
    """First and last frames of the times that each point stands."""
    found: dict[str, list[tuple[int, int]]] = {}
    for plant in detect(clip):
        for point, when in plant.intervals.items():
            found.setdefault(point, []).append((round(when.start * clip.fps), round(when.end * clip.fps)))
    return found


def test_a_run_played_twice_as_fast_stands_at_the_same_frames():
    run = clips.get("run")
    once, twice = frames_of(run), frames_of(run.replaced(rate=2 * run.rate))
    for ball in ("LeftBall", "RightBall"):
        ((a, b),), ((c, d),) = once[ball], twice[ball]
        assert max(abs(a - c), abs(b - d)) <= 1
