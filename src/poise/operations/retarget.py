"""Retarget: a performance given to another character."""

from __future__ import annotations

from typing import Annotated

from poise.operations.adapt import Change, Iterations
from poise.operations.declare import about
from poise.operations.values.displacement import KeySpacing
from poise.operations.values.grounded import Grounded


class Retarget(Change, tag="retarget", frozen=True, kw_only=True):
    """Transfer a performance to another character. Feet stand where the performer's did, scaled."""

    onto: Annotated[
        str,
        about(
            "The new character: a file, a preset or a clip.",
            group="Character",
            editor="clip",
            form="FILE|PRESET",
            takes="poise.character:Character, poise.motion:Clip",
        ),
    ]
    map: Annotated[
        dict[str, str],
        about(
            "For joints that Poise cannot match by name or role: the performer's to the character's.",
            group="Character",
            editor="joint_map",
            form="JOINT=JOINT,…|@FILE",
        ),
    ] = {}  # noqa: RUF012  msgspec copies it
    hands: Annotated[
        bool,
        about(
            (
                "Keep hand positions relative to the shoulders; off: keep arm angles. Hands near each"
                " other or the body stay near either way."
            ),
            group="Character",
        ),
    ] = False
    grounded: Grounded = False
    # The motion is close already: few keys and few steps do.
    key_spacing: KeySpacing = 0.15
    iterations: Iterations = 5

    RUN = "poise.methods.adapt.operations:retarget"
    RESULT = "poise.methods.adapt.retarget.retarget:RetargetResult"
    FREE = (*Change.FREE, "map")
    EXAMPLES = (
        "retarget walk.bvh -o walk.glb --onto humanoid",
        "retarget walk.bvh -o strut.glb --onto robot.glb --map LeftUpLeg=leg_L,RightUpLeg=leg_R",
    )
    IN_PYTHON = """\
walk = poise.retarget(poise.clips.get("walk"), "biped180").clip
"""

    def uses(self) -> tuple[str, ...]:
        return (self.onto,)
