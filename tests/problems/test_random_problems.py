"""A slice of the random problems (``make problems`` runs ten thousand of each kind): no fault in any."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

COUNT = 60


def runner() -> ModuleType:
    """``tests/problems/__main__.py``: its workers are ended by the system where a problem never ends."""
    spec = importlib.util.spec_from_file_location("problems_main", Path(__file__).with_name("__main__.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("kind", ["pose", "adapt", "hit"])
def test_what_is_handed_out_is_what_is_reported(kind: str) -> None:
    problems = runner()
    found = problems.run(kind, COUNT, seed=problems.SEED, processes=1)
    assert [v["number"] for v in found] == list(range(COUNT))
    assert not any(v["faults"] for v in found), problems.summary(kind, found)
    ended = {v["ended"] for v in found}
    assert {"met", "missed", "refused"} <= ended, problems.summary(kind, found)
