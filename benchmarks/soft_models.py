"""How right the small models of soft bodies are: against full corotational dynamics, also of finer elements.

    python -m benchmarks.soft_models               # models against full dynamics of the same elements
    python -m benchmarks.soft_models --cells 1000  # and both against full dynamics of a thousand

Each case is a soft thing on a bone of a bundled clip, or of a head that turns by 42 degrees within 0.35 s.
Errors are the largest and the mean over all vertices and frames, as parts of its diameter: of the models
against full dynamics of their own elements (what they leave out), of those against finer ones (what elements
do), and of the models against the finer ones (both). All start in balance at ``since``, follow the same curve
of poses and have the same damping.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from functools import cache

import numpy as np

from poise import clips
from poise.arrays import Array
from poise.character.presets import humanoid
from poise.dynamics.elastic import ElasticBody, Lattice, Surface
from poise.dynamics.elastic.full import FullSimulation
from poise.methods.loosen.wear.attachment import Attachment, attach
from poise.methods.loosen.wear.bed import bed_of
from poise.methods.loosen.wear.hat import ON_HEAD, hat
from poise.methods.loosen.wear.sway import Sway, sway_of
from poise.motion import Clip
from poise.operations.wear import Wear

STEP = 1 / 480
"""Of full dynamics [s]: with steps of 1/240 s it is itself off by half a percent where landings ring."""
CELLS = Wear().cells
"""As made by default."""
CLOSE = 1e-8
"""Steps of full dynamics are solved to this part of the weight."""


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
    Case("hat", "head turn", 2.2e4, 0.8),
    Case("hat", "run", 3.8e4, 0.6),
    Case("hat", "walk", 1.5e4, 0.6),
    Case("hat", "wave", 2e4, 0.4),
    Case("hat", "reach", 2e4, 0.4),
    Case("hat", "drum", 5e4, 0.4),
    Case("tail", "walk", 2.5e5, 0.6),
    Case("hat", "punch", 2e4, 0.6, 0.5),
    Case("hat", "drum", 2e4, 0.5),
    Case("hat", "run", 2e4, 0.5),
)
"""As made by default (20 kPa) where that moves by 6 % or less, firmer where not; the last three move more."""


@cache
def clip_of(case: Case) -> Clip:
    """The motion of a case."""
    return acting(0.6) if case.clip == "head turn" else clips.get(case.clip)


def acting(size: float, seconds: float = 2.1, rate: int = 120) -> Clip:
    """A head that turns by a part of 70 degrees after 0.1 s, nods later, and leans all the time."""
    character = humanoid()
    t = 0.3 + np.arange(round(seconds * rate) + 1) / rate

    def step(x: Array) -> Array:
        x = np.clip(x, 0.0, 1.0)
        return x**3 * (10 - 15 * x + 6 * x * x)

    v = np.zeros((len(t), character.nv))
    v[:, character.dofs("Head")] = size * np.stack(
        [
            0.2 * np.sin(8.2 * t) * step(t / 0.4),
            0.35 * (step((t - 1.1) / 0.3) - step((t - 1.6) / 0.3)),
            np.radians(70) * step((t - 0.4) / 0.35),
        ],
        axis=1,
    )
    q = np.tile(character.rest_pose(), (len(t), 1))
    return Clip(character, character.manifold.plus(q, v), rate, name="acting")


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


def worn(case: Case, cells: int = CELLS) -> Attachment:
    """The thing on its bone, of so many elements."""
    character = clip_of(case).character
    if case.thing == "tail":
        made = Wear(to="Hips", offset=(-0.06, 0.0, 0.0), young=case.young, cells=cells)
        return attach(character, tail(), made)
    return attach(character, hat(), Wear(offset=ON_HEAD, young=case.young, cells=cells))


@cache
def _lattice(thing: str, cells: int) -> Lattice:
    return worn(next(c for c in CASES if c.thing == thing), cells).body.lattice


def finer(body: Attachment, thing: str, cells: int) -> ElasticBody:
    """The same thing of other elements, held in the same way."""
    character, lattice, material = humanoid(), _lattice(thing, cells), body.body.material
    bed = bed_of(
        character, character.index(body.bone), lattice, None,
        young=material.young, diameter=body.diameter, name=thing,
    )  # fmt: skip
    return ElasticBody(lattice, material, np.zeros(0, dtype=np.int64), bed)


def truth(case: Case, body: Attachment, elastic: ElasticBody | None = None, step: float = STEP) -> Array:
    """All vertices in the bone's frame by full dynamics, at every frame from ``since`` on, (F, N, 3)."""
    clip = clip_of(case)
    motion = Sway(clip, body, step=step)
    first, last = _frames(case, clip)
    drive, rotations = motion.drive(motion.grid_times(first, last))
    rest = body.model.rest if elastic is None else elastic.balance(elastic.weight(-body.model.load))
    elastic = body.body if elastic is None else elastic
    simulation = FullSimulation(elastic, body.model.damping, rest, motion.h, close=CLOSE)
    simulation.u = elastic.balance(elastic.weight(rotations[0].T @ body.gravity), rest)
    nodes = simulation.run(drive, motion.per_frame)
    cell, weights = elastic.lattice.embed(body.surface.points)
    at = elastic.lattice.element_nodes[cell]
    return np.array([np.einsum("pa,pai->pi", weights, u[at]) for u in nodes]) + body.surface.points


