"""Motion synthesised from a few key-frames: a scene, bundled or written out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poise.project.layer import Layer, Made, Plain, Situation, reading

if TYPE_CHECKING:
    from poise.methods.plan import Scene


class SynthesisLayer(Layer, tag="synthesis", frozen=True, kw_only=True):
    """Fields of a scene are those of scene files (see ``poise synth``)."""

    scene: str | Plain
    """A bundled scene by name, or the scene itself."""
    rate: float | None = None
    """Frames per second; None: the scene's own, or 60."""

    FREE = ("scene",)

    @property
    def starts(self) -> bool:
        return True

    def check(self) -> None:
        scene = self._scene()
        with reading("scene"):
            scene.figure()

    def _scene(self) -> Scene:
        from poise.methods.plan import Scene
        from poise.methods.plan.scene import bundled as scenes

        with reading("scene"):
            if isinstance(self.scene, str):
                return scenes.get(self.scene)
            return Scene.from_dict(self.plain("scene"))

    def make(self, at: Situation) -> Made:
        options: dict[str, Any] = {} if self.rate is None else {"rate": self.rate}
        result = self._scene().play(at.character, progress=at.progress, **options)
        return Made(result.clip, result.report, result.report.met)
