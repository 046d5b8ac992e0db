"""The first command of an install has the kernels of all others compiled in the background, once.

Never where kernels came with the package, from a checkout (``make`` warms those), in tests or in continuous
integration, or with ``POISE_WARM=off``; ``POISE_WARM=on`` also there. A file beside the kernels says that it
was done. The process that compiles holds a lock on it, so that there are never two; one that was ended early
is started again by a later command, a few times at most.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from poise.cli.terminal import print
from poise.version import __version__

VARIABLE = "POISE_WARM"
ATTEMPTS = 3
"""So often it is tried."""
DONE = "done"
_LOCK = "POISE_WARM_LOCK"
"""Tells the process in the background which of its open files is the mark."""
PROGRAM = "from poise.cli import main; main()"
SENTENCE = (
    f"poise: kernels of all other commands are now compiled in the background, once, at lowest priority"
    f" ({VARIABLE}=off prevents it)"
)


def start(name: str) -> bool:
    """Begin if this is the first command; whatever goes wrong is nobody's problem."""
    if name in ("warm", "doctor") or not wanted():
        return False
    with suppress(Exception):
        return _started()
    return False


def wanted() -> bool:
    """Whether this install is one that compiles in the background."""
    asked = os.environ.get(VARIABLE, "").lower()
    if asked in ("off", "0", "no"):
        return False
    if asked in ("on", "1", "yes"):
        return True
    if any(os.environ.get(name) for name in ("CI", "PYTEST_VERSION", "PYTEST_CURRENT_TEST")):
        return False
    return "site-packages" in Path(__file__).parts and not _shipped()


def _shipped() -> bool:
    from poise.kernels.shipped import FOLDER, made_with

    return any(FOLDER.glob(f"*-{made_with()}.kernels"))


def mark() -> Path:
    """The file that says how far it is, for this install."""
    from poise.kernels.shipped import made_with

    given, root = os.environ.get("NUMBA_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME")
    base = Path(given) / "poise" if given else Path(root or Path.home() / ".cache") / "poise" / "kernels"
    what = (__version__, str(Path(__file__).parent), made_with(), os.environ.get("POISE_CPU_LEVEL", ""))
    return base / f"warm-{hashlib.sha256(repr(what).encode()).hexdigest()[:16]}"


def _started() -> bool:
    import fcntl

    path = mark()
    path.parent.mkdir(parents=True, exist_ok=True)
    held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)  # whoever compiles holds it
        said = os.read(held, 16).decode("ascii", "replace")
        if said == DONE or (said.isdigit() and int(said) >= ATTEMPTS):
            return False
        _write(held, str(int(said) + 1 if said.isdigit() else 1))
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "warm", "--jobs", "1", "--background"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=path.parent,
            env={**os.environ, VARIABLE: "off", _LOCK: str(held)},
            pass_fds=(held,),
            start_new_session=True,
        )
    finally:
        os.close(held)
    print(SENTENCE, file=sys.stderr, flush=True)
    return True


def finished() -> None:
    """Said by the process in the background: all is there."""
    with suppress(KeyError, ValueError, OSError):
        _write(int(os.environ[_LOCK]), DONE)


def _write(held: int, text: str) -> None:
    os.lseek(held, 0, os.SEEK_SET)
    os.ftruncate(held, 0)
    os.write(held, text.encode())
