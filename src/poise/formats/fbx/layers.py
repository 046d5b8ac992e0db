"""Animation layers of a take: what each says of a property, blended from the lowest up.

With x what the layers below give, y what a layer says and w its weight (0 … 1, may be animated):

    additive               x + w y        rotations x · yʷ, scales x · yʷ, unless the layer adds by channel
    override               y
    override, passthrough  (1 − w) x + w y    rotations along the arc, scales x¹⁻ʷ yʷ, unless by channel

The lowest layer is taken as it is. Layers that are muted, or not solo where others are, do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.formats.fbx.curves import Curve, read_curve
from poise.formats.fbx.objects import FbxObject, FbxObjects
from poise.formats.fbx.transforms import rotation_order, turning
from poise.manifold import so3
from poise.manifold.euler import continuous_euler

ADDITIVE, OVERRIDE, PASSTHROUGH = 0, 1, 2
"""Ways of blending, as the format numbers them."""
_COMPONENTS = ("d|X", "d|Y", "d|Z")


@dataclass(frozen=True, eq=False)
class Layer:
    """One of the layers of a take."""

    record: FbxObject
    base: bool
    weight: Curve | float

    @property
    def mode(self) -> int:
        """How it goes over those below."""
        return int(self.record.number("BlendMode", ADDITIVE))

    def turns_whole(self, what: str) -> bool:
        """Whether a property is blended as rotations or by factors, not number by number."""
        by = {"Lcl Rotation": "RotationAccumulationMode", "Lcl Scaling": "ScaleAccumulationMode"}.get(what)
        return by is not None and int(self.record.number(by)) == 0

    def weights(self, times: Array) -> Array:
        """(F, 1), from 0 to 1."""
        own = self.weight.at(times) if isinstance(self.weight, Curve) else np.full(len(times), self.weight)
        return np.clip(own / 100.0, 0.0, 1.0)[:, None]


@dataclass(frozen=True, eq=False)
class Part:
    """What a layer says of a property: values of components at rest, and curves."""

    layer: Layer
    rest: dict[str, float]
    curves: dict[str, Curve]

    def vector(self, rest: Array, times: Array) -> Array:
        """(F, 3): curves, else what the layer has at rest, else ``rest``."""
        out = np.tile(rest, (len(times), 1))
        for k, name in enumerate(_COMPONENTS):
            if name in self.curves:
                out[:, k] = self.curves[name].at(times)
            elif name in self.rest:
                out[:, k] = self.rest[name]
        return out

    def number(self, rest: float, times: Array) -> Array:
        """(F,): the same of a single number."""
        curve = next(iter(self.curves.values()), None)
        if curve is not None:
            return curve.at(times)
        return np.full(len(times), next(iter(self.rest.values()), rest))


@dataclass(frozen=True, eq=False)
class Channel:
    """A property of an object over time, from the lowest layer up."""

    what: str
    order: str
    """Of the object's rotations, the axis that is turned about first before the others."""
    parts: tuple[Part, ...]

    def curves(self) -> Iterator[Curve]:
        """All its curves."""
        for part in self.parts:
            yield from part.curves.values()

    def vector(self, rest: Array, times: Array) -> Array:
        """(F, 3); ``rest`` is what the object has without animation."""
        out = np.tile(rest, (len(times), 1))
        for part in self.parts:
            layer = part.layer
            adds = not layer.base and layer.mode == ADDITIVE
            neutral = np.full(3, 1.0 if self.what == "Lcl Scaling" else 0.0)
            value = part.vector(neutral if adds else rest, times)
            if layer.base or layer.mode == OVERRIDE:
                out = value
            elif not layer.turns_whole(self.what):
                out = _blended(out, value, layer.weights(times), adds=adds)
            elif self.what == "Lcl Rotation":
                out = self._turned(out, value, layer.weights(times), adds=adds)
            else:
                share = layer.weights(times)
                out = np.abs(out) ** (1.0 if adds else 1.0 - share) * np.abs(value) ** share * np.sign(out)
        return out

    def number(self, rest: float, times: Array) -> Array:
        """(F,): the same of a single number."""
        out = np.full(len(times), rest)
        for part in self.parts:
            layer = part.layer
            adds = not layer.base and layer.mode == ADDITIVE
            value = part.number(0.0 if adds else rest, times)
            out = (
                value
                if layer.base or layer.mode == OVERRIDE
                else _blended(out, value, layer.weights(times)[:, 0], adds=adds)
            )
        return out

    def _turned(self, below: Array, value: Array, share: Array, *, adds: bool) -> Array:
        first, own = (so3.from_matrix(turning(angles, self.order)) for angles in (below, value))
        step = so3.log(own if adds else so3.multiply(so3.conjugate(first), own))
        turns = so3.multiply(first, so3.exp(share * step))
        angles = np.degrees(continuous_euler(so3.normalise(turns), self.order[::-1]))[:, ::-1]
        return angles[:, np.argsort(["xyz".index(axis) for axis in self.order])]


def _blended(below: Array, value: Array, share: Array, *, adds: bool) -> Array:
    return np.asarray(below + share * value if adds else (1.0 - share) * below + share * value)


Curves = dict[tuple[int, str], Channel]
"""By object and property."""


def layers_of(objects: FbxObjects, stack: FbxObject) -> tuple[list[Layer], list[str]]:
    """The layers of a take that count, from the lowest up, and the names of those that do not."""
    every = objects.below(stack.identity, "AnimationLayer")
    solo = any(layer.number("Solo") for layer in every)
    out = [r for r in every if r.number("Mute") or (solo and not r.number("Solo"))]
    kept = [
        Layer(record, k == 0, _weight(objects, record)) for k, record in enumerate(every) if record not in out
    ]
    return kept, [record.name for record in out]


def _weight(objects: FbxObjects, layer: FbxObject) -> Curve | float:
    for node, what in objects.of_property(layer.identity, "AnimationCurveNode"):
        if what == "Weight":
            for curve, _ in objects.of_property(node.identity, "AnimationCurve"):
                read = read_curve(curve, objects.ticks)
                if read is not None:
                    return read
    return layer.number("Weight", 100.0)


def channels_of(objects: FbxObjects, layers: list[Layer]) -> Curves:
    """What layers animate."""
    found: dict[tuple[int, str], list[Part]] = {}
    for layer in layers:
        for node in objects.below(layer.record.identity, "AnimationCurveNode"):
            read = {
                part: read_curve(c, objects.ticks)
                for c, part in objects.of_property(node.identity, "AnimationCurve")
            }
            curves = {name: curve for name, curve in read.items() if curve is not None}
            rest = {
                n: float(v[0]) for n, v in node.properties.items() if v and isinstance(v[0], (int, float))
            }
            for kind in ("Model", "Deformer"):
                for owner, what in objects.above(node.identity, kind):
                    if what:
                        _add(found.setdefault((owner.identity, what), []), Part(layer, rest, curves))
    return {
        (owner, what): Channel(what, rotation_order(objects.every[owner]), tuple(parts))
        for (owner, what), parts in found.items()
    }


def _add(parts: list[Part], part: Part) -> None:
    """A layer may say its part of a property in several nodes."""
    if parts and parts[-1].layer is part.layer:
        was = parts.pop()
        part = Part(part.layer, {**was.rest, **part.rest}, {**was.curves, **part.curves})
    parts.append(part)
