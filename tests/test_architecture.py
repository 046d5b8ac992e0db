"""The package keeps its layers, exports what it names, and starts quickly because it imports late."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import poise

ROOT = Path(poise.__file__).parent
LAYERS = [
    {"version", "errors", "arrays", "compilation"},
    {"manifold"},
    {"character"},
    {"curves", "motion"},
    {"kinematics"},
    {"dynamics", "handles"},
    {"constraints"},
    {"solvers"},
    {"methods", "plausibility"},
    {"pictures"},
    {"formats", "project"},
    {"clips"},
    {"cli", "studio"},
]
LEVEL = {name: i for i, names in enumerate(LAYERS) for name in names}
ALLOWED = {("motion", "formats")}
"""Clip.save is a convenience that reaches up, when called."""
SAME_LEVEL = {("motion", "curves"), ("arrays", "errors")}


def modules() -> list[str]:
    found = [m.name for m in pkgutil.walk_packages([str(ROOT)], "poise.")]
    return [m for m in found if not m.endswith("__main__")]


def imports_of(path: Path) -> set[str]:
    """Every poise module that a file imports, anywhere in it, types apart."""
    tree = ast.parse(path.read_text())
    typing_only = {
        node
        for branch in ast.walk(tree)
        if isinstance(branch, ast.If) and "TYPE_CHECKING" in ast.dump(branch.test)
        for node in ast.walk(branch)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if node in typing_only:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "poise":
            parts = node.module.split(".")
            found |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("poise.")}
    return found


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_to_the_left(path):
    own = path.relative_to(ROOT).parts[0].removesuffix(".py")
    if own == "__init__":
        return
    assert own in LEVEL, f"{own} has no place in the layers: give it one"
    for other in imports_of(path) - {own}:
        assert other in LEVEL, f"{path.name} imports poise.{other}, which has no layer"
        fine = LEVEL[other] < LEVEL[own] or (own, other) in ALLOWED | SAME_LEVEL
        assert fine, f"{own} must not import {other}: it stands to its right"


@pytest.mark.parametrize("name", ["poise", *modules()])
def test_all_names_exist(name):
    module = importlib.import_module(name)
    for exported in getattr(module, "__all__", ()):
        assert hasattr(module, exported), f"{name}.__all__ names {exported}, which does not exist"


def test_importing_poise_loads_nothing_heavy():
    code = "import sys, poise; print(sorted({m.split('.')[0] for m in sys.modules}))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for heavy in ("numba", "mujoco", "matplotlib", "scipy", "PIL", "pygltflib", "typer", "rich"):
        assert f"'{heavy}'" not in out, f"import poise loads {heavy}"


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom poise.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print('LOADED', sorted({m.split('.')[0] for m in sys.modules}))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    loaded = out[out.index("LOADED") :]
    for heavy in ("numba", "mujoco", "matplotlib", "scipy", "PIL", "numpy"):
        assert f"'{heavy}'" not in loaded, f"poise --help loads {heavy}"
