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


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20121)
