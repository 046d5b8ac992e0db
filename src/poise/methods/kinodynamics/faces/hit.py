"""Hit the mark with a face: shapes added to the animation so that the loosened face meets targets.

Each target i adds a shape λ_i whose weight is a bell φ_i(t) around its time. The loose face is linear in these
shapes,

    x(t_j) ↦ x(t_j) + Σ_i [φ_ij + m (F_ij + P (S_ij − F_ij))] λ_i ,

φ_ij, S_ij and F_ij being what the bell itself and its two springs show at t_j (3 × 3, as the head may turn) and m
how much of a vertex is flesh. So there is nothing to iterate but the solution of one linear system, matrix-free,
for λ at the vertices of each target's region; around it λ fades smoothly. Velocities of the loose face are
differences of its states and add rows of the same kind, with the bell's derivative as their curve.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.constraints import Outcome, Report
from poise.character import MorphTarget
from poise.errors import InputError, UnknownNameError
from poise.methods.kinodynamics.correction import Shape, bell
from poise.methods.kinodynamics.faces.extension import extension
from poise.methods.kinodynamics.faces.face import Added, Face
from poise.methods.kinodynamics.faces.flesh import Flesh, Spec
from poise.methods.kinodynamics.faces.target import TOLERANCE, Target, measured
from poise.motion import Clip, MeshClip

WIDTH = 0.6
"""Full width of a correction [s], unless other targets are nearer."""
APART = 3.0
"""Bells are at most so many times as wide as the way to the next target."""


class Result:
    """What was achieved."""

    def __init__(self, face: Face, added: Added, targets: Sequence[Target], report: Report) -> None:
        self.face, self.added, self.targets, self.report = face, added, tuple(targets), report

    @cached_property
    def mesh(self) -> MeshClip:
        """The loose face that meets the targets, or comes nearest."""
        return self.face.mesh()

    @cached_property
    def kinematic(self) -> Clip:
        """The corrected animation before it is loosened: a morph target more for each target."""
        clip, skin = self.face.clip, self.face.rig.skin
        morphs = list(skin.morphs)
        for target, shape in zip(self.targets, self.added.shapes):
            moved = np.flatnonzero(np.any(shape != 0, axis=0))
            morphs.append(MorphTarget(f"correction: {target.label}", moved, shape[:, moved].T))
        character = clip.character.with_bodies(clip.character.bodies, skin=_with_morphs(skin, morphs))
        weights = np.concatenate([np.asarray(clip.morphs), self.added.weights], axis=1)
        return clip.replaced(character=character, morphs=weights, source=None)


def hit(
    clip: Clip,
    targets: Sequence[Target],
    flesh: Spec = Flesh(),  # noqa: B008  frozen
    window: float | str = "auto",
    *,
    shape: Shape | float | Mapping[str, Shape] | None = None,
    iterations: int = 60,
    **options: Any,
) -> Result:
    """Loosen a face and still meet targets at exact times.

    ``shape`` is the correction's width [s] or a ``Shape``, for all or by the target's name; by default 0.6 s, or
    less where targets are close in time. ``options`` are those of :func:`loosen`.
    """
    if not targets:
        raise InputError("there is nothing to hit: give at least one target")
    began = time.perf_counter()
    face = Face(clip, flesh, window, **options)
    problem = Problem(face, targets, _shapes(shape, targets, clip))
    fields, steps, history = problem.solve(iterations)
    added = Added(np.ascontiguousarray(np.swapaxes(fields, 1, 2)), problem.curves)
    corrected = Face(clip, flesh, window, added=added, **options)
    outcomes = tuple(_outcome(corrected, row) for row in problem.rows)
    met = all(o.met for o in outcomes)
    report = Report(
        outcomes=outcomes,
        iterations=steps,
        seconds=time.perf_counter() - began,
        message="all met" if met else "as near as it gets",
        details={"history": history, "largest_m": float(np.linalg.norm(fields, axis=2).max())},
    )
    return Result(corrected, added, targets, report)


@dataclass(frozen=True)
class Row:
    """One target made ready."""

    target: Target
    among: IntArray
    goal: Array
    """(K, 3)"""
    spread: Any
    """From its vertices to all, sparse (N, K)."""


class Problem:
    """The linear system of a face's corrections."""

    def __init__(self, face: Face, targets: Sequence[Target], shapes: Sequence[Shape]) -> None:
        self.face = face
        self.rows = []
        for target in targets:
            among = target.vertices(face)
            self.rows.append(Row(target, among, target.goal(face), extension(face.rig, among)))
        self.curves = np.stack(
            [self._curve(row.target, shape) for row, shape in zip(self.rows, shapes)], axis=1
        )  # (F, T)
        count = len(self.rows)
        regions = len(face.fleshes)
        self.value = np.zeros((count, count))  # of row j, by bell i
        self.slow, self.fast = np.zeros((2, count, count, regions, 3, 3))
        for j, row in enumerate(self.rows):
            times, factors = zip(*row.target.stencil(face.clip))
            for i in range(count):
                found = face.response(self.curves[:, i], times)
                for k, factor in enumerate(factors):
                    self.value[j, i] += factor * found.value[k]
                    self.slow[j, i] += factor * found.slow[k]
                    self.fast[j, i] += factor * found.fast[k]
        ends = np.cumsum([3 * len(row.among) for row in self.rows])
        self.spans = [slice(int(e) - 3 * len(r.among), int(e)) for e, r in zip(ends, self.rows)]

    def _curve(self, target: Target, shape: Shape) -> Array:
        """A target's bell at the clip's frames, (F,)."""
        clip, trail = self.face.clip, max(f.damping / (np.pi * f.frequency) for f in self.face.fleshes)
        lead = shape.lead if shape.lead is not None else min(trail, 0.1 * shape.width)
        kind = "rate" if target.rate else "value"
        basis = bell(kind, shape.kind, float(target.time) - lead, shape.width, shape.fall)
        if not clip.loop:
            return basis.values(clip.times, 0)[:, 0]
        early, late = (x / clip.duration for x in basis.span)
        cycles = range(int(np.floor(early)) - 1, int(np.ceil(late)) + 1)
        return np.asarray(sum(basis.values(clip.times + k * clip.duration, 0)[:, 0] for k in cycles))

    def applied(self, u: Array) -> Array:
        """What unknowns, λ at the vertices of each target, change at the targets: both (Σ 3K,)."""
        clusters, masks = self.face.rig.clusters, self.face.masks
        out = np.zeros_like(u)
        for i, source in enumerate(self.rows):
            field = source.spread @ u[self.spans[i]].reshape(-1, 3)  # (N, 3)
            moments = clusters.moments(field)
            for j, row in enumerate(self.rows):
                own = field[row.among]
                change = self.value[j, i] * own
                for r, mask in enumerate(masks):
                    fast, rigid = self.fast[j, i, r], self.slow[j, i, r] - self.fast[j, i, r]
                    motion = clusters.motion(moments @ rigid.T)
                    loose = own @ fast.T + clusters.spread(motion, row.among)
                    change += mask[row.among, None] * loose
                out[self.spans[j]] += change.ravel()
        return out

    def solve(self, iterations: int) -> tuple[Array, int, list[float]]:
        """Fields λ (T, N, 3), how many steps they took, and the residuals on the way [m]."""
        from scipy.sparse.linalg import LinearOperator, gmres

        wrong = np.concatenate(
            [(row.goal - measured(self.face, row.target, row.among)).ravel() for row in self.rows]
        )
        scale = np.empty_like(wrong)  # velocities are made comparable with places
        for j, span in enumerate(self.spans):
            own = self.value[j, j] + np.trace(self.slow[j, j, 0]) / 3
            scale[span] = 1 / own if abs(own) > 1e-3 * np.abs(self.value[j]).max() else 1.0
        history = [float(np.abs(scale * wrong).max())]
        size = len(wrong)
        operator = LinearOperator((size, size), matvec=lambda u: scale * self.applied(u), dtype=float)
        length = float(np.linalg.norm(scale * wrong))
        if length == 0:
            return np.zeros((len(self.rows), len(self.face.rig.skin.vertices), 3)), 0, history
        u, _ = gmres(
            operator, scale * wrong, rtol=1e-7, restart=iterations, maxiter=1,
            callback=lambda norm: history.append(float(norm) * length), callback_type="pr_norm",
        )  # fmt: skip
        fields = np.stack([row.spread @ u[s].reshape(-1, 3) for row, s in zip(self.rows, self.spans)])
        return fields, len(history) - 1, history


