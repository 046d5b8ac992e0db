"""What comes of an operation: the motion, a report on it, and what was added."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from poise.errors import InputError

if TYPE_CHECKING:
    from poise.arrays import Array
    from poise.constraints import Constraint
    from poise.formats.options import WriteOptions
    from poise.motion import Clip, MeshClip
    from poise.operations.declare import Operation
    from poise.operations.values.pin_in_time import Pin


class Result:
    """A motion and what there is to say of it.

    Operations that have more to tell have a class of their own. Wherever a clip is asked for, a result
    will do.

    Examples:
        >>> result = poise.loosen(poise.clips.get("walk"))
        >>> result.save("loose.glb")
    """

    operation: Operation | None = None
    """What was asked."""
    anew: ClassVar[bool] = False
    """Whether it is written as a document of its own, whatever document the motion came from."""

    judged: bool = True
    """Whether its report is about its clip as it is: not where only part of the change was taken."""

    footing: Clip | None = None
    """The motion whose feet say where they stand, where that is another: the one that was loosened."""

    to_be_grounded: bool = False
    """Whether contact forces are to carry it because a scene says so, not the operation."""

    ground_is_asked: bool = True
    """Whether what the ground does not carry is missed; else it is only warned of."""

    ground: Any = None
    """What came of putting it on the ground (``GroundResult``), where that was asked for."""

    whole: ClassVar[bool] = False
    """Whether what is worn must not be left out of files that cannot hold it."""

    def __init__(
        self,
        clip: Clip | None = None,
        report: Any = None,
        *,
        met: bool | None = None,
        attached: tuple[Any, ...] = (),
        props: tuple[Any, ...] = (),
        demands: tuple[Constraint, ...] = (),
    ) -> None:
        self._clip, self._report, self._met = clip, report, met
        self._demands = demands
        self.attached = attached
        """What moves with the character without being part of it."""
        self.props = props
        """What else is in the scene because of it."""

    @property
    def clip(self) -> Clip:
        """The motion."""
        assert self._clip is not None
        return self._clip

    @property
    def report(self) -> Any:
        """What was asked for and what was achieved; None where nothing was asked for that could be missed."""
        return self._report

    @property
    def met(self) -> bool:
        """Whether what was asked for is so."""
        if self._met is not None:
            return self._met
        return bool(self.report.met) if self.report is not None else True

    @property
    def demands(self) -> tuple[Constraint, ...]:
        """What was asked for, as constraints that any motion of the same frames can be measured by."""
        return self._demands

    def save(self, path: str | Path, **options: Unpack[WriteOptions]) -> Path:
        """Write the motion, with what is worn where the format can hold it."""
        from poise.formats.registry import every_format

        clip, wears = self.clip, [e for each in every_format() if each.meshes for e in each.extensions]
        holds = Path(path).suffix.lower() in wears
        if self.whole and self.attached and not holds:
            raise InputError(
                f"{Path(path).name} cannot hold a mesh that sways: write {' or '.join(wears)}; "
                "the motion alone is the result's clip"
            )
        if self.attached and holds:
            from poise.formats.gltf.dressed import wearing

            for worn in self.attached:
                clip = wearing(clip, worn)
        return clip.save(path, **options)

    def plot(self, path: str | Path) -> Path:
        """Draw a page of curves, where there is one."""
        raise InputError(f"there are no curves to draw of {self.operation.do if self.operation else 'it'}")

    def sound(self, path: str | Path) -> Path | None:
        """Write what is heard with it (WAV); None where there is nothing to hear."""
        return None

    @property
    def shown(self) -> Clip | MeshClip:
        """What pictures and films show."""
        return self.clip

    @property
    def as_it_was(self) -> Clip | None:
        """The motion as it was, frame by frame of what films show: they show it as a ghost. None: it is as it
        was, or there is nothing to compare."""
        return None

    def drawn(self) -> dict[str, Any]:
        """What a picture of it shows beside that: targets, meshes."""
        outcomes = getattr(self.report, "outcomes", ())
        wanted = [o.wanted for o in outcomes if getattr(o, "unit", "") == "m" and len(o.wanted) == 3]
        places = [place for place in wanted if all(map(isfinite, place))]  # a height alone is no place
        return {k: v for k, v in (("targets", places), *self.filmed().items()) if v}

    def filmed(self) -> dict[str, Any]:
        """What films and contact sheets of it show as well: meshes, the world and what carries it there."""
        meshes = [worn.mesh for worn in self.attached]
        return {"meshes": meshes} if meshes else {}

    def at(self, time: float) -> Array:
        """The configuration at a time [s], (nq,)."""
        return self.clip.at(time)

    @property
    def missed(self) -> tuple[str, ...]:
        """What was asked for and is not so, in words."""
        if self.met:
            return ()
        outcomes = getattr(self.report, "outcomes", ())
        return tuple(f"{o.name}: {o.reason or 'missed'}" for o in outcomes if not o.met) or (
            "not all was met",
        )

    @property
    def kept(self) -> tuple[Pin, ...]:
        """What stays where it is when it is put on the ground."""
        return ()

    @property
    def measurable(self) -> bool:
        """Whether what its report says can be measured on other motions."""
        return bool(self.demands)

    def measured_on(self, clip: Clip) -> Any:
        """Its report, measured anew on another clip of the same frames, its outcomes in the same order."""
        from poise.constraints.report import measure

        if self.report is None or not self.demands:
            return self.report
        return replace(self.report, outcomes=tuple(measure(demand, clip) for demand in self.demands))

    def settled(self, ground: Any, told: Callable[[Any], Any]) -> None:
        """Become what came of putting it on the ground, where all that was met is met there; else stay.

        ``told`` adds what the ground took to a report.
        """
        was, said, met = self.clip, self.report, self.met
        self.ground, self._clip = ground, ground.clip
        now = self.measured_on(ground.clip) if ground.changed else said
        pairs = zip(getattr(said, "outcomes", ()), getattr(now, "outcomes", ()), strict=True)
        lost = next((after for before, after in pairs if before.met and not after.met), None)
        if lost is None:
            self._report, self._met = told(now), met and (ground.met or not self.ground_is_asked)
            return
        off = f"{lost.name} would be off by {lost.error:.2g} {lost.unit}"
        warnings = (*said.warnings, f"ground: {ground.outcome}, but {off}; as it was")
        self.ground, self._clip, self._met = None, was, met and not self.ground_is_asked
        self._report = replace(said, warnings=warnings)

    @property
    def verdict(self) -> Any:
        """A judgement of the motion's plausibility, where that is what was asked for."""
        return None

    @property
    def repaired(self) -> tuple[str, ...]:
        """What was put right, in words."""
        return ()

    def facts(self) -> dict[str, Any]:
        """What there is to tell, as plain data."""
        told = {"frames": self.clip.frames, "fps": self.clip.fps, "met": self.met}
        return told | (self.report.to_dict() if self.report is not None else {})

    def __str__(self) -> str:
        return str(self.report) if self.report is not None else str(self.clip)


class Share(Result):
    """Part of what an operation changed: asked for the same, and measured anew."""

    judged = False

    def __init__(self, whole: Result, clip: Clip) -> None:
        super().__init__(
            clip,
            whole.report,
            met=whole.met,
            attached=whole.attached,
            props=whole.props,
            demands=whole.demands,
        )
        self.footing, self._whole_change = whole.footing, whole

    @property
    def measurable(self) -> bool:
        return self._whole_change.measurable

    def measured_on(self, clip: Clip) -> Any:
        return self._whole_change.measured_on(clip)
