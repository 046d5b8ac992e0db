"""A bust that can act, and two short performances: a smile with the head tilted, and a few words.

Weights and the head's turn follow keys through monotone cubics: they stop where they are told to and never
overshoot. What flesh makes of it is left to kinodynamics.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

import numpy as np

from poise.arrays import Array
from poise.character import Body, Character, Joint, Mass, MorphTarget, Skin
from poise.clips.faces.expressions import expressions
from poise.clips.faces.sculpture import head, smooth
from poise.errors import UnknownNameError
from poise.manifold import so3
from poise.motion import Clip

_PIVOT = np.array([-0.015, 0.0, -0.095])
"""Where the head turns on the neck."""
Keys = list[tuple[float, float]]


@lru_cache
def bust() -> Character:
    """A head on a neck: two bodies, 22 expressions."""
    sculpted = head()
    lift = np.array([0.0, 0.0, 0.175])  # the neck's end stands on the floor
    v = sculpted.vertices + lift
    carried = smooth(sculpted.vertices[:, 2] + 0.25 * (sculpted.vertices[:, 0] + 0.02), -0.150, -0.100)
    targets = []
    for name, change in expressions(sculpted).items():
        own = np.flatnonzero(np.abs(change).max(axis=1) > 2e-6)
        targets.append(MorphTarget(name, own, change[own]))
    pivot = _PIVOT + lift
    bind = np.tile(np.eye(4), (2, 1, 1))
    bind[1, :3, 3] = -pivot
    corners = sculpted.colours[sculpted.faces]
    skin = Skin(
        v,
        sculpted.faces,
        np.tile([0, 1], (len(v), 1)),
        np.stack([1 - carried, carried], axis=1),
        bind,
        tuple(targets),
        extras={"colours": corners.mean(axis=1), "vertex_colours": sculpted.colours},
    )
    bodies = [
        Body("Neck", None, Joint.free(), mass=Mass(1.2, (0, 0, 0.04), np.full(3, 1.5e-3))),
        Body("Head", "Neck", Joint.ball(), pivot, mass=Mass(4.5, -_PIVOT, (0.02, 0.022, 0.018))),
    ]
    return Character("bust", bodies, skin=skin, mass_source="table")


def names() -> tuple[str, ...]:
    """The performances there are."""
    return tuple(_PERFORMANCES)


@cache
def get(name: str) -> Clip:
    """The performance of that name."""
    if name not in _PERFORMANCES:
        raise UnknownNameError("face", name, names())
    return _PERFORMANCES[name]()


def smile() -> Clip:
    """A glance, a smile, the head tilted and back: 3 s."""
    wide: Keys = [(0.5, 0.0), (0.72, 1.0), (1.9, 1.0), (2.3, 0.15)]
    lids: Keys = [(0.2, 0.0), (0.28, 1.0), (0.40, 0.0), (2.05, 0.0), (2.13, 1.0), (2.25, 0.0)]
    tracks: dict[str, Keys] = {
        "mouthSmile*": wide,
        "eyeSquint*": [(0.55, 0.0), (0.8, 0.6), (1.9, 0.6), (2.2, 0.0)],
        "browUp*": [(0.35, 0.0), (0.5, 0.8), (1.0, 0.3), (1.9, 0.3), (2.3, 0.0)],
        "eyeBlink*": lids,
        "jawOpen": [(0.6, 0.0), (0.8, 0.22), (1.2, 0.05), (1.9, 0.05), (2.2, 0.0)],
        "mouthUpperUp": [(0.6, 0.0), (0.8, 0.4), (1.9, 0.3), (2.2, 0.0)],
    }
    tilt: Keys = [(0.9, 0.0), (1.2, 0.42), (1.75, 0.42), (2.05, -0.12), (2.4, 0.0)]
    nod: Keys = [(0.3, 0.0), (0.5, -0.08), (0.9, 0.02), (1.9, 0.02), (2.2, 0.06), (2.6, 0.0)]
    return _clip("smile", 3.0, tracks, tilt=tilt, nod=nod)


def speech() -> Clip:
    """ "Mama, baby": the lips close four times, sharply, between open vowels: 2.8 s."""
    shut = (0.40, 0.80, 1.40, 1.76)
    jaw: Keys = [(0.15, 0.0)]
    press: Keys = [(0.2, 0.0)]
    for t in shut:
        jaw += [(t - 0.04, 0.0), (t + 0.06, 0.0), (t + 0.18, 0.9)]
        press += [(t - 0.10, 0.0), (t - 0.03, 0.8), (t + 0.05, 0.8), (t + 0.10, 0.0)]
    tracks: dict[str, Keys] = {
        "jawOpen": [*jaw, (2.05, 0.5), (2.3, 0.0)],
        "mouthPress": press,
        "mouthLowerDown": [(0.45, 0.0), (0.6, 0.4), (0.76, 0.0), (0.86, 0.0), (1.0, 0.4), (1.3, 0.0)],
        "mouthPucker": [(1.0, 0.0), (1.2, 0.5), (1.33, 0.0), (2.0, 0.0), (2.15, 0.35), (2.4, 0.0)],
        "browUp*": [(0.3, 0.0), (0.5, 0.7), (1.0, 0.1), (1.4, 0.6), (1.9, 0.0)],
        "eyeBlink*": [(1.16, 0.0), (1.24, 1.0), (1.36, 0.0)],
        "mouthSmile*": [(2.0, 0.0), (2.35, 0.5)],
    }
    nod: Keys = [
        (0.2, 0.0),
        (0.45, 0.10),
        (0.7, 0.0),
        (0.85, 0.10),
        (1.1, -0.02),
        (1.45, 0.12),
        (1.8, 0.08),
        (2.2, 0.0),
    ]
    turn: Keys = [(0.9, 0.0), (1.3, 0.28), (1.8, 0.20), (2.3, -0.05)]
    return _clip("speech", 2.8, tracks, nod=nod, turn=turn)


_PERFORMANCES: dict[str, Callable[[], Clip]] = {"smile": smile, "speech": speech}


def _clip(name: str, seconds: float, tracks: dict[str, Keys], *, rate: int = 25, **turns: Keys) -> Clip:
    from fnmatch import fnmatchcase

    character = bust()
    frames = round(seconds * rate) + 1
    times = np.arange(frames) / rate
    skin = character.skin
    assert skin is not None
    weights = np.zeros((frames, len(skin.morphs)))
    for pattern, keys in tracks.items():
        for k, target in enumerate(skin.morphs):
            if fnmatchcase(target.name, pattern):
                weights[:, k] = _through(keys, times)
    still = np.zeros(frames)
    tilt, nod, turn = (_through(turns[n], times) if n in turns else still for n in ("tilt", "nod", "turn"))
    turned = so3.multiply(
        so3.exp(np.stack([still, still, turn], 1)),
        so3.multiply(so3.exp(np.stack([still, nod, still], 1)), so3.exp(np.stack([tilt, still, still], 1))),
    )
    q = np.tile(character.rest_pose(), (frames, 1))
    q[:, character.coordinates("Head")] = turned
    return Clip(character, q, rate, name=name, morphs=weights)


def _through(keys: Keys, times: Array) -> Array:
    from scipy.interpolate import PchipInterpolator

    t, values = np.array(keys).T
    found = PchipInterpolator(t, values)(np.clip(times, t[0], t[-1]))
    return np.clip(found, values.min(), values.max())  # to the last bit
