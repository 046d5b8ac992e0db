"""Verbs as they are typed."""

from __future__ import annotations

import pytest

from poise.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a command."""
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    out, code = capsys.readouterr(), stop.value.code
    return (code if isinstance(code, int) else 0), out.out, out.err