def _outcome(face: Face, row: Row) -> Outcome:
    got = measured(face, row.target, row.among)
    off = np.linalg.norm(got - row.goal, axis=1)
    worst = int(np.argmax(off))
    tolerance = row.target.tolerance or TOLERANCE * face.rig.size
    return Outcome(
        name=row.target.label,
        when=f"at {row.target.time:g} s",
        wanted=tuple(row.goal[worst].tolist()),
        got=tuple(got[worst].tolist()),
        error=float(off[worst]),
        unit="m/s" if row.target.rate else "m",
        tolerance=tolerance,
        met=bool(off[worst] <= tolerance),
        worst_time=float(row.target.time),
        reason="" if off[worst] <= tolerance else "in conflict with other targets, or its correction is too narrow",
    )


def _shapes(
    shape: Shape | float | Mapping[str, Shape] | None, targets: Sequence[Target], clip: Clip
) -> list[Shape]:
    if isinstance(shape, Mapping):
        names = [t.label for t in targets]
        for name in shape:
            if name not in names:
                raise UnknownNameError("target", name, names)
        return [shape.get(t.label, Shape(width=WIDTH)) for t in targets]
    if isinstance(shape, Shape):
        return [shape] * len(targets)
    if shape is not None:
        return [Shape(width=float(shape))] * len(targets)
    found = []
    for target in targets:
        gaps = [abs(target.time - other.time) for other in targets]
        near = min((g for g in gaps if g > 1e-6), default=np.inf)
        found.append(Shape(width=float(max(min(WIDTH, APART * near), 4 * clip.dt))))
    return found


def _with_morphs(skin: Any, morphs: Sequence[MorphTarget]) -> Any:
    from dataclasses import replace

    return replace(skin, morphs=tuple(morphs))
