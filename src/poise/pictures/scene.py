"""A scene: solids, see-through layers, trails and marks on a floor; ``render`` makes the picture.

Everything on one layer is opaque to itself. Layers are drawn each with its own depth buffer and blended
with their opacity, so a ghost is a solid figure seen through, not an X-ray of its parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, IntArray, checked
from poise.errors import InputError
from poise.pictures.backdrop import Floor, FloorLight, backdrop
from poise.pictures.camera import Camera
from poise.pictures.compositing import Picture, blur, composite, flatten
from poise.pictures.lights import Lights, sky_samples
from poise.pictures.material import Material, linear_from_srgb, material, parse_colour
from poise.pictures.mesh import Mesh
from poise.pictures.rasteriser import FloatImage, GeometryBuffer, Surfaces, rasterise
from poise.pictures.shading import shade
from poise.pictures.shadow import ShadowMaps, cast, floor_visibility
from poise.workers import thread_count

ON_TOP = np.float32(1e4)
"""By so much nearer than everything else is what is seen through it."""


@dataclass(frozen=True)
class Item:
    """A mesh in its place."""

    mesh: Mesh
    material: Material
    position: Array  # (3,)
    rotation: Array  # (3, 3)
    casts_shadow: bool = True
    proxy: Mesh | None = None  # a coarser stand-in for shadows, not larger than the mesh


@dataclass
class Layer:
    """Items that hide one another; the whole is blended with ``opacity``.

    Examples:
        >>> scene = poise.pictures.Scene()
        >>> ghosts = scene.layer(opacity=0.3)
    """

    opacity: float = 1.0
    """0 … 1"""
    tint: tuple[float, float, float] | str = (1.0, 1.0, 1.0)
    """sRGB, 0 … 1 or "#rrggbb"."""
    tint_amount: float = 0.0
    """How much of it is mixed in, 0 … 1."""
    shadow: float = 1.0
    """How dark its shadow on the floor is, 0 … 1."""
    on_top: bool = False
    """Whether it is seen through everything that is not: marks inside limbs."""
    items: list[Item] = field(default_factory=list)
    """What is on it; see ``add``."""

    def add(
        self,
        mesh: Mesh,
        look: str | Material = "default",
        *,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
        casts_shadow: bool = True,
        proxy: Mesh | None = None,
    ) -> None:
        """Put a mesh on this layer at a pose; ``proxy`` is a coarser mesh that casts its shadow."""
        R = np.eye(3) if rotation is None else checked(rotation, "rotation", (3, 3))
        at = checked(position, "position", (3,))
        self.items.append(Item(mesh, material(look), at, R, casts_shadow, proxy))


@dataclass
class Scene:
    """``solid`` is the opaque layer; further ones are made by ``layer``.

    Examples:
        >>> scene = poise.pictures.Scene(floor=None)
        >>> box = poise.world.Box((0.2, 0.2, 0.2)).mesh()
    """

    floor: Floor | None = field(default_factory=Floor)
    """None: no floor."""
    solid: Layer = field(default_factory=Layer)
    """Opaque things."""
    others: list[Layer] = field(default_factory=list)
    """What is seen through; made by ``layer``."""
    unit: float = 1.75
    """About a character's height [m]: the size by which contact darkness fades."""

    def layer(
        self,
        *,
        opacity: float = 1.0,
        tint: str | Sequence[float] = (1.0, 1.0, 1.0),
        tint_amount: float = 0.0,
        shadow: float = 1.0,
    ) -> Layer:
        """A new layer on top of what is there (order is by depth all the same)."""
        for name, value in (("opacity", opacity), ("tint_amount", tint_amount), ("shadow", shadow)):
            if not 0 <= value <= 1:
                raise InputError(f"{name} must lie between 0 and 1, not {value}")
        new = Layer(opacity, parse_colour(tint), tint_amount, shadow)
        self.others.append(new)
        return new

    @property
    def layers(self) -> list[Layer]:
        """All layers, the solid one first."""
        return [self.solid, *self.others]


@dataclass(frozen=True)
class Quality:
    """How much work goes into a picture.

    Examples:
        >>> quick = poise.pictures.Quality(supersample=1, key_samples=8, sky_samples=8)
        >>> picture = poise.pictures.strobe(poise.clips.get("wave"), count=2, size=(160, 120), quality=quick)
    """

    supersample: int = 2
    """Samples per pixel and axis."""
    key_samples: int = 80
    """Lights that make the soft shadow."""
    sky_samples: int = 64
    """Directions of ambient occlusion."""
    shadow_texel: float = 2.0
    """Size of a shadow map's texel in the picture [px]."""
    sky_texel: float = 7.0
    """The same for ambient occlusion [px]."""
    reflection: bool = True
    """Whether the floor mirrors."""
    detail: int = 44
    """Segments around a limb, for those who build figures."""


