"""What the command line says when the system refuses: one line with the file and the system's own words."""

from __future__ import annotations

import errno
import os

from poise.cli.exit_status import told


def test_the_systems_words_and_the_file():
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "walk.bvh")
    assert told(full) == "walk.bvh: No space left on device"
    assert told(OSError(errno.EACCES, os.strerror(errno.EACCES))) == "Permission denied"


def test_something_is_said_in_any_case():
    assert told(OSError("strange")) == "strange"
    assert told(OSError()) == "OSError"
