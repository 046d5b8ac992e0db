"""A project at work: a document with its history, its clips, its results, and the file it lives in."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Unpack

import msgspec

from poise.errors import InputError
from poise.files import forget_remains, write_bytes
from poise.operations.declare import Operation
from poise.operations.described import described
from poise.operations.frozen_data import as_plain
from poise.operations.registry import operation
from poise.operations.result import Result
from poise.operations.values.camera import CUTS
from poise.project.allowance import allow
from poise.project.assets import Assets
from poise.project.cache import MEMORY
from poise.project.clip_entry import ClipEntry
from poise.project.command import Command
from poise.project.commands import AddLayer, Group, PutClip, Remove, Set, script_from
from poise.project.container import Contents, packed
from poise.project.decoding import layer_from
from poise.project.document import VERSION, Document
from poise.project.evaluation import Cancel, Evaluator, Progress
from poise.project.history import History
from poise.project.journal import DONE, Journal, Whole, journal_path
from poise.project.lock import Lock
from poise.project.recovery import Recovery, put_aside
from poise.reading import beside, read_bytes

if TYPE_CHECKING:
    from poise.arrays import Array
    from poise.formats.options import ReadOptions
    from poise.motion import Clip
    from poise.pictures.shots import Shots
    from poise.project.bake import Baked, BakeOptions

PATIENCE = 2.0
"""How long a save waits for somebody else's to end [s]."""


