"""One performance, piece by piece: plan, run until something happens, plan again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.kernels.compile_log import working_time
from poise.methods.perform.control.schedule import TINY, Schedule, Upset
from poise.methods.perform.report.arrival import shortfalls
from poise.methods.perform.report.tracking import unfinished
from poise.methods.perform.script.state_machine import CONTACT, Cue
from poise.methods.perform.simulate.contact_world import PropTouch, World
from poise.methods.perform.simulate.loads import laden
from poise.methods.perform.simulate.prop import Prop
from poise.methods.perform.simulate.setup import Stage
from poise.methods.perform.simulate.simulation import Simulation
from poise.methods.perform.simulate.steps import Trace


class Performance:
    """One performance, piece by piece."""

    def __init__(
        self, stage: Stage, simulation: Simulation, springs: tuple[Array, Array] | None,
        frames: Sequence[float], end: float,
    ) -> None:  # fmt: skip
        self.stage, self.simulation, self.springs = stage, simulation, springs
        self.frames, self.end = frames, end
        self.disturbances = stage.disturbances()
        self.cues: list[Cue] = []
        self.touches: list[PropTouch] = []
        self.flights: list[Prop] = []
        self.scales: list[tuple[int, Character | Array]] = []
        """What gains were multiplied by, and for how many steps."""
        self.seconds = 1e-9
        self.schedule = self._schedule()

    def all(self) -> Trace:
        """From the start to the end."""
        stage, sim = self.stage, self.simulation
        breaks = {0.0, self.end, *(p.time for p in stage.loads), *(p.time for p in stage.impulses)}
        pieces: list[Trace] = []
        flown: list[list[Prop]] = []
        world: World | None = None
        for first, last in pairwise(sorted(breaks)):
            if first >= self.end:
                break
            self._at(first)
            if stage.contact:
                if world is None:
                    world = World(sim, stage.throws, floor=stage.floor)
                elif stage.loads:
                    world.rebuild()
            while sim.time < min(last, self.end) - 1e-9:
                times = grid(
                    [*self.schedule.times(), *stage.marks(), *self.frames],
                    sim.time,
                    min(last, self.end),
                    sim.asked.step,
                )
                began = working_time()
                if world is None:
                    pieces.append(sim.run(self.schedule, times, stage.pushes))
                else:
                    settled = {t.thrown: t.time + sim.asked.recovery for t in self.touches}
                    trace, flights, touch = world.run(self.schedule, times, stage.pushes, settled=settled)
                    pieces.append(trace)
                    flown.append(flights)
                    if touch is not None:
                        self._met(touch)
                self.scales.append((len(pieces[-1].stretch), sim.scale))
                self.seconds += working_time() - began
        self.flights = [
            Prop(
                f.name,
                f.shape,
                np.concatenate([part[k].positions[(1 if n else 0) :] for n, part in enumerate(flown)]),
                np.concatenate([part[k].rotations[(1 if n else 0) :] for n, part in enumerate(flown)]),
            )
            for k, f in enumerate(flown[0] if flown else [])
        ]
        return _joined(pieces)

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
        return found + [
            f"the end at {self.end:g} s comes before the clip is found again after {t:.3f} s"
            for t in unfinished(self.schedule, self.end)
        ]

    def facts(self, trace: Trace) -> dict[str, Any]:
        """Numbers of the run; what balance springs did is lengths of a force [N] and a torque [N·m]."""
        out: dict[str, Any] = {
            "seconds_simulated": self.end,
            "real_time_factor": self.end / self.seconds,
            "touches": [{"time": t.time, "body": t.body, "thrown": t.thrown} for t in self.touches],
        }
        if self.springs is not None:
            root = trace.torque[:, self.stage.character.dofs(0)]
            moves = len(root[0]) // 2 if len(root[0]) == 6 else 2
            for what, part in (("force", root[:, :moves]), ("torque", root[:, moves:])):
                size = np.linalg.norm(part, axis=1)
                out[f"balance_{what}"] = {"mean": float(size.mean()), "peak": float(size.max())}
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
            springs=self.springs,
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
        self.touches.append(touch)
        self.cues.append(Cue(touch.time, CONTACT))
        self.disturbances.append(Upset(touch.time, touch.time))
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
