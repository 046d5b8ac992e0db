# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding and starting the Poise program; nothing is ever installed."""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from . import blender
from .client import PoiseProblem
from .link import Link

VARIABLE = "POISE_PROGRAM"
"""The environment variable that names the program where the preferences do not."""
HELP = (
    "Poise was not found. Install it in a Python of its own (pip install poise), then choose the program "
    "'poise' in the extension's preferences"
)
_link = None
_started_with = None


def found(chosen=""):
    """The program's path: the one chosen, else that of the environment, else where it usually is; or ''."""
    if chosen:
        return chosen if Path(chosen).is_file() else ""
    name = "poise.exe" if sys.platform == "win32" else "poise"
    home = Path.home()
    places = [os.environ.get(VARIABLE, ""), shutil.which("poise") or ""]
    places += [str(home / part / name) for part in (".local/bin", "poise/bin", ".venv/bin", "poise/Scripts")]
    return next((place for place in places if place and Path(place).is_file()), "")


def link(chosen=""):
    """The running Poise; it is started where none is, or where another program was chosen."""
    global _link, _started_with
    if _link is not None and _link.alive and _link.process.poll() is None and _started_with == chosen:
        return _link
    close()
    path = found(chosen)
    if not path:
        wrong = f"{chosen} is no file. " if chosen else ""
        raise PoiseProblem(wrong + HELP, "missing")
    hidden = {"creationflags": subprocess.CREATE_NO_WINDOW} if sys.platform == "win32" else {}
    # Blender's own Python and its libraries are not Poise's.
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    with contextlib.ExitStack() as kept:
        _link = Link([path, "serve", "--stdio"], log=_log(kept), env=clean, **hidden)
    _started_with = chosen
    return _link


def close():
    """End Poise, where it runs."""
    global _link
    if _link is not None:
        _link.close()
    _link = None


def running():
    """The running Poise, or None; nothing is started."""
    return _link if _link is not None and _link.alive and _link.process.poll() is None else None


def log_path():
    """Where stands what Poise has to say beside its answers, since it was last started; or None."""
    folder = blender.own_folder()
    return folder / "poise.log" if folder is not None else None


def _log(kept):
    """The log, emptied, open until ``kept`` is left; nowhere, if it cannot be written."""
    path = log_path()
    try:
        return kept.enter_context(path.open("wb")) if path is not None else subprocess.DEVNULL
    except OSError:
        return subprocess.DEVNULL
