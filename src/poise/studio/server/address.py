"""The address of a workspace's studio, kept in the workspace: the same port and token after a restart.

So a tab that was open finds its studio again, and what it remembers (it does so by address) stays. Whoever
has the token may edit, so the file is the user's alone (mode 0600); one that others could read or have put
there is not believed, and made anew. Whoever listens on the port is never told the token, but has to prove
that he knows it (``proof``).
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import os
import stat
from contextlib import suppress
from pathlib import Path
from secrets import token_hex, token_urlsafe

import msgspec

from poise.errors import InputError
from poise.reading import read_bytes

FILE = ".poise-studio.json"
PATIENCE = 2.0
"""A studio that runs answers within this [s]."""
PROOF = "/proof"
"""Where a studio proves that it knows its token."""


class Address(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a studio is, and what lets in."""

    port: int
    token: str

    @property
    def page(self) -> str:
        """What the browser is told to open."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    def answers(self) -> bool:
        """Whether the studio is there that has this token: it proves so, and is not told it."""
        nonce = token_hex(32)
        door = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            door.request("GET", f"{PROOF}?nonce={nonce}")
            said = door.getresponse().read(1000)
            return hmac.compare_digest(said, proof(self.token, self.port, nonce).encode())
        except (OSError, http.client.HTTPException):
            return False
        finally:
            door.close()


def new_token() -> str:
    """What nobody guesses."""
    return token_urlsafe(32)


def proof(token: str, port: int, nonce: str) -> str:
    """HMAC-SHA256(token, "port nonce"): of another port it proves nothing here."""
    return hmac.new(token.encode(), f"{port} {nonce}".encode(), hashlib.sha256).hexdigest()


def kept(folder: Path) -> Address | None:
    """The address of a workspace; None where there is none, or none to be believed."""
    path = folder / FILE
    try:
        about = path.lstat()
        if not stat.S_ISREG(about.st_mode) or (os.name == "posix" and not _own(about)):
            return None
        found = msgspec.json.decode(read_bytes(path), type=Address)
    except (OSError, InputError, ValueError, RecursionError):
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