def small(case: Case, body: Attachment, *, large: bool) -> Array:
    """The same by a small model."""
    clip = clip_of(case)
    motion = sway_of(clip, body, large=large)
    first, last = _frames(case, clip)
    times = np.arange(first + 1, last + 1) * clip.dt
    states = motion.states(times, times - first * clip.dt)
    begin = motion.rest(motion.bone(np.array([first * clip.dt]))[0])
    return motion.local(np.concatenate([begin, states]), motion.vertices)


def errors(
    case: Case, exact: Array, body: Attachment, models: tuple[str, ...] = ("quick", "large")
) -> dict[str, float]:
    """Largest motion, and errors of small models of a body, as parts of the diameter."""
    out = {"motion": float(np.linalg.norm(exact - body.vertices.rest.T, axis=2).max() / body.diameter)}
    for name in models:
        out |= off(name, small(case, body, large=name == "large"), exact, body)
    return out


def off(name: str, found: Array, exact: Array, body: Attachment) -> dict[str, float]:
    """Largest and mean difference, as parts of the diameter."""
    distance = np.linalg.norm(found - exact, axis=2) / body.diameter
    return {name: float(distance.max()), f"{name} mean": float(distance.mean())}


def _frames(case: Case, clip: Clip) -> tuple[int, int]:
    return round(case.since * clip.fps), round((case.since + case.seconds) * clip.fps)


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.soft_models", description=__doc__)
    parser.add_argument("--cells", type=int, default=0, help="also compare with so many elements")
    parser.add_argument("--own", type=int, default=CELLS, help="elements of the models")
    parser.add_argument("--step", type=float, default=STEP, help="of full dynamics [s]")
    parser.add_argument("--case", type=int, action="append", help="only this one (repeatable)")
    arguments = parser.parse_args()
    for k, case in enumerate(CASES):
        if arguments.case and k not in arguments.case:
            continue
        began = time.process_time()
        body = worn(case, arguments.own)
        exact = truth(case, body, step=arguments.step)
        found = errors(case, exact, body)
        said = f"{case}: {len(body.body.lattice.cells)} elements at {body.frequencies[0]:.2f} Hz"
        if arguments.cells:
            elastic = finer(body, case.thing, arguments.cells)
            fine = truth(case, body, elastic, arguments.step)
            said += f" and {len(elastic.lattice.cells)}"
            found |= off("elements", exact, fine, body)
            for name in ("quick", "large"):
                found |= off(f"{name} against fine", small(case, body, large=name == "large"), fine, body)
        numbers = ", ".join(f"{name} {100 * value:.3f} %" for name, value in found.items())
        print(f"{said}: {numbers} ({time.process_time() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
