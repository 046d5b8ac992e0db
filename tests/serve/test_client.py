"""The client against programs that do what a Poise must not: nothing hangs, nothing that was said is lost."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest

from poise.serve import link as link_module
from poise.serve.client import Client, PoiseProblem
from poise.serve.link import Link

STAND_IN = """
import os, sys, time
from poise.serve import frames
def say(cut=0, **head):
    raw = frames.packed(head, {"a": __import__("numpy").arange(9.0)})
    os.write(1, raw[: len(raw) - cut])
def hear():
    return frames.read(sys.stdin.buffer)[0]["id"]
say(protocol=1, most_head=500, most_body=80)
"""


def stand_in(code: str) -> Link:
    """A program that greets as Poise does, and then does something else."""
    return Link([sys.executable, "-c", STAND_IN + code])


def test_the_client_alone_waits_keeps_and_cancels():
    """What a host needs that has no event loop: fifty lines over two pipes."""
    code = "a, b = hear(), hear(); say(id=a, done=True); say(id=b, progress=0.5); say(id=b, done=True)\n"
    code += "c = frames.read(sys.stdin.buffer)[0]; say(id=c['id'], done=True, request=c['request'])\n"
    code += "say(id=hear(), error='none of that', kind='InputError')\n"
    with subprocess.Popen(
        [sys.executable, "-c", STAND_IN + code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        client = Client(process.stdout, process.stdin)
        assert client.greeting["protocol"] == 1
        told: list[float] = []
        other = client.send({"ask": "x"})
        _, data = client.ask({"ask": "y"}, {"a": np.arange(3)}, told.append)
        assert told == [0.5]
        np.testing.assert_array_equal(data["a"], np.arange(9.0))
        number = client.cancel(other)
        kept = [*client._kept, client.receive()]
        assert [said["id"] for said, _ in kept] == [other, number]
        assert kept[1][0]["request"] == other
        with pytest.raises(PoiseProblem, match="none of that") as found:
            client.ask({})
        assert found.value.kind == "InputError"
        with pytest.raises(EOFError, match="has ended"):
            client.receive()


@pytest.mark.parametrize(
    "end",
    ["say(cut=5, id=hear(), done=True)", "hear(); os.write(1, b'PSE1')", "hear(); os.write(1, b'X' * 40)"],
)
def test_a_poise_that_dies_within_a_message_is_noticed(end):
    link = stand_in(end + "; os._exit(3)")
    with pytest.raises(PoiseProblem, match="status 3") as found:
        link.ask({"ask": "x"})
    assert found.value.kind == "gone"
    with pytest.raises(PoiseProblem, match="has ended"):  # and again, whoever asks
        link.poll()
    link.close()


def test_a_poise_that_speaks_no_more_is_ended(monkeypatch):
    """What comes after a broken message cannot be understood, though the program goes on."""
    monkeypatch.setattr(link_module, "FAREWELL", 0.05)
    link = stand_in("hear(); os.write(1, b'noise' * 9); time.sleep(600)")
    with pytest.raises(PoiseProblem, match="has ended"):
        link.ask({"ask": "x"})
    assert link.process.poll() is not None
    link.close()


def test_answers_that_arrive_together_are_all_kept():
    code = "a, b, c = hear(), hear(), hear()\nfor k in (a, c, b): say(id=k, done=True)\nhear()"
    link = stand_in(code)
    first, second = link.send({}), link.send({})
    assert link.ask({})[0]["id"] == 3
    kept: list[int] = []
    until = time.monotonic() + 20
    while len(kept) < 2 and time.monotonic() < until:
        kept += [said["id"] for said, _ in link.poll(wait=0.1)]
    assert kept == [first, second]
    link.close()


def test_answers_before_the_end_are_heard_before_it():
    link = stand_in("k = hear(); say(id=k, progress=0.5); say(id=k, done=True); os._exit(0)")
    number = link.send({})
    link.process.wait(20)
    link._ear.join(20)
    assert [said["id"] for said, _ in link.poll(wait=5.0)] == [number, number]
    with pytest.raises(PoiseProblem, match="has ended"):
        link.poll()
    link.close()


@pytest.mark.parametrize(
    ("code", "why"), [("raise SystemExit(7)", "status 7"), ("print('hello, ' * 9)", "status 0")]
)
def test_a_program_that_is_no_poise_is_said(code, why):
    with pytest.raises(PoiseProblem, match=f"is no Poise that can serve .{why}") as found:
        Link([sys.executable, "-c", code])
    assert found.value.kind == "missing"


def test_a_program_that_never_greets_is_ended(monkeypatch):
    monkeypatch.setattr(link_module, "GREETING", 0.2)
    started = []

    def start(*given, **named):
        started.append(popen(*given, **named))
        return started[-1]

    popen = subprocess.Popen
    monkeypatch.setattr(link_module.subprocess, "Popen", start)
    with pytest.raises(PoiseProblem, match="it does not greet") as found:
        Link([sys.executable, "-c", "import time; time.sleep(600)"])
    assert found.value.kind == "missing"
    assert started[0].returncode is not None


def test_what_is_too_long_is_refused_here():
    link = stand_in("say(id=hear(), done=True); hear()")
    with pytest.raises(PoiseProblem, match="of arrays; Poise takes at most 80") as found:
        link.send({}, {"q": np.zeros(11)})
    assert found.value.kind == "too long"
    with pytest.raises(PoiseProblem, match="of text; Poise takes at most 500"):
        link.send({"ask": "x" * 500})
    assert link.ask({}, {"q": np.zeros(10)})[0]["done"]
    link.close()


def test_a_link_says_whether_it_can_still_be_asked():
    link = stand_in("say(id=hear(), done=True); hear()")
    assert link.alive
    link.ask({"ask": "x"})
    assert link.alive
    link.close()
    assert not link.alive
