"""A creature with eight legs and a tail, posed by its inertia.

Twenty-seven hinges are tedious to pose one by one. The inertia handle moves them all at once: more of it
spreads the legs, less of it draws them in. Two toes pinned to the ground and the tail led forward make a
predator of it as the inertia falls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.character import Character, presets
from poise.constraints import Constraint, constrain, pin
from poise.handles import RotationalInertia
from poise.kinematics import Kinematics
from poise.methods.key.pose.result import PoseResult
from poise.methods.key.pose.solve import solve
from poise.operations.pose import Pose

INERTIA = RotationalInertia("planar")
SPREAD = (0.55, 0.75, 1.0, 1.25, 1.45)
"""Inertia of each pose, of that at rest."""
CROUCH = (0.9, 0.75, 0.6)
PINS = ("LeftToe2", "RightToe2")
TAIL = "TailTip"
LEAD = (0.4, 0.0, 0.0)
"""How far the tail is led [m]."""
ACCURACY = 1e-13


@dataclass(frozen=True, eq=False)
class Creature:
    """Poses by inertia, as a part of that at rest."""

    character: Character
    inertia: float
    """At rest [kg·m²]."""
    spread: dict[float, PoseResult]
    predator: dict[float, PoseResult]

    def value(self, result: PoseResult) -> float:
        """Inertia of a pose [kg·m²]."""
        return float(INERTIA.value(Kinematics(self.character, result.q))[0, 0])


def scene() -> Creature:
    """The inertia handle alone, and with pins."""
    character = presets.face_hugger()
    rest = Kinematics(character, character.rest_pose())
    inertia = float(INERTIA.value(rest)[0, 0])
    pins = [pin(toe, rest.point(toe)[0], 0.0) for toe in PINS]
    tail = pin(TAIL, rest.point(TAIL)[0] + LEAD, 0.0)

    def at(part: float, others: Sequence[Constraint] = ()) -> PoseResult:
        wanted = constrain(INERTIA, [part * inertia], 0.0)
        return solve(character, [wanted, *others], Pose(accuracy=ACCURACY))

    return Creature(
        character,
        inertia,
        {part: at(part) for part in SPREAD},
        {part: at(part, [*pins, tail]) for part in CROUCH},
    )


def standing(character: Character, q: Array) -> Array:
    """The pose lowered or lifted onto the floor, which changes no inertia."""
    from poise.pictures import figure

    kin, out = Kinematics(character, q), np.array(q)
    out[1] -= figure(character, detail=16).cloud(kin.positions, kin.rotations)[..., 2].min()
    return out


def draw(folder: Path) -> list[Path]:
    """Above: inertia alone. Below: two toes pinned, the tail led forward, and less and less inertia."""
    from poise.pictures import View
    from posing import LEGEND, Drawing, Look, drawn

    found = scene()
    tip = Kinematics(found.character, found.character.rest_pose()).point(TAIL)[0]
    items = [
        Drawing(standing(found.character, found.spread[part].q), title, f"inertia {100 * part:.0f} %")
        for title, part in zip(("(a)", "(b)", "(c)"), (SPREAD[0], 1.0, SPREAD[-1]))
    ]
    items += [
        Drawing(
            result.q, title, f"pins and tail, inertia {100 * part:.0f} %", pins=PINS, drag=(tip, tip + LEAD)
        )
        for title, (part, result) in zip(("(d)", "(e)", "(f)"), found.predator.items())
    ]
    legend = {name: LEGEND[name] for name in ("pin", "dragged")}
    look = Look(View(-72.0, 10.0), (440, 340), tile=0.1, size=0.5, legend=legend)
    return [drawn(found.character, items, folder / "pk_face_hugger.png", look)]


if __name__ == "__main__":
    found = scene()
    for name, poses in (("inertia alone", found.spread), ("predator", found.predator)):
        for part, result in poses.items():
            off = abs(found.value(result) / (part * found.inertia) - 1)
            print(f"{name}, {100 * part:3.0f} %: off by {off:.1e}, {result.report.iterations} iterations")
    print(*draw(Path("out")), sep="\n")
