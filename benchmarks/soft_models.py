"""How right the small models of soft bodies are: against full corotational dynamics, also of finer elements.

    python -m benchmarks.soft_models               # models against full dynamics of the same elements
    python -m benchmarks.soft_models --cells 1000  # and full dynamics of these against a thousand

Each case is a soft thing on a bone of a bundled clip. Errors are the largest and the mean over all vertices
and frames, as parts of its diameter. What the model leaves out (full dynamics of the same elements less the
model) and what the elements do (of finer ones less theirs: another lattice, and so other held nodes, sag and
damping) are told apart. All start in balance at ``since`` and follow the same curve of poses.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from functools import cache

import numpy as np

from poise import clips
from poise.arrays import Array
from poise.dynamics.elastic import Surface
from poise.dynamics.elastic.full import FullSimulation
from poise.methods.kinodynamics import Attachment, Sway, attach, sway_of
from poise.methods.kinodynamics.attachments import ON_HEAD, hat
from poise.motion import Clip

STEP = 1 / 480
"""Of full dynamics [s]: with steps of 1/240 s it is itself off by half a percent where landings ring."""


@dataclass(frozen=True)
class Case:
    """A soft thing on a clip."""

    thing: str
    clip: str
    young: float
    """[Pa]"""
    seconds: float
    since: float = 0.0

    def __str__(self) -> str:
        return f"{self.thing} of {1e-3 * self.young:g} kPa, {self.clip}"


CASES = (
    Case("hat", "walk", 1.5e4, 1.0),
    Case("hat", "punch", 2.8e4, 0.7, 0.5),
    Case("hat", "run", 3.8e4, 0.6),
    Case("hat", "wave", 2e4, 0.6),
    Case("tail", "walk", 2.5e5, 0.8),
    Case("hat", "reach", 2e4, 0.5),
    Case("hat", "drum", 5e4, 0.5),
    Case("hat", "punch", 2e4, 0.6, 0.5),
    Case("hat", "drum", 2e4, 0.5),
    Case("hat", "run", 2e4, 0.5),
)
"""As made by default (20 kPa) where that moves by 6 % or less, firmer where not; the last three move more."""


@cache
def tail() -> Surface:
    """A tail of 60 cm that hangs back and tapers, in the axes of the hips."""
    around, along = 24, 40
    s = np.linspace(0.0, 1.0, along)
    radius = 0.045 * (1 - s) ** 0.6 * (1 - 0.3 * s) + 0.006
    x, z = -0.55 * s, 0.10 * s * s - 0.25 * s
    way = np.stack([np.gradient(x), np.gradient(z)]) / np.hypot(np.gradient(x), np.gradient(z))
    nx, nz = -way[1], way[0]
    angle = 2 * np.pi * np.arange(around) / around
    up, side = radius[:, None] * np.cos(angle), radius[:, None] * np.sin(angle)
    rings = np.stack([x[:, None] + up * nx[:, None], side, z[:, None] + up * nz[:, None]], axis=-1)
    points = np.concatenate([rings.reshape(-1, 3), [[x[0], 0.0, z[0]], [x[-1], 0.0, z[-1]]]])
    k = np.arange(around)
    ahead, last = (k + 1) % around, (along - 1) * around
    quads = [np.stack([np.full(around, along * around), ahead, k], axis=1)]
    quads.append(np.stack([np.full(around, along * around + 1), last + k, last + ahead], axis=1))
    for r in range(0, last, around):
        quads.append(np.stack([r + k, r + ahead, r + around + ahead], axis=1))
        quads.append(np.stack([r + k, r + around + ahead, r + around + k], axis=1))
    return Surface(points, np.concatenate(quads), "tail")


def worn(case: Case, cells: int) -> Attachment:
    """The thing on its bone, of so many elements."""
    character = clips.get(case.clip).character
    if case.thing == "tail":
        return attach(character, tail(), "Hips", offset=(-0.06, 0.0, 0.0), young=case.young, cells=cells)
    return attach(character, hat(), "Head", offset=ON_HEAD, young=case.young, cells=cells)


def truth(case: Case, body: Attachment, step: float = STEP) -> Array:
    """All vertices in the bone's frame by full dynamics, at every frame from ``since`` on, (F, N, 3)."""
    clip = clips.get(case.clip)
    motion = Sway(clip, body, step=step)
    first, last = _frames(case, clip)
    drive, rotations = motion.drive(motion.grid_times(first, last))
    elastic, model = body.body, body.model
    start = elastic.balance(elastic.weight(rotations[0].T @ body.gravity), model.rest)
    simulation = FullSimulation(elastic, model.damping, model.rest, motion.h)
    simulation.u = start
    nodes = simulation.run(drive, motion.per_frame)
    cell, weights = elastic.lattice.embed(body.surface.points)
    at = elastic.lattice.element_nodes[cell]
    return np.array([np.einsum("pa,pai->pi", weights, u[at]) for u in nodes]) + body.surface.points


def small(case: Case, body: Attachment, *, large: bool) -> Array:
    """The same by a small model."""
    clip = clips.get(case.clip)
    motion = sway_of(clip, body, large=large)
    first, last = _frames(case, clip)
    times = np.arange(first + 1, last + 1) * clip.dt
    states = motion.states(times, times - first * clip.dt)
    begin = motion.rest(motion.bone(np.array([first * clip.dt]))[0])
    return motion.local(np.concatenate([begin, states]), motion.vertices)


def errors(case: Case, exact: Array, body: Attachment) -> dict[str, float]:
    """Largest motion, and errors of both small models of a body, as parts of the diameter."""
    d = body.diameter
    rest = body.vertices.rest.T
    out = {"motion": float(np.linalg.norm(exact - rest, axis=2).max() / d)}
    for name, large in (("quick", False), ("large", True)):
        off = np.linalg.norm(small(case, body, large=large) - exact, axis=2)
        out[name], out[f"{name} mean"] = float(off.max() / d), float(off.mean() / d)
    return out


def _frames(case: Case, clip: Clip) -> tuple[int, int]:
    return round(case.since * clip.fps), round((case.since + case.seconds) * clip.fps)


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.soft_models", description=__doc__)
    parser.add_argument("--cells", type=int, default=0, help="also compare with so many elements")
    parser.add_argument("--step", type=float, default=STEP, help="of full dynamics [s]")
    parser.add_argument("--case", type=int, action="append", help="only this one (repeatable)")
    arguments = parser.parse_args()
    for k, case in enumerate(CASES):
        if arguments.case and k not in arguments.case:
            continue
        began = time.process_time()
        body = worn(case, 220)
        exact = truth(case, body, arguments.step)
        found = errors(case, exact, body)
        said = f"{case}: {len(body.body.lattice.cells)} elements at {body.frequencies[0]:.2f} Hz"
        if arguments.cells:
            finer = worn(case, arguments.cells)
            off = np.linalg.norm(exact - truth(case, finer, arguments.step), axis=2) / body.diameter
            found |= {"elements": float(off.max()), "elements mean": float(off.mean())}
            said += f" and {len(finer.body.lattice.cells)} at {finer.frequencies[0]:.2f} Hz"
        numbers = ", ".join(f"{name} {100 * value:.3f} %" for name, value in found.items())
        print(f"{said}: {numbers} ({time.process_time() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
