"""Pictures and solids as they were when somebody looked at them: what changes them is to be looked at again.

``python tests/pictures/test_looked_at.py`` makes the references anew; look at them before they are kept.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from poise import clips
from poise.character import Character, presets
from poise.pictures import figure, sheet, strobe
from poise.pictures.scene import Quality

FOLDER = Path(__file__).parent / "looked_at"
QUALITY = Quality(key_samples=12, sky_samples=12, shadow_texel=3.0, sky_texel=8.0, detail=14)
BLOCK = 8
"""Pixels of a block: differences are judged by the mean over each."""
SAME = 3.0
"""Mean difference of a block that nobody sees [of 255]: rounding differs from machine to machine."""


def bare(name: str) -> Character:
    """A preset without its own solids: the mannequin is guessed."""
    given = presets.get(name)
    return Character("bare", [b.replaced(shapes=()) for b in given.bodies])


def pictures() -> dict[str, np.ndarray]:
    jump, walk = clips.get("jump"), clips.get("walk")
    plain = jump.replaced(character=bare("humanoid"))
    return {
        "strobe": strobe(
            jump, count=4, trails=["RightHandCentre"], centre_of_mass=True, targets=[(0.3, 0.2, 1.6)],
            size=(320, 180), quality=QUALITY,
        ),
        "row": strobe(walk, count=3, style="solid", size=(320, 180), quality=QUALITY),
        "mannequin": strobe(plain, frames=[0, 84], size=(320, 180), quality=QUALITY),
        "sheet": sheet(walk, count=4, cell=(100, 120), quality=QUALITY),
    }  # fmt: skip


def solids() -> dict[str, list[float]]:
    """Volume [l], centre and extent [cm] of the solids of each body, by material."""
    found: dict[str, list[float]] = {}
    for name in ("humanoid", "biped180", "camel"):
        character = bare(name)
        for part in figure(character, detail=12).parts:
            v = part.mesh.vertices
            key = f"{name}: {part.material} of {character.names[part.body]}"
            own = [1e3 * part.mesh.volume(), *(100 * v.mean(axis=0)), *(100 * np.ptp(v, axis=0))]
            found[key] = [round(a + b, 5) for a, b in zip(found.get(key, [0.0] * 7), own)]
    return found


@pytest.fixture(scope="module")
def drawn():
    return pictures()


@pytest.mark.parametrize("name", ["strobe", "row", "mannequin", "sheet"])
def test_the_picture_is_the_one_that_was_looked_at(drawn, name):
    with Image.open(FOLDER / f"{name}.png") as file:
        known = np.asarray(file.convert("RGB"), dtype=float)
    image = np.asarray(drawn[name], dtype=float)
    assert image.shape == known.shape
    high, wide = (n // BLOCK * BLOCK for n in image.shape[:2])
    off = np.abs(image - known).mean(axis=2)[:high, :wide]
    blocks = off.reshape(high // BLOCK, BLOCK, wide // BLOCK, BLOCK).mean(axis=(1, 3))
    y, x = np.unravel_index(int(np.argmax(blocks)), blocks.shape)
    assert blocks.max() < SAME, f"it differs most at pixel ({x * BLOCK}, {y * BLOCK})"


def test_the_mannequins_are_those_that_were_looked_at():
    known = json.loads((FOLDER / "solids.json").read_text())
    found = solids()
    assert set(found) == set(known)
    for key, numbers in found.items():
        np.testing.assert_allclose(numbers, known[key], rtol=1e-3, atol=2e-3, err_msg=key)


if __name__ == "__main__":
    for name, image in pictures().items():
        Image.fromarray(image).save(FOLDER / f"{name}.png", optimize=True)
    (FOLDER / "solids.json").write_text(json.dumps(solids(), indent=0) + "\n")
