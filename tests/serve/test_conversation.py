"""Requests among requests: several under way, one cancelled, one that fails, too many."""

from __future__ import annotations

import os
import threading

import pytest

from poise.serve import frames, requests, server


class Host:
    """A host in this process, so that what happens meanwhile can be brought about."""

    def __init__(self):
        ours, theirs = os.pipe(), os.pipe()
        self.sink, self.source = os.fdopen(ours[1], "wb"), os.fdopen(theirs[0], "rb")
        self.pipes = os.fdopen(ours[0], "rb"), os.fdopen(theirs[1], "wb")
        self.server = server.Server(*self.pipes)
        self.thread = threading.Thread(target=self.server.serve, daemon=True)
        self.thread.start()
        assert self.hear()["protocol"] == 1

    def ask(self, **head):
        frames.write(self.sink, head)

    def hear(self):
        return frames.read(self.source)[0]

    def close(self):
        self.sink.close()
        self.thread.join(10)
        for pipe in (self.source, *self.pipes):
            pipe.close()
        assert not self.thread.is_alive()


@pytest.fixture
def host(monkeypatch):
    """Requests that wait until they are let go, and one that fails as nothing should."""
    gates = {k: threading.Event() for k in range(9)}

    def wait(session, request):
        while not gates[request.head["gate"]].wait(0.005):
            request.progress(0.5)
        return requests.Answer({"gate": request.head["gate"]})

    def fail(session, request):
        raise (request.head["id"] == 1 and SystemExit("out")) or MemoryError("no more")

    monkeypatch.setitem(requests.REQUESTS, "wait", wait)
    monkeypatch.setitem(requests.REQUESTS, "fail", fail)
    monkeypatch.setattr(server, "EVERY", 1e9)
    opened = Host()
    opened.gates = gates
    yield opened
    for gate in gates.values():
        gate.set()
    opened.close()


def test_several_requests_are_under_way_and_answered_as_they_are_done(host):
    for k in range(3):
        host.ask(id=k, ask="wait", gate=k)
    for k in (2, 0, 1):
        host.gates[k].set()
        assert host.hear() == {"id": k, "done": True, "gate": k}


def test_one_is_cancelled_and_the_others_go_on(host):
    host.ask(id=1, ask="wait", gate=1)
    host.ask(id=2, ask="wait", gate=2)
    host.ask(id=3, ask="cancel", request=1)
    said = [host.hear(), host.hear()]
    assert {"id": 3, "done": True, "cancelled": True} in said
    assert next(s for s in said if s["id"] == 1)["kind"] == "CancelledError"
    host.gates[2].set()
    assert host.hear()["id"] == 2
    host.ask(id=4, ask="cancel", request=77)
    assert host.hear() == {"id": 4, "done": True, "cancelled": False}


@pytest.mark.parametrize("other", [[1], {}, None, "1", True])
def test_what_is_no_number_is_not_cancelled(host, other):
    host.ask(id=1, ask="cancel", request=other)
    assert "field 'request' must be a whole number" in host.hear()["error"]
    host.ask(id=2, ask="cancel", request=5)
    assert host.hear() == {"id": 2, "done": True, "cancelled": False}


def test_whatever_fails_fails_alone(host, capsys):
    for k in (1, 2):
        host.ask(id=k, ask="fail")
        said = host.hear()
        assert said["id"] == k
        assert "the fault is its own" in said["error"]
    host.gates[0].set()
    host.ask(id=3, ask="wait", gate=0)
    assert host.hear()["done"]


def test_progress_is_told(host, monkeypatch):
    monkeypatch.setattr(server, "EVERY", 0.0)
    host.ask(id=1, ask="wait", gate=1)
    told = [host.hear(), host.hear(), host.hear()]
    assert told[0] == {"id": 1, "progress": 0.0}
    assert told[2] == {"id": 1, "progress": 0.5}
    host.gates[1].set()
    while not host.hear().get("done"):
        pass


def test_numbers_of_requests_are_looked_at(host):
    host.ask(id="x", ask="wait")
    assert "whole number" in host.hear()["error"]
    host.ask(id=1, ask="wait", gate=1)
    host.ask(id=1, ask="wait", gate=1)
    assert "under way already" in host.hear()["error"]
    assert len(frames.packed({}, {})) < 100


def test_a_host_that_asks_for_too_much_at_once_is_told(host, monkeypatch):
    monkeypatch.setattr(server, "MOST_IN_FLIGHT", 1)
    host.ask(id=1, ask="wait", gate=1)
    host.ask(id=2, ask="wait", gate=1)
    assert "wait for them" in host.hear()["error"]
