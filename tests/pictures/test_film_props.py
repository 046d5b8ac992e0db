"""Films with things beside the figure, and with sound."""

from __future__ import annotations

import wave
from fractions import Fraction

import numpy as np
import pytest
from PIL import Image

from poise import clips
from poise.errors import InputError
from poise.pictures import Prop, video
from poise.pictures.encoder import write_encoded
from poise.pictures.mesh import sphere

SMALL = {"size": (96, 96), "duration": 0.1, "fps": 20}


def test_props_are_there_when_they_should_be(tmp_path):
    clip = clips.get("wave")
    ball = sphere(0.5)

    def props(t):
        return [Prop(ball, "target", np.array([0.3, 0.0, 1.0]), np.eye(3))] if t < 0.04 else []

    path = video(clip, tmp_path / "a.gif", props=props, **SMALL)
    with Image.open(path) as film:

        def red(frame):
            film.seek(frame)
            pixels = np.asarray(film.convert("RGB")).astype(int)
            return ((pixels[..., 0] > 150) & (pixels[..., 1] < 100) & (pixels[..., 2] < 100)).mean()

        assert red(0) > 0.03
        assert red(film.n_frames - 1) < 0.005


def test_sound_needs_a_film_that_can_have_it(tmp_path):
    clip = clips.get("wave")
    with pytest.raises(InputError, match="no sound"):
        video(clip, tmp_path / "a.gif", sound=tmp_path / "a.wav", **SMALL)
    pytest.importorskip("imageio_ffmpeg")
    with pytest.raises(InputError, match="no such sound file"):
        video(clip, tmp_path / "a.mp4", sound=tmp_path / "a.wav", **SMALL)


def write_wav(path):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(2 * 1600))
    return path


def test_only_what_holds_sound_itself_is_heard(tmp_path):
    """A list of other files, whatever it is called, would have them read."""
    pytest.importorskip("imageio_ffmpeg")
    pictures = [np.zeros((96, 96, 3), np.uint8)] * 4
    how = {"kind": "mp4", "name": "a.mp4", "size": (96, 96), "rate": Fraction(20)}
    write_encoded(iter(pictures), tmp_path / "a.mp4", sound=write_wav(tmp_path / "own.wav"), **how)
    assert b"mp4a" in (tmp_path / "a.mp4").read_bytes()
    (tmp_path / "list.wav").write_text("ffconcat version 1.0\nfile own.wav\n")
    with pytest.raises(InputError, match=r"cannot write a\.mp4"):
        write_encoded(iter(pictures), tmp_path / "b.mp4", sound=tmp_path / "list.wav", **how)
