"""Figures read in the wrong unit: the power of ten that brings them nearest to a person's size."""

from __future__ import annotations

import numpy as np
import pytest
from fbx_made import MadeFbx

import poise
from poise.character import Body, Character, Joint
from poise.formats.weighing import LARGEST, SMALLEST, figure_size, likelier_scale, size_notes


def of_size(size: float) -> Character:
    return Character(
        "pole", [Body("Root", None, Joint.free()), Body("Tip", "Root", Joint.ball(), (0, 0, size))]
    )


@pytest.mark.parametrize("size", [31.0, 45.0, 60.0, 170.0, 1700.0, 0.029, 0.017, 0.009, 0.0017])
def test_the_nearest_power_of_ten(size):
    scale = likelier_scale(of_size(size))
    assert np.log10(scale) == pytest.approx(round(np.log10(scale)))
    assert 1.7 / np.sqrt(10) <= size * scale <= 1.7 * np.sqrt(10)


@pytest.mark.parametrize("size", [SMALLEST, 0.3, 1.7, LARGEST])
def test_what_can_be_is_left_alone(size):
    assert likelier_scale(of_size(size)) == 1.0
    assert size_notes(of_size(size), 1.0) == []


def test_the_remark_says_what_to_load_it_with():
    character = of_size(170.0)
    assert figure_size(character) == pytest.approx(170.0)
    (note,) = size_notes(character, 1.0)
    assert "170 m long" in note
    assert note.endswith("scale=0.01")
    assert size_notes(character, 0.5)[0].endswith("scale=0.005")


@pytest.mark.parametrize(("unit", "metres"), [(1.0, 0.01), (100.0, 1.0), (2.54, 0.0254)])
def test_what_is_said_of_fbx_files_cures_them(unit, metres, tmp_path):
    """Their own unit counts: what to say is the unit of the numbers, not how much smaller they should be."""
    made = MadeFbx(UnitScaleFactor=unit)
    hips = made.model("Hips", Lcl_Translation=(0.0, 90.0 / metres, 0.0))
    made.model("Head", hips, Lcl_Translation=(0.0, 75.0 / metres, 0.0))
    path = made.write(tmp_path / "large.fbx")
    clip = poise.load(path)
    assert clip.source.unit == pytest.approx(metres)
    (said,) = [note for note in clip.source.notes if "load it with scale=" in note]
    advised = float(said.rpartition("=")[2])
    assert 0.3 < figure_size(poise.load(path, scale=advised).character) < 3.0
    (found,) = poise.check(clip).report.findings
    assert f"with scale={advised:.2g} it would be 0.75 m" in found.words