class Project:
    """Edit it with ``do``, look at it with ``clip`` and ``frames``, write motion with ``bake``.

    Examples:
        >>> project = poise.Project().add_clip("punch", "punch").add("load", clip="punch")
        >>> project.add("loosen", "loose", tension="loose")
        >>> project.bake("punch.glb")
    """

    def __init__(self, document: Document | None = None, *, memory: int = MEMORY) -> None:
        """A project in memory; ``open`` reads one from a file."""
        made = document or Document()
        made.check()
        self.history = History(made)
        self.evaluator = Evaluator(Assets(Path.cwd()), memory=memory)
        self.path: Path | None = None
        self.recovery: Recovery | None = None
        """Edits that a crash kept from being saved, until ``recover`` takes them in."""
        self.aside: Path | None = None
        """Edits found beside the file that do not fit it, or that this Poise does not understand."""
        self._disk = Contents(made)  # what the file holds, or held when it was read or saved
        self._lock: Lock | None = None
        self._journal: Journal | None = None
        self._tried = ""  # digest of what was last to be saved: there, perhaps, though the disk failed
        self._replayable = (0, 0)  # positions in history that the journal can go back and forth between
        self._reach = 0  # the last of them before the step that was done last

    def __repr__(self) -> str:
        where = self.path or "in memory"
        return f"Project({self.document.name!r}, {len(self.document.layers)} layers, {where})"

    # What it is ------------------------------------------------------------------------------------

    @property
    def document(self) -> Document:
        """As it is now."""
        return self.history.document

    @property
    def assets(self) -> Assets:
        """Its clips."""
        return self.evaluator.assets

    @property
    def modified(self) -> bool:
        """Whether there is something to save."""
        saved = self._disk.document
        return self.document is not saved and self.document.digest != saved.digest

    # Edits -----------------------------------------------------------------------------------------

    def do(self, command: Command | Mapping[str, Any] | str, *, edit: str = "") -> Project:
        """Apply a command, given as such, as plain data or as JSON; ``edit`` is a name for it."""
        from poise.project.commands import command_from

        made = command if isinstance(command, Command) else command_from(command)
        self._refuse_unrecovered()
        fresh = self.history.do(made, edit)
        if self._journal is not None:
            low, high = self._replayable
            if fresh:
                self._reach = high
            if not self._mended():
                self._journal.did(made, fresh=fresh, edit=edit)
                self._replayable = (low, self.history.position)
        return self

    def run(self, script: Iterable[Command | Mapping[str, Any]]) -> Project:
        """Apply a macro, each command a step of its own."""
        for command in script_from(list(script)):
            self.do(command)
        return self

    def undo(self) -> bool:
        """One step back; False if there is none."""
        return self._stepped(self.history.undo(), Journal.undid)

    def redo(self) -> bool:
        """One step forward again; False if there is none."""
        return self._stepped(self.history.redo(), Journal.redid)

    def abandon(self, gesture: str) -> bool:
        """As if a gesture had never begun, with all that could be redone before it.

        False, and nothing is done, unless the gesture is the last that was done.
        """
        stepped = self.history.abandon(gesture)
        if stepped and self._journal is not None:  # of what can be redone it knows what it knew
            self._replayable = (self._replayable[0], self._reach)
        return self._stepped(stepped, lambda journal: journal.abandoned(gesture))

    def begin_here(self) -> Project:
        """Forget what was done so far: the project begins with the document as it is."""
        self.history = History(self.document)
        self._replayable = (0, 0)
        return self

    def _stepped(self, stepped: bool, said: Callable[[Journal], None]) -> bool:
        """Have the journal say so, where it knows the step; else the document as it now is."""
        if stepped and self._journal is not None and not self._mended():
            low, high = self._replayable
            if low <= self.history.position <= high:
                said(self._journal)
            else:
                self._journal.became(self.document)
                self._replayable = (self.history.position, self.history.position)
        return stepped

    def _mended(self, done: str = DONE) -> bool:
        """Whether the journal had missed something, as the disk was full: then it has all of it now."""
        if self._journal is None or not self._journal.broken:
            return False
        self._journal.resume(done)
        self._journal.is_all(self._whole)
        self._replayable = (self.history.position, self.history.position)
        return True

    @property
    def _whole(self) -> Whole:
        return Whole(self.document, self.assets.blobs)

    def add_clip(self, name: str, clip: Clip | str | Path, **read: Unpack[ReadOptions]) -> Project:
        """Use a clip: a file (by reference), a bundled one or preset, or one in memory (kept inside)."""
        from poise import clips
        from poise.character import presets

        if isinstance(clip, str) and not Path(clip).exists() and clip in (*clips.names(), *presets.names()):
            entry = ClipEntry(bundled=clip)
        elif isinstance(clip, str | Path):
            entry = self.assets.entry(Path(clip), read)
        else:
            entry = self.assets.keep(clip)
            if self._journal is not None and not self._journal.broken:
                self._journal.kept(entry.inside, self.assets.blobs[entry.inside])
        self._remember_allowed()
        return self.do(PutClip(name=name, clip=entry))

    def add(
        self, do: str | Operation, name: str = "", *, at: int | None = None, **options: object
    ) -> Project:
        """Add a layer: ``project.add("loosen", "drunk", tension="drunk")``.

        Editors complete, and type checkers check, ``project.add(Loosen(tension="drunk"), "drunk")``.
        """
        if isinstance(do, Operation):
            options, do = {**as_plain(do), **options}, do.do
            del options["do"]
        taken = {layer.name for layer in self.document.layers}
        free = (f"{do} {k}" if k > 1 else do for k in range(1, len(taken) + 2))
        chosen = name or next(n for n in free if n not in taken)
        plain = {k: described(v) for k, v in operation(do).accepting(options).items()}
        return self.do(AddLayer(layer=layer_from({"do": do, "name": chosen, **plain}), at=at))

    def set(self, layer: str, *, gesture: str = "", **fields: object) -> Project:
        """Change fields of a layer in one step: ``project.set("loose", tension="firm", weight=0.5)``."""
        edits = [Set(layer=layer, path=k, value=described(v), gesture=gesture) for k, v in fields.items()]
        return self.do(edits[0] if len(edits) == 1 else Group(commands=tuple(edits), gesture=gesture))

    def reset(self, layer: str, field: str) -> Project:
        """Give a field of a layer its default again."""
        return self.do(Remove(layer=layer, path=field))

    # Results ---------------------------------------------------------------------------------------

    def made(
        self, layer: str | None = None, *, progress: Progress | None = None, cancel: Cancel | None = None
    ) -> Result:
        """The motion of a layer, or of the project, with its report."""
        return self.evaluator.made(self.document, layer, progress=progress, cancel=cancel)

    def clip(self, layer: str | None = None) -> Clip:
        """The motion of a layer, or of the project."""
        return self.made(layer).clip

    def shots(self, camera: str = CUTS) -> Shots:
        """What films see it with: as its cuts say, or one of its cameras all the time."""
        from poise.pictures.shots import Shots

        return Shots(self.document.cameras, self.document.cuts).only(camera)

    def frames(self, frames: Sequence[int], layer: str | None = None) -> Array:
        """Some frames alone, (k, nq): what scrubbing shows, the same bits that a bake gives."""
        return self.evaluator.frames(self.document, frames, layer)

    def bake(self, output: str | Path | None = None, **options: Unpack[BakeOptions]) -> Baked:
        """The project's motion as a clip, written with a note of how it came about; see ``bake.bake``."""
        from poise.project.bake import bake

        return bake(self, output, **options)

    # Files -----------------------------------------------------------------------------------------

    def save(self, path: str | Path | None = None, *, force: bool = False) -> Path:
        """Write the project; a crash leaves the old file or the new one.

        What somebody else has written since this project was read is replaced only with ``force``.
        """
        target = Path(path) if path is not None else self.path
        if target is None:
            raise InputError("the project has no file yet: give a path")
        if not target.parent.is_dir():
            raise InputError(f"cannot write {target}: there is no folder {target.parent}")
        same, before = self.path is not None and target.resolve() == self.path.resolve(), self._disk.file
        if same:
            self._refuse_unrecovered()
        paths = None if same else self._paths_from(target.parent)
        document = self.document if paths is None else paths.apply(self.document)
        data = packed(document, self.assets.blobs)
        lock = self._lock if same and self._lock is not None else Lock(target).take(patience=PATIENCE)
        try:
            if same and not force:
                self._refuse_changed(target)
            written = sha256(data).hexdigest()
            if self._journal is not None and same:
                self._mended("")
                self._journal.saving(self.document, written)
            forget_remains(target)  # ours is the lock: nobody else is saving
            if same:
                self._tried = written
            write_bytes(target, data, durable=True)
            if same:  # it is saved, whatever becomes of the journal
                self._disk = Contents(document, file=written)
            if self._journal is not None and same:
                self._journal.begin(self.document, written)
        finally:
            if lock is not self._lock:
                lock.release()
        again = not same and self._lock is not None
        if again:
            self.close()
        if not same:
            self._move(target.parent, paths)
        self.path, self._disk = target, Contents(self.document, file=written)
        self._remember_allowed(before)
        self.history.seal()
        self._replayable = (self.history.position, self.history.position)
        return self.lock()._file if again else target

    def recover(self) -> Project:
        """Take in what a crash kept from being saved; it can be undone step by step."""
        if self.recovery is None:
            raise InputError("there is nothing to recover")
        found, self.recovery = self.recovery, None
        self.history = found.history
        self.assets.blobs.update(found.blobs)
        if self._lock is not None and not (found.understood and found.version == VERSION):
            self._begin_journal()  # what is done next would not fit at its end
        elif self._lock is not None and self.path is not None:
            self._journal = Journal(journal_path(self.path))
            self._journal.resume()
            self._reach = self.history.position + self.history.redoable
            self._replayable = (0, self._reach)
        return self

    def discard(self) -> Project:
        """Throw away what a crash kept from being saved."""
        if self.recovery is None:
            raise InputError("there is nothing to discard")
        self.recovery = None
        if self._lock is None:
            with Lock(self._file):
                journal_path(self._file).unlink(missing_ok=True)
        else:
            self._begin_journal(keeping=False)
        return self

    def lock(self) -> Project:
        """Become the one writer of the file, and keep a journal of every edit from here on."""
        if self._lock is None:
            self._lock = Lock(self._file).take()
            if self.recovery is None:
                self._begin_journal()
        return self

    @property
    def _file(self) -> Path:
        if self.path is None:
            raise InputError("the project has no file yet: save it first")
        return self.path

    def _begin_journal(self, *, keeping: bool = True) -> None:
        """Write down every edit from here on; what somebody else's journal has is kept under another name."""
        journal = Journal(journal_path(self._file))
        try:
            if keeping:
                self.aside = put_aside(self._file, self._disk, self.document)
            journal.begin(self._disk.document, self._disk.file, self._whole if self.modified else None)
        except InputError as problem:
            self.close()
            raise InputError(f"cannot write beside {self.path}: {problem}") from None
        self._journal = journal
        self._replayable = (self.history.position, self.history.position)
        if self.aside is not None:
            warnings.warn(f"{self.path}: {self.about_aside}", stacklevel=3)

    @property
    def about_aside(self) -> str:
        """What was put aside, in words; empty where nothing was."""
        if self.aside is None:
            return ""
        return f"edits that a crash left beside it do not fit it as it is: they are kept in {self.aside.name}"

    def sync(self) -> None:
        """Force the journal to the disk now; edits do so by themselves once a second, the last ones not."""
        if self._journal is not None:
            self._journal.sync()

    def close(self) -> None:
        """Let go of the file. The journal stays where something is left unsaved."""
        if self._journal is not None:
            self._journal.close(remove=not self.modified and self.recovery is None)
        if self._lock is not None:
            self._lock.release()
        self._lock = self._journal = None

    def __enter__(self) -> Project:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _refuse_changed(self, target: Path) -> None:
        try:
            now = sha256(read_bytes(target)).hexdigest()
        except InputError:
            return
        if now not in (self._disk.file, self._tried):
            raise InputError(
                f"{target} was changed by another program since it was read: save under another name, or "
                "force to replace it"
            )

    def _remember_allowed(self, before: str = "") -> None:
        """Files that the user has named may be read again when the project is opened again."""
        if self.path is not None:
            files = (place for place in self.assets.within if place.is_file())
            allow(self.path, files, self._disk.file, before)

    def _paths_from(self, folder: Path) -> Command | None:
        """The edit that names clips as seen from another folder; None where nothing changes."""
        shown = {n: self.assets.shown(self.assets.folder / e.file, folder) for n, e in self._files()}
        edits = [
            PutClip(name=name, clip=msgspec.structs.replace(entry, file=shown[name]))
            for name, entry in self._files()
            if shown[name] != entry.file
        ]
        if edits:
            self._refuse_unrecovered()
        return Group(commands=tuple(edits), label="paths") if edits else None

    def _move(self, folder: Path, paths: Command | None) -> None:
        """Live in another folder from here on: its file is there."""
        for _, entry in self._files():
            self.assets.within += _allowed(self.assets.folder, entry.file)
        self.assets.folder = folder
        if paths is not None:
            self.history.do(paths)

    def _files(self) -> list[tuple[str, ClipEntry]]:
        return [(name, entry) for name, entry in self.document.clips.items() if entry.file]

    def _refuse_unrecovered(self) -> None:
        if self.recovery is not None and self._lock is not None:
            raise InputError(f"{self.path} has {self.recovery}: recover() or discard() them first")


def _allowed(folder: Path, file: str) -> list[Path]:
    """A file of the project's old folder, which it may go on to name from elsewhere."""
    try:
        return [beside(folder, file, "a clip")]
    except InputError:  # as before: only where the user said so
        return []
