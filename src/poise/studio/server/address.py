"""The address of a workspace's studio, kept in the workspace: the same port and token after a restart.

So a tab that was open finds its studio again, and what it remembers (it does so by address) stays. Whoever
has the token may edit, so the file is the user's alone (mode 0600); one that others could read or have put
there is not believed, and made anew.
"""

from __future__ import annotations

import http.client
import os
import stat
from contextlib import suppress
from pathlib import Path
from secrets import token_urlsafe

import msgspec

from poise.errors import InputError
from poise.reading import read_bytes

FILE = ".poise-studio.json"
PATIENCE = 2.0
"""A studio that runs answers within this [s]."""


class Address(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a studio is, and what lets in."""

    port: int
    token: str

    @property
    def page(self) -> str:
        """What the browser is told to open."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    def answers(self) -> bool:
        """Whether a studio is there that takes this token."""
        door = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            door.request("HEAD", f"/?token={self.token}")
            return door.getresponse().status == http.client.SEE_OTHER
        except (OSError, http.client.HTTPException):
            return False
        finally:
            door.close()


def new_token() -> str:
    """What nobody guesses."""
    return token_urlsafe(32)


def kept(folder: Path) -> Address | None:
    """The address of a workspace; None where there is none, or none to be believed."""
    path = folder / FILE
    try:
        about = path.lstat()
        if not stat.S_ISREG(about.st_mode) or (os.name == "posix" and not _own(about)):
            return None
        found = msgspec.json.decode(read_bytes(path), type=Address)
    except (OSError, InputError, msgspec.DecodeError):
        return None
    return found if 0 < found.port < 2**16 and len(found.token) >= 32 else None


def keep(folder: Path, address: Address) -> None:
    """Write it for the user alone; a folder that cannot be written to has none."""
    path = folder / FILE
    if kept(folder) == address:
        return
    with suppress(OSError):
        path.unlink(missing_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(handle, msgspec.json.encode(address) + b"\n")
        finally:
            os.close(handle)


def _own(about: os.stat_result) -> bool:
    return about.st_uid == os.getuid() and not stat.S_IMODE(about.st_mode) & 0o077
