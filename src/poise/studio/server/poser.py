"""The poser's own process: one pose, pulled about with all of the body, answered within a few milliseconds.

A second process beside the solver, so that no pull waits for an exact motion. It knows who is on the stage
and nothing of documents: the browser says which pose it grabs.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from poise.errors import PoiseError
from poise.operations.frozen_data import as_plain, encoded
from poise.studio.server import worker
from poise.studio.server.messages import Grabbed, Problem, PulledPacket
from poise.studio.server.worker import BINARY, DONE, END, TEXT

if TYPE_CHECKING:
    from poise.methods.key.pose.pull import Pull


class Grab(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Take a point of a pose of whoever a document starts with; without a point, only get ready."""

    home: worker.Home
    document: bytes
    session: int
    q: list[float]
    point: str
    pins: list[str]
    root: str
    balanced: bool
    number: int = 0


class PullTo(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Pull it to a place [m]; ``final``: exactly, it is let go."""

    session: int
    seq: int
    place: tuple[float, float, float]
    final: bool = False
    number: int = 0


Task = Grab | PullTo
_DECODER = msgspec.msgpack.Decoder(Task)
_ENCODER = msgspec.msgpack.Encoder()


def encode(task: Task) -> bytes:
    """A task for the pipe."""
    return _ENCODER.encode(task)


def main(pipe: Connection, stop: Any, pulse: Any) -> None:
    """What the process does until it is told to end, or the pipe is closed."""
    del stop  # nothing takes long
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=worker.beat, args=(pulse,), daemon=True).start()
    poser = _Poser()
    with contextlib.suppress(EOFError, OSError):  # the server is gone
        while (asked := pipe.recv_bytes()) != END:
            task = _DECODER.decode(asked)
            said: Grabbed | Problem | bytes | None
            try:
                said = poser.grab(task) if isinstance(task, Grab) else poser.pull(task)
            except PoiseError as problem:
                said = Problem(text=str(problem), number=task.number)
            except Exception as problem:  # a mistake of ours must not end the session
                traceback.print_exc()
                said = Problem(text=f"an error of Poise itself: {problem!r}", number=task.number)
            if isinstance(said, bytes):
                pipe.send_bytes(BINARY + said)
            elif said is not None:
                pipe.send_bytes(TEXT + encoded(said))
            pipe.send_bytes(DONE)


class _Poser:
    """Who is posed, and what is held of him."""

    def __init__(self) -> None:
        from poise.project.assets import Assets
        from poise.project.evaluation import Evaluator

        self.evaluator = Evaluator(Assets(Path.cwd()))
        self.session = -1
        self.held: Pull | None = None

    def grab(self, task: Grab) -> Grabbed:
        from poise.methods.key.pose.pull import Pull
        from poise.project.decoding import document_from

        assets = self.evaluator.assets
        assets.folder, assets.within = Path(task.home.folder), [Path(p) for p in task.home.within]
        assets.blobs.update(task.home.blobs)
        document = document_from(msgspec.json.decode(task.document))
        steps = self.evaluator.plan(document)
        clip = self.evaluator.made(document, steps[0].layer.name).clip
        if task.point:
            root = task.root or None
            self.held = Pull(
                clip.character, task.q, task.point, pins=task.pins, root=root, balanced=task.balanced
            )
        else:  # compiled and loaded before anybody waits for it
            name = clip.character.names[-1]
            ready = Pull(clip.character, clip.q[0], name)
            ready.to(_place(ready))
        self.session = task.session
        return Grabbed(session=task.session, number=task.number)

    def pull(self, task: PullTo) -> bytes | None:
        if self.held is None or task.session != self.session:
            return None  # of something that was let go
        place = task.place
        off = self.held.settle(place) if task.final else self.held.to(place)
        return _packet(self.held, task, off)


def _place(held: Pull) -> Any:
    from poise.kinematics import Kinematics

    return Kinematics(held.character, held.q).point(held.point)[0]


def _packet(held: Pull, task: PullTo, off: float) -> bytes:
    from poise.kinematics import Kinematics
    from poise.studio.packet import pack
    from poise.studio.poses import placed

    kin = Kinematics(held.character, held.q)
    x, y, z = kin.com[0].tolist()
    header = PulledPacket(
        session=task.session,
        seq=task.seq,
        q=[round(value, 12) for value in held.q.tolist()],
        com=(x, y, z),
        off=off,
        final=task.final,
        number=task.number,
    )
    return pack(as_plain(header), {"poses": placed(kin.positions, kin.rotations)})
