"""Hang: chains of joints that swing as strands and touch the body."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from poise.errors import InputError
from poise.operations.declare import Operation, about
from poise.operations.quantities import Duration, Length, Ratio
from poise.operations.values.world import FORM, plain_world, world_file, world_of


class Hang(Operation, tag="hang", frozen=True, kw_only=True):
    """Let chains of joints hang and swing: hair, tails, straps, cloth bones. They collide with the body."""

    joints: Annotated[
        tuple[str, ...],
        about(
            "Chains of joints, by joint names or limb. The first bone of each stays as animated.",
            group="Chains",
            main=True,
            editor="limbs",
            form="LIMB",
        ),
    ]
    bend: Annotated[
        Length | None,
        about(
            "Bending length: how far a chain sticks out before it droops. Default: an eighth of its length.",
            group="Chains",
            slider=(0.005, 0.5),
        ),
    ] = None
    ratio: Annotated[Ratio, about("Damping ratio of its slowest swing.", group="Chains", slider=(0, 1))] = 0.3
    thickness: Annotated[
        Length | None,
        about(
            "Collision radius of a chain. Default: a quarter of a bone's length.",
            group="Chains",
            slider=(0.002, 0.1),
        ),
    ] = None
    gravity: Annotated[
        Literal["on", "off"],
        about(
            "Gravity on chains.",
            group="Chains",
            choices={"on": "chains hang down", "off": "chains only trail"},
        ),
    ] = "on"
    friction: Annotated[
        Ratio, about("Friction coefficient.", group="Contact", slider=(0, 1), expert=True)
    ] = 0.3
    collide: Annotated[bool, about("Collide with the body.", group="Contact")] = True
    world: Annotated[
        str | dict[str, Any] | None,
        about(
            "Surfaces that chains collide with: a file (JSON, glTF, MJCF, USD) or a list.",
            group="Contact",
            form=FORM,
            takes="poise.world:World",
        ),
    ] = None
    window: Annotated[
        Duration | Literal["auto"],
        about(
            "How far back each frame looks.",
            group="Chains",
            slider=(0.1, 5),
            expert=True,
            choices={"auto": "until a swing has almost died out"},
        ),
    ] = "auto"

    RUN = "poise.methods.loosen.wear.hang:hang"
    FRAMES = "poise.methods.loosen.wear.hang:hang_frames"
    RESULT = "poise.methods.loosen.wear.hang:HangResult"
    FREE = ("world",)
    DYNAMIC = True
    EXAMPLES = (
        'hang fox.glb -o tail.glb --joints "b_Tail*"',
        "hang fox.glb -o stiff.glb --joints tail --bend 0.3",
    )
    IN_PYTHON = """\
camel = poise.characters.camel()
standing = poise.Clip(camel, [camel.rest_pose()] * 30, 30)
hung = poise.hang(standing, "Tail*", bend=0.05)
print(hung)
"""

    def check(self) -> None:
        if not self.joints:
            raise InputError("field 'joints': name the joints of at least one chain")
        if self.world is not None and not world_file(self.world):
            world_of(self.world)

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Options as Python callers write them: one name may stand alone, a world may be one or a path."""
        given = plain_world(super().accepting(dict(options)))
        if isinstance(given.get("joints"), str):
            given["joints"] = [given["joints"]]
        return given

    def files(self) -> tuple[str, ...]:
        return world_file(self.world)
