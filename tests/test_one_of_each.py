"""There is one gravity, and one Jacobian of the exponential of rotations: the source is walked for a second.

A kernel may hold a Jacobian of its own only where a test ties it to ``so3`` (``tests/manifold``).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "poise"
GRAVITY = {"gravity.py"}
JACOBIANS = {
    "manifold/so3.py": "of arrays",
    "manifold/rotation_kernels.py": "inside kernels",
    "methods/loosen/simulate/reference.py": "of a rotation whose exponential is known, which saves its sine",
}
"""Files that hold the coefficients of a Jacobian, and what it is there for; all are tied by tests."""


def numbers(tree: ast.AST) -> Iterator[float]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            yield float(node.value)


def called(node: ast.AST, name: str) -> bool:
    """Whether an expression calls a function of this name."""
    return any(
        isinstance(each, ast.Call) and ast.unparse(each.func).split(".")[-1] == name
        for each in ast.walk(node)
    )


def holds_gravity(source: str) -> bool:
    return any(9.79 < abs(x) < 9.83 for x in numbers(ast.parse(source)))


def holds_jacobian(source: str) -> bool:
    """(θ − sin θ)/…, (1 − … cot …)/…, or their series: coefficients that nothing else has."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.BinOp):
            continue
        if isinstance(node.op, ast.Div) and isinstance(top := node.left, ast.BinOp):
            subtracts = isinstance(top.op, ast.Sub) and not isinstance(top.left, ast.Call)
            if subtracts and isinstance(top.right, ast.Call) and called(top.right, "sin"):
                return True
            if subtracts and called(top.right, "cos") and called(top.right, "sin"):
                return True
        if {20.0, 42.0, 72.0} <= (found := set(numbers(node))) and 6.0 in found:
            return True
        if {12.0, 60.0, 42.0} <= found or {1.0, 24.0, 120.0, 5040.0} == found:
            return True
    return False


def found(holds: Callable[[str], bool]) -> set[str]:
    return {p.relative_to(SOURCE).as_posix() for p in SOURCE.rglob("*.py") if holds(p.read_text())}


def test_nobody_else_knows_how_fast_things_fall() -> None:
    assert found(holds_gravity) == GRAVITY, "import it from poise.gravity"


def test_nobody_else_differentiates_rotations() -> None:
    """Take ``manifold/rotation_kernels`` inside kernels, ``so3.right_jacobian`` elsewhere."""
    assert found(holds_jacobian) == set(JACOBIANS)


@pytest.mark.parametrize(
    "line",
    [
        "b = (t - math.sin(t)) / (t2 * t)",
        "c = (1.0 - half * math.cos(half) / math.sin(half)) / square",
        "b = 1 / 6 * (1 - t2 / 20 * (1 - t2 / 42 * (1 - t2 / 72)))",
        "c = 1 / 12 * (1 + t2 / 60 * (1 + t2 / 42 * (1 + t2 / 40)))",
    ],
)
def test_a_second_jacobian_would_be_found(line: str) -> None:
    assert holds_jacobian(line)
    assert not holds_jacobian("x = (a - b) / math.sin(c)")


def test_a_second_gravity_would_be_found() -> None:
    assert holds_gravity("weight = mass * 9.81")
    assert holds_gravity("DOWN = (0.0, 0.0, -9.80665)")
    assert not holds_gravity('"""r = √(g / 9.81)"""')
