"""The length of an error of rates: its derivative by the velocity, against differences."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character.presets import humanoid
from poise.constraints import constrain
from poise.handles import PointPosition
from poise.kinematics import Kinematics

CHARACTER = humanoid()
TIMES = np.array([0.0, 0.5])


@pytest.mark.parametrize("norm", [True, False])
def test_velocity_jacobian_is_the_derivative(norm):
    rng = np.random.default_rng(4)
    q = CHARACTER.manifold.random(rng, 2, spread=0.3)
    v = rng.normal(size=(2, CHARACTER.nv))
    asked = constrain(PointPosition("RightHandCentre"), (0.3, -0.2, 0.5), (0.0, 0.5), rate=True, norm=norm)

    def error(v):
        return asked.error(Kinematics(CHARACTER, q, v), TIMES)

    found = asked.velocity_jacobian(Kinematics(CHARACTER, q, v), TIMES)  # (2, 1 or 3, nv)
    step = 1e-6
    for n in range(0, CHARACTER.nv, 5):
        by = step * np.eye(CHARACTER.nv)[n]
        np.testing.assert_allclose(found[:, :, n], (error(v + by) - error(v - by)) / (2 * step), atol=1e-7)
