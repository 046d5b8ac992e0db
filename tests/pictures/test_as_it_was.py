"""The motion before it was changed, as a ghost in sheets and films."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from poise import clips
from poise.errors import InputError
from poise.pictures import sheet, video
from poise.pictures.as_it_was import AsItWas
from poise.pictures.performance import Performance

SMALL = {"count": 2, "cell": (120, 140)}


@pytest.fixture(scope="module")
def wave():
    return clips.get("wave")


def raised(clip, by):
    q = np.array(clip.q)
    q[clip.frames // 2 :, 1] += by
    return clip.with_q(q)


def test_it_is_drawn_only_where_it_differs(wave):
    found = AsItWas(Performance(wave, detail=8), raised(wave, 0.3))
    assert not found.apart[: wave.frames // 2].any()
    assert found.apart[wave.frames // 2 :].all()
    assert len(found.legend()) == 1
    assert not AsItWas(Performance(wave, detail=8), wave).legend()
    assert not AsItWas(Performance(wave, detail=8), raised(wave, 0.001)).legend(), "nobody sees a millimetre"


def test_a_sheet_shows_it(wave):
    plain = sheet(wave, **SMALL)
    ghost = sheet(wave, before=raised(wave, 0.3), **SMALL)
    half = plain.shape[1] // 2
    assert np.array_equal(plain[:140, : half - 4], ghost[:140, : half - 4]), "where nothing differs"
    assert (plain[:140, half:] != ghost[:140, half:]).any(axis=2).mean() > 0.02
    assert len(ghost) > len(plain), "its legend"


def test_a_film_shows_it(wave, tmp_path):
    options = {"size": (96, 96), "fps": 4}
    films = [
        video(wave, tmp_path / f"{k}.gif", before=b, **options)
        for k, b in enumerate((None, raised(wave, 0.3)))
    ]
    last = []
    for path in films:
        with Image.open(path) as film:
            film.seek(film.n_frames - 1)
            last.append(np.asarray(film.convert("RGB")).astype(int))
    assert (np.abs(last[0] - last[1]).max(axis=2) > 40).mean() > 0.02


def test_another_motion_is_refused(wave):
    with pytest.raises(InputError, match="must have its frames"):
        sheet(wave, before=wave.with_q(wave.q[:-1]), **SMALL)
    with pytest.raises(InputError, match="same character"):
        sheet(wave, before=clips.get("planar_walk"), **SMALL)
