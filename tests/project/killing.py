"""Kill a process that edits and saves a project, again and again, and see that nothing it finished is lost.

    python tests/project/killing.py --kills 300

Each round forks a writer that opens the project (with what the last one left in its journal), edits it, says
so, saves it after every few edits, and is killed (SIGKILL) at a random instant. Then the file must be whole,
and with its journal hold every edit that was said to be done.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from poise import project as projects
from poise.project import Document, Project, SetField

SAVE_EVERY = 2
COUNTED = ("kills", "in_a_save", "edits", "saves", "recovered")


def number_of(document: Document) -> int:
    """The number of the last edit: the first word of the name."""
    return int(document.name.split()[0])


def write(path: Path, pipe: int) -> None:
    """Edit and save until killed; every finished edit and save is told."""
    project = projects.open(path, writing=True, recover_edits=True)
    number = number_of(project.document)
    while True:
        number += 1
        # Long and short in turn: remains of a longer file would show.
        project.do(SetField(field="name", value=f"{number} {'x' * (50_000 if number % 4 == 0 else 0)}"))
        os.write(pipe, b"e%d\n" % number)
        if number % 3 == 0:
            project.undo()
            project.redo()
        if number % SAVE_EVERY == 0:
            project.save()
            os.write(pipe, b"s%d\n" % number)


def round_(path: Path, rng: random.Random) -> dict[str, int]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            write(path, writing)
        finally:
            os._exit(3)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        first = pipe.readline()  # it has begun
        time.sleep(rng.uniform(0.0, 0.05))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        told = [first, *pipe.read().split()]
    edits = [int(t[1:]) for t in told if t.startswith(b"e")]
    saves = [int(t[1:]) for t in told if t.startswith(b"s")]
    saved = projects.open(path)
    now = number_of(saved.document)
    with_journal = number_of(saved.recovery.document) if saved.recovery is not None else now
    if saves and now < saves[-1]:
        raise SystemExit(f"saved {saves[-1]}, found {now}")
    # An undo on the way to a redo may be the last thing it did.
    if with_journal not in (edits[-1] - (edits[-1] % 3 == 0), edits[-1], edits[-1] + 1):
        raise SystemExit(f"edited {edits[-1]}, found {with_journal} (file {now})")
    saving = edits[-1] % SAVE_EVERY == 0 and (not saves or saves[-1] < edits[-1])
    return {
        "in_a_save": int(saving),
        "edits": len(edits),
        "saves": len(saves),
        "recovered": int(saved.recovery is not None),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng, total = random.Random(options.seed), dict.fromkeys(COUNTED, 0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "boxer.poise"
        project = Project()
        project.add_clip("punch", "punch").add("load", "take", clip="punch").add("loosen", "loose")
        project.do(SetField(field="name", value="0")).save(path)
        for _ in range(options.kills):
            found = round_(path, rng)
            total = {k: total[k] + found.get(k, 1) for k in total}
        left = sorted(p.name for p in Path(folder).iterdir())
    print(json.dumps({**total, "files": left}))


if __name__ == "__main__":
    sys.exit(main())
