"""What a clip is, in a few bytes: two clips with the same digest move the same character in the same way."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import msgspec
import numpy as np

if TYPE_CHECKING:
    from poise.character import Character
    from poise.motion import Clip


def clip_digest(clip: Clip) -> str:
    """Of the motion and who performs it; names and where it was read from do not count."""
    found = blake2b(digest_size=16)
    found.update(character_digest(clip.character).encode())
    travel = [*np.asarray(clip.travel.translation).tolist(), clip.travel.yaw]
    found.update(msgspec.json.encode([str(clip.rate), clip.loop, travel, clip.frames]))
    found.update(np.ascontiguousarray(clip.q).data)
    if clip.morphs is not None:
        found.update(np.ascontiguousarray(clip.morphs).data)
    return found.hexdigest()


_KNOWN: WeakKeyDictionary[Character, str] = WeakKeyDictionary()  # no character lives longer for it


def character_digest(character: Character) -> str:
    """Of joints, masses, shapes, points and skin."""
    if character not in _KNOWN:
        _KNOWN[character] = _digest(character)
    return _KNOWN[character]


def _digest(character: Character) -> str:
    from poise.character.serial import skin_to_arrays, to_dict

    found = blake2b(msgspec.json.encode(to_dict(character)), digest_size=16)
    if character.skin is not None:
        arrays, rest = skin_to_arrays(character.skin)
        found.update(msgspec.json.encode(rest))
        for name in sorted(arrays):
            found.update(name.encode())
            found.update(np.ascontiguousarray(arrays[name]).tobytes())
    return found.hexdigest()
