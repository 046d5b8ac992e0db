"""Install a release as strangers do: ``python tests/installs.py [--extras] [--python PATH …]``.

Builds the wheel and the source release, and makes a clean environment for every Python that is asked for
(by default those 3.11, 3.12 and 3.13 that the path, pyenv or uv has). There it installs the wheel and does
what the landing page tells newcomers, with a file of their own, within five minutes; the same with the
extra ``all``, as the page says. With ``--extras`` it also installs each extra by itself and runs a verb
that needs it. The source release is installed into the first Python, with everything it needs to build.
``make installs`` does all of it; it takes minutes and downloads what is installed. Environments of one
Python share downloads and compiled kernels, nothing else.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from example_files import MAKERS
from newcomer import OWN, steps

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = ("3.11", "3.12", "3.13")
FIRST = (["--version"], *(words[1:] for words in steps() if words[0] == "poise"))
"""A stranger's first commands, as the landing page has them; a plain install does them."""
SOON = 300.0
"""Seconds of work that they may take, the install among them."""
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
WITHOUT = {"gpu": "needs a graphics card and its driver"}
"""Extras that are not tried, and why."""


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


def tried(python: str, release: Path, extra: str | None, commands: list[list[str]], kept: Path) -> str:
    """Empty if all commands ran in a clean environment, else what went wrong.

    ``kept``: folder for downloads and for the kernels that this Python's environments have compiled.
    """
    shared = {
        "PIP_CACHE_DIR": str(kept / "pip"),
        "XDG_CACHE_HOME": str(kept / Path(python).resolve().name),
    }
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        MAKERS[OWN](at / OWN)
        made = run([python, "-m", "venv", "env"], at)
        wanted = f"{release}[{extra}]" if extra else str(release)
        there = str(at / "env" / "bin" / "python")
        made = made if made.returncode else run([there, "-m", "pip", "install", "-q", wanted], at, **shared)
        for command in [] if made.returncode else commands:
            made = run([str(at / "env" / "bin" / "poise"), *command], at, **shared)
            if made.returncode:
                return f"poise {' '.join(command)}: {made.stderr.strip()[-400:]}"
        return made.stderr.strip()[-400:] if made.returncode else ""


def pythons() -> list[str]:
    """One of each version: on the path, or where pyenv and uv keep theirs. Tells which there is none of."""
    found: list[str] = []
    for version in VERSIONS:
        homes = [Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"]
        homes += [Path.home() / ".local" / "share" / "uv" / "python"]
        kept = (
            p for home in homes for p in sorted(home.glob(f"*{version}.*/bin/python{version}"), reverse=True)
        )
        names = [shutil.which(f"python{version}"), *map(str, kept)]
        # What pyenv puts on the path may answer that this version is not chosen.
        works = (n for n in names if n and not subprocess.run([n, "-V"], capture_output=True).returncode)
        chosen = next(works, None)
        found += [chosen] if chosen else []
        if not chosen:
            print(f"not tried: Python {version} (there is none here)", flush=True)
    return found


def processor_time() -> float:
    """What programs that have ended needed [s]."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def releases(folder: Path) -> tuple[Path, Path]:
    """A wheel, and a source release: the latter by a build tool of its own, as an uploader would make it."""
    tools = folder / "tools" / "bin" / "python"
    for command in (
        [sys.executable, "-m", "venv", str(folder / "tools")],
        [str(tools), "-m", "pip", "install", "-q", "build"],
        [str(tools), "-m", "build", "--sdist", "--outdir", str(folder), str(ROOT)],
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(ROOT)],
    ):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (wheel,), (source,) = folder.glob("poise-*.whl"), folder.glob("poise-*.tar.gz")
    return wheel, source


def main() -> int:
    """Build, install, try; 1 if anything failed."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--python", action="append", help="a Python to install into; may be given again")
    options.add_argument("--extras", action="store_true", help="try every extra by itself, too")
    given = options.parse_args()
    asked = given.python or pythons()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        wheel, source = releases(Path(folder))
        for release in (wheel, source):
            print(f"{release.name}: {release.stat().st_size / 2**20:.1f} MiB", flush=True)
        for number, python in enumerate(asked):
            version = subprocess.run(
                [python, "-V"], capture_output=True, text=True, check=True
            ).stdout.strip()
            cases = [(wheel, None, list(FIRST))]
            cases += [(wheel, "all", list(FIRST))]
            cases += [(wheel, k, [v]) for k, v in NEEDS.items()] if given.extras else []
            cases += [(source, None, list(FIRST))] if number == 0 else []
            for release, extra, commands in cases:
                began, worked = time.monotonic(), processor_time()
                wrong = tried(python, release, extra, commands, Path(folder))
                took, work = time.monotonic() - began, processor_time() - worked
                # A busy machine is not judged: what counts is the work, most of it of one process.
                if commands == list(FIRST) and work > SOON:
                    wrong = wrong or f"a first own result within {SOON:.0f} s is promised"
                failed += bool(wrong)
                kind = extra or ("plain" if release == wheel else "source")
                print(
                    f"{version:14} {kind:8} {wrong or 'ok'} ({took:.0f} s, {work:.0f} s of work)", flush=True
                )
    for extra, why in WITHOUT.items() if given.extras else ():
        print(f"not tried: {extra} ({why})")
    print(f"{failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
