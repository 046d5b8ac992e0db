"""The process: how it begins and ends, what it prints, what a host's client knows of it."""

from __future__ import annotations

import ast
import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from poise.serve import client, frames, link, server
from poise.serve.client import PoiseProblem
from poise.serve.link import Link

COMMAND = [sys.executable, "-c", "from poise.cli import main; main(['serve', '--stdio'])"]


def run_with(data: bytes) -> subprocess.CompletedProcess:
    return subprocess.run(COMMAND, input=data, capture_output=True, timeout=60, check=False)


def test_it_ends_with_its_host():
    done = run_with(b"")
    assert (done.returncode, done.stderr) == (0, b"")
    assert frames.read(io.BytesIO(done.stdout))[0]["protocol"] == 1


def test_what_is_under_way_does_not_keep_it_from_ending():
    code = "import time; from poise.cli import main; from poise.serve import requests\n"
    code += "def deaf(s, r):\n    time.sleep(600)\n"
    code += "requests.REQUESTS['deaf'] = deaf; main(['serve', '--stdio'])"
    opened = Link([sys.executable, "-c", code])
    try:
        opened.send({"ask": "deaf"})
        opened.process.stdin.close()
        assert opened.process.wait(timeout=60) == 0
    finally:
        opened.process.kill()
        opened.close()


def test_what_is_no_frame_ends_it_with_one_line():
    done = run_with(b"hello, is this a socket?")
    assert done.returncode == server.BROKEN
    assert done.stderr.decode().startswith("poise: serve: a frame begins with")
    assert done.stderr.count(b"\n") == 1


def test_what_is_printed_does_not_come_between_frames():
    code = "import os; from poise.serve import requests, server\n"
    code += (
        "def loud(s, r):\n    print('noise'); os.write(1, b'more'); return requests.Answer({'fine': True})\n"
    )
    code += "requests.REQUESTS['loud'] = loud; server.serve_stdio()"
    opened = Link([sys.executable, "-c", code], log=subprocess.DEVNULL)
    assert opened.ask({"ask": "loud"})[0]["fine"]
    opened.close()


def test_a_server_that_is_killed_is_noticed():
    opened = Link(COMMAND)
    os.kill(opened.process.pid, signal.SIGKILL)
    with pytest.raises(PoiseProblem, match="has ended") as found:
        opened.ask({"ask": "operations"})
    assert found.value.kind == "gone"
    assert not opened.alive
    opened.close()


def test_a_program_that_is_not_there_is_said():
    with pytest.raises(PoiseProblem, match="cannot be started") as found:
        Link(["/nowhere/poise", "serve"])
    assert found.value.kind == "missing"


def test_the_client_knows_nothing_of_poise():
    for module in (client, link):
        text = Path(module.__file__).read_text()
        assert "import poise" not in text
        assert "from poise" not in text.replace("from poise.serve.client import", "")


def test_the_client_is_short_enough_to_be_ported():
    text = Path(client.__file__).read_text()
    words = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, node.end_lineno + 1)
    }
    code = [k for k, line in enumerate(text.splitlines(), 1) if line.strip() and k not in words]
    assert len(code) <= 55


def test_people_are_told_what_it_is_for():
    done = subprocess.run(
        [sys.executable, "-c", "from poise.cli import main; main(['serve'])"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "--stdio" in done.stderr
