"""Install a release as strangers do: ``python tests/installs.py [--extras] [--python PATH …]``.

Builds the wheel, makes a clean environment for every Python that is asked for (by default the 3.11, 3.12 and
3.13 on the path), installs the wheel and, with ``--extras``, each extra by itself, and runs a verb that needs
it. ``make installs`` does all of it; it takes minutes and downloads what is installed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = ("3.11", "3.12", "3.13")
FIRST = (
    ["--version"],
    ["info", "walk"],
    ["loosen", "walk", "-o", "loose.glb"],
    ["render", "loose.glb", "-o", "a.html"],
)
"""A stranger's first commands; a plain install does them."""
NEEDS = {
    "contact": ["convert", "walk", "-o", "walk.xml"],
    "video": ["render", "wave", "-o", "wave.mp4"],
    "plots": ["check", "wave", "--plot", "wave.png"],
    "music": ["perform", "conducting", "-o", "c.bvh", "--beats", "110"],
    "soft": ["wear", "wave", "-o", "hat.glb"],
    "studio": ["studio", "--help"],
    "usd": ["convert", "walk", "-o", "walk.usda"],
    "cluster": ["batch", "--help"],
}
"""A verb for every extra."""


def run(command: list[str], at: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """A program with a home of its own; its output is kept."""
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("POISE_", "PYTHON", "NUMBA_", "XDG_"))
    }
    environment |= {"HOME": str(at / "home"), "POISE_WARM": "off", "NO_COLOR": "1", **more}
    for kept in (".config/pip", ".pip", ".npmrc"):
        here, there = Path.home() / kept, at / "home" / kept
        if here.exists() and not there.exists():
            there.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if here.is_dir() else shutil.copy)(here, there)
    return subprocess.run(command, cwd=at, env=environment, capture_output=True, text=True)


def tried(python: str, wheel: Path, extra: str | None, commands: list[list[str]]) -> str:
    """Empty if all commands ran in a clean environment, else what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        made = run([python, "-m", "venv", "env"], at)
        wanted = f"{wheel}[{extra}]" if extra else str(wheel)
        there = str(at / "env" / "bin" / "python")
        made = made if made.returncode else run([there, "-m", "pip", "install", "-q", wanted], at)
        for command in [] if made.returncode else commands:
            made = run([str(at / "env" / "bin" / "poise"), *command], at)
            if made.returncode:
                return f"poise {' '.join(command)}: {made.stderr.strip()[-400:]}"
        return made.stderr.strip()[-400:] if made.returncode else ""


def main() -> int:
    """Build, install, try; 1 if anything failed."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--python", action="append", help="a Python to install into; may be given again")
    options.add_argument("--extras", action="store_true", help="try every extra by itself, too")
    given = options.parse_args()
    pythons = given.python or [p for p in (shutil.which(f"python{v}") for v in VERSIONS) if p]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, str(ROOT)]
        subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
        (wheel,) = Path(folder).glob("poise-*.whl")
        print(f"{wheel.name}: {wheel.stat().st_size / 2**20:.1f} MiB")
        for python in pythons:
            cases = {None: list(FIRST)} | ({k: [v] for k, v in NEEDS.items()} if given.extras else {})
            for extra, commands in cases.items():
                wrong = tried(python, wheel, extra, commands)
                failed += bool(wrong)
                print(f"{Path(python).name:12} {extra or 'plain':8} {wrong or 'ok'}", flush=True)
    print(f"{failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
