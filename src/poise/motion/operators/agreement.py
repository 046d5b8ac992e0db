"""Whether several clips can be combined: the same character and the same rate; morph weights by name."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.errors import InputError
from poise.motion.clip import Clip
from poise.motion.operators.resample import resample


def require_same_character(a: Character, b: Character, verb: str) -> None:
    """Error unless both have the same bodies, in the same order, with the same joints."""
    if a is b:
        return
    if lost := [n for n in a.names if n not in set(b.names)]:
        raise InputError(f"cannot {verb}: {b.name!r} has no {_listed(lost)}, which {a.name!r} has")
    if extra := [n for n in b.names if n not in set(a.names)]:
        raise InputError(f"cannot {verb}: {a.name!r} has no {_listed(extra)}, which {b.name!r} has")
    for x, y in zip(a.bodies, b.bodies):
        if x.name != y.name or x.parent != y.parent:
            raise InputError(
                f"cannot {verb}: {a.name!r} and {b.name!r} have the same bodies in another order or tree "
                f"({x.name!r} of {x.parent!r} against {y.name!r} of {y.parent!r})"
            )
        if x.joint.kind is not y.joint.kind:
            kinds = f"{x.joint.kind.name.lower()} against {y.joint.kind.name.lower()}"
            raise InputError(f"cannot {verb}: the joints of {x.name!r} differ ({kinds})")


def at_rate_of(leader: Clip, clip: Clip) -> Clip:
    """``clip`` at the leader's frame rate."""
    return clip if clip.rate == leader.rate else resample(clip, leader.rate)


def morphs_for(leader: Clip, clip: Clip) -> Array:
    """The clip's morph weights as the leader's targets have them, (F, m).

    The same bodies may wear different skins: targets go by name. One that the clip lacks is at rest, one
    that the leader lacks is left out, and without any there are no columns.
    """
    if clip.morphs is None:
        return np.zeros((clip.frames, len(leader.morph_names)))
    if clip.morph_names == leader.morph_names:
        return clip.morphs
    own = dict(zip(clip.morph_names, clip.morphs.T))
    rest = np.zeros(clip.frames)
    columns = [own.get(name, rest) for name in leader.morph_names]
    return np.stack(columns, axis=1) if columns else np.zeros((clip.frames, 0))


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:5])) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
