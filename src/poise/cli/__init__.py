"""The command line: ``poise VERB …``. One thin file per verb; the work is in the library.

Exit status: 0 done; 1 done, but a constraint was missed or a check failed; 2 bad input or usage
(one clear line on standard error, a traceback only with ``--debug``); see :mod:`poise.cli.exit_status`.
"""

from __future__ import annotations


def main(arguments: list[str] | None = None) -> None:
    """Run the program and exit with its status.

    Nothing is imported before: until a verb has begun, Ctrl+C ends the program at once, without a word.
    """
    try:
        from poise.cli.interrupts import ending_at_once

        with ending_at_once(for_good=arguments is None):
            from poise.cli.app import app

            app(args=arguments, prog_name="poise")
    except KeyboardInterrupt:
        raise SystemExit(130) from None


__all__ = ["main"]
