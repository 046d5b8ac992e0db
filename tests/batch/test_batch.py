"""Batches: every clip once, bad ones told, stopped ones resumed, the same results by any crew."""

from __future__ import annotations

import json
import os
import signal
import time
from hashlib import sha256

import pytest

from poise import clips
from poise.batch import read_recipe, run
from poise.batch.ledger import NAME
from poise.batch.local import performed
from poise.cli import main
from poise.errors import InputError

RECIPE = {"output": ".bvh", "steps": [{"do": "convert", "fps": 15, "range": [0.0, 0.6]}, {"do": "check"}]}


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "clips"
    (root / "more").mkdir(parents=True)
    for name, file in (("wave", "wave.npz"), ("walk", "more/walk.npz"), ("punch", "more/punch.npz")):
        clips.get(name).save(root / file)
    (root / "broken.bvh").write_text("HIERARCHY\nROOT Hips\n{ nonsense")
    (root / "notes.txt").write_text("not a clip")
    return root


def hashes(folder):
    return {
        p.relative_to(folder).as_posix(): sha256(p.read_bytes()).hexdigest() for p in folder.rglob("*.bvh")
    }


def test_every_clip_is_done_once_and_a_bad_one_is_named(folder, tmp_path):
    out = tmp_path / "out"
    summary = run(RECIPE, folder, out, workers=2)
    assert [o.clip for o in summary.outcomes] == ["broken.bvh", "more/punch.npz", "more/walk.npz", "wave.npz"]
    broken, *rest = summary.outcomes
    assert broken.state == "failed"
    assert "broken.bvh:3" in broken.problem
    assert all(o.state in ("done", "missed") and o.frames == 10 for o in rest)
    assert all((out / o.clip).with_suffix(".bvh").is_file() for o in rest)
    assert all(o.plausible is not None for o in rest)


def test_results_do_not_depend_on_the_number_of_workers(folder, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    run(RECIPE, folder, one, workers=1)
    run(RECIPE, folder, two, workers=2)
    assert hashes(one) == hashes(two)
    assert len(hashes(one)) == 3


def test_what_is_done_stays_done_and_what_changed_is_done_again(folder, tmp_path):
    out = tmp_path / "out"
    run(RECIPE, folder, out, workers=1)
    first = run(RECIPE, folder, out, workers=1)
    assert first.kept == 3  # the broken one is tried again
    (out / "wave.bvh").write_text("somebody wrote over it")
    clips.get("reach").save(folder / "more" / "punch.npz")
    assert run(RECIPE, folder, out, workers=1).kept == 1
    other = {**RECIPE, "steps": RECIPE["steps"][:1]}
    assert run(other, folder, out, workers=1).kept == 0


def test_a_torn_ledger_costs_one_clip(folder, tmp_path):
    out = tmp_path / "out"
    run(RECIPE, folder, out, workers=1)
    ledger = out / NAME
    lines = ledger.read_text().splitlines()
    ledger.write_text("\n".join(lines[:-1]) + "\n" + lines[-1][:20])
    again = run(RECIPE, folder, out, workers=1)
    assert again.kept in (2, 3)
    assert run(RECIPE, folder, out, workers=1).kept == 3


def _fragile(number: int, mark: str) -> int:
    """Dies once at number 1 and always at number 3."""
    if number == 3 or (number == 1 and not os.path.exists(mark)):
        open(mark, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return 10 * number


def test_a_process_that_dies_is_replaced_and_its_clip_tried_again(tmp_path):
    mark = str(tmp_path / "died")
    found = dict(performed(_fragile, [(k, mark) for k in range(6)], 2))
    assert found == {0: 0, 1: 10, 2: 20, 3: None, 4: 40, 5: 50}


@pytest.mark.parametrize(
    "recipe, said",
    [
        ({"steps": []}, "at least one step"),
        ({"steps": [{"do": "fly"}]}, "fly.*step 0"),
        ({"steps": [{"do": "loosen", "tension": "limp"}]}, "step 0.*limp"),
        ({"steps": [{"do": "check", "flor": 0}]}, "step 0.*flor"),
        ({"steps": [{"do": "check"}], "output": ".doc"}, r"\.doc"),
        ({"steps": [{"do": "check"}], "colour": 1}, "colour"),
        ([], "a recipe is a mapping"),
    ],
)
def test_wrong_recipes_are_refused_by_step_and_field(recipe, said, tmp_path):
    path = tmp_path / "recipe.json"
    path.write_text(json.dumps(recipe))
    with pytest.raises(InputError, match=said):
        read_recipe(path)


def test_two_clips_may_not_become_one_file(tmp_path):
    for name in ("wave.npz", "wave.bvh"):
        clips.get("wave").save(tmp_path / name)
    with pytest.raises(InputError, match="would both become"):
        run(RECIPE, tmp_path, tmp_path / "out")
    with pytest.raises(InputError, match="another folder"):
        run(RECIPE, tmp_path, tmp_path)


def test_the_verb_writes_a_page_and_says_what_failed(folder, tmp_path, capsys):
    recipe = tmp_path / "recipe.json"
    recipe.write_text(json.dumps({"steps": [{"do": "check"}]}))
    with pytest.raises(SystemExit) as status:
        main(["batch", str(recipe), str(folder), str(tmp_path / "out"), "--workers", "2"])
    assert status.value.code == 1
    said = capsys.readouterr().out
    assert "4 clips" in said
    assert "1 failed" in said
    page = (tmp_path / "out" / "batch.html").read_text()
    assert "broken.bvh" in page
    with pytest.raises(SystemExit) as status:
        main(["batch", str(tmp_path / "none.json"), str(folder), str(tmp_path / "out")])
    assert status.value.code == 2


def _slow(number: int, folder: str) -> int:
    """Writes down who did it; slow enough to be killed meanwhile."""
    with open(os.path.join(folder, f"{number}-{os.getpid()}"), "w") as file:
        file.write("x")
    time.sleep(0.4)
    return number * number


def test_a_cluster_goes_on_when_a_worker_is_killed(tmp_path):
    distributed = pytest.importorskip("distributed")
    from poise.batch import cluster

    with distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as local:
        with distributed.Client(local) as client:
            crew = client.run(os.getpid)
        found = {}
        for number, result in cluster.performed(
            _slow, [(k, str(tmp_path)) for k in range(18)], local.scheduler_address
        ):
            found[number] = result
            if len(found) == 3:
                os.kill(next(iter(crew.values())), signal.SIGKILL)
    assert found == {k: k * k for k in range(18)}
    assert len({name.split("-")[1] for name in os.listdir(tmp_path)}) >= 2


def test_an_address_where_nobody_answers_is_said(tmp_path):
    pytest.importorskip("distributed")
    from poise.batch import cluster

    with pytest.raises(InputError, match="no Dask scheduler"):
        list(cluster.performed(_slow, [(1, str(tmp_path))], "tcp://127.0.0.1:9"))
