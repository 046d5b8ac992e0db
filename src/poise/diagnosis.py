"""What this machine and this install have, and what they lack: checks that do not depend on each other.

Whatever may hang or crash (libraries of others, programs, machine code) is tried in a process of its own, for
a bounded time: a diagnosis always ends, and one thing that is broken hides no other.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any, Literal

from poise.version import __version__

PATIENCE = 20.0
"""How long a program or a library may take to answer [s]."""
LONG = 240.0
"""How long the first kernels may take on a busy machine [s]."""
State = Literal["fine", "missing", "broken"]


@dataclass(frozen=True)
class Finding:
    """One line of a diagnosis."""

    name: str
    text: str
    state: State = "fine"
    """``missing``: something optional that is not there; ``broken``: something needed that does not work."""
    remedy: str = ""
    facts: Any = None
    """The same for programs."""

    @property
    def healthy(self) -> bool:
        """Whether Poise works with this."""
        return self.state != "broken"

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def diagnose(heard: Callable[[Finding], None] = lambda finding: None) -> list[Finding]:
    """Every check, in order; ``heard`` is told each as it is done."""
    found = []
    for name, check in CHECKS.items():
        try:
            findings = check()
        except Exception as problem:  # a check that fails is a finding, not the end of the others
            findings = [Finding(name, f"cannot be told: {type(problem).__name__}: {problem}", "missing")]
        for finding in findings:
            heard(finding)
            found.append(finding)
    return found


def _versions() -> list[Finding]:
    facts = {"poise": __version__, "python": platform.python_version(), "platform": platform.platform()}
    text = f"{__version__}, Python {facts['python']}, {facts['platform']}"
    return [Finding("Poise", text, facts=facts)]


def _needed() -> list[Finding]:
    """Libraries that nothing works without: each is loaded, in a process of its own."""
    names = ["numpy", "scipy.linalg", "numba", "threadpoolctl", "msgspec", "typer", "rich", "PIL.Image"]
    code = (
        "import importlib, json, sys\n"
        "for name in sys.argv[1:]:\n"
        "    try:\n"
        "        importlib.import_module(name); said = ''\n"
        "    except BaseException as problem:\n"
        "        said = f'{type(problem).__name__}: {problem}'\n"
        "    print(json.dumps([name, said]), flush=True)\n"
    )
    done = _run([sys.executable, "-c", code, *names], LONG)
    told = dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))
    broken = {name: told.get(name, "it ends the process") for name in names if told.get(name, "?")}
    facts = {name: _version(name.partition(".")[0]) for name in names}
    if broken:
        text = "; ".join(f"{name}: {why.splitlines()[0]}" for name, why in broken.items())
        return [Finding("libraries", text, "broken", "pip install --force-reinstall poise", facts)]
    return [
        Finding("libraries", ", ".join(f"{k.partition('.')[0]} {v}" for k, v in facts.items()), facts=facts)
    ]


def _extras() -> list[Finding]:
    """Extras of the package, from its own metadata: which of their libraries are there."""
    wanted: dict[str, list[str]] = {}
    for line in requires("poise") or ():
        found = re.match(r"([\w.-]+).*extra\s*==\s*['\"]([\w-]+)['\"]", line)
        if found and found[1].lower() != "poise" and found[2] not in ("test", "bench", "docs", "all"):
            wanted.setdefault(found[2], []).append(found[1])
    findings = []
    for extra, libraries in sorted(wanted.items()):
        lacking = [library for library in libraries if not _version(library)]
        facts = {library: _version(library) for library in libraries}
        name = f"extra {extra}"
        if lacking:
            remedy = f"pip install 'poise[{extra}]'"
            findings.append(Finding(name, f"no {', '.join(lacking)}", "missing", remedy, facts))
        else:
            findings.append(Finding(name, ", ".join(f"{k} {v}" for k, v in facts.items()), facts=facts))
    return findings


def _level() -> list[Finding]:
    from poise.kernels import cpu_level

    chosen = cpu_level.chosen()
    name = chosen.name if chosen is not None else cpu_level.NATIVE
    others = [level.name for level in cpu_level.levels() if cpu_level.runs(level) and level is not chosen]
    text = f"kernels are compiled for {name}"
    if others:
        text += f" (this machine also runs {', '.join(others)}: {cpu_level.VARIABLE})"
    text += "; results may differ in their last bits between levels"
    facts = {"level": name, "runs": [level.name for level in cpu_level.levels() if cpu_level.runs(level)]}
    return [Finding("processor", text, facts=facts)]


STOCK = """
import json
from poise.kernels.cache import folders
from poise.kernels.roster import roster
from poise.kernels.stock import where
held = roster()
found = [where(held, entry) for entry in held.entries]
places = [(type(each).__name__, str(each.path), found.count(k)) for k, each in enumerate(folders())]
print(json.dumps({"total": len(found), "left": found.count(None), "places": places}))
"""
ALIVE = """
from poise.character.presets import humanoid
from poise.kinematics import Kinematics
body = humanoid()
assert 0.5 < float(Kinematics(body, body.rest_pose()).com[0, 2]) < 1.5
"""


def _kernels() -> list[Finding]:
    """How many are there, and whether one of them gives a right answer on this processor."""
    done = _run([sys.executable, "-c", STOCK], PATIENCE)
    if done.returncode:
        return [Finding("kernels", _last_line(done), "broken", "poise warm --debug", None)]
    facts = json.loads(done.stdout)
    names = {"ShippedFolder": "shipped", "Folder": "kept"}
    places = [f"{count} {names[kind]} in {path}" for kind, path, count in facts["places"] if count]
    text = f"{facts['total'] - facts['left']} of {facts['total']} are there"
    text += f" ({'; '.join(places)})" if places else ""
    remedy = "poise warm" if facts["left"] else ""
    findings = [Finding("kernels", text, "missing" if facts["left"] else "fine", remedy, facts)]
    ran = _run([sys.executable, "-c", ALIVE], LONG)
    if ran.returncode:
        why = "ends the process" if ran.returncode < 0 else _last_line(ran)
        remedy = "POISE_CPU_LEVEL=native compiles for this very processor"
        findings.append(Finding("a kernel", why, "broken", remedy))
    return findings


def _cards() -> list[Finding]:
    from poise.kernels.installed_cards import cards

    found = cards()
    return [Finding("graphics card", str(found), facts=found.facts())]


def _threads() -> list[Finding]:
    from poise.workers import thread_count

    facts = {"threads": thread_count(), "processors": os.cpu_count()}
    text = f"{facts['threads']} for batches, of {facts['processors']} processors (POISE_THREADS)"
    return [Finding("threads", text, facts=facts)]


def _fonts() -> list[Finding]:
    code = (
        "from PIL import ImageFont, features; ImageFont.load_default(20); print(features.check('freetype2'))"
    )
    done = _run([sys.executable, "-c", code], PATIENCE)
    if done.returncode or done.stdout.strip() != "True":
        text = "captions of pictures would be coarse: Pillow has no FreeType"
        return [Finding("fonts", text, "missing", "pip install --force-reinstall pillow")]
    return [Finding("fonts", "Pillow's own, with FreeType")]


def _films() -> list[Finding]:
    code = "import imageio_ffmpeg; print(imageio_ffmpeg.get_ffmpeg_exe())"
    done = _run([sys.executable, "-c", code], PATIENCE)
    remedy = "pip install 'poise[video]'"
    if done.returncode:
        return [Finding("ffmpeg", "no MP4 films, only GIF", "missing", remedy)]
    program = done.stdout.strip()
    said = _run([program, "-version"], PATIENCE)
    if said.returncode:
        return [Finding("ffmpeg", f"{program} does not run", "missing", remedy)]
    first = said.stdout.splitlines()[0].partition(" Copyright")[0]
    return [Finding("ffmpeg", f"{first} ({program})", facts={"program": program})]


def _blender() -> list[Finding]:
    program = shutil.which("blender")
    if program is None:
        return [Finding("Blender", "not on the path; Poise does not need it", "missing")]
    said = _run([program, "--version"], PATIENCE)
    text = said.stdout.splitlines()[0] if said.stdout else "does not answer"
    return [Finding("Blender", f"{text} ({program})", facts={"program": program})]


CHECKS: dict[str, Callable[[], list[Finding]]] = {
    "Poise": _versions,
    "libraries": _needed,
    "extras": _extras,
    "processor": _level,
    "kernels": _kernels,
    "graphics card": _cards,
    "threads": _threads,
    "fonts": _fonts,
    "ffmpeg": _films,
    "Blender": _blender,
}


def _run(command: list[str], patience: float) -> subprocess.CompletedProcess[str]:
    """Output of a program; status 124 where it took too long, 127 where there is none."""
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=patience, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"no answer within {patience:g} s")
    except OSError as problem:
        return subprocess.CompletedProcess(command, 127, "", str(problem))


def _last_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = done.stderr.strip().splitlines()
    return lines[-1] if lines else f"it ended with status {done.returncode}"


def _version(library: str) -> str:
    """Of a distribution, or of the one that has a module of that name; empty where there is none."""
    for name in (library, {"PIL": "pillow"}.get(library, library)):
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return ""
