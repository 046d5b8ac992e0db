"""The page of a check, looked into: phases are shaded frame by frame, curves are those of the report."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import poise
from poise import clips
from poise.plausibility.plot import curves
from poise.plot_page import COLOURS

pytest.importorskip("matplotlib")


def drawn(name: str):
    """A report and the axes of its curves."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 8))
    report = poise.check(clips.get(name)).report
    return report, curves(figure, figure.add_gridspec(1, 1)[0], report)


def shaded(ax, kind: str) -> np.ndarray:
    """Spans of a kind of phase [s], in order, (n, 2)."""
    from matplotlib.colors import to_rgba

    wanted = to_rgba(COLOURS[kind])
    own = [p for p in ax.patches if p.get_facecolor() == wanted]
    return np.array(sorted((p.get_x(), p.get_x() + p.get_width()) for p in own))


def test_a_phase_is_shaded_from_half_a_frame_before_to_half_a_frame_after():
    report, rows = drawn("jump")
    dt = report.physics.clip.dt
    for kind in ("support", "flight"):
        spans = sorted(((p.start - 0.5) * dt, (p.end + 0.5) * dt) for p in report.phases if p.kind == kind)
        assert spans
        np.testing.assert_allclose(shaded(rows[0], kind), spans, atol=1e-9)
    assert not rows[-1].patches or len(shaded(rows[-1], "flight")) == 0, "the score has no phases behind it"


def test_a_loops_phases_are_shaded_in_the_round_before_too():
    report, rows = drawn("run")
    clip = report.physics.clip
    flights = [p for p in report.phases if p.kind == "flight"]
    spans = [((p.start - 0.5) * clip.dt, (p.end + 0.5) * clip.dt) for p in flights]
    both = sorted([*spans, *((a - clip.duration, b - clip.duration) for a, b in spans)])
    np.testing.assert_allclose(shaded(rows[1], "flight"), both, atol=1e-9)


def test_curves_are_the_reports():
    report, rows = drawn("jump")
    take, physics = report.physics.take, report.physics
    height = take.raw.com[take.own]
    first = next(line for line in rows[0].lines if len(line.get_xdata()) == physics.clip.frames)
    np.testing.assert_allclose(first.get_ydata(), height[:, 2] - physics.footing.level(height))
    load = next(line for line in rows[1].lines if len(line.get_xdata()) == physics.clip.frames)
    np.testing.assert_allclose(load.get_ydata(), physics.forces.load[take.own])
    assert rows[0].get_xlim() == pytest.approx((0, physics.clip.duration))


def test_pages_have_the_size_of_a_screen(tmp_path):

    report = poise.check(clips.get("jump")).report
    with Image.open(report.plot(tmp_path / "check.png")) as page:
        assert page.size == (1650, 1100)
    with Image.open(poise.fix(clips.get("jump")).plot(tmp_path / "fix.png")) as page:
        assert page.size == (1900, 1100)
