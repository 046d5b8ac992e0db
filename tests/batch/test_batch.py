"""Batches: every clip once, bad ones told, stopped ones resumed, the same results by any crew."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path

import pytest

import poise
from poise import clips, formats
from poise.batch import Stopped, read_recipe, run
from poise.batch.job import perform
from poise.batch.ledger import NAME
from poise.batch.local import Lost, performed
from poise.batch.run import clips_in
from poise.cli import main
from poise.errors import InputError, PoiseError
from poise.operations.registry import operations

SLOW = 60
"""Clips of a batch that is stopped on the way."""
MAIN = "from poise.cli import main; main()"
PART = {"do": "trim", "start": 0.0, "end": 0.6, "fit": True}
RECIPE = {"output": ".bvh", "steps": [PART, {"do": "resample", "fps": 15}, {"do": "check"}]}
LAYERS = {
    "output": ".npz",
    "steps": [
        {"do": "trim", "start": 0.0, "end": 0.5, "fit": True},
        {"do": "loosen", "tension": "relaxed", "window": 0.2},
    ],
}


def library(root: Path) -> Path:
    (root / "more").mkdir(parents=True)
    for name, file in (("wave", "wave.npz"), ("walk", "more/walk.npz"), ("punch", "more/punch.npz")):
        clips.get(name).save(root / file)
    (root / "broken.bvh").write_text("HIERARCHY\nROOT Hips\n{ nonsense")
    (root / "notes.txt").write_text("not a clip")
    return root


@pytest.fixture
def folder(tmp_path):
    return library(tmp_path / "clips")


@pytest.fixture
def here(monkeypatch):
    """Jobs are done in this process, where it is not about processes: each takes seconds to start."""

    def performed_here(function, jobs, workers, limit):
        return ((number, function(*job)) for number, job in enumerate(jobs))

    monkeypatch.setattr("poise.batch.local.performed", performed_here)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A batch that went well, by one worker."""
    place = tmp_path_factory.mktemp("finished")
    summary = run(RECIPE, library(place / "clips"), place / "out", workers=1)
    return place, summary


def hashes(folder):
    found = (p for p in folder.rglob("*") if p.suffix in (".bvh", ".npz"))
    return {p.relative_to(folder).as_posix(): sha256(p.read_bytes()).hexdigest() for p in found}


def test_every_clip_is_done_once_and_a_bad_one_is_named(finished):
    place, summary = finished
    assert [o.clip for o in summary.outcomes] == ["broken.bvh", "more/punch.npz", "more/walk.npz", "wave.npz"]
    broken, *rest = summary.outcomes
    assert broken.state == "failed"
    assert broken.problem.startswith("broken.bvh:3: ")
    assert all(o.state in ("done", "missed") and o.frames == 10 for o in rest)
    assert [o.output for o in rest] == ["more/punch.bvh", "more/walk.bvh", "wave.bvh"]
    assert all((place / "out" / o.output).is_file() for o in rest)
    assert all(o.plausible is not None for o in rest)
    assert all(text.endswith(" s") and "(" not in text.split()[0] for o in rest for text in o.findings)
    lines = [json.loads(line) for line in (place / "out" / NAME).read_text().splitlines()]
    assert sorted(line["clip"] for line in lines) == [o.clip for o in summary.outcomes]


def test_results_do_not_depend_on_the_number_of_workers(finished, tmp_path):
    place, _ = finished
    run(RECIPE, place / "clips", tmp_path / "two", workers=2)
    assert hashes(place / "out") == hashes(tmp_path / "two")
    assert len(hashes(tmp_path / "two")) == 3


def test_what_is_done_stays_done_and_what_changed_is_done_again(folder, tmp_path, here):
    out = tmp_path / "out"
    run(RECIPE, folder, out, workers=1)
    torn = out / ".wave.poise-is-writing-0123456789abcdef.bvh"
    torn.write_text("what a killed process left")
    (out / "wave.bvh").write_text("somebody wrote over it")
    clips.get("reach").save(folder / "more" / "punch.npz")
    ledger = out / NAME
    ledger.write_bytes(ledger.read_bytes() + b'{"clip": "wave.npz", "sta')  # a crash while it was written
    second = run(RECIPE, folder, out, workers=1)
    assert second.kept == 1, "neither the changed ones nor the broken one"
    assert not torn.exists()
    (folder / "broken.bvh").unlink()
    told = []
    third = run(RECIPE, folder, out, workers=1, progress=lambda *said: told.append(said))
    assert (third.kept, told) == (3, [])
    assert third.outcomes == second.outcomes[1:]


