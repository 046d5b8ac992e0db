"""Ctrl+C at any moment is one line at most and status 130."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="interrupts are sent as on Unix")

HEARD = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
"""Also where these tests run in the background, which shells let begin with interrupts ignored."""
AT_IMPORT = """
import signal, sys
from poise.cli import main
left = int(sys.argv.pop(1))
def hook(event, arguments):
    global left
    if event == "import":
        left -= 1
        if left == 0:
            signal.raise_signal(signal.SIGINT)
sys.addaudithook(hook)
try:
    main()
finally:
    if left > 0:
        print("NOT REACHED", file=sys.stderr)
"""

LATER = """
import os, sys
from poise.cli import main
os.write(1, b".")
main()
"""


@pytest.mark.parametrize("verb", [["--help"], ["info", "walk"], ["nonsense"], ["check", "walk"]])
def test_an_interrupt_at_any_import_ends_quietly(verb):
    """Every import on the way, thinned out: the first few one by one, then ever further apart."""
    number, reached = 1, 0
    while True:
        done = subprocess.run(
            [sys.executable, "-c", HEARD + AT_IMPORT, str(number), *verb],
            capture_output=True,
            text=True,
            timeout=120,
        )
        if "NOT REACHED" in done.stderr:
            break
        assert done.returncode == 130, (number, done.returncode, done.stderr[-2000:])
        assert "Traceback" not in done.stderr, (number, done.stderr)
        assert done.stderr.count("\n") <= 1, (number, done.stderr)
        reached += 1
        number += 1 + number // 2
    assert reached > 5


def test_an_interrupt_at_any_time_ends_quietly():
    rng = random.Random(0)
    for _ in range(12):
        child = subprocess.Popen(
            [sys.executable, "-c", HEARD + LATER, "info", "walk", "--bodies"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert child.stdout is not None
        assert child.stdout.read(1) == b"."
        time.sleep(rng.uniform(0.0, 1.5))
        child.send_signal(signal.SIGINT)
        _, said = child.communicate()
        assert child.returncode in (0, 130, -signal.SIGINT), (child.returncode, said)
        assert b"Traceback" not in said, said
        assert said.count(b"\n") <= 1, said


def test_a_program_that_was_told_to_ignore_interrupts_goes_on():
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n" + AT_IMPORT
    done = subprocess.run([sys.executable, "-c", code, "5", "info", "walk"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "bodies" in done.stdout


def test_in_a_program_of_another_the_handler_is_given_back():
    from poise.cli import main

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(SystemExit):
        main(["--version"])
    assert signal.getsignal(signal.SIGINT) is before
