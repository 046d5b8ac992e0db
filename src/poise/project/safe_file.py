"""Files replaced so that a crash at any instant leaves the old one or the new one, never neither.

The new bytes go to a file of their own beside the old, are forced to the disk, and take the old one's name in
one step, which is forced to the disk as well.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from poise.errors import InputError

SUFFIX = ".saving"


def replace_file(path: Path, data: bytes) -> None:
    """Make ``data`` the content of a file. Call it only while holding the file's lock."""
    target = Path(os.path.realpath(path))  # a link stays a link: what it points to is replaced
    temporary = target.with_name(f".{target.name}-{token_hex(4)}{SUFFIX}")
    try:
        _forget_remains(target)
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode)
        os.replace(temporary, target)
        sync_folder(target.parent)
    except OSError as problem:
        raise InputError(f"cannot write {path}: {problem.strerror or problem}") from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Force the folder's list of names to the disk, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _forget_remains(target: Path) -> None:
    """Remove what killed savers left behind; under the lock nobody else is saving."""
    for remains in target.parent.glob(f".{target.name}-*{SUFFIX}"):
        with suppress(OSError):
            remains.unlink()
