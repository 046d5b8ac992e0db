"""A simulated performance that arrives on time: of a script, or following the motion it is given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from poise.errors import InputError
from poise.project.layer import Layer, Made, Plain, Situation, reading

if TYPE_CHECKING:
    from poise.character import Character

Triple = tuple[float, float, float]


class Impulse(msgspec.Struct, frozen=True, tag="impulse", tag_field="kind", forbid_unknown_fields=True):
    """A hit [N·s]."""

    time: float
    point: str
    impulse: Triple


class Push(msgspec.Struct, frozen=True, tag="push", tag_field="kind", forbid_unknown_fields=True):
    """A force for a while [N]."""

    start: float
    end: float
    point: str
    force: Triple


class Load(msgspec.Struct, frozen=True, tag="load", tag_field="kind", forbid_unknown_fields=True):
    """A weight put on [kg]."""

    time: float
    body: str
    mass: float
    place: Triple = (0.0, 0.0, 0.0)
    radius: float = 0.1
    known: bool = True


class Throw(msgspec.Struct, frozen=True, tag="throw", tag_field="kind", forbid_unknown_fields=True):
    """A ball thrown [m, m/s, kg]."""

    time: float
    position: Triple
    velocity: Triple
    mass: float = 1.0
    radius: float = 0.08
    bounce: float = 0.3
    friction: float = 0.6
    name: str = "ball"


class BeatLayer(Layer, tag="beat", frozen=True, kw_only=True):
    """Options are those of ``poise.timing.play``; what is left out has its default there."""

    script: Annotated[
        str | Plain | None,
        msgspec.Meta(description="A bundled script by name, or one as script files have it"),
    ] = None
    follow: bool = False
    """Whether it follows the motion it is given; else it starts one."""
    perturbations: tuple[Impulse | Push | Load | Throw, ...] = ()
    control: str | None = None
    style: str | float | None = None
    root: str | None = None
    gravity: Triple | None = None
    limits: float | dict[str, float] | None = None
    step: float | None = None
    fps: float | str | None = None
    duration: float | None = None
    hold: float | None = None
    look_ahead: float | None = None
    recovery: float | None = None
    floor: bool | None = None
    tolerance: float | None = None

    FREE = ("script", "limits")

    @property
    def starts(self) -> bool:
        return not self.follow

    def check(self) -> None:
        if self.script is None and not self.follow:
            raise InputError("field 'script': there is nothing to perform; give a script, or follow a motion")
        if isinstance(self.script, str):
            from poise.methods.perform.script.file import bundled

            bundled(self.script)

    def files(self) -> tuple[str, ...]:
        if self.script is None or isinstance(self.script, str):
            return ()
        beats, poses = self.script.get("beats", {}), self.script.get("poses")
        named = [beats.get("midi"), beats.get("wav")] if isinstance(beats, Mapping) else []
        return tuple(name for name in (*named, poses) if isinstance(name, str))

    def _keys(self, character: Character | None, folder: Path) -> Any:
        from poise.methods.perform.script import file as script_file

        if self.script is None:
            return ()
        with reading("script"):
            if isinstance(self.script, str):
                return script_file.load(script_file.bundled(self.script), character)
            return script_file.from_data(self.plain("script"), folder, character, name=self.name)

    def make(self, at: Situation) -> Made:
        from poise.methods import perform as timing
        from poise.project.prop import Prop, carried

        at.progress(0.0)
        who = at.motion.character if self.follow else at.character
        keys = self._keys(who, at.folder)
        performer: Any = at.motion if self.follow else keys.character
        names = ("control", "style", "root", "gravity", "limits", "step", "fps", "duration", "hold")
        more = ("look_ahead", "recovery", "floor", "tolerance")
        given = {n: self.plain(n) for n in (*names, *more) if getattr(self, n) is not None}
        blows = [getattr(timing, type(p).__name__)(**msgspec.structs.asdict(p)) for p in self.perturbations]
        result = timing.play(performer, keys, perturbations=blows, progress=at.progress, **given)
        flown = (Prop(f.name, f.shape, f.positions, f.rotations) for f in result.flights)
        loads = (p for p in self.perturbations if isinstance(p, Load))
        worn = (carried(f"{p.mass:g} kg", result.clip, p.body, p.place, p.radius, p.time) for p in loads)
        return Made(result.clip, result.report, result.report.met, props=(*flown, *worn))
