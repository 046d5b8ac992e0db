"""The scenes of examples/ and benchmarks/, imported by file: their names start with numbers."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


def example(name: str) -> ModuleType:
    """The module examples/<name>.py."""
    return _load(ROOT / "examples" / f"{name}.py")


def benchmark(name: str) -> ModuleType:
    """The module benchmarks/<name>.py."""
    return _load(ROOT / "benchmarks" / f"{name}.py")


def _load(path: Path) -> ModuleType:
    known = f"scene_{path.stem}"
    if known not in sys.modules:
        if str(path.parent) not in sys.path:
            sys.path.append(str(path.parent))  # examples import the helpers beside them
        spec = importlib.util.spec_from_file_location(known, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[known] = module
        spec.loader.exec_module(module)
    return sys.modules[known]
