"""What the stage shows of a document: figure, places, physics; only what changed since it was last sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.errors import UnknownNameError
from poise.kinematics import Kinematics
from poise.motion import Clip
from poise.pictures.performance import Performance
from poise.project.assets import Assets
from poise.project.decoding import document_from
from poise.project.document import Document
from poise.project.evaluation import Evaluator
from poise.project.layer import Made
from poise.studio.looks import DETAIL, looks
from poise.studio.packet import pack
from poise.studio.poses import placed
from poise.studio.server.messages import BodyName, FigurePacket, PhysicsPacket, PosesPacket, SoftPacket

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
        self._sent: dict[str, NDArray[np.float32]] = {}
        self._shown: Performance | None = None
        self._worn: tuple[Any, ...] = ()

    def move(self, folder: Path, blobs: dict[str, bytes]) -> None:
        """Read files from another folder."""
        self.evaluator.assets.folder = folder
        self.evaluator.assets.blobs.update(blobs)

    def forget(self) -> None:
        """Somebody new is watching: send everything."""
        self._sent.clear()
        self._shown = None
        self._worn = ()

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
        clip = result.clip
        if self._shown is None or self._shown.character is not clip.character:
            # Looks and floor are found once per character: neither may change while a motion is edited.
            self._shown = Performance(clip, detail=DETAIL)
            self._sent.clear()
            packets.append(self._looks(self._shown))
        lift = self._shown.offset
        below = self._below(document, clip)
        if below is not None:
            packets += self._poses("reference", revision, below, Kinematics(below.character, below.q), lift)
        body = Kinematics(clip.character, clip.q, clip.velocity)
        packets += self._poses("result", revision, clip, body, lift)
        packets.append(self._physics(revision, body, lift))
        if not live:  # while something is dragged what is soft keeps its shape and goes with its bone
            packets += self._soft(result, body)
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

    def _below(self, document: Document, result: Clip) -> Clip | None:
        """The motion below what makes it dynamic, or below the last layer."""
        steps = self.evaluator.plan(document)
        dynamic = next((s for s in steps if s.layer.kind in DYNAMIC), steps[-1])
        if dynamic.below is None:
            return None
        below = self.evaluator.made(document, dynamic.below.layer.name).clip
        return below if below.character is result.character else None

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

    def _poses(self, role: str, revision: int, clip: Clip, body: Kinematics, lift: Array) -> list[bytes]:
        """Frames that differ from what was sent; all of them where the clip's length changed."""
        now = placed(body.positions + lift, body.rotations).astype(np.float32)
        first, last = _changed(self._sent.get(role), now)
        self._sent[role] = now
        header = PosesPacket(
            role=role,
            revision=revision,
            first=first,
            total=clip.frames,
            fps=float(clip.rate),
            loop=clip.loop,
            lift=float(lift[2]),
        )
        return [pack(msgspec.to_builtins(header), {"poses": now[first:last]})]

    def _soft(self, result: Made, body: Kinematics) -> list[bytes]:
        """What is worn, as shapes in the frames of bones; nothing where it is as it was."""
        worn = result.attached
        if len(worn) == len(self._worn) and all(a is b for a, b in zip(worn, self._worn)):
            return []
        self._worn = tuple(worn)
        packets = []
        for number, item in enumerate(worn):
            mesh = item.mesh
            bone = body.character.index(item.attachment.bone)
            away = np.asarray(mesh.vertices) - body.positions[:, bone, None]
            header = SoftPacket(
                name=item.attachment.name,
                body=bone,
                colour=item.attachment.colour,
                number=number,
                count=len(worn),
            )
            arrays = {"index": np.asarray(mesh.faces).ravel(), "shape": away @ body.rotations[:, bone]}
            packets.append(pack(msgspec.to_builtins(header), arrays))
        if not worn:
            empty = SoftPacket(name="", body=0, colour=(0.0, 0.0, 0.0), number=-1, count=0)
            packets.append(pack(msgspec.to_builtins(empty), {}))
        return packets

    def _physics(self, revision: int, body: Kinematics, lift: Array) -> bytes:
        momentum = body.momentum
        header = PhysicsPacket(revision=revision, mass=body.character.total_mass, support=[])
        arrays = {
            "com": body.com + lift,
            "momentum": momentum[:, :3],
            "spin": momentum[:, 3:],
            "inertia": body.inertia,
        }
        return pack(msgspec.to_builtins(header), arrays)


def _changed(before: NDArray[np.float32] | None, now: NDArray[np.float32]) -> tuple[int, int]:
    """First and last (exclusive) frame that differ."""
    if before is None or before.shape != now.shape:
        return 0, len(now)
    differ: Sequence[int] = np.flatnonzero((before != now).any(axis=(1, 2))).tolist()
    return (differ[0], differ[-1] + 1) if differ else (0, 0)