def test_steps_are_layers_of_projects(folder, tmp_path, here):
    """The same bits as the method alone; files that a recipe names are looked for beside it, and count."""
    beside = tmp_path / "recipes"
    beside.mkdir()
    clips.get("wave").save(beside / "actor.npz")
    retarget = {"do": "retarget", "onto": "actor.npz"}
    recipe = beside / "loose.json"
    recipe.write_text(json.dumps({**LAYERS, "steps": [*LAYERS["steps"], retarget]}))
    before = read_recipe(recipe).digest
    for name in ("wave.npz", "broken.bvh", "more/walk.npz"):
        (folder / name).unlink()
    (outcome,) = run(recipe, folder, tmp_path / "out", workers=1).outcomes
    assert outcome.state == "done", outcome
    plain = run(LAYERS, folder, tmp_path / "plain", workers=1)
    expected = poise.loosen(poise.trim(clips.get("punch"), 0.0, 0.5), "relaxed", 0.2)
    assert (formats.load(tmp_path / "plain/more/punch.npz").q == expected.clip.q).all()
    assert plain.fine
    clips.get("reach").save(beside / "actor.npz")
    assert read_recipe(recipe).digest != before


def test_the_recipe_of_the_guide(tmp_path, here):
    guide = (Path(__file__).parents[2] / "docs/guide/batch.md").read_text()
    recipe = tmp_path / "clean.json"
    recipe.write_text(guide.split("```json\n")[1].split("```")[0])
    (tmp_path / "clips").mkdir()
    clips.get("punch").save(tmp_path / "clips/punch.bvh")
    (outcome,) = run(recipe, tmp_path / "clips", tmp_path / "out", workers=1).outcomes
    assert outcome.state in ("done", "missed"), outcome
    assert outcome.plausible is not None
    assert formats.load(tmp_path / "out" / outcome.output).rate == 30
    for word, each in operations().items():
        if each.INPUT != "never":
            assert f"`{word}`" in guide


def test_a_part_of_a_shorter_clip_is_what_there_is_of_it(folder, tmp_path):
    def part(first, last):
        recipe = {"steps": [{"do": "convert", "range": [first, last]}]}  # as recipes of version 1 have it
        return perform(recipe, "", str(folder), "more/punch.npz", str(tmp_path))

    whole = clips.get("punch").frames
    assert part(0, 99)["frames"] == part(None, None)["frames"] == whole
    assert part(0.5, 99)["frames"] < whole
    assert part(50, 99)["state"] == "failed"


