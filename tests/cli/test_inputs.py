"""What a name on the command line stands for, and how several are told apart."""

from __future__ import annotations

import pytest

from poise.character import presets
from poise.cli import main
from poise.cli.inputs import read


def test_a_preset_is_one_frame_of_its_rest_pose():
    clip = read("humanoid", None)
    assert (clip.frames, clip.rate, clip.name) == (1, 30, "humanoid")
    assert (clip.q[0] == presets.get("humanoid").rest_pose()).all()


def test_facts_of_several_have_an_empty_line_between_them(capsys):
    for names in (["wave"], ["wave", "walk", "run"]):
        with pytest.raises(SystemExit) as ended:
            main(["info", *names])
        assert ended.value.code == 0
        text = capsys.readouterr().out
        assert not text.startswith("\n")
        assert text.count("\n\n") == len(names) - 1
