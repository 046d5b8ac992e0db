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
    "pictures/contact_sheet.py sheet": "a public function: its parameters are its options, all by keyword",
    "pictures/strobe_picture.py strobe": "a public function: its parameters are its options, all by keyword",
    "pictures/video_file.py video": "a public function: its parameters are its options, all by keyword",
}
"""Functions that are larger, and why. (``functions.py`` is made from declarations and not looked at.)"""


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
    assert not found - set(LARGE), "split them; kernels take named tuples of arrays"
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


def is_number(node: ast.expr | None) -> bool:
    """Whether an expression is made of numbers alone."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int | float) and not isinstance(value, bool)
        case ast.UnaryOp(operand=operand):
            return is_number(operand)
        case ast.BinOp(left=left, right=right):
            return is_number(left) and is_number(right)
        case ast.Tuple(elts=parts):
            return bool(parts) and all(map(is_number, parts))
        case ast.Call(func=function, args=parts):
            return ast.unparse(function) in ("np.float32", "np.radians") and all(map(is_number, parts))
    return False


def unsaid_numbers(source: str) -> set[str]:
    """Constants of a module, made of numbers, that do not say what they mean.

    A string after it says it, or a comment beside or above it; one above the first of several speaks for all
    of them. Versions, and whole numbers in a row of three or more, which are codes or places in a record, are
    said where they are used.
    """
    lines, body = source.split("\n"), ast.parse(source).body
    found: dict[str, int] = {}
    spoken_for, row = False, []
    for node, after in zip(body, [*body[1:], None]):
        made = isinstance(node, ast.Assign | ast.AnnAssign)
        target = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target) if made else ""
        if not made or target.upper() != target or not is_number(node.value):
            spoken_for, row = False, []
            continue
        above = lines[node.lineno - 2].strip()
        spoken_for = above.startswith("#") or (spoken_for and bool(above))
        row = [*row, target] if "." not in ast.unparse(node.value) and above else [target]
        told = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        if not (told or spoken_for or "#" in lines[(node.end_lineno or 0) - 1] or target == "VERSION"):
            found[target.strip("()").split(",")[0]] = node.lineno
        if len(row) > 2:
            for code in row:
                found.pop(code, None)
    return set(found)


def test_numbers_say_what_they_mean():
    found = {
        f"{path} {name}"
        for path in trees()
        for name in unsaid_numbers((ROOT / path).read_text(encoding="utf-8"))
    }
    assert not found, "say in a string below each what it means, its unit and how it was chosen"


def test_numbers_that_say_nothing_would_be_found():
    said = 'B = 3\n"""Tries."""\nC = 1e-3  # [m]\n\nD = 0\nE = 1\nF = 2\n\n# Both [s].\nG = 1.0\nH = 2.0'
    source = f"A = 0.5\n{said}"
    assert unsaid_numbers(source) == {"A"}


def test_no_two_files_of_tests_have_one_name():
    """Folders of tests are no packages: Python takes the second file of a name for the first."""
    names = [path.name for path in Path(__file__).parent.rglob("*.py") if not path.name.startswith("__")]
    assert sorted({name for name in names if names.count(name) > 1}) == []
