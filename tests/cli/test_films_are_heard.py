"""What is heard with a film, and the sound alone: the file that is there, else what the result plays."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from poise import pictures
from poise.cli.operation_verb import film, hear
from poise.errors import InputError


class Played:
    """A result; ``plays``: whether it has something to hear."""

    shown, as_it_was = "a clip", "before"

    def __init__(self, plays: bool) -> None:
        self.plays, self.asked = plays, []

    def sound(self, path):
        self.asked.append(path)
        return path if self.plays else None

    def filmed(self):
        return {"fps": 30}


@pytest.fixture
def filmed(monkeypatch):
    told = []
    monkeypatch.setattr(pictures, "video", lambda *a, **more: told.append(SimpleNamespace(a=a, **more)))
    return told


def test_a_result_that_plays_nothing_is_not_written_as_sound(tmp_path):
    hear(Played(True), tmp_path / "x.wav")
    with pytest.raises(InputError, match="--sound: this result has no sound"):
        hear(Played(False), tmp_path / "x.wav")


def test_a_film_has_the_sound_of_the_file_that_is_there(filmed, tmp_path, capsys):
    (tmp_path / "song.wav").write_bytes(b"la")
    result = Played(True)
    film(result, tmp_path / "x.MP4", tmp_path / "song.wav")
    assert (filmed[0].sound, result.asked) == (tmp_path / "song.wav", [])
    assert (filmed[0].a, filmed[0].before, filmed[0].fps) == (("a clip", tmp_path / "x.MP4"), "before", 30)
    assert "silent" not in capsys.readouterr().err


@pytest.mark.parametrize("given", [None, "new.wav"])
def test_else_that_of_the_result(filmed, tmp_path, given):
    result = Played(True)
    film(result, tmp_path / "x.mp4", None if given is None else tmp_path / given)
    assert filmed[0].sound == result.asked[0]
    assert result.asked[0].name == (given or "sound.wav")


@pytest.mark.parametrize("plays", [True, False])
def test_a_film_that_cannot_be_heard_says_so_where_there_is_something_to_hear(
    filmed, tmp_path, capsys, plays
):
    film(Played(plays), tmp_path / "x.gif", None)
    assert filmed[0].sound is None
    assert ("x.gif is silent; write an .mp4 to hear it" in capsys.readouterr().err) == plays
