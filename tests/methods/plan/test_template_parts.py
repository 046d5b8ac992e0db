"""What templates are made of: curves through keys, how far steps have begun, and what films show."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from poise import clips
from poise.methods.plan.template.eased import eased
from poise.methods.plan.template.gait import stepping
from poise.methods.plan.template.result import TemplateResult
from poise.world import World, step

T = np.linspace(-1.0, 6.0, 701)
STEPS = [SimpleNamespace(lift=1.0, land=2.0), SimpleNamespace(lift=1.8, land=4.0)]


def test_steps_come_and_go_smoothly():
    share = stepping(T, STEPS)
    assert (share[T <= 0.7] == 0).all()
    assert (share[T >= 4.3] == 0).all()
    inside = (T >= 1.5) & (T <= 3.5)
    np.testing.assert_allclose(share[inside], 1.0)
    assert (np.diff(share[inside.argmax() - 90 : inside.argmax()]) >= 0).all()
    assert np.abs(np.diff(share)).max() < 0.03
    np.testing.assert_allclose(share, stepping(5.0 - T, STEPS), atol=1e-12)  # as it comes, so it goes


def test_one_short_step_is_a_step():
    (when,) = np.nonzero(stepping(T, [SimpleNamespace(lift=1.0, land=1.2)]))
    assert T[when].min() > 0.7
    assert T[when].max() < 1.5
    assert not stepping(T, []).any()


def test_curves_pass_through_their_keys_as_fast_as_they_say():
    keys = [(0.0, 1.0, 0.5), (1.0, 2.0, -1.0, 3.0), (3.0, 0.0)]
    found = eased(keys, T)
    for time, value, *rates in keys:
        at = int(np.argmin(np.abs(T - time)))
        assert found[at] == pytest.approx(value, abs=1e-9)
        if 0 < time < 3:
            slope = (found[at + 1] - found[at - 1]) / (T[at + 1] - T[at - 1])
            assert slope == pytest.approx(rates[0], abs=2e-2)
    assert (found[T < 0] == 1.0).all()
    np.testing.assert_allclose(found[T > 3], 0.0, atol=1e-12)


@pytest.mark.parametrize("raised", [False, True])
def test_films_show_a_world_that_is_more_than_level_ground(raised):
    flat = World.flat(0.0)
    world = flat.with_surfaces([*flat.surfaces, step("step", (1, -1), (2, 1), 0.2)]) if raised else flat
    asked = SimpleNamespace(score=SimpleNamespace(world=world), outcomes=lambda clip: ())
    shown = TemplateResult(clips.get("reach"), asked, 0.0).filmed()
    assert shown == ({"world": world} if raised else {})
