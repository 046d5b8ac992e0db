"""The performance given to another character."""

from __future__ import annotations

from poise.project.layer import Layer, Made, Situation


class RetargetLayer(Layer, tag="retarget", frozen=True, kw_only=True):
    """Feet stand where the performer's did, scaled."""

    onto: str
    """Name among the project's clips, of one with the character."""
    map: dict[str, str] | None = None
    """Which joint becomes which, where names and roles do not tell."""
    hands: bool = True
    """Hands keep their places beside the shoulders."""

    FREE = ("map",)

    def uses(self) -> tuple[str, ...]:
        return (self.onto,)

    def make(self, at: Situation) -> Made:
        from poise.methods import adapt as adaptation

        who = at.clip(self.onto).character
        result = adaptation.retarget(
            at.motion, who, map=self.plain("map"), hands=self.hands, progress=at.progress
        )
        return Made(result.clip, result.report, result.report.met)
