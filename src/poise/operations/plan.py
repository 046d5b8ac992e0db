"""Plan: motion from a few partial key-frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal, Self

import msgspec

from poise.errors import UnknownNameError
from poise.operations.declare import PURE, Operation, about, unit
from poise.operations.decoding import converted, reading
from poise.operations.described import described
from poise.operations.frozen_data import freeze, thaw
from poise.operations.quantities import Count, Factor, FrameRate
from poise.operations.values.grounded import GROUP, MEANS

USUAL: Mapping[str, Any] = {
    "modes": 20,
    "rayleigh": (0.5, 0.005),
    "key_weight": 1e6,
    "refine": 6,
    "together": False,
    "fps": 60,
    "grounded": False,
}
"""What neither the caller nor the scene says."""


class Planning(Operation, tag="planning", frozen=True, kw_only=True):
    """How motion is searched for. What is left out is the scene's own, else the usual."""

    modes: Annotated[
        Count | None,
        about("Modes of vibration that are steered; left out: the scene's, or 20.", group="Search"),
    ] = None
    springs: Annotated[
        Literal["standing", "loose", "stiff"] | None,
        about(
            "Springs of the joints; left out: the scene's or the character's own.",
            group="Body",
            choices={
                "standing": "as a person stands",
                "loose": "0.7 times as fast",
                "stiff": "1.4 times as fast",
            },
        ),
    ] = None
    stiffer: Annotated[
        dict[str, Factor | tuple[Factor, ...]] | None,
        about(
            "How many times as stiff joints are, by name or pattern, about all axes or about each.",
            group="Body",
            editor="factors",
            form="LIMB=VALUE,…",
        ),
    ] = None
    rayleigh: Annotated[
        tuple[Annotated[float, unit("1/s", ge=0)], Annotated[float, unit("s", ge=0)]] | None,
        about(
            "Damping in proportion to mass and to stiffness; left out: the scene's, or 0.5 1/s and 0.005 s.",
            group="Body",
            expert=True,
            form="ALPHA,BETA",
        ),
    ] = None
    key_weight: Annotated[
        Factor | None,
        about(
            "How much keys weigh against effort; left out: the scene's, or 1e6.", group="Search", expert=True
        ),
    ] = None
    refine: Annotated[
        Annotated[int, unit(PURE, ge=0)] | None,
        about(
            "How often what keys still miss is asked for in addition; left out: the scene's, or 6.",
            group="Search",
            expert=True,
        ),
    ] = None
    together: Annotated[
        bool | None,
        about(
            "Whether stances on the same feet are solved all at once, for a longer horizon.", group="Search"
        ),
    ] = None
    grounded: Annotated[
        bool | None,
        about(
            f"{MEANS[:-1]}; keys stay met, held feet may be put elsewhere; left out: the scene's, or no.",
            group=GROUP,
        ),
    ] = None
    judge: Annotated[
        bool,
        about(
            "Whether the report says how plausible the motion is under full dynamics.",
            group="Result",
            expert=True,
        ),
    ] = True
    fps: Annotated[
        FrameRate | None,
        about(
            "Frames per second of what comes out; left out: the scene's, or 60.",
            group="Result",
            form="<fps>|24000/1001",
        ),
    ] = None

    FREE: ClassVar[Sequence[str]] = ("stiffer",)

    def over(self, scene: Mapping[str, Any]) -> Self:
        """With what a scene says, or is usual, where nothing was asked for."""
        said = {**USUAL, **scene}
        missing = {name: value for name, value in said.items() if getattr(self, name) is None}
        return msgspec.structs.replace(self, **missing)


SCENE_OPTIONS = tuple(name for name in Planning.__struct_fields__ if name != "judge")
"""What a scene may say."""


def checked_options(said: Mapping[str, Any], where: str) -> dict[str, Any]:
    """What a scene says, as declared; what it cannot say is refused."""
    for name in said:
        if name not in SCENE_OPTIONS:
            raise UnknownNameError("option of a scene", name, SCENE_OPTIONS)
    plain = described(dict(said))
    freeze(plain, where)  # refuses numbers that are not finite
    made = converted(plain, Planning, where)
    return {name: getattr(made, name) for name in said}


class Plan(Planning, tag="plan", frozen=True, kw_only=True):
    """Plan motion of least effort through a few partial key-frames."""

    scene: Annotated[
        str | dict[str, Any],
        about(
            "What is to happen: a bundled scene (four punches, walk, lamp jump …), a file (JSON) or what one "
            "holds.",
            group="Scene",
            main=True,
            editor="scene",
            form="NAME|FILE",
            takes="poise.methods.plan.scene.scene:Scene",
        ),
    ]
    character: Annotated[
        str | None,
        about(
            "Another character, whose names fit the scene: a preset or a file.",
            group="Scene",
            editor="character",
            form="PRESET|FILE",
            takes="poise.character:Character",
        ),
    ] = None

    RUN = "poise.methods.plan.operations:plan"
    RESULT = "poise.methods.plan.result:PlanResult"
    INPUT = "never"
    ARGUMENT = "scene"
    DOCUMENT = "poise.methods.plan.operations:scene_asked"
    ARGUMENT_HELP = "A bundled scene (four punches, walk, lamp jump …) or a file (JSON)."
    FREE = ("scene", "stiffer")
    EXAMPLES = ('plan "lamp jump" -o jump.glb', "plan walk -o walk.bvh --fps 30")

    @property
    def starts(self) -> bool:
        return True

    @classmethod
    def from_argument(cls, text: str) -> dict[str, Any] | None:
        return {"scene": text}

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        given = dict(options)
        if isinstance(given.get("fps"), Fraction):
            given["fps"] = str(given["fps"])
        if hasattr(given.get("scene"), "__fspath__"):
            given["scene"] = str(given["scene"])
        return given

    @property
    def in_a_file(self) -> bool:
        """Whether the scene is named by its file."""
        return isinstance(self.scene, str) and self.scene.lower().endswith(".json")

    def check(self) -> None:
        if isinstance(self.scene, str) and (self.in_a_file or self.scene.startswith("<")):
            return  # known when it is read
        from poise.methods.plan.scene.bundled import scene_of

        with reading("scene"):
            scene_of(thaw(self.scene)).figure()

    def uses(self) -> tuple[str, ...]:
        return () if self.character is None else (self.character,)

    def files(self) -> tuple[str, ...]:
        return (str(self.scene),) if self.in_a_file else ()
