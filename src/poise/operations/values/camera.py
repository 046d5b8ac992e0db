"""Cameras of a project: where each stands over time, and which of them is seen when.

A camera is one or more keys: where its eye is, what it looks at, how much it sees. With one key it stands;
with several it goes smoothly from one to the next. It may go along with a body. Places are those of the
motion [m], z up.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import dist, isfinite

import msgspec

from poise.errors import InputError, UnknownNameError

CUTS = "cuts"
"""In place of a camera's name: whichever the cuts say. No camera is called so."""
NEAREST = 1e-6
"""Eye and target are at least so far apart [m]."""
Place = tuple[float, float, float]


class CameraKey(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Where a camera stands at a time.

    Examples:
        >>> low = poise.pictures.CameraKey(eye=(2.5, -3.0, 0.3), target=(0.0, 0.0, 1.0), fov=40.0)
    """

    time: float = 0.0
    """[s]"""
    eye: Place
    """Where it is [m]."""
    target: Place
    """What it looks at [m]."""
    fov: float = 35.0
    """Vertical field of view [°, 0 … 170]; below 1 it is drawn without perspective."""

    def check(self) -> None:
        """That it can be looked through."""
        numbers = (self.time, *self.eye, *self.target, self.fov)
        if not all(map(isfinite, numbers)):
            raise InputError(f"a camera's key at {self.time:g} s must be of finite numbers")
        if dist(self.eye, self.target) < NEAREST:
            raise InputError(f"a camera's key at {self.time:g} s: eye and target must differ")
        if not 0 < self.fov < 170:
            raise InputError(f"field 'fov' of a camera must lie between 0 and 170 degrees, not {self.fov:g}")


class FilmCamera(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A camera: where it stands over time, and whom it goes along with.

    Examples:
        >>> ends = [(0.0, (3.0, -3.0, 1.5)), (1.2, (3.0, 3.0, 1.5))]
        >>> keys = [poise.pictures.CameraKey(time=t, eye=eye, target=(0, 0, 1)) for t, eye in ends]
        >>> swing = poise.pictures.FilmCamera(keys=tuple(keys), follow="Hips")
    """

    keys: tuple[CameraKey, ...]
    """At least one, each at a time of its own, in any order."""
    follow: str = ""
    """The body it goes along with over the floor; empty: it stays where its keys are."""

    def check(self) -> None:
        """That it has keys, each at a time of its own."""
        if not self.keys:
            raise InputError("a camera needs at least one key")
        for key in self.keys:
            key.check()
        times = [key.time for key in self.keys]
        if len(set(times)) < len(times):
            raise InputError("two keys of a camera are at the same time: move one of them")


class Cut(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """From a time on a camera is seen, until the next cut.

    Examples:
        >>> cuts = (poise.pictures.Cut(camera="wide"), poise.pictures.Cut(time=0.8, camera="round"))
    """

    time: float = 0.0
    """[s]"""
    camera: str
    """By name."""


def check_cameras(cameras: Mapping[str, FilmCamera], cuts: tuple[Cut, ...]) -> None:
    """That cameras can be looked through, and that cuts are to cameras there are, each at its own time."""
    for name, camera in cameras.items():
        if not name or name == CUTS:
            raise InputError(f"a camera cannot be called {name!r}: give it another name")
        try:
            camera.check()
        except InputError as problem:
            raise InputError(f"camera {name!r}: {problem}") from None
    for cut in cuts:
        if cut.camera not in cameras:
            raise UnknownNameError("camera", cut.camera, cameras, where="the cuts")
        if not isfinite(cut.time):
            raise InputError("a cut's time must be a finite number")
    if len({cut.time for cut in cuts}) < len(cuts):
        raise InputError("two cuts are at the same time: move one of them")
