"""Wear: something soft on a bone that sways with the motion without being part of it."""

from __future__ import annotations

from typing import Annotated, Literal

from poise.errors import InputError
from poise.operations.declare import PURE, Operation, about, unit
from poise.operations.frozen_data import thaw
from poise.operations.quantities import (
    Colour,
    Count,
    Density,
    Duration,
    Length,
    Pascals,
    Place,
    Ratio,
)
from poise.operations.values.wishes import Wish, checked_wishes

HAT = "hat"
"""The bundled mesh."""
SURFACES = (".obj",)
"""Files that hold a mesh and nothing else."""
Quaternion = tuple[
    Annotated[float, unit(PURE)],
    Annotated[float, unit(PURE)],
    Annotated[float, unit(PURE)],
    Annotated[float, unit(PURE)],
]


class Wear(Operation, tag="wear", frozen=True, kw_only=True):
    """Put something soft on a bone: it sways with the motion, and may be made to hit."""

    mesh: Annotated[
        str,
        about(
            "The mesh: the bundled hat, a file (GLB, OBJ) or a clip's skin.",
            group="Mesh",
            main=True,
            editor="clip",
            form="hat|FILE",
            takes="poise.dynamics.elastic:Surface,poise.motion:Clip",
        ),
    ] = HAT
    to: Annotated[str, about("The bone that carries it.", group="Mesh", editor="joint", form="BONE")] = "Head"
    young: Annotated[
        Pascals | None,
        about(
            "Young's modulus, softer sways more; left out: 20 kPa, for a hat as its size asks.",
            group="Material",
            slider=(1e3, 1e6),
        ),
    ] = None
    poisson: Annotated[
        Annotated[float, unit(PURE, ge=0, lt=0.5)], about("Poisson's ratio.", group="Material", expert=True)
    ] = 0.3
    density: Annotated[Density, about("Density.", group="Material", slider=(10, 2000))] = 100.0
    ratio: Annotated[Ratio, about("Damping ratio of its slowest mode.", group="Material", slider=(0, 1))] = (
        0.06
    )
    offset: Annotated[
        Place | None,
        about(
            "Where its origin is on the bone; left out, the hat is fitted.",
            group="Mesh",
            editor="place",
            form="X,Y,Z",
        ),
    ] = None
    rotation: Annotated[
        Quaternion | None, about("How it is turned, as a quaternion w, x, y, z.", group="Mesh", expert=True)
    ] = None
    scale: Annotated[
        Annotated[float, unit(PURE, ge=1e-3, le=1e3)] | None,
        about("Scale factor.", group="Mesh", slider=(0.1, 10)),
    ] = None
    frame: Annotated[
        Literal["bone", "world"] | None,
        about(
            "Axes of its place.",
            group="Mesh",
            expert=True,
            choices={"bone": "the bone's", "world": "the world's, where the character stands at rest"},
        ),
    ] = None
    grip: Annotated[
        Length | None,
        about(
            "What is within this distance of the bone is held; left out, what lies inside it.",
            group="Mesh",
            slider=(0.005, 0.2),
        ),
    ] = None
    cells: Annotated[
        Annotated[int, unit(PURE, ge=8, le=5000)], about("Elements, about.", group="Model", expert=True)
    ] = 220
    modes: Annotated[Count, about("Modes of vibration.", group="Model", expert=True)] = 14
    gravity: Annotated[
        Literal["on", "off", "compensated"],
        about(
            "Whether it weighs anything.",
            group="Material",
            choices={
                "on": "it sags",
                "off": "it does not",
                "compensated": "it has its modelled shape at rest",
            },
        ),
    ] = "on"
    colour: Annotated[
        Colour, about("Its colour, linear red, green and blue.", group="Mesh", editor="colour", form="R,G,B")
    ] = (0.16, 0.05, 0.30)
    window: Annotated[
        Duration | Literal["auto", "adaptive"],
        about(
            "How far back each frame looks.",
            group="Model",
            slider=(0.1, 5),
            choices={"auto": "until little is left of a blow", "adaptive": "as each frame needs"},
        ),
    ] = "auto"
    large: Annotated[bool, about("For large motions of the mesh: exact, and slower.", group="Model")] = False
    constraints: Annotated[
        tuple[Wish, ...],
        about(
            "Where points of it, or of its wearer, are to be.",
            group="Targets",
            editor="constraints",
            form="POINT@TIME=X,Y,Z|@FILE",
            flag="at",
        ),
    ] = ()
    width: Annotated[
        Duration | None, about("How long corrections last.", group="Targets", slider=(0.1, 3))
    ] = None
    joints: Annotated[
        tuple[str, ...] | None,
        about(
            "Joints or limbs that may change; left out: all.", group="Targets", editor="limbs", form="LIMB"
        ),
    ] = None

    RUN = "poise.methods.loosen.operations:wear"
    RESULT = "poise.methods.loosen.wear.result:WearResult"
    FRAMES = "poise.methods.loosen.operations:wear_frames"
    FREE = ("constraints", "joints")
    LAST = True
    EXAMPLES = ("wear walk -o hat.glb", "wear walk -o cape.glb --mesh cape.obj --to Chest --young 5000")

    def check(self) -> None:
        checked_wishes(thaw(self.constraints))
        if getattr(self, "weight", 1.0) != 1.0:
            raise InputError("field 'weight': what is worn is worn (1) or muted")

    @property
    def is_surface(self) -> bool:
        """Whether the mesh is a file that holds nothing but one."""
        return self.mesh.lower().endswith(SURFACES)

    def uses(self) -> tuple[str, ...]:
        return () if self.mesh == HAT or self.is_surface else (self.mesh,)

    def files(self) -> tuple[str, ...]:
        return (self.mesh,) if self.is_surface else ()
