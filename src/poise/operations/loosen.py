"""Loosen: secondary dynamics on any motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from poise.errors import InputError, UnknownNameError
from poise.operations.declare import Operation, about, unit
from poise.operations.decoding import reading
from poise.operations.quantities import Duration, Ratio
from poise.operations.values.amplitude import Amplitude, AmplitudeKey, plain_amplitude
from poise.operations.values.grounded import Grounded
from poise.operations.values.tension import CHOICES, Tension, TensionKey, plain_tension, spec_of
from poise.operations.values.world import FORM, plain_world, world_file, world_of

GRAVITIES = ("on", "off", "compensated")
ROOTS = ("prescribed", "driven")
DEVICES = ("cpu", "cuda", "auto")
DAMPERS = ("rest", "reference")
SHORTEST_STEP, LONGEST_STEP = 1e-6, 1e12
"""[s]: smaller ones would take for ever, and gain nothing."""


class Simulation(Operation, tag="simulation", frozen=True, kw_only=True):
    """How states are simulated; what all that simulate share."""

    gravity: Annotated[
        Literal["on", "off", "compensated"],
        about(
            "Gravity on limbs.",
            group="Physics",
            choices={
                "on": "limbs sag under their weight",
                "off": "limbs are weightless",
                "compensated": "springs carry the weight of the animated pose",
            },
        ),
    ] = "on"
    root: Annotated[
        Literal["prescribed", "driven"],
        about(
            "How the root moves.",
            group="Physics",
            choices={"prescribed": "as animated", "driven": "on springs, like any joint"},
        ),
    ] = "prescribed"
    dampers: Annotated[
        Literal["rest", "reference"],
        about(
            "What the dampers slow down.",
            group="Physics",
            choices={"rest": "all motion", "reference": "only what differs from the animation"},
        ),
    ] = "rest"
    step: Annotated[
        Duration,
        about("Longest time step of the simulation.", group="Physics", expert=True, slider=(0.001, 0.02)),
    ] = 0.01
    order: Annotated[
        Literal[1, 2],
        about(
            "Order of the integrator.",
            group="Physics",
            expert=True,
            choices={"1": "robust: backward Euler", "2": "accurate, and stable at any step"},
        ),
    ] = 2
    device: Annotated[
        Literal["cpu", "cuda", "auto"] | None,
        about(
            (
                "Device that simulates. Default: the environment variable POISE_DEVICE, else the "
                "processor. Not saved in projects."
            ),
            group="Physics",
            expert=True,
            local=True,
            choices={
                "cpu": "the processor",
                "cuda": "the graphics card",
                "auto": "the graphics card if there is one and it is faster",
            },
        ),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for value, valid, what in (
            (self.gravity, GRAVITIES, "gravity"),
            (self.root, ROOTS, "root"),
            (self.dampers, DAMPERS, "dampers"),
            (self.device, (None, *DEVICES), "device"),
        ):
            if value not in valid:
                raise UnknownNameError(what, value, valid)
        if not SHORTEST_STEP <= self.step <= LONGEST_STEP:
            raise InputError(f"the step must be positive, at least {SHORTEST_STEP:g} s, not {self.step} s")
        if self.order not in (1, 2):
            raise InputError(f"the order must be 1 or 2, not {self.order}")


class Loosen(Simulation, tag="loosen", frozen=True, kw_only=True):
    """Add weight and follow-through: every frame is the end of a short simulation of the animation."""

    tension: Annotated[
        Tension | tuple[TensionKey, ...],
        about(
            ("How tightly joints follow the animation: overall, by joint or limb, or keyed over time."),
            group="Tension",
            main=True,
            editor="tension",
            form="PRESET|<Hz>|LIMB=VALUE,…",
            slider=(0.3, 12),
            choices=CHOICES,
            takes="poise.operations.values.tension:Spring",
        ),
    ] = "relaxed"
    window: Annotated[
        Duration | tuple[Duration, ...] | Literal["auto", "adaptive"],
        about(
            "How far back each frame's simulation starts. Longer gives more follow-through.",
            group="Tension",
            main=True,
            form="<s>|auto|adaptive",
            slider=(0.05, 2),
            choices={"auto": "one length for the clip", "adaptive": "as each frame needs"},
        ),
    ] = "auto"
    amplitude: Annotated[
        Amplitude | tuple[AmplitudeKey, ...],
        about(
            (
                "Share of the loose motion, from 0 (as animated) to 1: overall, by joint or limb, or "
                "keyed over time."
            ),
            group="Tension",
            editor="factors",
            form="<0…1>|LIMB=NUMBER,…",
            slider=(0, 1),
        ),
    ] = 1.0
    contacts: Annotated[
        bool | None,
        about(
            "Keep planted feet planted, and hands, knees or hips that lean, kneel or sit.",
            group="Contacts",
            main=True,
        ),
    ] = True
    joint_limits: Annotated[
        bool,
        about(
            "Respect joint limits. A character without limits gets human ones.",
            group="Physics",
        ),
    ] = True
    passive: Annotated[
        bool,
        about(
            "Also simulate the joint springs and dampers given in the character's file.",
            group="Physics",
            expert=True,
        ),
    ] = False
    clean: Annotated[
        bool,
        about(
            (
                "Repair joints that flip or spin impossibly fast before simulating. Otherwise they "
                "are only reported."
            ),
            group="Physics",
        ),
    ] = False
    world: Annotated[
        str | dict[str, Any] | None,
        about(
            (
                "Surfaces that limbs collide with: a file (JSON, glTF, MJCF, USD), a list, or none. "
                "In a project they add to its world and replace surfaces of the same name."
            ),
            group="World",
            editor="surfaces",
            form=FORM,
            takes="poise.world:World",
        ),
    ] = None
    touching: Annotated[
        str,
        about(
            "Bodies that collide with the world, by name or limb. Others pass through.",
            group="World",
            editor="limbs",
            form="LIMB",
        ),
    ] = "*"
    part: Annotated[
        Literal["auto", "body", "face"],
        about(
            "What to loosen.",
            group="Face",
            choices={
                "auto": "the face if morph targets move on a character of few bodies, else the body",
                "body": "the skeleton",
                "face": "the skin moved by morph targets; the result is a mesh, not available in projects",
            },
        ),
    ] = "auto"
    firmness: Annotated[
        Annotated[float, unit("Hz", ge=0)] | None,
        about(
            ("How firmly a face keeps its shape. Default: set by the tension, or 6 if that is a number."),
            group="Face",
            slider=(1, 20),
            when={"part": "face"},
        ),
    ] = None
    ratio: Annotated[
        Ratio | None,
        about(
            "Damping ratio of a face. Default: set by the tension, or 0.2 if that is a number.",
            group="Face",
            slider=(0, 1),
            when={"part": "face"},
        ),
    ] = None
    grounded: Grounded = False

    RUN = "poise.methods.loosen.operations:loosen"
    RESULT = "poise.methods.loosen.operations:LoosenResult"
    FRAMES = "poise.methods.loosen.operations:loosen_frames"
    DYNAMIC = True
    FREE: ClassVar[Sequence[str]] = ("tension", "amplitude", "world")
    REFUSES: ClassVar[Mapping[str, str]] = {
        "hit": "it would loosen what was made to hit; put it before, or all targets into one layer"
    }
    EXAMPLES: ClassVar[Sequence[str]] = (
        "loosen punch -o hit.glb --world room.glb --touching '* arm'",
        'loosen walk -o loose.bvh --tension "*=keyed,* arm=loose,Head=2.5" --amplitude "left arm=0.5"',
    )
    IN_PYTHON: ClassVar[str] = """\
loose = poise.loosen(poise.clips.get("walk"), "loose").clip
arms = poise.loosen(poise.clips.get("walk"), {"*": "keyed", "* arm": "loose"}).clip
"""

    @classmethod
    def accepting(cls, options: dict[str, Any]) -> dict[str, Any]:
        """Options as Python callers write them."""
        given = plain_world(options)
        plain = {"tension": plain_tension, "amplitude": plain_amplitude}
        return given | {name: plain[name](given[name]) for name in plain if name in given}

    def check(self) -> None:
        _ = self.spec
        if self.world is not None and not world_file(self.world):
            with reading("world"):
                world_of(self.world)

    def files(self) -> tuple[str, ...]:
        return world_file(self.world)

    @property
    def spec(self) -> Any:
        """The tension as the simulation takes it."""
        return spec_of(self.tension)

    @property
    def shown(self) -> Any:
        """The amplitude as the simulation takes it."""
        if isinstance(self.amplitude, tuple):
            return [(key.time, key.amplitude) for key in self.amplitude]
        return self.amplitude
