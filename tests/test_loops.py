"""Every loop over numbers has a bound.

A ``while`` goes on as long as its condition says so, and a condition on numbers that are none may say so for
ever: damping that never helps, a window that never settles. In packages that compute, a loop is a ``for``, or
its condition is one of those below, each with the reason why it ends. ``while True`` is none of them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "poise"
COMPUTING = (
    "character", "constraints", "curves", "dynamics", "handles", "kinematics", "manifold", "methods",
    "motion", "plausibility", "repair", "solvers",
)  # fmt: skip

FAMILIES = {
    # Bodies stand after their parents, so each turn has a smaller number: at the root it is −1.
    r"\(?(up|i|j|k|body|own|at|root)( := .*\))? (>=|>) (0|root)( and .*)?": "towards the root",
    r"int\(character\.parents\[top\]\) in idle|last != first and last >= 0|i != start|found\[-1\] != first": (
        "towards the root"
    ),
    # Each turn takes one away; what is put in hangs below it in a tree.
    r"stack|queue|waiting|pending and .*|others and .*|any\(left\.values\(\)\)": "a list that is emptied",
    # Whole numbers that each turn moves on, over an array of a given length.
    r"\w+ < (len\(\w+\)( - 1)?|n|nv|groups|count|reach|high|stop|\w+\.shape\[0\])( and .*)?": "a cursor",
    r"b \* \(b \+ 1\) // 2 < pairs": "a cursor",
    r"len\(self\._flights\) <= index|\(have := .*\) < reach": "what is made grows by one or more",
    # A count that each turn raises, beside whatever else may end it.
    r"count <= iterations|len\(history\) <= iterations \+ 1|state\.steps < effort\.steps": "a count",
    r"aim and len\(tries\) < aims|pieces <= 32|.* and len\(ratios\) < 60": "a count",
}
ARGUED = {
    ("character/skin_masses.py", "leader.setdefault(v, v) != v"): "leaders of a forest, nearer the root each",
    ("curves/oscillator_kernel.py", "s * time > STEP * 2.0 ** doublings"): "2 to the 1024 is infinite",
    ("dynamics/elastic/body.py", "done < 1.0"): "each turn does a 64th or more, or refuses",
    ("methods/key/spin/inertia_history.py", "len(pending)"): "halves, down to SHORTEST; NaN is not split",
    (
        "methods/key/frames/jumps.py",
        "len(alive) and (b - a)[alive].max() > EDGE",
    ): "a fifth or less each turn",
    (
        "methods/key/spin/landing.py",
        "share < 1 and stride >= LEAST_STRIDE",
    ): "a stride on, or half a stride",
    (
        "methods/key/path/templates/spherical.py",
        "not starts or time < duration",
    ): "refused after MOST steps",
    ("methods/ground/cone.py", "found and coarse > weight"): "a part of it each turn, down to the weight",
    ("methods/loosen/contact/windows.py", "grew"): "each turn begins at an earlier one of a few events",
    ("methods/loosen/face/spring_filter.py", "at < part - 1e-12"): "a frame of the window each turn",
    ("methods/loosen/window/truncation.py", "len(starts)"): "goes back by a part of the longest window",
    (
        "methods/perform/script/beats.py",
        "now <= end + 1e-09 or not found",
    ): "a beat each turn; its length is positive",
    (
        "methods/perform/script/beat_tracker.py",
        "(later := (looks[-1] + period)) < len(strength)",
    ): "a period each turn, to the end of the sound",
    (
        "methods/perform/script/beat_tracker.py",
        "(sooner := (looks[0] - period)) >= -0.1 * period",
    ): "a period each turn, to the start of the sound",
    ("methods/perform/script/beat_tracker.py", "back[t] >= 0"): "to an earlier beat each turn",
    ("methods/perform/script/beats.py", "tick < goal"): "to the next change of tempo each turn",
    (
        "methods/perform/script/state_machine.py",
        "state is not None and now < end",
    ): "a state's time, or a cue less, each turn",
    (
        "methods/perform/simulate/replanning.py",
        "sim.time < min(last, self.end) - 1e-09",
    ): "to the end, or to a touch",
    ("methods/perform/control/weak_joints.py", "high < LONGEST"): "60 % more each turn",
    ("dynamics/elastic/large.py", "pieces <= MOST_PIECES"): "twice as many each turn",
    (
        "solvers/least_norm.py",
        "not reason",
    ): "a step of its budget less each turn, and then that is the reason",
}


def loops() -> Iterator[tuple[str, str]]:
    for package in COMPUTING:
        for path in sorted((SOURCE / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.While):
                    yield path.relative_to(SOURCE).as_posix(), ast.unparse(node.test)


def argued(file: str, condition: str) -> bool:
    return (file, condition) in ARGUED or any(re.fullmatch(family, condition) for family in FAMILIES)


@pytest.mark.parametrize(("file", "condition"), sorted(set(loops())))
def test_a_loop_is_counted_or_its_end_is_argued(file: str, condition: str) -> None:
    assert condition != "True", f"{file}: a loop without a bound: count its turns with a for"
    assert argued(file, condition), f"{file}: `while {condition}`: make it a for, or say here why it ends"


def test_no_argument_outlives_its_loop() -> None:
    assert set(ARGUED) <= set(loops())
    for family in FAMILIES:
        assert any(re.fullmatch(family, condition) for _, condition in loops()), family
