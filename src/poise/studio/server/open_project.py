"""The project that is open: edited in the workspace, saved under a name, recovered, left for another one."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from poise import project as projects
from poise.errors import InputError, PoiseError
from poise.project import Project
from poise.project.commands import command_from
from poise.project.document import Document
from poise.project.history import REMEMBERED
from poise.studio.server import drafts, worker
from poise.studio.server import messages as m
from poise.studio.server.reading import SOUNDS
from poise.studio.server.workspace import Workspace


class OpenProject:
    """Which project it is, and where its files may lie."""

    def __init__(
        self, workspace: Workspace, project: Project, otherwise: Callable[[], Project] | None = None
    ) -> None:
        """``otherwise`` makes what is opened where somebody does not want the draft that was found."""
        self.workspace, self.project, self.otherwise = workspace, project, otherwise
        self.number = 0
        """How many others were open before it."""
        self._made: deque[str] = deque(maxlen=REMEMBERED)  # edits of tabs, whichever project was open
        self._before: Project | None = None  # what a draft that nobody has answered for was opened from

    def state(self, revision: int, number: int = 0) -> m.State:
        """The document as everybody should see it."""
        project = self.project
        recovery = ""
        if project.recovery is not None:
            recovery = str(project.recovery)
            if drafts.is_draft(project.path):
                recovery += ", of a project that has no name yet"
        return m.State(
            revision=revision,
            document=project.document.to_dict(),
            undoable=project.history.undoable,
            redoable=project.history.redoable,
            modified=project.modified,
            path="" if drafts.is_draft(project.path) else self.workspace.shown(project.path),
            recovery=recovery,
            number=number,
            project=self.number,
        )

    def done(self, waiting: Sequence[str]) -> list[int]:
        """Which edits, of those that a tab is not sure of, were made: here, or among what a crash left."""
        left = self.project.recovery
        made = {*self._made, *self.project.history.edits, *(left.history.edits if left is not None else ())}
        return [k for k, edit in enumerate(waiting) if edit in made]

    def home(self) -> worker.Home:
        """Where the solver finds its clips."""
        assets = self.project.assets
        within = [str(self.workspace.root)]
        return worker.Home(folder=str(assets.folder), blobs=dict(assets.blobs), within=within)

    def do(self, data: dict[str, Any], edit: str = "") -> None:
        """A command, unless it would reach for a file outside the workspace; ``edit`` names it."""
        command, before = command_from(data), self.project.document
        folder = self.project.assets.folder
        for file in _files(command.apply(before)) - _files(before):
            self.workspace.contains(folder / file)
        try:
            self.project.do(command, edit=edit)
        finally:
            if edit and self.project.document is not before:  # though the journal may have failed
                self._made.append(edit)

    def save(self, path: str, *, force: bool) -> Path:
        """Write it, under another name where one is given; a draft is then none any more."""
        project, before = self.project, self.project.path
        if not path and (before is None or drafts.is_draft(before)):
            raise InputError("the project has no file yet: give it a name")
        target = self.workspace.file(path) if path else None
        if target is not None:
            target = target.with_name(target.name.removesuffix(".poise") + ".poise")
            if target != before:
                self.workspace.refuse_taken(target, force=force)
        saved = project.save(target, force=force)
        project.lock()
        if before is not None and drafts.is_draft(before):
            drafts.forget(before)
        return saved

    def recover(self, *, keep: bool) -> None:
        """Take in what a crash left unsaved, or throw it away: a draft with all that it is."""
        if keep:
            self.project.recover()
        else:
            other = self._instead() if drafts.is_draft(self.project.path) else None
            self.project.discard()
            if other is not None:
                self.leave()
                self.number += 1
                self.project = other
        self._before = None

    def _instead(self) -> Project | None:
        """Where to go from a draft that is thrown away: where it was opened, else to what was asked for."""
        before, root = self._before, self.workspace.root
        if before is not None and before.path is not None:
            with suppress(PoiseError, OSError):  # somebody else may be at it by now
                return before.lock() if before.path.exists() else drafts.begun(before, root)
        return None if self.otherwise is None else drafts.begun(self.otherwise(), root)

    def change_to(self, path: Path) -> list[str]:
        """Go on with another file; what became of edits, in words."""
        if path == self.project.path:
            raise InputError(f"{self.workspace.shown(path)} is already open")
        other = opened(path, self.workspace)
        aside = self.project.modified
        self.leave()
        self._before = self.project if other.recovery is not None else None
        if other.path is None:
            drafts.begun(other, self.workspace.root)
        left, self.project = self.project, other
        self.number += 1
        told = [other.about_aside] if other.about_aside else []
        if aside:
            name = left.document.name or "what was open"
            told.append(f"{name} was put aside with its edits: File → Open has it")
        return told

    def leave(self) -> None:
        """Close the project; a draft as it began is nothing to keep."""
        project = self.project
        spent = drafts.is_draft(project.path) and not project.modified and project.recovery is None
        project.close()
        if spent and project.path is not None:
            drafts.forget(project.path)

    def place(self, name: str) -> Path:
        """Where an upload goes: into the workspace; a sound beside the project, which may then name it."""
        target = self.workspace.file(name)
        if target.suffix.lower() in SOUNDS and target.parent == self.workspace.root:
            return self.workspace.contains(self.project.assets.folder / target.name)
        return target

    def sound(self, layer: str) -> Path:
        """The recording that a layer of the document is played to."""
        named = self.project.document.layer(layer).files()
        found = next((file for file in named if Path(file).suffix.lower() == ".wav"), None)
        if found is None:
            raise InputError(f"layer {layer!r} has no recording")
        path = self.workspace.contains(self.project.assets.folder / found)
        if not path.is_file():
            raise InputError(f"{found} is not in the workspace")
        return path


def opened(path: Path, workspace: Workspace | None = None) -> Project:
    """A project file, to be written to; or a new project around a clip.

    One that names files outside the ``workspace`` is refused: there they are not read, whoever allowed it.
    """
    if path.suffix == ".poise":
        found = projects.open(path, writing=True)
        outside = [] if workspace is None else _outside(found, workspace)
        if workspace is not None and outside:
            found.close()
            reach = os.path.commonpath([workspace.root, *(Path(os.path.realpath(p)).parent for p in outside)])
            named = ", ".join(os.path.relpath(p, path.parent) for p in outside)
            raise InputError(
                f"{path.name} refers to {named} outside the "
                f"workspace {workspace.root.name!r}: copy it there and link it again, or start with "
                f"--workspace {reach}"
            )
        return found
    project = Project()
    project.add_clip(path.stem, path)
    project.add("load", clip=path.stem)
    project.history.seal()
    return project


def _outside(project: Project, workspace: Workspace) -> list[Path]:
    """Files that a project would read, with what a crash left, and that lie outside."""
    named = _files(project.document, muted=False)
    if project.recovery is not None:
        named |= _files(project.recovery.document, muted=False)
    places = (project.assets.folder / file for file in sorted(named))
    return [p for p in places if not Path(os.path.realpath(p)).is_relative_to(workspace.root)]


def _files(document: Document, *, muted: bool = True) -> set[str]:
    """Files that a document names; those of ``muted`` layers are refused when they are read."""
    named = {file for layer in document.layers if muted or not layer.muted for file in layer.files()}
    return named | {entry.file for entry in document.clips.values() if entry.file}
