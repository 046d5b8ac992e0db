"""One performance, piece by piece: plan, run until something happens, plan again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.kernels.compile_log import working_time
from poise.methods.perform.control.schedule import TINY, Schedule, Upset, struck_limb
from poise.methods.perform.report.arrival import shortfalls
from poise.methods.perform.report.footing import footing_facts
from poise.methods.perform.report.tracking import unfinished
from poise.methods.perform.script.state_machine import CONTACT, Cue
from poise.methods.perform.simulate.contact_world import Flying, PropTouch, Scene
from poise.methods.perform.simulate.loads import laden
from poise.methods.perform.simulate.props import Flight, joined
from poise.methods.perform.simulate.setup import Stage
from poise.methods.perform.simulate.simulation import Simulation
from poise.methods.perform.simulate.steps import Trace


class Performance:
    """One performance, piece by piece."""

    def __init__(
        self, stage: Stage, simulation: Simulation, frames: Sequence[float], end: float
    ) -> None:  # fmt: skip
        self.stage, self.simulation = stage, simulation
        self.frames, self.end = frames, end
        self.disturbances = stage.disturbances()
        self.cues: list[Cue] = []
        self.touches: list[PropTouch] = []
        self.flights: list[Flight] = []
        self.scales: list[tuple[int, Character | Array]] = []
        """What gains were multiplied by, and for how many steps."""
        self.seconds = 1e-9
        self.schedule = self._schedule()

    def all(self) -> Trace:
        """From the start to the end."""
        stage, sim = self.stage, self.simulation
        breaks = {0.0, self.end, *(p.time for p in stage.loads), *(p.time for p in stage.impulses)}
        pieces: list[Trace] = []
        flown: list[list[Flight]] = []
        scene: Scene | None = None
        for first, last in pairwise(sorted(breaks)):
            if first >= self.end:
                break
            self._at(first)
            if stage.contact:
                if scene is None:
                    scene = Scene(sim, stage.throws, stage.world)
                elif stage.loads:
                    scene.rebuild()
            while sim.time < min(last, self.end) - 1e-9:
                times = grid(
                    [*self.schedule.times(), *stage.marks(), *self.frames],
                    sim.time,
                    min(last, self.end),
                    sim.asked.step,
                )
                began = working_time()
                pieces.append(self._piece(scene, times, flown))
                self.scales.append((len(pieces[-1].stretch), sim.scale))
                self.seconds += working_time() - began
        self.flights = joined(flown)
        return _joined(pieces)

    def _piece(self, scene: Scene | None, times: Array, flown: list[list[Flight]]) -> Trace:
        """Until the last time, or the first touch."""
        stage, sim = self.stage, self.simulation
        settled = {t.thrown: t.time + sim.asked.recovery for t in self.touches}
        touch: PropTouch | None = None
        if stage.standing is not None:
            around = Flying(scene, times, settled) if scene is not None else None
            trace, done = stage.standing.run(sim, self.schedule, times, stage.pushes, around)
            if around is not None:
                touch = around.touch
                flown.append([f.until(done + 1) for f in around.flights])
        elif scene is None:
            trace = sim.run(self.schedule, times, stage.pushes)
        else:
            trace, flights, touch = scene.run(self.schedule, times, stage.pushes, settled=settled)
            flown.append(flights)
        if touch is not None:
            self._met(touch)
        return trace

    def warnings(self, trace: Trace, strength: Array) -> list[str]:
        """What an animator should know."""
        short = shortfalls(self.stage.character, trace, strength, 0, len(trace.times) - 1)
        found = [f"not strong enough: {', '.join(sorted(s.joint for s in short))}"] if short else []
        late = [d.key.label for d in self.schedule.dues if d.time > self.end + 1e-6]
        if late:
            found.append(f"due after the end at {self.end:g} s: {', '.join(late)}")
        missed = [t for t in self.stage.marks() if t >= self.end]
        if missed:
            found.append(f"nothing happens after the end at {self.end:g} s, so not at {min(missed):g} s")
        found += self.stage.notes
        return found + [
            f"the end at {self.end:g} s comes before the clip is found again after {t:.3f} s"
            for t in unfinished(self.schedule, self.end)
        ]

    def facts(self, trace: Trace) -> dict[str, Any]:
        """Numbers of the run."""
        out: dict[str, Any] = {
            "seconds_simulated": self.end,
            "real_time_factor": self.end / self.seconds,
            "touches": [{"time": t.time, "body": t.body, "thrown": t.thrown} for t in self.touches],
        }
        if self.stage.standing is not None:
            out |= footing_facts(self.stage.standing)
        return out

    def _schedule(self) -> Schedule:
        stage = self.stage
        return Schedule(
            stage.character,
            stage.q,
            stage.keys(self.cues, self.end),
            clip=stage.clip,
            asked=self.simulation.asked,
            disturbances=self.disturbances,
            still=stage.root == "fixed",
        )

    def _at(self, now: float) -> None:
        """What happens to the body between pieces."""
        stage, sim = self.stage, self.simulation
        if stage.loads:
            sim.body = laden(stage.character, stage.loads, now, known=False)
            unknown = any(not p.known and p.time <= now + 1e-9 for p in stage.loads)
            sim.belief = laden(stage.character, stage.loads, now, known=True) if unknown else sim.body
        for impulse in stage.impulses:
            if abs(impulse.time - now) < 1e-9:
                sim.hit(impulse)

    def _met(self, touch: PropTouch) -> None:
        """A thrown body touched: whoever follows a clip or a state machine is told."""
        who = self.stage.character
        self.touches.append(touch)
        self.cues.append(Cue(touch.time, CONTACT))
        self.disturbances.append(Upset(touch.time, touch.time, struck_limb(who, who.index(touch.body))))
        self.schedule = self._schedule()


def _joined(pieces: Sequence[Trace]) -> Trace:
    states = [np.concatenate([p[k][(1 if n else 0) :] for n, p in enumerate(pieces)]) for k in range(3)]
    return Trace(*states, *(np.concatenate([p[k] for p in pieces]) for k in range(3, 8)))


def grid(marks: Sequence[float], start: float, end: float, step: float) -> Array:
    """Times from start to end that hit every mark between, no further apart than ``step``."""
    inside = sorted({start, end, *(t for t in marks if start < t < end)})
    kept = [inside[0]]
    for t in inside[1:]:
        if t - kept[-1] > TINY:
            kept.append(t)
    kept[-1] = max(kept[-1], end) if len(kept) > 1 else kept[-1]
    pieces = [np.array(kept[:1])]
    for a, b in pairwise(kept):
        count = max(1, int(np.ceil((b - a) / step - 1e-6)))
        pieces.append(a + (b - a) * np.arange(1, count + 1) / count)
    return np.concatenate(pieces)
