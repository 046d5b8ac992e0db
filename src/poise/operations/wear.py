"""Wear: something soft or thin on a bone that sways with the motion without being part of it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from poise.errors import InputError
from poise.operations.declare import PURE, Operation, about, fields_of, unit
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
from poise.operations.values.world import FORM, plain_world, world_file, world_of

HAT, CAPE, SKIRT, PONYTAIL, STRAND = "hat", "cape", "skirt", "ponytail", "strand"
"""What is bundled, and a line of one's own."""
BUNDLED = {HAT: "head", CAPE: "chest", SKIRT: "hips", PONYTAIL: "head", STRAND: "head"}
"""Which bone holds it, where none is named."""
THIN = (CAPE, SKIRT, PONYTAIL, STRAND)
OF_SOLIDS = ("young", "poisson", "density", "cells", "modes", "large")
OF_THIN = ("bend", "thickness", "pins", "line", "friction", "collide", "world")
SURFACES = (".obj",)
"""Files that hold a mesh and nothing else."""
Quaternion = tuple[
    Annotated[float, unit(PURE)],
    Annotated[float, unit(PURE)],
    Annotated[float, unit(PURE)],
    Annotated[float, unit(PURE)],
]


class Wear(Operation, tag="wear", frozen=True, kw_only=True):
    """Attach something soft to a bone: a hat, a cape or a ponytail that sways with the motion."""

    mesh: Annotated[
        str,
        about(
            (
                "What to wear: a bundled hat, cape, skirt, ponytail or strand, a file (GLB, OBJ), or "
                "a clip's skin. Closed meshes are solid; open ones are cloth."
            ),
            group="Mesh",
            main=True,
            editor="clip",
            form="hat|cape|skirt|ponytail|strand|FILE",
            choices={
                "hat": "a floppy wizard's hat, solid",
                "cape": "from the shoulders to the hollows of the knees",
                "skirt": "a bell to the knees",
                "ponytail": "a strand at the back of the head",
                "strand": "along a line of your own",
            },
            takes="poise.dynamics.elastic:Surface,poise.motion:Clip",
        ),
    ] = HAT
    to: Annotated[
        str | None,
        about(
            ("Bone or role to attach it to. Default: head, chest or hips, depending on the thing."),
            group="Mesh",
            editor="joint",
            form="BONE",
        ),
    ] = None
    young: Annotated[
        Pascals | None,
        about(
            "Young's modulus; softer sways more. Default: 20 kPa; for the hat, set by its size.",
            group="Material",
            slider=(1e3, 1e6),
        ),
    ] = None
    poisson: Annotated[
        Annotated[float, unit(PURE, ge=0, lt=0.5)], about("Poisson's ratio.", group="Material", expert=True)
    ] = 0.3
    density: Annotated[Density, about("Density.", group="Material", slider=(10, 2000))] = 100.0
    ratio: Annotated[
        Ratio | None,
        about(
            "Damping ratio of its slowest mode. Default: 0.06; for cloth and strands 0.3 (air).",
            group="Material",
            slider=(0, 1),
        ),
    ] = None
    bend: Annotated[
        Length | None,
        about(
            "Bending length of cloth and strands: silk 0.01, wool 0.03, denim 0.05, leather 0.08.",
            group="Cloth",
            slider=(0.003, 0.2),
        ),
    ] = None
    thickness: Annotated[
        Length | None,
        about(
            ("Distance that cloth keeps from itself; radius of a strand. Default: set by the mesh."),
            group="Cloth",
            slider=(0.002, 0.05),
        ),
    ] = None
    pins: Annotated[
        tuple[Annotated[int, unit(PURE, ge=0)], ...],
        about(
            "Cloth vertices held by the bone. Default: those within the grip, or the top edge.",
            group="Cloth",
            form="VERTEX",
        ),
    ] = ()
    line: Annotated[
        tuple[Place, ...],
        about(
            "Points of a strand in the bone's axes, from its root. The first segment is held.",
            group="Cloth",
            editor="line",
            form="X,Y,Z;X,Y,Z;…",
        ),
    ] = ()
    friction: Annotated[
        Ratio, about("Friction coefficient of cloth.", group="Cloth", slider=(0, 1), expert=True)
    ] = 0.3
    collide: Annotated[bool, about("Collide with the body.", group="Cloth")] = True
    world: Annotated[
        str | dict[str, Any] | None,
        about(
            "Surfaces that cloth collides with: a file (JSON, glTF, MJCF, USD) or a list.",
            group="Cloth",
            form=FORM,
            takes="poise.world:World",
        ),
    ] = None
    offset: Annotated[
        Place | None,
        about(
            "Position of its origin on the bone. Default: the hat is fitted.",
            group="Mesh",
            editor="place",
            form="X,Y,Z",
        ),
    ] = None
    rotation: Annotated[
        Quaternion | None, about("Rotation, as a quaternion w, x, y, z.", group="Mesh", expert=True)
    ] = None
    scale: Annotated[
        Annotated[float, unit(PURE, ge=1e-3, le=1e3)] | None,
        about("Scale factor.", group="Mesh", slider=(0.1, 10)),
    ] = None
    frame: Annotated[
        Literal["bone", "world"] | None,
        about(
            "Axes of the position.",
            group="Mesh",
            expert=True,
            choices={"bone": "the bone's", "world": "the world's, where the character stands at rest"},
        ),
    ] = None
    grip: Annotated[
        Length | None,
        about(
            "Vertices within this distance of the bone are held. Default: those inside it.",
            group="Mesh",
            slider=(0.005, 0.2),
        ),
    ] = None
    cells: Annotated[
        Annotated[int, unit(PURE, ge=8, le=5000)],
        about("Approximate number of elements.", group="Model", expert=True),
    ] = 220
    modes: Annotated[Count, about("Number of vibration modes.", group="Model", expert=True)] = 14
    gravity: Annotated[
        Literal["on", "off", "compensated"],
        about(
            "Gravity on the worn thing.",
            group="Material",
            choices={
                "on": "it sags under its weight",
                "off": "it is weightless",
                "compensated": "it keeps its modelled shape at rest",
            },
        ),
    ] = "on"
    colour: Annotated[
        Colour, about("Colour: linear red, green, blue.", group="Mesh", editor="colour", form="R,G,B")
    ] = (0.16, 0.05, 0.30)
    window: Annotated[
        Duration | Literal["auto", "adaptive"],
        about(
            "How far back each frame looks.",
            group="Model",
            slider=(0.1, 5),
            choices={"auto": "until a jolt has almost died out", "adaptive": "as each frame needs"},
        ),
    ] = "auto"
    large: Annotated[bool, about("Exact for large deformations, but slower.", group="Model")] = False
    constraints: Annotated[
        tuple[Wish, ...],
        about(
            "Targets for points on it or on its wearer.",
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
        about("Joints or limbs that may change. Default: all.", group="Targets", editor="limbs", form="LIMB"),
    ] = None

    RUN = "poise.methods.loosen.wear.operations:wear"
    RESULT = "poise.methods.loosen.wear.result:WearResult"
    FRAMES = "poise.methods.loosen.wear.operations:wear_frames"
    FREE = ("constraints", "joints", "world")
    LAST = True
    EXAMPLES = ("wear walk -o hat.glb", "wear run -o cape.glb --mesh cape --bend 0.02")
    IN_PYTHON = """\
hatted = poise.wear(poise.clips.get("walk"))
hatted.save("hat.glb")
"""

    def check(self) -> None:
        checked_wishes(thaw(self.constraints))
        if (self.mesh == STRAND) != bool(self.line):
            raise InputError(
                "field 'line': a strand needs its points (X,Y,Z;X,Y,Z;…); other things take none"
            )
        if self.line and len(self.line) < 2:
            raise InputError("field 'line': a strand needs at least two places")
        if self.mesh == HAT:
            self.refuse(OF_THIN, "is for cloth and strands, and a hat is solid")
        if self.mesh in THIN:
            self.refuse(OF_SOLIDS, f"is for solids, and a {self.mesh} is thin (see bend)")
        if self.world is not None and not world_file(self.world):
            world_of(self.world)
        if getattr(self, "weight", 1.0) != 1.0:
            raise InputError("field 'weight': worn things cannot be blended; use 1, or mute the layer")

    def refuse(self, names: tuple[str, ...], why: str) -> None:
        """Complain of options that have no meaning here."""
        for name in names:
            if getattr(self, name) != _USUAL[name]:
                raise InputError(f"field {name!r}: it {why}")

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Options as Python callers write them: a world may be one, or a path."""
        return plain_world(super().accepting(dict(options)))

    @property
    def is_surface(self) -> bool:
        """Whether the mesh is a file that holds nothing but one."""
        return self.mesh.lower().endswith(SURFACES)

    def uses(self) -> tuple[str, ...]:
        return () if self.mesh in BUNDLED or self.is_surface else (self.mesh,)

    def files(self) -> tuple[str, ...]:
        return (*((self.mesh,) if self.is_surface else ()), *world_file(self.world))


_USUAL = {field.name: field.default for field in fields_of(Wear)}
