"""Fixtures of the studio's tests."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("failing")


@pytest.fixture(scope="module")
def shared_scene(tmp_path_factory):
    """A studio in which one thing after the other goes wrong."""
    from failing import Scene

    scene = Scene(tmp_path_factory.mktemp("shared"))
    yield scene
    scene.close()
