"""An FBX file as a scene: models become nodes, takes become sampled animations.

The file's axes and unit are one more node above all others, so that everything below keeps its numbers.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from poise.arrays import Array
from poise.formats.fbx.layers import Curves, channels_of, layers_of
from poise.formats.fbx.meshes import Channels, add_meshes
from poise.formats.fbx.objects import FbxObject, FbxObjects
from poise.formats.fbx.transforms import inherited, local_matrices, spheric
from poise.formats.gltf.scene import Z_UP, Scene, SceneAnimation, SceneNode, taken_apart
from poise.formats.key_times import likely_rate
from poise.formats.units import Axes
from poise.manifold import so3
from poise.motion.source import listed
from poise.reading import Budget

BONES = ("LimbNode", "Limb", "Root", "Effector")
RATES = {
    0: Fraction(30), 1: Fraction(120), 2: Fraction(100), 3: Fraction(60), 4: Fraction(50), 5: Fraction(48),
    6: Fraction(30), 7: Fraction(30), 8: Fraction(30000, 1001), 9: Fraction(30000, 1001), 10: Fraction(25),
    11: Fraction(24), 12: Fraction(1000), 13: Fraction(24000, 1001), 15: Fraction(96), 16: Fraction(72),
    17: Fraction(60000, 1001), 18: Fraction(120000, 1001),
}  # fmt: skip
"""Frames per second by FBX's TimeMode; 14 is the file's own number."""
STILL = 1e-9
"""What a transform may change by, beside its size, and still be no track."""

SCALED = 1e-6
"""What a scale may be off, in the single precision of keys, and still be even, or one."""


class FbxScene:
    """Reads the objects of a file into a scene."""

    def __init__(self, objects: FbxObjects, budget: Budget) -> None:
        self.objects, self.budget = objects, budget
        self.notes: list[str] = []
        self.scene = Scene()
        self.models = self._in_order()
        self.takes: list[tuple[FbxObject, Curves, float]] = []
        """The take of each animation, what it animates, and when its first frame is [s]."""
        self.number = {m.identity: k + 1 for k, m in enumerate(self.models)}
        """Of each model's node; node 0 is the file's frame."""
        self.shapes: Channels = {}
        self.rate = Fraction(30)
        self.up = "y"
        self.unit = 1.0
        """Of its lengths [m]."""

    def read(
        self, unit: float | None, fps: Fraction | None, *, up: str | None = None, outside: bool = True
    ) -> Scene:
        """All of it; ``unit`` [m] and ``up`` axis in place of the file's own, ``fps`` in place of its rate.

        ``outside``: pictures beside the file are read too.
        """
        self.up = self._stated_up() if up is None else Axes(up).up
        self._frame(unit, stated=up is None)
        if odd := [model.name for model in self.models if spheric(model)]:
            self.notes.append(f"turned in the order SphericXYZ, read as XYZ: {listed(odd)}")
        rest = self.locals_at({}, np.zeros(1))
        for model in self.models:
            place, turn, scale = taken_apart(rest[model.identity])
            above = self._parent(model)
            parent = 0 if above is None else self.number[above.identity]
            self.scene.nodes.append(SceneNode(model.name, parent, place[0], turn[0], scale[0]))
        self._skeletons()
        self.shapes = add_meshes(self.objects, self.scene, self.number, self.notes, outside=outside)
        self.rate = fps or self._rate()
        for stack in self.objects.of("AnimationStack"):
            self._animation(stack, rest)
        return self.scene

    def _in_order(self) -> list[FbxObject]:
        """Models, parents before children."""
        every = {m.identity: m for m in self.objects.of("Model")}
        done: dict[int, FbxObject] = {}
        for first in every.values():
            way: list[FbxObject] = []
            at: FbxObject | None = first
            while at is not None and at.identity not in done:
                if at in way:
                    raise ValueError(f"{at.name!r} is its own ancestor")
                way.append(at)
                at = self._parent(at)
            done.update((m.identity, m) for m in reversed(way))
        return list(done.values())

    def _parent(self, model: FbxObject) -> FbxObject | None:
        return next((up for up, what in self.objects.above(model.identity, "Model") if not what), None)

    def _stated_up(self) -> str:
        """The file's axis that points up, as far as it is one of the two usual ones."""
        return "z" if int(self.objects.setting("UpAxis", 1)) == 2 else "y"

    def _frame(self, unit: float | None, *, stated: bool) -> None:
        """The node that takes the file's axes, as ``stated`` or the usual ones for what is up, to y up and z
        ahead, and its unit to metres."""
        get = self.objects.setting
        axes = [
            (int(get(f"{n}Axis", k)), get(f"{n}AxisSign", 1))
            for n, k in (("Coord", 0), ("Up", 1), ("Front", 2))
        ]
        frame = np.zeros((3, 3))
        for row, (axis, sign) in enumerate(axes):
            frame[row, axis % 3] = -1.0 if sign < 0 else 1.0
        if abs(np.linalg.det(frame)) < 0.5:
            self.notes.append("the file's axes do not make sense: read as y up, z ahead")
            frame = np.eye(3)
        if not stated:
            frame = Z_UP if self.up == "z" else np.eye(3)
        if np.linalg.det(frame) < 0:  # a left hand: what lies across is turned round
            frame[0] *= -1.0
        self.unit = unit if unit is not None else get("UnitScaleFactor", 1.0) / 100.0
        turn = so3.from_matrix(frame)
        self.scene.nodes.append(SceneNode("", -1, np.zeros(3), turn, np.full(3, self.unit)))

    def _rate(self) -> Fraction:
        mode = int(self.objects.setting("TimeMode", 0))
        if mode == 14:
            said = self.objects.setting("CustomFrameRate", 30.0)
            return likely_rate(said) if said > 0 else Fraction(30)
        return RATES.get(mode, Fraction(30))

    def _skeletons(self) -> None:
        """Bones by the topmost of them; the largest skeleton first."""
        groups: dict[int, list[int]] = {}
        for model in self.models:
            if model.subkind not in BONES:
                continue
            top, at = model, self._parent(model)
            while at is not None:
                top = at if at.subkind in BONES else top
                at = self._parent(at)
            groups.setdefault(top.identity, []).append(self.number[model.identity])
        for top_id, bones in sorted(groups.items(), key=lambda item: -len(item[1])):
            self.scene.skeletons.append((self.objects.every[top_id].name, bones))

    def locals_at(self, curves: Curves, times: Array) -> dict[int, Array]:
        """Local transforms (F, 4, 4) of all models, as plain nodes have them."""
        own: dict[int, Array] = {}
        scales: dict[int, Array] = {}
        for model in self.models:

            def animated(name: str, rest: Array, model: FbxObject = model) -> Array:
                channel = curves.get((model.identity, name))
                return np.tile(rest, (len(times), 1)) if channel is None else channel.vector(rest, times)

            own[model.identity] = local_matrices(model, animated)
            scales[model.identity] = animated("Lcl Scaling", model.vector("Lcl Scaling", 1.0))
        found: dict[int, Array] = {}
        for model in self.models:
            key, above = model.identity, self._parent(model)
            up = np.ones((len(times), 3)) if above is None else scales[above.identity]
            kind = 1 if above is None else int(model.number("InheritType"))
            found[key] = inherited(own[key], up, kind)
        return found

    def model(self, node: int) -> FbxObject:
        """What a node of the scene is in the file."""
        return self.models[node - 1]

    def compensated(self, nodes: set[int], take: int | None) -> list[str]:
        """Names of those nodes whose transforms depend on their parents' scales in a way of FBX's own."""
        found = []
        curves = self.takes[take][1] if take is not None else {}
        for model in self.models:
            above = self._parent(model)
            if (
                self.number[model.identity] in nodes
                and above is not None
                and model.number("InheritType") != 1
            ):
                scale = above.vector("Lcl Scaling", 1.0)[None]
                channel = curves.get((above.identity, "Lcl Scaling"))
                keys = [curve.times for curve in channel.curves()] if channel is not None else []
                if channel is not None and keys:
                    scale = channel.vector(scale[0], np.unique(np.concatenate(keys)))
                uneven = np.ptp(scale, axis=1).max() > SCALED
                if uneven or (model.number("InheritType") == 2 and np.abs(scale - 1.0).max() > SCALED):
                    found.append(model.name)
        return found

    def _curves(self, stack: FbxObject) -> Curves:
        """What a take animates, layer over layer."""
        layers, silent = layers_of(self.objects, stack)
        if silent:
            self.notes.append(f"layers of {stack.name!r} that are muted: {listed(silent)}")
        return channels_of(self.objects, layers)

    def _animation(self, stack: FbxObject, rest: dict[int, Array]) -> None:
        rate = self.rate
        curves = self._curves(stack)
        keys = [curve.times for channel in curves.values() for curve in channel.curves()]
        if not keys:
            return
        begin, end = min(k[0] for k in keys), max(k[-1] for k in keys)
        if stack.number("LocalStop") > stack.number("LocalStart"):
            begin, end = (stack.number(name) / self.objects.ticks for name in ("LocalStart", "LocalStop"))
        frames = int(np.floor((end - begin) * float(rate) + 1e-3)) + 1
        self.budget.spend(frames * 16 * len(self.models), f"the frames of {stack.name!r}")
        times = begin + np.arange(frames) / float(rate)
        tracks: dict[tuple[int, str], Array] = {}
        locals_ = self.locals_at(curves, times)
        for model in self.models:
            moved = locals_[model.identity]
            still = STILL * (1.0 + np.abs(rest[model.identity]).max())
            if np.abs(moved - rest[model.identity]).max() <= still:
                continue
            node = self.number[model.identity]
            place, turn, scale = taken_apart(moved)
            tracks[node, "translation"], tracks[node, "rotation"] = place, turn
            if np.abs(scale - self.scene.nodes[node].scale).max() > 1e-6:
                tracks[node, "scale"] = scale
        for node, channels in self.shapes.items():
            animated = [(c.identity, "DeformPercent") in curves for c, _ in channels]
            if any(animated):
                columns = [
                    np.full(len(times), rest) if channel is None else channel.number(rest, times)
                    for channel, rest in ((curves.get((c.identity, "DeformPercent")), p) for c, p in channels)
                ]
                tracks[node, "weights"] = np.stack(columns, axis=1) / 100.0
        self.takes.append((stack, curves, begin))
        name = stack.name.removeprefix("AnimStack::")
        start = times[0]
        self.scene.animations.append(SceneAnimation(name, times - start, tracks, str(rate)))
