"""What the stage shows of a document: figure, places, physics; only what changed since it was last sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.constraints.report import LEAST
from poise.errors import UnknownNameError
from poise.manifold import so3
from poise.motion import Clip
from poise.operations.frozen_data import as_plain
from poise.operations.retouch import Retouch
from poise.pictures.performance import Performance
from poise.project.assets import Assets
from poise.project.bypass import Bypass, muted
from poise.project.checks import Check, checks, reports
from poise.project.decoding import document_from
from poise.project.document import Document
from poise.project.evaluation import Evaluator
from poise.studio.looks import DETAIL, looks
from poise.studio.packet import pack
from poise.studio.poses import STRIDE
from poise.studio.server.frame_data import FrameData, width
from poise.studio.server.joint_facts import joint_facts
from poise.studio.server.messages import (
    BodyName,
    FigurePacket,
    MaterialGroup,
    PhysicsPacket,
    PointPlace,
    PosesPacket,
    PropPacket,
    SoftPacket,
    Window,
)
from poise.studio.server.standing import Checks, Missed
from poise.world import Surface

if TYPE_CHECKING:  # what is compiled is loaded after a first picture
    from poise.methods.loosen.wear.worn import Worn
    from poise.studio.server.drag_preview import Live

MEMORY = 256 * 2**20
"""Bytes of results that are remembered: some forty steps of undo of the drunken boxer, hat and all."""


@dataclass(frozen=True, eq=False)
class Found:
    """Packets for the stage and what layers report."""

    packets: tuple[bytes, ...]
    met: bool
    reports: dict[str, Any]
    notices: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()
    failures: Mapping[str, str] = field(default_factory=dict)
    """Layers that failed and were passed by, and why."""
    checks: Checks = field(default_factory=Checks)
    """All that layers were asked for, on the final motion."""
    window: tuple[int, int] = (0, -1)
    """First and last frame that are new, where the others are as they were; (0, -1): all are."""


@dataclass(frozen=True, eq=False)
class Shown:
    """What is on the stage."""

    revision: int
    clip: Clip
    below: Clip | None
    attached: tuple[Any, ...]
    props: tuple[Surface, ...] = ()
    posed: Clip | None = None
    """What the topmost layer of edited poses gives, where others are above it."""
    wearers: tuple[str, ...] = ()
    """The layer of each thing that is attached."""


class StageData:
    """Makes documents and remembers what the browser already has."""

    def __init__(self) -> None:
        self.evaluator = Evaluator(Assets(Path.cwd()), memory=MEMORY)
        self._sent: dict[str, FrameData] = {}
        self._figure: Performance | None = None
        self._shown: Shown | None = None
        self._worn: tuple[Any, ...] = ()
        self._wearers: tuple[str, ...] = ()
        self._props: tuple[Surface, ...] = ()
        self._failures: Mapping[str, str] = {}  # of what was last made in full
        self._told = Found((), True, {})  # of the same

    @cached_property
    def live(self) -> Live:
        """Quick answers while something is dragged."""
        from poise.studio.server.drag_preview import Live

        return Live(self.evaluator)

    def move(self, folder: Path, blobs: dict[str, bytes], within: Sequence[Path] = ()) -> None:
        """Read files from another folder, and where else the user lets them be."""
        self.evaluator.assets.folder = folder
        self.evaluator.assets.within = [*within]
        self.evaluator.assets.blobs.update(blobs)

    def solve(
        self,
        encoded: bytes,
        revision: int,
        *,
        live: bool,
        glance: bool = False,
        progress: Callable[[str, float], None],
        cancel: Callable[[], bool],
        show: Callable[[msgspec.Struct | bytes], None] = lambda packet: None,
        look: int = -1,
    ) -> Found:
        """The document's motion as packets; ``show`` gets those that need not wait for what is worn, or, of
        long motions, for what is far from the frame that somebody looks at.

        ``glance``: nobody has seen anything yet, so whatever there is, is shown. Else a figure that was not
        sent from here may be on the stage all the same, solved and dressed: it stays until it is so again.
        """
        document = document_from(msgspec.json.decode(encoded))
        if not document.layers:
            return self._emptied()
        failed = self._failures if live else {}  # what failed is not tried again at every move
        document = muted(document, failed)
        glimpse = self.live.glimpse(document, progress, cancel, look) if live else None
        if glimpse is not None:
            below = glimpse.motions.get(self._under(document))
            posed = glimpse.motions.get(self._posed(document))
            packets = self._changes(Shown(revision, glimpse.clip, below, (), posed=posed), soft=False)
            quick = {name: report.to_dict() for name, report in glimpse.reports.items()}
            return Found(
                tuple(packets),
                self._told.met if glimpse.unmoved else glimpse.met,
                self._told.reports if glimpse.unmoved else quick,
                carried=glimpse.carried,
                failures=failed,
                window=glimpse.window,
            )
        bypass = Bypass(self.evaluator, document)
        steps = bypass.plan()
        anew = self._figure is None and not glance
        if self._figure is None and glance:  # a first picture does not wait for what takes long
            _, first = bypass.made(steps[0].layer.name, progress=progress, cancel=cancel)
            for packet in self._glance(Shown(revision, first, None, ())):
                show(packet)
        for early in [] if anew else self._near(bypass.document, revision, look):
            show(early)
        bare = "" if anew else self._bare(bypass.document)
        if bare:
            _, moved = bypass.made(bare, progress=progress, cancel=cancel)
            below = self._below(bypass.document, bare)  # what is worn may fail yet
            for packet in self._changes(Shown(revision, moved, below, ()), soft=False):
                show(packet)
        result, _ = bypass.made(wear=_swayed, progress=progress, cancel=cancel)
        document, self._failures = bypass.document, {**failed, **bypass.failures}
        self.live.settle(document)
        below = self._below(document)
        results = self.evaluator.results(document)
        props = tuple(p for made in results.values() for p in made.props)
        posed = results[name].clip if (name := self._posed(document)) else None
        wearers = tuple(s.layer.name for s in self.evaluator.plan(document) if s.layer.LAST)
        shown = Shown(revision, result.clip, below, result.attached, props, posed, wearers)
        packets = self._changes(shown, soft=not live)
        found = checks(self.evaluator.plan(document), results)
        told = {name: report.to_dict() for name, report in reports(found, results).items()}
        counted = _counted(found)
        met = not self._failures and not counted.missed and all(made.met for made in results.values())
        notices = self.evaluator.notices(document)
        self._told = Found((), met, told)
        return replace(
            self._told, packets=tuple(packets), notices=notices, failures=self._failures, checks=counted
        )

    def _near(self, document: Document, revision: int, look: int) -> list[msgspec.Struct | bytes]:
        """What is about the frame that somebody looks at, of a long motion whose last layer can make some
        frames alone: as all of them will be."""
        from poise.studio.server.drag_step import LONG, about

        shown = self._shown
        if shown is None or look < 0 or shown.clip.frames <= LONG:
            return []
        last = self.evaluator.plan(document)[-1]
        known = last.below is not None and self.evaluator.cache.get(last.below.mixed) is not None
        if not (known and last.layer.FRAMES) or self.evaluator.cache.get(last.mixed) is not None:
            return []
        below = self.evaluator.made(document, last.below.layer.name).clip if last.below is not None else None
        if below is None or below.frames != shown.clip.frames or below.character is not shown.clip.character:
            return []
        near = np.flatnonzero(about(below, look))
        q = np.array(shown.clip.q)
        q[near] = self.evaluator.frames(document, near.tolist())
        seen = replace(shown, revision=revision, clip=shown.clip.with_q(q))
        first, end = int(near[0]), int(near[-1])
        return [*self._changes(seen, soft=False), Window(revision=revision, first=first, last=end)]

    def everything(self) -> list[bytes]:
        """The whole stage, for somebody who has seen nothing of it or something else."""
        if self._shown is None or self._figure is None:
            return [_nobody()]
        fresh = StageData()
        fresh.evaluator, fresh._figure = self.evaluator, self._figure
        return [fresh._looks(self._figure), *fresh._changes(self._shown, soft=True)]

    def weighed(self) -> list[bytes]:
        """Physics with what the motion stands on."""
        if self._shown is None or self._figure is None:
            return []
        from poise.studio.server.ground import ground

        clip = self._shown.clip
        return [self._physics(self._shown.revision, self._data("result", clip), ground(clip).support)]

    def _glance(self, shown: Shown) -> list[bytes]:
        """A first figure and where it is, without anything that has to be loaded for more."""
        self._shown = shown
        looks = self._new_figure(shown.clip)
        assert self._figure is not None
        data = self._sent["result"] = FrameData.glance(self._figure)
        return [looks, self._packed("result", shown.revision, data)]

    def _emptied(self) -> Found:
        """Nobody is on the stage any more."""
        self._figure = self._shown = None
        self._sent.clear()
        self._worn = self._props = self._wearers = ()
        return Found((_nobody(),), True, {})

    def _new_figure(self, clip: Clip) -> bytes:
        """Looks and floor are found once per character: neither may change while a motion is edited."""
        self._figure = Performance(clip, detail=DETAIL)
        self._sent.clear()
        self._worn = self._props = self._wearers = ()  # the browser clears its stage for another figure
        return self._looks(self._figure)

    def _changes(self, shown: Shown, *, soft: bool) -> list[bytes]:
        """What is different on the stage from what was sent."""
        packets: list[bytes] = []
        clip = shown.clip
        if self._figure is None or self._figure.character is not clip.character:
            packets.append(self._new_figure(clip))
        if not soft:  # while something is dragged what is soft keeps its shape and goes with its bone
            shown = replace(shown, attached=self._worn, props=self._props, wearers=self._wearers)
        self._shown = shown
        assert self._figure is not None
        lift = self._figure.offset
        for role, other in (("reference", shown.below), ("layer", shown.posed)):
            if other is not None and other.character is clip.character:
                packets.append(self._poses(role, shown.revision, other))
            elif self._sent.pop(role, None) is not None:  # there is none any more
                header = PosesPacket(
                    role=role, revision=shown.revision, first=0, total=0, fps=1.0, loop=False, lift=0.0
                )
                packets.append(pack(as_plain(header), {}))
        poses = self._poses("result", shown.revision, clip)
        # The result comes last: it is drawn as soon as it is there.
        packets += [self._physics(shown.revision, self._sent["result"], []), poses]
        return [*packets, *self._soft(shown.attached, shown.wearers), *self._things(shown.props, clip, lift)]

    def answer(
        self,
        question: str,
        about: dict[str, Any],
        encoded: bytes,
        progress: Callable[[str, float], None],
        cancel: Callable[[], bool],
    ) -> Any:
        """What a question is answered with; see ``questions``."""
        from poise.studio.server.questions import QUESTIONS, Inquiry

        if question not in QUESTIONS:
            raise UnknownNameError("question", question, QUESTIONS)
        document = document_from(msgspec.json.decode(encoded))
        told = Inquiry(self.evaluator, document, about, progress, cancel)
        return as_plain(QUESTIONS[question](told))

    def _under(self, document: Document, layer: str | None = None) -> str:
        """The layer below what makes the motion (of a layer) dynamic, or below the last; empty where there is
        none."""
        steps = self.evaluator.plan(document, layer)
        dynamic = next((s for s in steps if s.layer.DYNAMIC), steps[-1])
        return dynamic.below.layer.name if dynamic.below is not None else ""

    def _posed(self, document: Document) -> str:
        """The topmost layer of edited poses that has others above it; empty where there is none."""
        steps = self.evaluator.plan(document)[:-1]
        return next((s.layer.name for s in reversed(steps) if isinstance(s.layer, Retouch)), "")

    def _below(self, document: Document, layer: str | None = None) -> Clip | None:
        """The motion of that layer."""
        under = self._under(document, layer)
        return self.evaluator.made(document, under).clip if under else None

    def _bare(self, document: Document) -> str:
        """The layer below all that is worn, which takes long and moves nobody; empty where nothing is."""
        steps = self.evaluator.plan(document)
        moving = [s.layer.name for s in steps if not s.layer.LAST]
        return moving[-1] if moving and len(moving) < len(steps) else ""

    def _looks(self, shown: Performance) -> bytes:
        look = looks(shown.figure, textures=True)
        header = FigurePacket(
            name=look.header["name"],
            bodies=[BodyName(**body) for body in look.header["bodies"]],
            morphs=look.header["morphs"],
            points=list(shown.character.points),
            places=[
                _place(name, point.body, point.position) for name, point in shown.character.points.items()
            ],
            joints=joint_facts(shown.character),
            groups=[MaterialGroup(**worn) for worn in look.header["groups"]],
        )
        return pack(as_plain(header), look.arrays)

    def _data(self, role: str, clip: Clip) -> FrameData:
        assert self._figure is not None
        return FrameData.of(clip, self._figure.offset, self._sent.get(role), physics=role == "result")

    def _poses(self, role: str, revision: int, clip: Clip) -> bytes:
        """Frames that differ from what was sent; all of them where the clip's length changed."""
        data = self._sent[role] = self._data(role, clip)
        return self._packed(role, revision, data)

    def _packed(self, role: str, revision: int, data: FrameData) -> bytes:
        assert self._figure is not None
        clip, (first, last) = data.clip, data.changed
        sent, moved = data.places[first:last], width(clip)
        header = PosesPacket(
            role=role,
            revision=revision,
            first=first,
            total=clip.frames,
            fps=float(clip.rate),
            loop=clip.loop,
            lift=float(self._figure.offset[2]),
        )
        arrays = {
            "poses": sent[:, :moved].reshape(len(sent), moved // STRIDE, STRIDE),
            "morphs": sent[:, moved:],
        }
        return pack(as_plain(header), arrays)

    def _soft(self, worn: tuple[Any, ...], wearers: tuple[str, ...]) -> list[bytes]:
        """What is worn, as shapes in the frames of bones; nothing where it is as it was."""
        if _same(worn, self._worn) and wearers == self._wearers:
            return []
        from poise.kinematics import Kinematics
        from poise.methods.loosen.wear.attachment import Attachment

        self._worn, self._wearers = worn, wearers
        packets = []
        for number, item in enumerate(worn):
            mesh, body = item.mesh, Kinematics(item.clip.character, item.clip.q)
            bone = body.character.index(item.attachment.bone)
            away = np.asarray(mesh.vertices) - body.positions[:, bone, None]
            header = SoftPacket(
                name=item.attachment.name,
                body=bone,
                colour=item.attachment.colour,
                number=number,
                count=len(worn),
                layer=wearers[number] if number < len(wearers) else "",
            )
            arrays = {"index": np.asarray(mesh.faces).ravel(), "shape": away @ body.rotations[:, bone]}
            if isinstance(item.attachment, Attachment):  # what is thin cannot be brought anywhere
                arrays["rest"] = np.asarray(item.attachment.surface.points)
            packets.append(pack(as_plain(header), arrays))
        if not worn:
            empty = SoftPacket(name="", body=0, colour=(0.0, 0.0, 0.0), number=-1, count=0)
            packets.append(pack(as_plain(empty), {}))
        return packets

    def _things(self, props: tuple[Surface, ...], clip: Clip, lift: Array) -> list[bytes]:
        """What else is in the scene; nothing where it is as it was."""
        if _same(props, self._props):
            return []
        self._props = props
        packets = []
        for number, prop in enumerate(props):
            pose = prop.pose(clip.times)
            there = np.ones(clip.frames, bool) if prop.track is None else prop.track.there(clip.times)
            part = next(iter(prop.shape.solids() or ()))  # balls, one solid each
            x, y, z = (*part.size, 0.0, 0.0)[:3]
            header = PropPacket(
                name=prop.name, solid=part.kind, size=(x, y, z), number=number, count=len(props)
            )
            turns = so3.from_matrix(pose.turn)
            places = np.concatenate([pose.place + lift, turns[:, 1:], turns[:, :1]], axis=1)
            places[~there] = np.nan
            packets.append(pack(as_plain(header), {"places": places}))
        if not props:
            empty = PropPacket(name="", solid="sphere", size=(0.0, 0.0, 0.0), number=-1, count=0)
            packets.append(pack(as_plain(empty), {}))
        return packets

    def _physics(self, revision: int, data: FrameData, support: list[list[tuple[float, float]]]) -> bytes:
        mass = data.clip.character.total_mass
        first, last = (0, data.clip.frames) if support else data.weighed
        header = PhysicsPacket(
            revision=revision, first=first, total=data.clip.frames, mass=mass, support=support
        )
        own = slice(first, last)
        arrays = {
            "com": data.com[own],
            "momentum": data.momentum[own, :3],
            "spin": data.momentum[own, 3:],
            "inertia": data.inertia[own],
        }
        return pack(as_plain(header), arrays)


def _swayed(clip: Clip, worn: Worn) -> Clip:
    """That something worn holds together is seen when it is needed: its mesh goes to the stage."""
    _ = worn.mesh
    return clip


def _counted(found: Sequence[Check]) -> Checks:
    """For the browser: how many are met, and those that are not, worst first."""
    missed = sorted(
        (check for check in found if not check.outcome.met),
        key=lambda check: -check.outcome.error / max(check.outcome.tolerance, LEAST),
    )
    return Checks(
        asked=len(found),
        met=sum(check.outcome.met and not check.until for check in found),
        unsure=sum(check.outcome.met and bool(check.until) for check in found),
        missed=tuple(
            Missed(
                layer=check.layer,
                name=check.outcome.name,
                error=check.outcome.error,
                unit=check.outcome.unit,
                tolerance=check.outcome.tolerance,
                time=check.outcome.worst_time,
                broken_by=check.broken_by,
                reason=check.outcome.reason,
            )
            for check in missed
        ),
    )


def _nobody() -> bytes:
    """What clears the stage."""
    return pack(as_plain(FigurePacket(name="", bodies=[], morphs=[], points=[], places=[])), {})


def _same(some: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    return len(some) == len(others) and all(a is b for a, b in zip(some, others))


def _place(name: str, body: int, position: ArrayLike) -> PointPlace:
    x, y, z = np.asarray(position, dtype=np.float64).tolist()
    return PointPlace(name=name, body=body, position=(x, y, z))
