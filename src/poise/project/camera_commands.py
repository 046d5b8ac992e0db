"""Edits of a project's cameras: one put, renamed or taken out, and when each is seen."""

from __future__ import annotations

from poise.errors import InputError, UnknownNameError
from poise.operations.values.camera import Cut, FilmCamera
from poise.project.command import Command
from poise.project.document import Document


class PutCamera(Command, tag="put-camera", frozen=True, kw_only=True):
    """A camera added, or put in the place of the one of its name."""

    name: str
    camera: FilmCamera

    @property
    def target(self) -> tuple[str, ...]:
        return ("camera", self.name)

    def apply(self, document: Document) -> Document:
        return document.changed(cameras={**document.cameras, self.name: self.camera})


class RenameCamera(Command, tag="rename-camera", frozen=True, kw_only=True):
    """Another name for a camera, also in the cuts."""

    camera: str
    name: str

    def apply(self, document: Document) -> Document:
        _known(document, self.camera)
        if self.name in document.cameras and self.name != self.camera:
            raise InputError(f"there is a camera {self.name!r} already: give another name")

        def renamed(name: str) -> str:
            return self.name if name == self.camera else name

        cameras = {renamed(name): camera for name, camera in document.cameras.items()}
        cuts = tuple(Cut(time=cut.time, camera=renamed(cut.camera)) for cut in document.cuts)
        return document.changed(cameras=cameras, cuts=cuts)


class DropCamera(Command, tag="drop-camera", frozen=True, kw_only=True):
    """A camera taken out, with the cuts to it."""

    name: str

    def apply(self, document: Document) -> Document:
        _known(document, self.name)
        cameras = {name: camera for name, camera in document.cameras.items() if name != self.name}
        cuts = tuple(cut for cut in document.cuts if cut.camera != self.name)
        return document.changed(cameras=cameras, cuts=cuts)


class SetCuts(Command, tag="set-cuts", frozen=True, kw_only=True):
    """All cuts: which camera is seen from when on."""

    cuts: tuple[Cut, ...]

    @property
    def target(self) -> tuple[str, ...]:
        return ("cuts",)

    def apply(self, document: Document) -> Document:
        return document.changed(cuts=tuple(sorted(self.cuts, key=lambda cut: cut.time)))


def _known(document: Document, name: str) -> None:
    if name not in document.cameras:
        raise UnknownNameError("camera", name, document.cameras)
