"""How long a batch waits for a cluster is what its guide says."""

from __future__ import annotations

from pathlib import Path

from poise.batch.cluster import PATIENCE


def test_two_minutes_are_two_minutes():
    guide = (Path(__file__).parents[2] / "docs/guide/batch.md").read_text(encoding="utf-8")
    assert "for two minutes" in guide
    assert PATIENCE == 120.0
