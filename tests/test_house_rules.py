"""What CONTRIBUTING asks of the source and a machine can see: functions of one page, numbers that say what
they mean, public functions that say what they take."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import poise

ROOT = Path(poise.__file__).parent
MOST_LINES, MOST_PARAMETERS = 100, 12

LARGE = {
    "cli/bake.py bake": "a verb: its parameters are the options that are typed",
    "cli/render.py render": "a verb: its parameters are the options that are typed",
    "pictures/strobe_picture.py strobe": "a public function: its parameters are its options, all by keyword",
    "pictures/video_file.py video": "a public function: its parameters are its options, all by keyword",
}
"""Functions that are larger, and why. (``functions.py`` is made from declarations and not looked at.)"""
NOT_YET = {
    "dynamics/integration.py simulate_batch",
    "dynamics/windows.py run_windows",
    "kinematics/bundle.py _bundle",
    "methods/adapt/problem/objective.py _add_price",
    "methods/adapt/rows/displaced_pose.py place_samples",
    "methods/adapt/rows/kernels.py evaluate_rows",
    "methods/adapt/solve/banded_matrix.py add_rows",
    "methods/key/pose/hessian.py curvature_frame",
    "methods/key/pose/newton.py _turn",
    "methods/key/pose/newton.py solve_frames",
    "methods/key/pose/rows/direction.py place_way",
    "methods/loosen/simulate/reference.py fill_table",
    "methods/loosen/simulate/reference.py perturb_rows",
}
"""Functions that are still too large; nothing may be added."""


@cache
def trees() -> dict[str, ast.Module]:
    """Every module by its path."""
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(ROOT.rglob("*.py"))
        if "node_modules" not in path.parts
    }


def functions_of(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def too_large(tree: ast.AST) -> set[str]:
    found = set()
    for function in functions_of(tree):
        lines = (function.end_lineno or 0) - function.lineno + 1
        taken = function.args
        parameters = len(taken.posonlyargs) + len(taken.args) + len(taken.kwonlyargs)
        if lines > MOST_LINES or parameters > MOST_PARAMETERS:
            found.add(function.name)
    return found


def test_functions_fit_on_a_page_and_take_few_parameters():
    found = {
        f"{path} {name}"
        for path, tree in trees().items()
        if path != "functions.py"
        for name in too_large(tree)
    }
    assert not found - set(LARGE) - NOT_YET, "split them; kernels take named tuples of arrays"
    assert not set(LARGE) - found, "no longer large: take them off the list"


@pytest.mark.parametrize(
    "source", ["def f():\n" + "    x = 0\n" * 100, "def f(a, b, c, d, e, f, g, h, i, j, k, l, m): pass"]
)
def test_large_functions_would_be_found(source):
    assert too_large(ast.parse(source)) == {"f"}


def taking_anything(tree: ast.Module) -> set[str]:
    """Public functions and methods with ``**name: Any``, or without a word on what it is."""
    found = set()
    for home in (tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))):
        for node in home.body:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith("_"):
                continue
            rest = node.args.kwarg
            if rest is not None and (rest.annotation is None or ast.unparse(rest.annotation) == "Any"):
                found.add(node.name)
    return found


def test_public_functions_say_what_they_take():
    found = {f"{path} {name}" for path, tree in trees().items() for name in taking_anything(tree)}
    assert not found, "write the options out, or Unpack a TypedDict of them"


def test_functions_that_take_anything_would_be_found():
    source = (
        "def f(**o: Any): pass\nclass C:\n    def g(self, **o: Any): pass\n    def h(self, **o: object): pass"
    )
    assert taking_anything(ast.parse(source)) == {"f", "g"}
