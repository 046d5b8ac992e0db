"""``poise doctor``: every check is made, whatever the others say; status 1: something is broken."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from poise import diagnosis
from poise.cli import main
from poise.diagnosis import Finding
from poise.kernels import installed_cards


def run(capsys, *arguments: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        main(["doctor", *arguments])
    return int(ended.value.code or 0), capsys.readouterr().out


def test_checks_do_not_depend_on_each_other(monkeypatch, capsys):
    def fails() -> list[Finding]:
        raise RuntimeError("no such thing")

    def lacks() -> list[Finding]:
        return [Finding("ffmpeg", "no films", "missing", "pip install more")]

    monkeypatch.setattr(diagnosis, "CHECKS", {"odd": fails, "ffmpeg": lacks, "threads": diagnosis._threads})
    status, out = run(capsys)
    assert status == 0, "what is missing is not broken"
    assert "cannot be told: RuntimeError: no such thing" in out
    assert "→ pip install more" in out
    assert "threads" in out


@pytest.mark.parametrize("json_wanted", [False, True])
def test_what_is_broken_is_status_1(monkeypatch, capsys, json_wanted):
    broken = Finding("libraries", "numba: ImportError", "broken", "install it again")
    monkeypatch.setattr(diagnosis, "CHECKS", {"libraries": lambda: [broken], "Poise": diagnosis._versions})
    status, out = run(capsys, *(["--json"] if json_wanted else []))
    assert status == 1
    if json_wanted:
        told = json.loads(out)
        assert told["healthy"] is False
        assert [each["name"] for each in told["findings"]] == ["libraries", "Poise"]
    else:
        assert "BROKEN  libraries" in out


def test_a_library_that_cannot_be_loaded_is_named(monkeypatch):
    def answer(command, patience):
        said = '["numpy", ""]\n["numba", "ImportError: no LLVM"]\n'
        return subprocess.CompletedProcess(command, 0, said, "")

    monkeypatch.setattr(diagnosis, "_run", answer)
    (found,) = diagnosis._needed()
    assert found.state == "broken"
    assert "numba: ImportError: no LLVM" in found.text
    assert "scipy.linalg: it ends the process" in found.text
    assert "numpy:" not in found.text


def test_a_kernel_that_ends_the_process_is_said_with_its_remedy(monkeypatch):
    stock = json.dumps({"total": 5, "left": 2, "places": [["ShippedFolder", "/x", 3]]})

    def answer(command, patience):
        dies = command[-1] == diagnosis.ALIVE
        return subprocess.CompletedProcess(command, -4 if dies else 0, stock, "")

    monkeypatch.setattr(diagnosis, "_run", answer)
    count, alive = diagnosis._kernels()
    assert count.text == "3 of 5 are there (3 shipped in /x)"
    assert (count.state, count.remedy) == ("missing", "poise warm")
    assert alive.state == "broken"
    assert "POISE_CPU_LEVEL=native" in alive.remedy


def test_programs_that_hang_or_are_not_there_are_given_up():
    hangs = diagnosis._run([sys.executable, "-c", "import time; time.sleep(600)"], 0.2)
    assert (hangs.returncode, hangs.stderr) == (124, "no answer within 0.2 s")
    assert diagnosis._run(["/nowhere/at/all"], 1.0).returncode == 127


def test_extras_say_how_to_get_them(monkeypatch):
    lines = ['mujoco>=4; extra == "contact"', 'pytest>=9; extra == "test"', "numpy>=2"]
    monkeypatch.setattr(diagnosis, "requires", lambda name: lines)
    monkeypatch.setattr(diagnosis, "_version", lambda library: "")
    (found,) = diagnosis._extras()
    assert (found.name, found.state) == ("extra contact", "missing")
    assert found.remedy == "pip install 'poise[contact]'"


def test_results_may_differ_between_levels_and_it_says_so():
    (found,) = diagnosis._level()
    assert "results may differ in their last bits between levels" in found.text


def test_cards_are_those_that_the_driver_lists(monkeypatch, tmp_path):
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho 'NVIDIA H200, 143771, 570.1'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    (card,) = installed_cards.cards().found
    assert (card.name, card.memory_mib, card.driver) == ("NVIDIA H200", 143771, "570.1")
    program.write_text("#!/bin/sh\necho 'no driver'\nexit 9\n")
    assert installed_cards.cards().found == ()
    assert "none that an NVIDIA driver knows of" in str(installed_cards.cards())
