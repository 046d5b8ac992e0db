"""Hit the mark with a face: shapes added to the animation so that the loosened face meets targets.

Each target i adds a shape λ_i whose weight is a bell φ_i(t) around its time. The loose face is linear in
these shapes,

    x(t_j) ↦ x(t_j) + Σ_i [φ_ij + m (F_ij + P (S_ij − F_ij))] λ_i ,

φ_ij, S_ij and F_ij being what the bell itself and its two springs show at t_j (3 × 3, as the head may turn)
and m how much of a vertex is flesh. So there is nothing to iterate but the solution of one linear system,
matrix-free, for λ at the vertices of each target's region; around it λ fades smoothly. Velocities of the
loose face are differences of its states and add rows of the same kind, with the bell's derivative as their
curve.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from poise.arrays import Array, IntArray
from poise.character import MorphTarget
from poise.constraints import Outcome, Report
from poise.errors import InputError, UnknownNameError
from poise.kernels.compile_log import working_time
from poise.methods.loosen.face.clusters import Clusters
from poise.methods.loosen.face.face import Added, Face
from poise.methods.loosen.face.falloff import extension
from poise.methods.loosen.face.result import FaceResult
from poise.methods.loosen.face.target import TOLERANCE, Target, measured
from poise.methods.loosen.hit.correction import Mask, bell
from poise.motion import Clip
from poise.operations.values.bell import Bell
from poise.workers import algebra_on_one_thread

ITERATIONS = 60
"""The most that the linear system gets: a dozen is usual."""
WIDTH = 0.6
"""Full width of a correction [s], unless other targets are nearer."""
APART = 4.0
"""Bells are at most so many times as wide as the way to the next target."""
LARGE = 0.12
"""A correction larger than this part of the face's size is worth a warning."""
FAINT = 0.05
"""A target whose correction shows by less than this part is out of reach."""


class FaceHitResult(FaceResult):
    """The loose face that meets its targets, or comes nearest."""

    def __init__(self, face: Face, added: Added, targets: Sequence[Target], report: Report) -> None:
        super().__init__(face, report)
        self.added, self.targets = added, tuple(targets)

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


@algebra_on_one_thread()
def hit(
    face: Face,
    targets: Sequence[Target],
    width: Bell | float | None = None,
    widths: Mapping[str, Bell | float] = MappingProxyType({}),
) -> FaceHitResult:
    """Let a loose face meet targets at exact times.

    ``width`` is that of corrections [s] or a ``Bell``, by default 0.6 s or less where targets are close in
    time; ``widths`` those of single targets by their names.
    """
    if not targets:
        raise InputError("there is nothing to hit: give at least one target")
    began = working_time()
    problem = Problem(face, targets, _bells(width, widths, targets, face.clip))
    fields, steps, history = problem.solve(ITERATIONS)
    added = Added(np.ascontiguousarray(np.swapaxes(fields, 1, 2)), problem.curves)
    corrected = face.adding(added)
    outcomes = tuple(_outcome(corrected, *pair) for pair in zip(problem.rows, problem.reachable))
    met = all(o.met for o in outcomes)
    largest = float(np.linalg.norm(fields, axis=2).max())
    warnings = []
    if largest > LARGE * face.rig.size:
        warnings.append(
            f"the correction moves vertices by up to {1e3 * largest:.0f} mm: targets too close in time, "
            "flesh too soft, or a region too small for what is around it?"
        )
    report = Report(
        outcomes=outcomes,
        iterations=steps,
        seconds=working_time() - began,
        message="all met" if met else "as near as it gets",
        warnings=tuple(warnings),
        details={"history": history, "largest_m": largest},
    )
    return FaceHitResult(corrected, added, targets, report)


@dataclass(frozen=True)
class Row:
    """One target made ready."""

    target: Target
    among: IntArray
    goal: Array
    """(K, 3)"""
    spread: Any
    """From its vertices to all, sparse (N, K)."""
    here: Clusters
    """The clusters as its vertices see them."""