STILL = Quality()
VIDEO = Quality(key_samples=20, sky_samples=24, shadow_texel=3.0, sky_texel=10.0, detail=18)


def render(
    scene: Scene,
    camera: Camera,
    *,
    supersample: int | None = None,
    quality: Quality = STILL,
    lights: Lights | None = None,
    vignette: float = 0.16,
    threads: int | None = None,
) -> Picture:
    """The picture (H, W, 3), 8-bit sRGB; the same bits on every run and for every number of threads.

    Args:
        scene: What is there.
        camera: From where it is seen.
        supersample: Samples per pixel and axis [≥ 1]. Default: the quality's.
        quality: How much work goes into it.
        lights: Default: those that suit the camera.
        vignette: How much darker corners are [0 … 1].
        threads: At most so many. Default: one per core.

    Returns:
        Picture: One row of pixels after the other, from the top.

    Raises:
        InputError: ``supersample`` is below 1.

    Examples:
        >>> scene = poise.pictures.Scene()
        >>> camera = poise.pictures.Camera((3.0, -2.0, 1.5), (0.0, 0.0, 1.0), size=(160, 120))
        >>> picture = poise.pictures.render(scene, camera)
    """
    S = quality.supersample if supersample is None else supersample
    if S < 1:
        raise InputError(f"supersample must be at least 1, not {S}")
    workers = threads or thread_count()
    rig = lights or Lights.for_camera(camera)
    per_pixel = _metres_per_pixel(camera)
    whole = S * S
    key = rig.key_samples(-(-quality.key_samples // whole) * whole)
    sky = sky_samples(-(-quality.sky_samples // whole) * whole)
    drawn = [
        _Drawn(layer, camera, S, scene.floor is not None, workers) for layer in scene.layers if layer.items
    ]
    for d in drawn:
        d.cast_shadows("key", key, quality.shadow_texel * per_pixel)
        d.cast_shadows("sky", sky, quality.sky_texel * per_pixel)

    key_light = _floor_light(drawn, "key", quality.shadow_texel * per_pixel, workers)
    sky_light = _floor_light(drawn, "sky", 1.5 * quality.sky_texel * per_pixel, workers)
    mirror = _reflection(scene, drawn, camera, rig, quality, workers)
    behind = backdrop(camera, rig, scene.floor, key_light, sky_light, mirror, threads=workers)

    windows, colours, depths = _pools([d.buffer for d in drawn])
    for d, window in zip(drawn, windows):
        start, _, _, width, height = window
        if d.layer.on_top:
            depths[start : start + width * height] -= ON_TOP
        view = colours[start : start + width * height].reshape(height, width, 4)
        d.shade(d.buffer, rig, scene, view)
    opacities = np.array([d.layer.opacity for d in drawn])
    return composite(behind, windows, opacities, colours, depths, S, vignette=vignette, threads=workers)


class _Drawn:
    """One layer on its way into the picture."""

    def __init__(self, layer: Layer, camera: Camera, supersample: int, floor: bool, threads: int) -> None:
        self.layer, self.threads = layer, threads
        looks = list(dict.fromkeys(item.material for item in layer.items))
        self.surfaces = _gather(layer.items, [item.mesh for item in layer.items], looks)
        casting = [item for item in layer.items if item.casts_shadow and not (floor and _sunk(item))]
        self.casters = _gather(casting, [item.proxy or item.mesh for item in casting], looks)
        self.materials = np.stack([look.packed() for look in looks]) if looks else np.zeros((0, 7))
        self.buffer = rasterise(self.surfaces, camera, supersample=supersample, threads=threads)
        self.tint = np.append(linear_from_srgb(layer.tint), layer.tint_amount)
        self.maps: dict[str, ShadowMaps] = {}

    def cast_shadows(self, which: str, directions: Array, texel: float) -> None:
        self.maps[which] = cast(
            self.casters.vertices,
            self.casters.faces,
            self.casters.closed,
            directions,
            texel,
            threads=self.threads,
        )

    def shade(
        self, buffer: GeometryBuffer, rig: Lights, scene: Scene, out: FloatImage, *, share: int | None = None
    ) -> None:
        shade(
            buffer, self.surfaces, self.materials, rig, self.maps["key"], self.maps["sky"],
            tint=self.tint, floor=scene.floor is not None, unit=scene.unit, threads=self.threads,
            out=out, share=share,
        )  # fmt: skip


def _gather(items: Sequence[Item], meshes: Sequence[Mesh], looks: Sequence[Material]) -> Surfaces:
    """Posed meshes in one set of arrays."""
    index = {look: i for i, look in enumerate(looks)}
    starts = np.cumsum([0, *(len(m.vertices) for m in meshes)])
    counts = [len(m.faces) for m in meshes]
    nothing = np.zeros((0, 3))
    placed = [m.vertices @ item.rotation.T + item.position for m, item in zip(meshes, items)]
    turned = [m.normals @ item.rotation.T for m, item in zip(meshes, items)]
    faces = [m.faces + start for m, start in zip(meshes, starts)]
    return Surfaces(
        np.concatenate([*placed, nothing]),
        np.concatenate([*turned, nothing]),
        np.concatenate([*faces, nothing.astype(np.int64)]),
        np.repeat(np.array([index[item.material] for item in items], dtype=np.int32), counts),
        np.repeat(np.arange(len(items), dtype=np.int32), counts),
        np.repeat(np.array([m.closed for m in meshes], dtype=np.bool_), counts),
    )


def _sunk(item: Item) -> bool:
    """Whether an item lies wholly below the floor."""
    heights = item.mesh.vertices @ item.rotation[2] + item.position[2]
    return bool(len(heights)) and float(heights.max()) < 0


def _metres_per_pixel(camera: Camera) -> float:
    if camera.orthographic:
        return 1.0 / camera.scale
    return float(np.linalg.norm(camera.target - camera.eye)) / camera.scale


def _floor_light(drawn: Sequence[_Drawn], which: str, texel: float, threads: int) -> FloorLight:
    """Light on the floor under all layers: their shadows multiply, each as dark as its layer says."""
    casting = [d for d in drawn if len(d.maps[which].heights) and d.layer.shadow > 0]
    if not casting:
        return FloorLight(np.zeros(2), texel, np.ones((1, 1), dtype=np.float32))
    corners = [d.maps[which].bounds for d in casting]
    low = np.min([c[0] for c in corners], axis=0) - 2 * texel
    high = np.max([c[1] for c in corners], axis=0) + 2 * texel
    texel = max(texel, float(np.sqrt(np.prod(high - low) / 6e6)))  # very long paths: coarser, not endless
    low = np.floor(low / texel) * texel
    columns, rows = (int(n) for n in np.ceil((high - low) / texel))
    total = np.ones((rows, columns), dtype=np.float32)
    for d in casting:
        visible = floor_visibility(d.maps[which], low, (rows, columns), texel, threads=threads)
        total *= 1 - np.float32(d.layer.shadow) * (1 - visible)
    return FloorLight(low, texel, total)


def _reflection(
    scene: Scene, drawn: Sequence[_Drawn], camera: Camera, rig: Lights, quality: Quality, threads: int
) -> FloatImage:
    """The floor's mirror image (H, W, 4), premultiplied and slightly blurred."""
    width, height = camera.size
    out = np.zeros((height, width, 4), dtype=np.float32)
    upright = camera.eye[2] > 0 and not (camera.orthographic and abs(camera.rotation[2, 2]) < 1e-3)
    if not (quality.reflection and scene.floor and scene.floor.reflection > 0 and upright):
        return out
    view = camera.mirrored()
    order = sorted(drawn, key=lambda d: d.layer.opacity)
    buffers = [rasterise(d.surfaces, view, threads=threads) for d in order]
    windows, colours, _ = _pools(buffers)
    for d, buffer, (start, _, _, w, h) in zip(order, buffers, windows):
        d.shade(buffer, rig, scene, colours[start : start + w * h].reshape(h, w, 4), share=8)
    flatten(windows, np.array([d.layer.opacity for d in order]), colours, out)
    if len(windows):
        # Only where something is, and a little around it.
        (left, top), far = windows[:, 1:3].min(axis=0), (windows[:, 1:3] + windows[:, 3:]).max(axis=0)
        pad = height // 150 + 2
        blur(
            out,
            height / 600,
            slice(max(0, int(top) - pad), int(far[1]) + pad),
            slice(max(0, int(left) - pad), int(far[0]) + pad),
        )
    return out


def _pools(buffers: Sequence[GeometryBuffer]) -> tuple[IntArray, FloatImage, FloatImage]:
    """Room for all layers' samples in one array each: windows (L, 5), colours (N, 4), depths (N,)."""
    sizes = [b.face.size for b in buffers]
    starts = np.cumsum([0, *sizes])
    rows = [(s, b.left, b.top, b.face.shape[1], b.face.shape[0]) for s, b in zip(starts, buffers)]
    windows = np.array(rows, dtype=np.int64).reshape(-1, 5)
    depths = np.concatenate([*(b.depth.ravel() for b in buffers), np.zeros(0, dtype=np.float32)])
    return windows, np.zeros((sum(sizes), 4), dtype=np.float32), depths
