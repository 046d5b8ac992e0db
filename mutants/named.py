"""Breakages that once went unnoticed: every run tries them again, whatever the seed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mutants.mutation import Mutation


@dataclass(frozen=True)
class Named:
    """A text of a file that is replaced by another; it must stand there exactly once."""

    name: str
    file: str
    function: str
    old: str
    new: str

    def mutation(self, root: Path) -> Mutation:
        """As bytes of the file as it is now."""
        path = f"src/poise/{self.file}"
        source = (root / path).read_bytes()
        count = source.count(self.old.encode())
        if count != 1:
            raise ValueError(f"{self.name}: {path} holds {self.old!r} {count} times; mend mutants/named.py")
        start = source.index(self.old.encode())
        end, line = start + len(self.old.encode()), source[:start].count(b"\n") + 1
        what = f"{self.old.strip()} → {self.new.strip()}"
        return Mutation(path, start, end, self.new, what, line, self.function, self.name)


_SEEN = "methods/loosen/hit/seen.py"

NAMED = (
    Named(
        "a batch whose recipe changed counts as done",
        "batch/ledger.py", "Ledger.done", "known.recipe != recipe or ", "",
    ),
    Named(
        "the evaluator's key forgets files that layers read",
        "project/evaluation.py", "Evaluator._step", "for file in layer.files():", "for file in ():",
    ),
    Named(
        "a beat at time 0 takes keys",
        "methods/perform/script/beats.py", "snap", "grid = grid[grid > 0]", "grid = grid[grid >= 0]",
    ),
    Named(
        "a repair may make another kind of fault worse",
        "repair/accept.py", "worse", "        if len(fallen):", "        if False:",
    ),
    Named(
        "weights of the harmonic mean are exchanged",
        "methods/key/sheet/easing.py", "_harmonic",
        "w1, w2 = 2.0 * h_after + h_before", "w2, w1 = 2.0 * h_after + h_before",
    ),
    Named(
        "feet of fast clips must be as slow as a walker's",
        "contacts/needed.py", "Needed.slow",
        "max(REST * float(np.sqrt(self.scale)), self.top_speed * HURRIED)",
        "REST * float(np.sqrt(self.scale))",
    ),
    Named(
        "legs are stiffer but not more damped",
        "methods/loosen/simulate/gains.py", "_sprung",
        "kp[span], kd[span] = p * gain**2, d * gain", "kp[span], kd[span] = p * gain**2, d",
    ),
    Named(
        "legs have three times the stiffness",
        "methods/loosen/simulate/gains.py", "_sprung", "p * gain**2", "p * gain",
    ),
    Named(
        "hit goes on from an answer for other times",
        "methods/loosen/hit/hit.py", "same_but_targets", "            and a.when == b.when\n", "",
    ),
    Named(
        "an interval weighs more at a higher frame rate",
        "methods/adapt/rows/rows.py", "block_of", "share = clip.dt *", "share = 0.02 *",
    ),
    Named(
        "the zero-moment point leans the wrong way, x",
        "methods/plan/check.py", "_zmp_outside", "com[:, 2] + step[:, 1]", "com[:, 2] - step[:, 1]",
    ),
    Named(
        "the zero-moment point leans the wrong way, y",
        "methods/plan/check.py", "_zmp_outside", "com[:, 2] - step[:, 0]", "com[:, 2] + step[:, 0]",
    ),
    Named(
        "the last body of a segment gets no mass",
        "character/table_masses.py", "_Body._head", "chain, latest=0.5)", "chain)",
    ),
    Named(
        "velocities at the start of a clip are of first order",
        _SEEN, "at_the_time", "[[1.5, -0.5], [0.5, 0.5]", "[[1.0, 0.0], [0.5, 0.5]",
    ),
    Named(
        "velocities at the end of a clip are of first order",
        _SEEN, "at_the_time", "[0.5, 0.5], [-0.5, 1.5]]", "[0.5, 0.5], [0.0, 1.0]]",
    ),
    Named(
        "velocities of faces at either end are of first order",
        "methods/loosen/face/target.py", "Target.stencil",
        "return [(t, -3 * near), (t + side * dt, 4 * near), (t + 2 * side * dt, -near)]",
        "return [(t, -2 * near), (t + side * dt, 2 * near), (t + 2 * side * dt, 0.0)]",
    ),
    Named(
        "pins of a motion behind a rest pose are late",
        "methods/ground/stage.py", "Stage.problem", "-self.lead * clip.dt", "self.lead * clip.dt",
    ),
    Named(
        "turning speeds of robots' bodies begin a column late",
        "formats/robot_motion/writer.py", "_speeds", "found[..., 3:]", "found[..., 4:]",
    ),
    Named(
        "a robot that is bolted to the world floats",
        "formats/urdf/reader.py", "_compiled", "not None and not list", "not None or not list",
    ),
    Named(
        "feet roll where their ends leave as one",
        "contacts/manner.py", "_rolls", "abs(on[0][-1] - on[1][-1])", "abs(on[0][-1] - on[1][1])",
    ),
)  # fmt: skip
"""Twenty-one texts of sixteen breakages: some have a second side."""