class Problem:
    """The linear system of a face's corrections, T targets with K vertices each."""

    def __init__(self, face: Face, targets: Sequence[Target], shapes: Sequence[Bell]) -> None:
        self.face = face
        self.rows = []
        for target in targets:
            among = target.vertices(face)
            here = face.rig.clusters.among(among)
            self.rows.append(Row(target, among, target.goal(face), extension(face.rig, among), here))
        self.curves = np.stack(
            [self._curve(row.target, shape) for row, shape in zip(self.rows, shapes)], axis=1
        )  # (F, T)
        stencils = [row.target.stencil(face.clip) for row in self.rows]
        found = face.response(self.curves, [t for stencil in stencils for t, _ in stencil])
        factors = np.zeros((len(self.rows), len(found.value)))  # from states to what targets compare
        at = 0
        for j, stencil in enumerate(stencils):
            factors[j, at : at + len(stencil)] = [f for _, f in stencil]
            at += len(stencil)
        self.value = factors @ found.value  # (T, T): of target j, by bell i
        self.fast = np.einsum("js,srixy->jrixy", factors, found.fast)  # (T, R, T, 3, 3)
        self.rigid = np.einsum("js,srixy->jrixy", factors, found.slow) - self.fast
        ends = np.cumsum([3 * len(row.among) for row in self.rows])
        self.spans = [slice(int(e) - 3 * len(r.among), int(e)) for e, r in zip(ends, self.rows)]

    def _curve(self, target: Target, shape: Bell) -> Array:
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

    def fields(self, u: Array) -> Array:
        """λ of all vertices, (T, N, 3), of unknowns (Σ 3K,)."""
        return np.stack([row.spread @ u[s].reshape(-1, 3) for row, s in zip(self.rows, self.spans)])

    def applied(self, u: Array) -> Array:
        """What λ at the vertices of each target change at the targets: both (Σ 3K,)."""
        clusters, masks = self.face.rig.clusters, self.face.masks
        fields = self.fields(u)
        moments = np.stack([clusters.moments(field) for field in fields])  # (T, C, 4, 3)
        loads = np.einsum("icay,jrixy->jrcax", moments, self.rigid, optimize=True)
        out = np.empty_like(u)
        for j, row in enumerate(self.rows):
            own = fields[:, row.among]  # (T, K, 3)
            change = np.tensordot(self.value[j], own, 1)
            springs = np.einsum("iky,rixy->rkx", own, self.fast[j], optimize=True)
            for r, mask in enumerate(masks):
                loose = springs[r] + row.here.spread(clusters.motion(loads[j, r]))
                change += mask[row.among, None] * loose
            out[self.spans[j]] = change.ravel()
        return out

    @cached_property
    def _coupling(self) -> Array:
        """A rough inverse of the system, targets against targets, (T, T).

        As if flesh were one and clusters did not matter; targets feel each other by what regions share.
        """
        sizes = np.array([len(row.among) for row in self.rows])
        far = ~self.reachable
        shared = np.array([[len(np.intersect1d(a.among, b.among)) for b in self.rows] for a in self.rows])
        rough = self._rough.copy()
        rough[far], rough[:, far] = 0.0, 0.0
        return np.asarray(np.linalg.pinv(rough * shared / np.maximum.outer(sizes, sizes), rcond=1e-3))

    @cached_property
    def _rough(self) -> Array:
        """What bell i shows at target j where flesh moves rigidly, (T, T)."""
        return np.asarray(self.value + np.einsum("jixx->ji", (self.fast + self.rigid)[:, 0]) / 3)

    @cached_property
    def reachable(self) -> Mask:
        """Whether a target's own bell shows there, (T,): on the first velocity of a clip it does not."""
        own, wanted = np.diag(self._rough), np.diag(self.value)
        return np.asarray(np.abs(own) > FAINT * np.abs(wanted))

    def _prepared(self, r: Array) -> Array:
        """The rough inverse, vertex by vertex, of residuals (Σ 3K,)."""
        whole = np.zeros((len(self.rows), len(self.face.rig.skin.vertices), 3))
        for k, (row, span) in enumerate(zip(self.rows, self.spans)):
            whole[k, row.among] = r[span].reshape(-1, 3)
        mixed = np.tensordot(self._coupling, whole, 1)
        return np.concatenate([mixed[k, row.among].ravel() for k, row in enumerate(self.rows)])

    def solve(self, iterations: int) -> tuple[Array, int, list[float]]:
        """Fields λ (T, N, 3), how many steps they took, and the residuals on the way."""
        from scipy.sparse.linalg import LinearOperator, gmres

        wrong = np.concatenate(
            [(row.goal - measured(self.face, row.target, row.among)).ravel() for row in self.rows]
        )
        start = self._prepared(wrong)  # nothing for targets out of reach, so they stay as they are
        length, history = float(np.linalg.norm(start)), [1.0]
        if length == 0:
            return self.fields(np.zeros_like(wrong)), 0, history
        operator = LinearOperator(
            (len(wrong), len(wrong)), matvec=lambda u: self._prepared(self.applied(u)), dtype=float
        )
        u, _ = gmres(
            operator, start, rtol=1e-7, restart=iterations, maxiter=1,
            callback=lambda norm: history.append(float(norm)), callback_type="pr_norm",
        )  # fmt: skip
        return self.fields(u), len(history) - 1, history


def _outcome(face: Face, row: Row, reachable: bool) -> Outcome:
    got = measured(face, row.target, row.among)
    off = np.linalg.norm(got - row.goal, axis=1)
    worst = int(np.argmax(off))
    tolerance = row.target.tolerance or TOLERANCE * face.rig.size
    met = bool(off[worst] <= tolerance)
    why = "in conflict with other targets, or its correction is too narrow"
    if not reachable:
        why = "out of reach: what is added to the animation hardly shows at that time"
    return Outcome(
        name=row.target.label,
        when=f"at {row.target.time:g} s",
        wanted=tuple(row.goal[worst].tolist()),
        got=tuple(got[worst].tolist()),
        error=float(off[worst]),
        unit="m/s" if row.target.rate else "m",
        tolerance=tolerance,
        met=met,
        worst_time=float(row.target.time),
        reason="" if met else why,
    )


def _bells(
    width: Bell | float | None, widths: Mapping[str, Bell | float], targets: Sequence[Target], clip: Clip
) -> list[Bell]:
    names = [t.label for t in targets]
    for name in widths:
        if name not in names:
            raise UnknownNameError("target", name, names)
    usual = WIDTH if widths and width is None else width
    found = []
    for target in targets:
        given = widths.get(target.label, usual)
        if not isinstance(given, Bell):
            given = Bell(width=_usual_width(target, targets, clip) if given is None else given)
        found.append(given)
    return found


def _usual_width(target: Target, targets: Sequence[Target], clip: Clip) -> float:
    """Of a correction [s]: narrower where other targets are near in time."""
    gaps = [abs(target.time - other.time) for other in targets]
    near = min((g for g in gaps if g > 1e-6), default=np.inf)
    return float(max(min(WIDTH, APART * near), 4 * clip.dt))


def _with_morphs(skin: Any, morphs: Sequence[MorphTarget]) -> Any:
    return replace(skin, morphs=tuple(morphs))
