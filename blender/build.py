"""Build the extension's zip: the folder ``poise_addon``, the client, the cards of the operations, checked.

    python blender/build.py --output dist [--tool PYTHON_WITH_BPY]

Blender's own tool builds and validates it where a Python with the module bpy is given (``make blender`` sets
one up); else the zip is written as that tool would, and said to be unchecked.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
SOURCE = HERE / "poise_addon"
SERVE = HERE.parent / "src" / "poise" / "serve"
CLIENT = ("client.py", "link.py")
TOOL = (
    "import bpy, pathlib; print(pathlib.Path(bpy.utils.system_resource('SCRIPTS')) / 'addons_core' / "
    "'bl_pkg' / 'cli' / 'blender_ext.py')"
)
"""Prints where the module bpy keeps the tool."""


def staged(folder: Path) -> Path:
    """The extension whole, in a folder of its own: with the client and the cards."""
    import msgspec

    from poise.operations.description import card
    from poise.operations.registry import operations

    target = folder / "poise_addon"
    shutil.copytree(SOURCE, target, ignore=shutil.ignore_patterns("__pycache__"))
    for name in CLIENT:  # beside one another, wherever they lie
        text = (SERVE / name).read_text(encoding="utf-8").replace("from poise.serve.", "from .")
        (target / name).write_text(text, encoding="utf-8")
    cards = [msgspec.to_builtins(card(each)) for each in operations().values()]
    (target / "operations.json").write_text(json.dumps(cards, indent=1, ensure_ascii=False), encoding="utf-8")
    return target


def build(output: Path, tool: str | None = None) -> Path:
    """Write the zip into a folder; its path."""
    output.mkdir(parents=True, exist_ok=True)
    manifest = tomllib.loads((SOURCE / "blender_manifest.toml").read_text(encoding="utf-8"))
    path = output / f"{manifest['id']}-{manifest['version']}.zip"
    with TemporaryDirectory() as folder:
        source = staged(Path(folder))
        if tool is None:
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
                for file in sorted(source.rglob("*")):
                    packed.write(file, file.relative_to(source))
            return path
        script = subprocess.run([tool, "-c", TOOL], capture_output=True, text=True, check=True)
        command = [tool, script.stdout.strip().splitlines()[-1]]
        made = ["build", "--source-dir", str(source), "--output-dir", str(output.absolute())]
        subprocess.run([*command, *made], check=True)
        subprocess.run([*command, "validate", str(path.absolute())], check=True)
    return path


def main() -> None:
    """From the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("dist"))
    parser.add_argument("--tool", help="a Python that has the module bpy")
    given = parser.parse_args()
    path = build(given.output, given.tool)
    checked = "checked by Blender's tool" if given.tool else "not checked: no Python with bpy was given"
    print(f"{path} ({checked})", file=sys.stdout)


if __name__ == "__main__":
    main()
