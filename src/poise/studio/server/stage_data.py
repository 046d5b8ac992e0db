"""What the stage shows of a document: figure, places, physics; only what changed since it was last sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from poise.arrays import Array
from poise.errors import UnknownNameError
from poise.motion import Clip
from poise.pictures.performance import Performance
from poise.project.assets import Assets
from poise.project.decoding import document_from
from poise.project.document import Document
from poise.project.evaluation import Evaluator
from poise.studio.looks import DETAIL, looks
from poise.studio.packet import pack
from poise.studio.poses import placed
from poise.studio.server.messages import BodyName, FigurePacket, PhysicsPacket, PosesPacket

DYNAMIC = ("kinodynamics", "targets", "beat")
"""Layers that make a motion dynamic: what lies below the first of them is the reference."""


@dataclass(frozen=True, eq=False)
class Found:
    """Packets for the stage and what layers report."""

    packets: tuple[bytes, ...]
    met: bool
    reports: dict[str, Any]
    notices: tuple[str, ...]


class StageData:
    """Evaluates documents and remembers what the browser already has."""

    def __init__(self) -> None:
        self.evaluator = Evaluator(Assets(Path.cwd()))
        self._sent: dict[str, Array] = {}
        self._figure: object = None
        self._shown: Performance | None = None

    def move(self, folder: Path, blobs: dict[str, bytes]) -> None:
        """Read files from another folder."""
        self.evaluator.assets.folder = folder
        self.evaluator.assets.blobs.update(blobs)

    def forget(self) -> None:
        """Somebody new is watching: send everything."""
        self._sent.clear()
        self._figure = None

    def solve(
        self,
        encoded: bytes,
        revision: int,
        *,
        live: bool,
        progress: Callable[[str, float], None],
        cancel: Callable[[], bool],
    ) -> Found:
        """The document's motion as packets."""
        document = document_from(msgspec.json.decode(encoded))
        result = self.evaluator.made(document, progress=progress, cancel=cancel)
        packets: list[bytes] = []
        shown = self._perform(result.clip)
        if self._figure is not result.clip.character:
            self._figure = result.clip.character
            self._sent.clear()
            packets.append(self._looks(shown))
        below = self._below(document)
        if below is not None:
            packets += self._poses("reference", revision, below, shown)
        packets += self._poses("result", revision, result.clip, shown)
        packets.append(self._physics(revision, shown))
        results = self.evaluator.results(document)
        reports = {name: made.report.to_dict() for name, made in results.items() if made.report is not None}
        met = all(made.met for made in results.values())
        return Found(tuple(packets), met, reports, self.evaluator.notices(document))

    def answer(
        self,
        question: str,
        about: dict[str, Any],
        encoded: bytes,
        progress: Callable[[str, float], None],
        cancel: Callable[[], bool],
    ) -> Any:
        """What a question is answered with; see ``questions``."""
        from poise.studio.server.questions import QUESTIONS

        if question not in QUESTIONS:
            raise UnknownNameError("question", question, QUESTIONS)
        document = document_from(msgspec.json.decode(encoded))
        return QUESTIONS[question](self.evaluator, document, about)

    def _perform(self, clip: Clip) -> Performance:
        """The clip on its floor; the looks of a character are made once."""
        return Performance(clip, detail=DETAIL)

    def _below(self, document: Document) -> Clip | None:
        """The motion below what makes it dynamic, or below the last layer."""
        steps = self.evaluator.plan(document)
        dynamic = next((s for s in steps if s.layer.kind in DYNAMIC), steps[-1])
        if dynamic.below is None:
            return None
        below = self.evaluator.made(document, dynamic.below.layer.name).clip
        return below if below.character is self._figure else None

    def _looks(self, shown: Performance) -> bytes:
        look = looks(shown.figure)
        header = FigurePacket(
            name=look.header["name"],
            bodies=[BodyName(**body) for body in look.header["bodies"]],
            morphs=look.header["morphs"],
            points=list(shown.character.points),
            digest="",
        )
        return pack(msgspec.to_builtins(header), look.arrays)

    def _poses(self, role: str, revision: int, clip: Clip, shown: Performance) -> list[bytes]:
        """Frames that differ from what was sent; all of them where the clip's length changed."""
        from poise.kinematics import Kinematics

        body = shown.kinematics if clip is shown.clip else Kinematics(clip.character, clip.q)
        now = placed(body.positions + shown.offset, body.rotations).astype(np.float32)
        first, last = _changed(self._sent.get(role), now)
        self._sent[role] = now
        header = PosesPacket(
            role=role,
            revision=revision,
            first=first,
            total=clip.frames,
            fps=float(clip.rate),
            loop=clip.loop,
            lift=float(shown.offset[2]),
        )
        return [pack(msgspec.to_builtins(header), {"poses": now[first:last]})]

    def _physics(self, revision: int, shown: Performance) -> bytes:
        from poise.kinematics import Kinematics

        clip = shown.clip
        body = Kinematics(clip.character, clip.q, clip.velocity)
        momentum = body.momentum
        header = PhysicsPacket(revision=revision, mass=clip.character.total_mass, support=[])
        arrays = {
            "com": body.com + shown.offset,
            "momentum": momentum[:, 3:],
            "spin": momentum[:, :3],
            "inertia": body.inertia,
        }
        return pack(msgspec.to_builtins(header), arrays)


def _changed(before: Array | None, now: Array) -> tuple[int, int]:
    """First and last (exclusive) frame that differ."""
    if before is None or before.shape != now.shape:
        return 0, len(now)
    differ: Sequence[int] = np.flatnonzero((before != now).any(axis=(1, 2))).tolist()
    return (differ[0], differ[-1] + 1) if differ else (0, 0)
