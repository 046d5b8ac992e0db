"""Strips that come in while others are still being mixed."""

from __future__ import annotations

import numpy as np

import poise


def test_a_third_strip_ends_the_passage_of_the_first_two():
    walk = poise.clips.get("walk")
    strips = [
        {"clip": "walk", "at": 0.0, "loop": 2},
        {"clip": "run", "at": 0.8, "loop": 2},
        {"clip": "walk", "at": 0.95, "loop": 2},
    ]
    clip = poise.assemble(strips).clip
    rates = np.abs(clip.velocity[:, 6:])
    assert rates.max() < 2.5 * np.abs(walk.velocity[:, 6:]).max()
