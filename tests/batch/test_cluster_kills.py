"""Workers of a cluster are killed at random moments of a batch: nothing is lost, done twice or half written.

``POISE_KILLS=20`` for the whole of it; a few kills otherwise.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections import Counter
from hashlib import sha256

import pytest
from crew import Crew

from poise import clips
from poise.batch import run
from poise.batch.job import perform
from poise.batch.ledger import NAME

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="kills processes"),
    pytest.mark.timeout(1700),
]

KILLS = int(os.environ.get("POISE_KILLS", "3"))
RECIPE = {"output": ".bvh", "steps": [{"do": "resample", "fps": 480}]}
SEED = 4711


def test_a_batch_outlives_its_workers(tmp_path):
    folder, out, rng = tmp_path / "clips", tmp_path / "out", random.Random(SEED)
    folder.mkdir()
    names = [f"take{k:03}" for k in range(6 + 3 * KILLS)]
    for k, name in enumerate(names):
        clips.get(("wave", "walk", "punch")[k % 3]).save(folder / f"{name}.npz")
    killed: list[int] = []
    with Crew(tmp_path, 2, faithful=True) as crew:

        def told(done, total, outcome):
            """Somebody dies a moment after every third outcome, while others are at work."""
            if done % 3 == 0 and len(killed) < KILLS:
                time.sleep(rng.uniform(0.0, 0.1))
                killed.append(crew.kill_one(rng))

        summary = run(RECIPE, folder, out, scheduler=crew.address, progress=told)
        assert len(set(killed)) == KILLS
        # A clip that was at hand at four deaths is not blamed for a fifth: the same command does it.
        crew.ready()
        again = run(RECIPE, folder, out, scheduler=crew.address)
    print(f"{len(killed)} kills, {summary}; then {again}")
    assert [o.state for o in again.outcomes] == ["done"] * len(names)
    assert again.kept == summary.count("done")
    lines = [json.loads(line) for line in (out / NAME).read_text().splitlines()]
    times = Counter(line["clip"] for line in lines if line["state"] == "done")
    assert times == Counter({f"{name}.npz": 1 for name in names})
    alone = [perform(RECIPE, "", str(folder), f"{name}.npz", str(tmp_path / "one")) for name in names]
    expected = {outcome["output"]: outcome["sha256"] for outcome in alone}
    assert {p.name: sha256(p.read_bytes()).hexdigest() for p in out.glob("*.bvh")} == expected
    assert not [p for p in out.iterdir() if p.name.startswith(".") and p.suffix == ".bvh"], "no half file"
