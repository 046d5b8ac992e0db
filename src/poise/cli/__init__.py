"""The command line: ``poise VERB …``. One thin file per verb; the work is in the library.

Exit status: 0 done; 1 done, but a constraint was missed or a check failed; 2 bad input or usage
(one clear line on standard error, a traceback only with ``--debug``); see :mod:`poise.cli.exit_status`.
"""

from __future__ import annotations

from poise.cli.app import main

__all__ = ["main"]