def test_what_is_a_clip(tmp_path):
    for name in (
        "a.bvh",
        "b.AMC",
        "b.asf",
        "scene.xml",
        ".c.bvh",
        ".git/d.bvh",
        "out/e.bvh",
        "deep/er/f.glb",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert clips_in(tmp_path, tmp_path / "out") == ["a.bvh", "b.AMC", "deep/er/f.glb"]
    assert clips_in(tmp_path / "deep", tmp_path) == ["er/f.glb"]


def _fragile(number: int, mark: str) -> int:
    """Dies once at number 1 and always at number 3."""
    if number == 3 or (number == 1 and not os.path.exists(mark)):
        open(mark, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return 10 * number


def test_a_process_that_dies_is_replaced_and_its_clip_tried_again(tmp_path):
    mark = str(tmp_path / "died")
    found = dict(performed(_fragile, [(k, mark) for k in range(6)], 2))
    assert isinstance(found.pop(3), Lost)
    assert found == {0: 0, 1: 10, 2: 20, 4: 40, 5: 50}


def _sleepy(number: int, seconds: float) -> tuple[int, str]:
    time.sleep(seconds)
    return number, os.environ["OPENBLAS_NUM_THREADS"]


def test_a_job_that_takes_too_long_is_ended_and_the_rest_go_on():
    found = dict(performed(_sleepy, [(k, 3600.0 if k == 1 else 0.0) for k in range(4)], 1, 4.0))
    late = found.pop(1)
    assert isinstance(late, Lost)
    assert (late.state, late.reason) == ("failed", "it took longer than 4 s")
    assert found == {k: (k, "1") for k in (0, 2, 3)}, "and libraries compute on one thread"


def _stopped(number: int) -> int:
    if number == 1:
        os.kill(os.getpid(), signal.SIGSTOP)
    return number


@pytest.mark.skipif(sys.platform == "win32", reason="stops a process")
def test_a_process_that_is_stopped_is_ended_too():
    found = dict(performed(_stopped, [(k,) for k in range(3)], 1, 4.0))
    late = found.pop(1)
    assert isinstance(late, Lost)
    assert late.reason == "it took longer than 4 s"
    assert found == {0: 0, 2: 2}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a file that never ends")
def test_a_clip_that_hangs_has_failed(tmp_path):
    """Steps so fine that nobody lives to see the end."""
    folder = tmp_path / "clips"
    folder.mkdir()
    poise.clips.get("walk").save(folder / "walk.npz")
    recipe = {"output": ".npz", "steps": [{"do": "loosen", "tension": "loose", "step": 1e-6}]}
    (outcome,) = run(recipe, folder, tmp_path / "out", workers=2, limit=4).outcomes
    assert (outcome.state, outcome.problem) == ("failed", "it took longer than 4 s")
    with pytest.raises(InputError, match="more than 0 seconds, not -1"):
        run(recipe, folder, tmp_path / "out", limit=-1)


class Unborn:
    """Cannot be taken to another process."""

    def __reduce__(self):
        return os._exit, (7,)


def test_processes_that_cannot_start_are_said():
    with pytest.raises(PoiseError, match=r"cannot be started.*7"):
        list(performed(Unborn(), [(k,) for k in range(9)], 2))


BEGIN = """
import multiprocessing, signal
from poise.batch.local import _interrupts_held

def held():
    print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()), flush=True)

if __name__ == "__main__":
    for _ in range(2):
        process = multiprocessing.get_context("spawn").Process(target=held)
        with _interrupts_held():
            process.start()
        process.join()
    held()
"""


def slow(workers: int, folder: Path, out: Path, recipe: Path) -> subprocess.Popen:
    """The verb on many clips, in a process group of its own as a terminal would have it."""
    for k in range(SLOW):
        clips.get("wave").save(folder / f"take{k:02}.npz")
    recipe.write_text(json.dumps({"output": ".bvh", "steps": [{"do": "resample", "fps": 120}]}))
    command = [sys.executable, "-c", MAIN, "batch", recipe, folder, "-o", out, "--workers", str(workers)]
    started = subprocess.Popen(
        [str(part) for part in command],
        start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # jobs in the background ignore it
    )  # fmt: skip
    ledger = out / NAME
    while started.poll() is None and (not ledger.exists() or ledger.read_bytes().count(b"\n") < 3):
        time.sleep(0.02)
    return started


def gone(group: int) -> bool:
    """Whether no process of a group is left, or soon will be."""
    for _ in range(2400):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.skipif(sys.platform == "win32", reason="has no masks of signals")
def test_not_even_the_first_process_hears_an_interrupt_while_it_begins(tmp_path):
    program = tmp_path / "begin.py"
    program.write_text(BEGIN)
    said = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["True", "True", "False"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs process groups")
@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_batch_leaves_no_process_and_goes_on(folder, tmp_path, kill, here):
    out, recipe = tmp_path / "out", tmp_path / "r.json"
    started = slow(2, folder, out, recipe)
    if kill == signal.SIGINT:
        os.killpg(started.pid, kill)  # as Ctrl+C does: to all of them
    else:
        started.kill()
    said, complaint = started.communicate(timeout=240)
    assert gone(started.pid)
    if kill == signal.SIGINT:
        assert started.returncode == 130, complaint
        assert "Traceback" not in complaint
        assert "the same command goes on" in complaint
        assert "still to do" in said
        assert "still to do" in (out / "batch.html").read_text()
    done = len((out / NAME).read_text().splitlines())
    assert 3 <= done < SLOW + 4
    again = run(recipe, folder, out, workers=1)
    assert again.kept >= done - 1, "all but the broken one"
    assert again.count("done") == SLOW + 3
    assert len(hashes(out)) == SLOW + 3
    assert not [p for p in out.rglob(".*") if p.suffix == ".bvh"]


def test_the_caller_learns_what_was_done_before_an_interrupt(folder, tmp_path, here):
    def stop(done, total, outcome):
        raise KeyboardInterrupt

    with pytest.raises(Stopped) as caught:
        run(RECIPE, folder, tmp_path / "out", workers=1, progress=stop)
    assert len(caught.value.summary.outcomes) == 1
    assert caught.value.summary.waiting == 3
    assert not caught.value.summary.fine


def test_two_batches_do_not_share_a_folder(folder, tmp_path, here):
    said = []

    def second(done, total, outcome):
        with pytest.raises(InputError, match="another batch is running"):
            run(RECIPE, folder, tmp_path / "out", workers=1)
        said.append(done)

    run(RECIPE, folder, tmp_path / "out", workers=1, progress=second)
    assert said == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "recipe, said",
    [
        ({"steps": []}, "recipe.json: .*at least one step"),
        ({"steps": [{"do": "fly"}]}, "fly.*step 0"),
        ({"steps": [{"do": "loosen", "tension": "limp"}]}, "step 0.*limp"),
        ({"steps": [{"do": "check", "flor": 0}]}, "step 0.*flor"),
        ({"steps": [{"do": "fix", "may": ["foot"]}]}, "step 0.*'foot' is not valid.*feet"),
        ({"steps": [{"do": "resample", "fps": "fast"}]}, "step 0.*fast"),
        ({"steps": [{"do": "retarget", "onto": "nobody.bvh"}]}, "nobody.bvh"),
        ({"steps": [{"do": "key", "keyframes": {"poses": []}}]}, "step 0.*starts a motion of its own"),
        ({"steps": [{"do": "check"}], "output": ".doc"}, r"\.doc"),
        ({"steps": [{"do": "check"}], "read": "up=z"}, "'read'"),
        ({"steps": [{"do": "check"}], "colour": 1}, "colour"),
        ({"steps": [{"do": "check"}], "version": 3}, "version"),
        ([], "a recipe is a mapping"),
    ],
)
def test_wrong_recipes_are_refused_by_step_and_field(recipe, said, tmp_path):
    path = tmp_path / "recipe.json"
    path.write_text(json.dumps(recipe))
    with pytest.raises(InputError, match=said):
        read_recipe(path)


def test_two_clips_may_not_become_one_file(tmp_path):
    for name in ("wave.npz", "Wave.bvh"):
        clips.get("wave").save(tmp_path / name)
    with pytest.raises(InputError, match="would both become"):
        run(RECIPE, tmp_path, tmp_path / "out")
    with pytest.raises(InputError, match="another folder"):
        run(RECIPE, tmp_path, tmp_path)
    with pytest.raises(InputError, match="at least one worker"):
        run(RECIPE, tmp_path, tmp_path / "out", workers=0)


def test_the_verb_writes_a_page_and_says_what_failed(folder, tmp_path, capsys, here, monkeypatch):
    monkeypatch.setattr("poise.batch.cluster.PATIENCE", 1.0)
    recipe, out = tmp_path / "recipe.json", tmp_path / "out"
    recipe.write_text(json.dumps({"steps": [{"do": "check"}]}))
    with pytest.raises(SystemExit) as status:
        main(["batch", str(recipe), str(folder), "-o", str(out), "--workers", "2"])
    assert status.value.code == 1
    said = capsys.readouterr().out
    assert "4 clips" in said
    assert "1 failed" in said
    page = (out / "batch.html").read_text()
    assert page.index("broken.bvh") < page.index("wave.npz"), "what needs a look comes first"
    with pytest.raises(SystemExit) as status:
        main(["batch", str(recipe), str(folder), "-o", str(out), "--json"])
    assert status.value.code == 1
    found = json.loads(capsys.readouterr().out)
    assert found["kept"] == 3
    assert {o["clip"]: o["state"] for o in found["outcomes"]}["broken.bvh"] == "failed"
    with pytest.raises(SystemExit) as status:
        main(["batch", str(tmp_path / "none.json"), str(folder), "-o", str(out)])
    assert status.value.code == 2
    with pytest.raises(SystemExit) as status:
        main(
            ["batch", str(recipe), str(folder), "-o", str(out), "--again", "--scheduler", "tcp://127.0.0.1:9"]
        )
    assert status.value.code == 2
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in capsys.readouterr().err
