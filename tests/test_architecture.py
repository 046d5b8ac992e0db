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
    {"version", "errors"},
    {"arrays", "extensions", "files", "gravity", "lifeline", "reading", "watching", "workers"},
    {"kernels", "plot_page"},
    {"compilation"},
    {"manifold", "operations"},
    {"character"},
    {"curves", "motion", "world"},
    {"markers"},
    {"kinematics"},
    {"dynamics", "handles", "contacts"},
    {"constraints"},
    {"solvers"},
    {"world"},
    {"contacts"},
    {"methods", "plausibility"},
    {"repair"},
    {"pictures"},
    {"formats"},
    {"clips"},
    {"functions"},
    {"project"},
    {"batch"},
    {"studio", "serve"},
    {"diagnosis", "speed"},
    {"cli"},
    {"__main__"},
]
LEVEL = {name: i for i, names in enumerate(LAYERS) for name in names}
ALLOWED = {("motion", "formats"), ("motion", "studio")} | {
    ("operations", above)
    for above in ("character", "motion", "constraints", "world", "methods", "formats", "clips", "repair")
}
"""Clip.save and a clip's picture in a notebook are conveniences that reach up, when called. So do operations:
who reads an option checks it, and who does one is found by its name."""
SAME_LEVEL = {("motion", "curves"), ("methods", "plausibility")}
"""Who imports whom on one level, and never the other way round."""


def modules() -> list[str]:
    found = [m.name for m in pkgutil.walk_packages([str(ROOT)], "poise.")]
    return [m for m in found if not m.endswith("__main__")]


def imports_of(source: str) -> set[tuple[str, ...]]:
    """Every poise name that a file imports, types apart, as parts: ("methods", "loosen", "hit")."""
    tree = ast.parse(source)
    typing_only = {
        node
        for branch in ast.walk(tree)
        if isinstance(branch, ast.If) and "TYPE_CHECKING" in ast.dump(branch.test)
        for node in ast.walk(branch)
    }
    found: set[str] = set()  # dotted, with what is imported as the last part
    for node in ast.walk(tree):
        if node in typing_only:
            continue
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"line {node.lineno}: imports are written in full, from poise…"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {tuple(name.split(".")[1:]) for name in found if name.startswith("poise.")}


def crossings(own: tuple[str, ...], source: str) -> list[str]:
    """What is wrong with the imports of the module ``own``, ("methods", "loosen", "hit")."""
    found = []
    for other in sorted(imports_of(source)):
        assert other[0] in LEVEL, f"{'.'.join(own)} imports poise.{other[0]}, which has no layer"
        if other[0] != own[0]:
            fine = LEVEL[other[0]] < LEVEL[own[0]] or (own[0], other[0]) in ALLOWED | SAME_LEVEL
            if not fine:
                found.append(f"{own[0]} must not import {other[0]}: it stands to its right")
        elif own[0] == "methods" and other[1:2] != own[1:2]:
            found.append(f"the method {own[1]} must not import another, {other[1]}")
    return found


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_to_the_left(path):
    own = path.relative_to(ROOT).with_suffix("").parts
    if own == ("__init__",):
        return
    assert own[0] in LEVEL, f"{own[0]} has no place in the layers: give it one"
    assert not crossings(own, path.read_text())


@pytest.mark.parametrize(
    "line",
    [
        "from poise.methods import plan",
        "from poise.methods.plan import solve",
        "from poise.methods.plan.windows import solve",
        "import poise.methods.plan",
        "def late():\n    from poise.methods.plan import solve",
    ],
)
def test_methods_that_import_one_another_would_be_found(line):
    assert crossings(("methods", "loosen", "hit"), line) == [
        "the method loosen must not import another, plan"
    ]
    assert not crossings(("methods", "plan", "solve"), line), "a method may import itself"
    assert not crossings(("cli", "synth"), line), "what stands to the right may import any"


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


HEAVY = ("numba", "scipy", "mujoco", "matplotlib", "PIL")


def loaded_by(code: str) -> set[str]:
    """Packages that a program has loaded at its end."""
    code += "\nimport sys; print('LOADED', *{m.split('.')[0] for m in sys.modules})"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    return set(out[out.index("LOADED") :].split())


def test_reading_and_checking_a_project_loads_nothing_heavy():
    found = loaded_by(
        "from poise.studio.server import app, session\n"
        "from poise.project.drunken_boxer import drunken_boxer\n"
        "drunken_boxer().set('hit', tension=3.0)"
    )
    assert not found & set(HEAVY)


@pytest.mark.parametrize("kind", ["boxer", "bvh", "glb", "npz"])
def test_a_first_picture_loads_nothing_heavy(kind, tmp_path):
    """Compiled code takes a second to load, which nobody should wait for before anything is seen."""
    if kind != "boxer":
        poise.clips.get("walk").save(tmp_path / f"walk.{kind}")
    found = loaded_by(
        "from pathlib import Path\n"
        "from poise.project.drunken_boxer import drunken_boxer\n"
        "from poise.operations.frozen_data import encoded\n"
        "from poise.studio.server.open_project import opened\n"
        "from poise.studio.server.stage_data import StageData\n"
        f"file = {str(tmp_path / f'walk.{kind}')!r}\n"
        "project = opened(Path(file)) if Path(file).exists() else drunken_boxer()\n"
        "stage, seen = StageData(), []\n"
        "stage.move(project.assets.folder, dict(project.assets.blobs), project.assets.within)\n"
        "def show(packet):\n"
        "    seen.append(packet)\n"
        "    if len(seen) == 2: raise KeyboardInterrupt\n"
        "try:\n"
        "    stage.solve(encoded(project.document), 0, live=False, glance=True, show=show,\n"
        "                progress=lambda what, part: None, cancel=lambda: False)\n"
        "except KeyboardInterrupt: pass\n"
        "assert len(seen) == 2 and b'poses' in seen[1][:200], 'a figure and its poses'"
    )
    assert not found & {"numba", "scipy", "mujoco", "matplotlib"}
