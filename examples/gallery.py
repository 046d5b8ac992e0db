"""Draw every picture of docs/gallery.md: ``python examples/gallery.py [folder]``."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
PICTURES = HERE.parent / "docs" / "pictures"


def numbered() -> list[Path]:
    """The numbered examples, in order."""
    return sorted(HERE.glob("[0-9][0-9]_*.py"))


def load(path: Path) -> ModuleType:
    """An example as a module; its name starts with a number, so it cannot be imported by name."""
    if str(HERE) not in sys.path:
        sys.path.insert(0, str(HERE))
    spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def draw_all(folder: Path = PICTURES) -> list[Path]:
    """Every picture, into a folder."""
    written: list[Path] = []
    for path in numbered():
        for picture in load(path).draw(folder):
            print(picture, flush=True)
            written.append(picture)
    return written


if __name__ == "__main__":
    draw_all(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES)
