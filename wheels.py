"""Builds wheels into ``dist/``: one that carries compiled kernels for this kind of machine, and one for all.

    python wheels.py [--jobs N] [--only-kernels]

Kernels of the roster are compiled for every level of processors that this machine can run, into
``build/kernels``, where the next build finds those whose sources stayed as they were.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent
BUILD = ROOT / "build" / "kernels"
PACK = """
import sys
from pathlib import Path
from poise.kernels import cpu_level
from poise.kernels.cache import own_folders, sources
from poise.kernels.roster import roster
from poise.kernels.stock import file_name
from poise.kernels.shipped import archive_of, packed
held, folder = roster(), own_folders()[0]
kernels = {name: folder.read(name) for name in (file_name(held, entry) for entry in held.entries)}
lacking = [name for name, body in kernels.items() if body is None]
assert not lacking, lacking
path = archive_of(cpu_level.chosen().name, Path(sys.argv[1]))
path.parent.mkdir(parents=True, exist_ok=True)
path.write_bytes(packed(kernels, sources()))
print(f"{path.name}: {len(kernels)} kernels, {path.stat().st_size / 2**20:.1f} MiB")
"""


def main() -> None:
    """Compile, pack, build."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes that compile")
    options.add_argument("--only-kernels", action="store_true", help="make the archives, build no wheel")
    given = options.parse_args()
    archives = BUILD / "archives"
    for old in archives.glob("*.kernels"):
        old.unlink()
    for level in _levels():
        own = {"POISE_CPU_LEVEL": level, "NUMBA_CACHE_DIR": str(BUILD / level), "POISE_WARM": "off"}
        program = "from poise.cli import main; main()"
        _run([sys.executable, "-c", program, "warm", "--jobs", str(given.jobs)], own)
        _run([sys.executable, "-c", PACK, str(archives)], own)
    if given.only_kernels:
        return
    wheel = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "-w",
        str(ROOT / "dist"),
        str(ROOT),
    ]
    _run(wheel, {"POISE_WHEEL_KERNELS": str(archives)})
    _run(wheel, {})
    for path in sorted((ROOT / "dist").glob("*.whl")):
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size / 2**20:.1f} MiB")


def _levels() -> list[str]:
    """Levels that this machine can run."""
    code = "from poise.kernels import cpu_level as c; print(*(x.name for x in c.levels() if c.runs(x)))"
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()


def _run(command: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **environment})
    if done.returncode:
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
