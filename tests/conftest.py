"""Fixtures shared by all tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest


def find_shared_data() -> Path | None:
    """Real clips for tests, where the folder ``shared/data`` stands beside the checkout."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def shared_data() -> Path:
    folder = find_shared_data()
    if folder is None:
        pytest.skip("the folder of real clips (shared/data beside the checkout) is not here")
    return folder


@pytest.fixture(scope="session", autouse=True)
def _state_of_its_own(tmp_path_factory: pytest.TempPathFactory):
    """What is remembered between runs of the program is not the user's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20121)


@pytest.fixture(scope="module")
def shared_scene(tmp_path_factory: pytest.TempPathFactory):
    """For tests of the studio's failures: one of it a file, as it was after every failure."""
    from failing import lasting

    yield from lasting(tmp_path_factory.mktemp("shared"))
