"""Which joint of one skeleton is which of another: by equal names, recognised roles, or as a map says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from poise.character import Character
from poise.character.labels import roles
from poise.errors import InputError, UnknownNameError

FEW = 4
"""Fewer common joints than this do not make a correspondence."""


@dataclass(frozen=True, eq=False)
class Correspondence:
    """Pairs of bodies of two characters."""

    source: Character
    target: Character
    pairs: Mapping[int, int]
    """Body of the target → body of the source."""

    def above(self, body: int) -> int:
        """The nearest ancestor of a target's body that has a counterpart; −1 for none."""
        up = int(self.target.parents[body])
        while up >= 0 and up not in self.pairs:
            up = int(self.target.parents[up])
        return up

    def below(self, body: int) -> list[int]:
        """The nearest descendants of a target's body that have counterparts."""
        return [k for k in self.pairs if self.above(k) == body]

    def roles(self) -> dict[str, tuple[int, int]]:
        """Roles that both characters have: body of the source, body of the target."""
        ours, theirs = roles(self.source), roles(self.target)
        return {r: (ours[r], theirs[r]) for r in ours if r in theirs}


def correspond(source: Character, target: Character, given: Mapping[str, str]) -> Correspondence:
    """Pair the joints of two skeletons; ``given`` pairs (source: target) come before what is recognised."""
    pairs: dict[int, int] = {}
    if source.names == target.names:
        pairs = {i: i for i in range(len(target.names))}
    else:
        ours, theirs = roles(source), roles(target)
        pairs = {theirs[r]: ours[r] for r in ours if r in theirs}
    for name, other in given.items():
        for owner, joint in ((source, name), (target, other)):
            if joint not in owner.names:
                raise UnknownNameError("joint", joint, owner.names, where=f"the map to {owner.name!r}")
        mine, yours = source.index(name), target.index(other)
        pairs = {t: s for t, s in pairs.items() if s != mine and t != yours} | {yours: mine}
    if len(pairs) < FEW:
        raise InputError(
            f"{source.name!r} and {target.name!r} have {len(pairs)} joints in common that are known by name: "
            "say which is which with a map {source joint: target joint}"
        )
    return Correspondence(source, target, dict(sorted(pairs.items())))
