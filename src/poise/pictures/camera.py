"""Cameras: where a point of the world falls in the picture, and which ray a pixel looks along.

View coordinates are ``(right, up, forward) = rotation (p − eye)``. With ``s`` = focal length [px] a
perspective camera draws a point at ``(cx + s·right/forward, cy − s·up/forward)``, an orthographic one
(``s`` = pixels per metre) at ``(cx + s·right, cy − s·up)``. Pixel (0, 0) is the square [0, 1)² at the
upper left. Angles are in degrees. Azimuth is where the camera stands as seen from its target:
0 in front (on the +x side), 90 on the left, −90 on the right; elevation is how high it stands.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked, frozen
from poise.errors import InputError

FIELD_OF_VIEW = 32.0  # [deg], vertical: a short telephoto keeps limbs in proportion


@dataclass(frozen=True)
class Camera:
    """``eye`` looks at ``target``; the picture is ``size`` = (width, height) pixels.

    Raises:
        InputError: Eye and target coincide, or a number is out of range.

    Examples:
        >>> camera = poise.pictures.Camera((3.0, -2.0, 1.5), (0.0, 0.0, 1.0), size=(320, 180))
        >>> pixel, depth = camera.project((0.0, 0.0, 1.7))
    """

    eye: Array
    """Where it stands [m], (3,)."""
    target: Array
    """What it looks at [m], (3,)."""
    fov: float = FIELD_OF_VIEW
    """Vertical field of view [°, 0 … 170]."""
    size: tuple[int, int] = (1600, 900)
    """Width and height [px]."""
    span: float | None = None
    """Height of the picture at the target [m, > 0], for orthographic cameras. Default: perspective."""
    near: float = 0.02
    """What is nearer is not drawn [m]."""
    mirror: bool = False
    """Whether it sees the world's reflection in the plane z = 0."""

    def __post_init__(self) -> None:
        eye, target = checked(self.eye, "camera eye", (3,)), checked(self.target, "camera target", (3,))
        if np.linalg.norm(target - eye) < 1e-9:
            raise InputError("a camera's eye and target must differ")
        if not 0 < self.fov < 170:
            raise InputError(f"fov must lie between 0 and 170 degrees, not {self.fov}")
        if self.span is not None and not self.span > 0:
            raise InputError(f"the span of an orthographic camera must be positive, not {self.span}")
        if len(self.size) != 2 or min(self.size) < 1:
            raise InputError(f"picture size must be two positive numbers of pixels, not {self.size}")
        object.__setattr__(self, "eye", frozen(eye))
        object.__setattr__(self, "target", frozen(target))
        object.__setattr__(self, "size", (int(self.size[0]), int(self.size[1])))

    @property
    def orthographic(self) -> bool:
        """Whether parallel lines stay parallel."""
        return self.span is not None

    @property
    def scale(self) -> float:
        """Focal length [px], or pixels per metre where orthographic."""
        height = self.size[1]
        if self.span is not None:
            return height / self.span
        return float(height / 2 / np.tan(np.radians(self.fov) / 2))

    @property
    def rotation(self) -> Array:
        """Rows right, up, forward (3, 3), in world coordinates."""
        forward = self.target - self.eye
        forward = forward / np.linalg.norm(forward)
        aside = np.cross(forward, [0.0, 0.0, 1.0])
        if np.linalg.norm(aside) < 1e-6:  # straight down or up: the top of the picture is +x
            aside = np.cross(forward, [1.0, 0.0, 0.0])
        right = aside / np.linalg.norm(aside)
        rows = np.stack([right, np.cross(right, forward), forward])
        return rows * [1.0, 1.0, -1.0] if self.mirror else rows

    @property
    def position(self) -> Array:
        """Where rays start: the eye, or its mirror image."""
        return self.eye * [1.0, 1.0, -1.0] if self.mirror else self.eye

    def mirrored(self) -> Camera:
        """The camera that sees in each pixel what a mirror on the floor z = 0 would show there."""
        return replace(self, mirror=not self.mirror)

    def moved(self, offset: ArrayLike) -> Camera:
        """The same view from a place shifted by ``offset``."""
        shift = checked(offset, "offset", (3,))
        return replace(self, eye=self.eye + shift, target=self.target + shift)

    def view(self, points: ArrayLike) -> Array:
        """View coordinates (…, 3): right, up, forward [m]."""
        return (np.asarray(points, dtype=np.float64) - self.position) @ self.rotation.T

    def project(self, points: ArrayLike) -> tuple[Array, Array]:
        """Pixel coordinates (…, 2) and depth along the viewing direction (…)."""
        seen = self.view(points)
        depth = seen[..., 2]
        divisor = np.ones_like(depth) if self.orthographic else depth
        centre = np.array(self.size) / 2
        flat = seen[..., :2] * [1.0, -1.0] / divisor[..., None]
        return centre + self.scale * flat, depth

    def packed(self, supersample: int = 1) -> Array:
        """Numbers for compiled code (17,): position, rotation, scale, centre, near, orthographic."""
        width, height = self.size
        tail = [
            self.scale * supersample,
            width * supersample / 2,
            height * supersample / 2,
            self.near,
            float(self.orthographic),
        ]
        return np.concatenate([self.position, self.rotation.ravel(), tail])

    @classmethod
    def framing(
        cls,
        points: ArrayLike,
        *,
        azimuth: float = -60.0,
        elevation: float = 8.0,
        fov: float = FIELD_OF_VIEW,
        size: tuple[int, int] = (1600, 900),
        margin: float = 0.08,
        orthographic: bool = False,
    ) -> Camera:
        """The closest camera in a given direction whose picture holds all points.

        ``margin`` is the part of the picture left free on each side. The least distance is exact:
        a point at (r, u, w) is inside when |r − r₀| ≤ (w + d) t, which bounds ``r₀ ± d t`` from below.
        """
        cloud = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        cloud = cloud[np.isfinite(cloud).all(axis=1)]
        if len(cloud) == 0:
            raise InputError("there is no finite point to frame")
        if not 0 <= margin < 0.5:
            raise InputError(f"margin must lie between 0 and 0.5 of the picture, not {margin}")
        a, e = np.radians(azimuth), np.radians(elevation)
        outward = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        centre = (cloud.min(axis=0) + cloud.max(axis=0)) / 2
        extent = float(np.linalg.norm(cloud.max(axis=0) - cloud.min(axis=0))) + 1e-3
        probe = cls(centre + outward, centre, size=size)
        right, up, forward = probe.rotation
        r, u, w = ((cloud - centre) @ np.stack([right, up, forward]).T).T
        aspect = size[0] / size[1]
        free = 1 - 2 * margin
        if orthographic:
            middle = centre + right * (r.min() + r.max()) / 2 + up * (u.min() + u.max()) / 2
            span = max(float(np.ptp(u)), float(np.ptp(r)) / aspect, 1e-3) / free
            return cls(middle + outward * (extent + 2.0), middle, fov=fov, size=size, span=span)
        tu = np.tan(np.radians(fov) / 2) * free
        tr = tu * aspect
        right_most, left_most = (r - tr * w).max(), (-r - tr * w).max()
        top, bottom = (u - tu * w).max(), (-u - tu * w).max()
        distance = max((right_most + left_most) / (2 * tr), (top + bottom) / (2 * tu))
        distance = max(distance, float(-w.min()) + 0.05 * extent)
        middle = centre + right * _centred(r, w + distance) + up * _centred(u, w + distance)
        return cls(middle + outward * distance, middle, fov=fov, size=size, near=max(1e-3, 0.01 * distance))


def _centred(x: Array, depth: Array) -> float:
    """The camera's place c along an axis for which (x − c) / depth reaches equally far both ways."""
    low, high = float(x.min()), float(x.max())
    for _ in range(60):  # the difference falls steadily with c: bisection
        middle = 0.5 * (low + high)
        seen = (x - middle) / depth
        if seen.max() + seen.min() > 0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
