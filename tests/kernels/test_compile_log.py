"""Compilation is told in one sentence, and is no time of work."""

from __future__ import annotations

import pytest

from poise.kernels import compile_log


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes only when it is told to, and a log that knows nothing yet."""
    monkeypatch.setattr(compile_log, "_state", compile_log._State())
    monkeypatch.setattr(compile_log, "_listeners", [])

    class Clock:
        now = 100.0

        def perf_counter(self) -> float:
            return self.now

    made = Clock()
    monkeypatch.setattr(compile_log, "time", made)
    return made


def test_the_clock_of_work_stands_still_while_kernels_are_compiled_or_loaded(clock):
    began = compile_log.working_time()
    clock.now += 1
    compile_log.began("a kernel", compiling=True)
    clock.now += 20
    assert compile_log.working_time() - began == 1, "also before it is done"
    compile_log.began("its helper", compiling=True)
    clock.now += 5
    compile_log.ended()
    compile_log.ended()
    clock.now += 2
    compile_log.began("another", compiling=False)
    clock.now += 0.5
    compile_log.ended()
    assert compile_log.working_time() - began == 3
    assert compile_log.compilations() == 1, "helpers and what was only loaded do not count"


def test_listeners_hear_every_kernel_with_its_number_and_how_many_there_will_be(clock):
    heard = []
    asked = []
    compile_log.work_on("hit", lambda: asked.append("once") or 2)
    with compile_log.listening(lambda *told: heard.append(told)):
        for name in ("one", "two"):
            compile_log.began(name, compiling=True)
            compile_log.began("helper", compiling=True)
            compile_log.ended()
            compile_log.ended()
    compile_log.began("unheard", compiling=True)
    compile_log.ended()
    assert heard == [("one", 1, 2), ("two", 2, 2)]
    assert asked == ["once"]


def test_a_number_that_cannot_be_told_is_left_out(clock):
    def fails() -> int:
        raise RuntimeError("no roster")

    heard = []
    compile_log.work_on("hit", fails)
    with compile_log.listening(lambda *told: heard.append(told)):
        compile_log.began("one", compiling=True)
    assert heard == [("one", 1, 0)]


def test_one_sentence_for_all():
    assert compile_log.sentence(3, 41).startswith("Compiling kernels: 3 of 41 (")
    assert compile_log.sentence(3, 0).startswith("Compiling kernels: 3 (")
    assert compile_log.sentence(5, 4).startswith("Compiling kernels: 5 ("), "more than anybody knew of"


def test_it_is_announced_where_somebody_reads_it(clock, monkeypatch, capsys):
    compile_log.announce("newton", 1, 4)
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("POISE_VERBOSE", "1")
    compile_log.announce("newton", 1, 4)
    clock.now += 2.5
    compile_log.announce("merit", 2, 4)
    first, second = capsys.readouterr().err.splitlines()
    assert compile_log.sentence(1, 4) in first
    assert first.endswith("newton")
    assert second.startswith("    2.5 s  Compiling kernels: 2 of 4")


def test_the_studio_tells_it_in_the_same_words():
    from poise.studio.server.worker import _compiling

    told = []
    _compiling(told.append)("newton", 3, 5)
    (message,) = told
    assert message.what == compile_log.sentence(3, 5)
    assert message.part == pytest.approx(2 / 5)
