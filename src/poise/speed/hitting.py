"""``hit`` beside the iteration that was published for it, on a punch."""

from __future__ import annotations

from typing import Literal

import poise
from poise import clips
from poise import constraints as c
from poise.constraints import Constraint
from poise.kinematics import Kinematics
from poise.methods.loosen.hit.hit import HitResult
from poise.speed.duel import Duel

HAND = "RightHandCentre"
FRAME = 51
"""Where the punch lands."""
STEPS = 60
"""The published iteration gives up after so many."""


class HitWork:
    """The bundled punch and what may be asked of its hand: constraints and the width of corrections [s]."""

    def __init__(self) -> None:
        self.clip = clips.get("punch")
        self.at = float(self.clip.times[FRAME])
        self.hand = Kinematics(self.clip.character, self.clip.q).point(HAND)
        there = c.pin(HAND, self.hand[FRAME], self.at)
        chain: list[Constraint] = []
        for k in range(8):
            f = 8 + 13 * k
            t = float(self.clip.times[f])
            chain += [c.pin(HAND, self.hand[f], t, name=f"p{k}"), c.at_rest(HAND, t, name=f"v{k}")]
        self.tasks: dict[str, tuple[list[Constraint], float]] = {
            "effector": ([there], 1.0),
            "pose": ([c.pose(self.clip.character, self.clip.q[FRAME], self.at)], 1.0),
            "position and velocity": ([there, c.at_rest(HAND, self.at)], 1.0),
            "8 coupled positions and velocities": (chain, 0.5),
        }

    def solved(self, task: str, device: Literal["cpu", "cuda"] | None = None) -> HitResult:
        """By the method that Poise uses."""
        wanted, width = self.tasks[task]
        return poise.hit(self.clip, wanted, "relaxed", 0.3, width=width, device=device)

    def published(self, task: str) -> HitResult:
        """By the iteration that was published."""
        wanted, width = self.tasks[task]
        return poise.hit(self.clip, wanted, "relaxed", 0.3, width=width, method="paper", iterations=STEPS)

    def duel(self, task: str) -> Duel:
        """Both, whole calls. They may find different corrections: what is compared is whether ours hits."""

        def note() -> str:
            return "" if self.published(task).report.met else f"it still misses after {STEPS} steps"

        return Duel(
            lambda: self.solved(task),
            lambda: self.published(task),
            lambda: max(float(o.error / o.tolerance) for o in self.solved(task).report.outcomes),
            1.0,
            unit="call",
            note=note,
        )
