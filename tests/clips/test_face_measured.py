"""The bundled face as it was when somebody looked at it, in numbers: what changes them must be looked at.

``python tests/clips/test_face_measured.py`` writes the numbers anew.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from poise.clips import faces
from poise.clips.faces.sculpture import PARTS, head

FILE = Path(__file__).with_name("face_measures.json")


def measures() -> dict[str, list[float]]:
    """Parts: how many vertices, where, how spread [mm]. Expressions: how many move, how far on average and at
    most [mm]. Performances: seconds, the sum and the largest of every channel, turns of the head."""
    sculpted, bust = head(), faces.bust()
    found: dict[str, list[float]] = {}

    def put(name: str, *numbers: float) -> None:
        found[name] = [round(float(x), 4) for x in numbers]

    for k, part in enumerate(PARTS):
        v = 1e3 * sculpted.vertices[sculpted.part == k]
        colour = sculpted.colours[sculpted.part == k]
        if len(v):
            put(f"part {part}", len(v), *v.mean(axis=0), *v.std(axis=0), *colour.mean(axis=0))
    skin = bust.skin
    put(
        "bust",
        len(skin.vertices),
        *(1e3 * skin.vertices.mean(axis=0)),
        skin.weights[:, 1].mean(),
        bust.total_mass,
    )
    put(
        "head joint",
        *(1e3 * np.asarray(bust.bodies[1].offset)),
        *(1e3 * np.asarray(skin.inverse_bind[1, :3, 3])),
    )
    put("centre of mass of the head", *(1e3 * np.asarray(bust.bodies[1].mass.centre)))
    for target in skin.morphs:
        by = 1e3 * np.asarray(target.deltas)
        put(f"expression {target.name}", len(by), *by.mean(axis=0), *np.abs(by).max(axis=0))
    for name in faces.names():
        clip = faces.get(name)
        put(f"{name}: turns", clip.duration, *np.abs(clip.q).sum(axis=0))
        for target, weights in zip(skin.morphs, clip.morphs.T):
            if weights.any():
                put(f"{name}: {target.name}", weights.sum(), weights.max(), np.argmax(weights))
    return found


def test_the_face_is_the_one_that_was_looked_at():
    known, found = json.loads(FILE.read_text()), measures()
    assert set(found) == set(known)
    for name, numbers in found.items():
        np.testing.assert_allclose(numbers, known[name], rtol=1e-4, atol=2e-3, err_msg=name)


if __name__ == "__main__":
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(numbers)}" for name, numbers in measures().items())
    FILE.write_text(f"{{\n{lines}\n}}\n")
