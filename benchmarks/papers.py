"""The papers' own figures beside ours: ``python -m benchmarks.papers``

Prints the table of ``docs/papers.md``. Times of the papers are those they print, on machines of their years;
ours are processor times, kernels compiled. ``python -m benchmarks.pages papers`` writes it into the page.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import poise
from benchmarks.plan import PAPER, table_row
from poise.kinematics import Kinematics
from poise.speed.hitting import FRAME, HAND, HitWork
from poise.workers import algebra_on_one_thread

Row = tuple[str, str, str, str]


def least(job: Callable[[], object], rounds: int = 5) -> float:
    """Least processor time of a job [s], after one round that does not count."""
    job()
    found = np.inf
    for _ in range(rounds):
        began = time.process_time()
        job()
        found = min(found, time.process_time() - began)
    return float(found)


def kinodynamic() -> list[Row]:
    """States without history, and hits."""
    work = HitWork()
    clip = work.clip
    state = least(lambda: poise.loosen(clip, "relaxed", 0.3, contacts=None)) / clip.frames
    solve = least(lambda: work.solved("effector"))
    hit = work.solved("effector").clip
    off = np.linalg.norm(Kinematics(hit.character, hit.q[FRAME]).point(HAND)[0] - work.hand[FRAME])
    paper = "Inverse kinodynamics"
    return [
        (paper, "one loose state, window of 0.3 s", "10 ms", f"{1e3 * state:.2g} ms"),
        (paper, "a correction for one target", "below 500 ms", f"{1e3 * solve:.2g} ms"),
        (paper, "how far a punch is off its target", "below 0.01 cm", f"{1e2 * off:.1g} cm"),
    ]


def on_the_beat() -> list[Row]:
    """What is left of the way at a key."""
    left = {}
    for control in ("composite", "full"):
        result = poise.perform(script="conducting", control=control)
        left[control] = max(outcome.error for outcome in result.report.outcomes)  # [°]
    return [
        ("On the beat", "worst error at a key, conducting, the paper's controller", "within 10 % of the way",
         f"{left['composite']:.2g}°"),
        ("On the beat", "the same, all joints coupled", "–", f"{left['full']:.2g}°"),
    ]  # fmt: skip


def planned() -> list[Row]:
    """Table 1."""
    return [
        ("Wiggly splines", name, f"{printed:g} s", f"{table_row(name, 3, refined=True):.2g} s")
        for name, printed in PAPER.items()
    ]


@algebra_on_one_thread()
def table() -> str:
    """Markdown."""
    rows = [*kinodynamic(), *on_the_beat(), *planned()]
    head = ["| paper | what | printed there | Poise |", "|---|---|---|---|"]
    return "".join(f"{line}\n" for line in [*head, *(f"| {' | '.join(row)} |" for row in rows)])


if __name__ == "__main__":
    print(table())
