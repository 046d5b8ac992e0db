"""Drag a point of a pose: all of the body follows, or only what a local root lets move.

Pins hold strictly, then the dragged point goes to its target as far as it can, then the pose stays as it was.
With a local root R' only the joints of ``reroot.included`` move:

* the active part hangs below R': the actual root stays where it is, translation and all. R' itself turns
  where nothing else hangs from it (a thigh); where other limbs do (a chest), it and they are left alone;
* it holds the actual root: the tree is re-rooted at R'. R' and all that is rigid with it keep their places in
  the world, and the actual root moves as a node of the active part, never by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import Array, checked
from poise.character import Character
from poise.constraints import outcome, pin
from poise.constraints.constraint import constrain
from poise.handles import BodyOrientation, On, PointPosition
from poise.handles.place import point_of
from poise.kinematics import Kinematics
from poise.methods.key.pose.local_root import included, root_translation
from poise.methods.key.pose.posture import BEND, Supple, limber
from poise.methods.key.pose.result import PoseResult
from poise.methods.key.pose.solve import solve
from poise.operations.pose import Pose
from poise.workers import algebra_on_one_thread

BOTH = Pose(strict=2)
"""Pins and the dragged point are met exactly, in this order."""
STEPS = (0.25, 0.5, 0.75)
"""Shares of the way at which a target that is missed at once is followed."""
CROUCH = 1.0
"""How far inside their limits a crouched start has all hinges [rad]."""


@algebra_on_one_thread()
def drag(
    character: Character,
    q: ArrayLike,
    dragged: str | On,
    target: ArrayLike,
    *,
    root: str | None = None,
    pins: Sequence[str | On] | Mapping[str, ArrayLike | None] = (),
) -> PoseResult:
    """The pose nearest to q with the point at ``target`` [m], (3,), or as near as pins and limits allow.

    ``root``: the local root R', a body's name, or None for all of the body. ``pins``: points held where they
    are, or ``{point: place}``.
    """
    begin = checked(q, "q", (character.nq,))
    kin = Kinematics(character, begin)
    moving, free = movable(character, root, dragged)
    places: dict[str | On, ArrayLike | None] = dict.fromkeys(pins)
    if isinstance(pins, Mapping):
        places.update(pins)
    held = {
        p: pin(p, kin.point(point_of(character, p))[0] if to is None else to, 0.0) for p, to in places.items()
    }
    # A point that nothing can move is where it is: as rows it would only repeat what holds already.
    still = [p for p in held if places[p] is None and not moving[point_of(character, p).body]]
    asked = [c for p, c in held.items() if p not in still]
    if root is not None and not moving[character.index(root)]:
        facing = BodyOrientation(root)
        asked.append(pin(root, kin.point(root)[0], 0.0, name=f"local root {root}"))
        asked.append(constrain(facing, facing.value(kin)[0], 0.0, name=f"orientation of local root {root}"))
    goal, name = checked(target, "target", (3,)), f"{_name(dragged)}, dragged"

    def reached(figure: Character, start: Array, place: Array, *, warm: bool = False) -> PoseResult:
        there = pin(dragged, place, 0.0, priority=1, name=name)
        return solve(figure, [*asked, there], BOTH, start=start, pose=begin, free=free, warm=warm)

    best = reached(character, begin, goal)
    if not best.report.met:
        # A stretched limb stays stretched: bent, and led there step by step, it reaches farther.
        bent = Supple(character, [PointPosition(dragged)]).character
        came = kin.point(point_of(character, dragged))[0]
        found = [best, reached(bent, begin, goal)]
        for figure, bend in ((bent, BEND), (character, BEND), (bent, CROUCH), (character, CROUCH)):
            if any(result.report.met for result in found):
                break
            q = limber(figure, begin, free, bend=bend)
            for share in STEPS:
                q = reached(figure, q, came + share * (goal - came), warm=True).q
            found.append(reached(figure, q, goal, warm=True))
        best = min(found, key=lambda result: _missed(result, name))
    kept = tuple(outcome(held[p], Kinematics(character, best.q), np.zeros(1)) for p in still)
    report = replace(best.report, outcomes=(*best.report.outcomes, *kept))
    return PoseResult(character, best.q, report)


def movable(
    character: Character, root: str | None, dragged: str | On
) -> tuple[NDArray[np.bool_], NDArray[np.bool_] | None]:
    """Which bodies can move at all (n,), and which degrees of freedom may (nv,); None: all."""
    if root is None:
        return np.ones(len(character.bodies), dtype=np.bool_), None
    loose = included(character, root, _name(dragged))
    still = character.index(root)
    # The algorithm turns R' itself. Where other limbs hang from it (a chest), that would move them too.
    loose[still] &= all(loose[character.subtree(still)])
    free = loose[character.dof_body]
    rerooted = not loose[still]
    if not rerooted:
        free[root_translation(character)] = False
    moving = np.ones(len(character.bodies), dtype=np.bool_)
    # What is joined to what stays by joints that stay: from R' when re-rooted at it, else from the world.
    parents = character.parents.tolist()
    waiting = [still] if rerooted else [] if loose[0] else [0]
    while waiting:
        i = waiting.pop()
        if not moving[i]:
            continue
        moving[i] = False
        waiting += [j for j, up in enumerate(parents) if up == i and not loose[j]]
        if parents[i] >= 0 and not loose[i]:
            waiting.append(parents[i])
    return moving, free


def _name(point: str | On) -> str:
    return point if isinstance(point, str) else point.point


def _missed(result: PoseResult, goal: str) -> tuple[bool, float]:
    """First whether anything strict is missed, then how far the dragged point is from its target."""
    fates = result.report.outcomes
    return any(not o.met for o in fates if o.priority == 0), next(o.error for o in fates if o.name == goal)
