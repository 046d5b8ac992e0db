"""Where nothing is said, a solid has 32 segments around: round to the eye, and no more triangles than that."""

from __future__ import annotations

import pytest

from poise.pictures.mesh import capsule, cone, sphere


@pytest.mark.parametrize(
    "make",
    [
        lambda **more: sphere(1.0, **more),
        lambda **more: cone(0.5, 1.0, **more),
        lambda **more: capsule((0, 0, 0), (0, 0, 1), 0.2, **more),
    ],
)
def test_thirty_two_around(make):
    assert len(make().faces) == len(make(detail=32).faces)
    assert len(make().vertices) == len(make(detail=32).vertices) != len(make(detail=34).vertices)
