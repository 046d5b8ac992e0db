"""The asset bin: what a file holds, what the project's clips are, moving pictures of them, joint maps."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from poise.errors import InputError, PoiseError, UnknownNameError
from poise.project.clip_entry import ClipEntry
from poise.reading import read_bytes
from poise.studio.server import answers

if TYPE_CHECKING:
    from poise.character import Character
    from poise.motion import Clip
    from poise.studio.server.questions import Inquiry

PICTURES = 32
"""Poses of a moving picture at most."""
MODELS = 2
"""A file of fewer frames holds somebody at rest, no motion."""


def inspect(asked: Inquiry) -> answers.Inspected:
    """What a file of the workspace holds, read as it would be used."""
    from poise.studio.server.reading import SOUNDS, checked_clip

    path, shown = Path(asked.about["path"]), str(asked.about.get("shown", ""))
    suffix = path.suffix.lower()
    if suffix == ".poise" or suffix in SOUNDS:
        kind = "project" if suffix == ".poise" else "sound"
        return answers.Inspected(file=shown, kind=kind, facts=None, animations=[])
    if suffix == ".json":
        from poise.formats.scenery import load_world

        held = load_world(path).to_dict()["surfaces"]
        return answers.Inspected(file=shown, kind="world", facts=None, animations=[], surfaces=held)
    clip = checked_clip(path, beside=bool(asked.about.get("beside", False)))
    source = clip.source
    found = source.animations if source is not None else ()
    told = [answers.Animation(name=a.name, seconds=a.duration, joints=a.joints) for a in found]
    facts = _facts(path.stem, clip)
    entry = ClipEntry(file=str(asked.about["entry"]), sha256=sha256(read_bytes(path)).hexdigest())
    return answers.Inspected(file=shown, kind=facts.kind, facts=facts, animations=told, entry=entry)


def clips(asked: Inquiry) -> answers.Clips:
    """The project's clips, each with what there is to say of it."""
    found = []
    for name, entry in asked.document.clips.items():
        try:
            found.append(_facts(name, asked.evaluator.assets.load(name, entry).clip))
        except PoiseError as problem:
            found.append(answers.ClipFacts(name=name, problem=str(problem)))
    return answers.Clips(clips=found)


def _facts(name: str, clip: Clip) -> answers.ClipFacts:
    source = clip.source
    chosen = source.animations[source.animation] if source and source.animation is not None else None
    looks = _looks_of(clip.character)
    return answers.ClipFacts(
        name=name,
        kind="motion" if clip.frames >= MODELS else "character",
        frames=clip.frames,
        fps=clip.fps,
        seconds=clip.duration,
        loop=clip.loop,
        character=clip.character.name,
        bodies=len(clip.character.bodies),
        animation=chosen.name if chosen is not None else "",
        skinned=clip.character.skin is not None,
        textures=len(looks.images) if looks is not None else 0,
        notes=list(source.notes) if source is not None else [],
    )


def _looks_of(character: Character) -> Any:
    skin = character.skin
    return skin.extras.get("gltf") if skin is not None else None


def preview(asked: Inquiry) -> answers.Preview:
    """A clip, or an animation of a file, as a few poses of joints: to be drawn small, and to play."""
    clip = _asked_clip(asked)
    count = min(clip.frames, PICTURES)
    times = np.linspace(0.0, clip.duration if clip.loop else float(clip.times[-1]), count)
    places = clip.character.placement(clip.at(times))[0]  # (P, n, 3)
    centre = places[:, 0].mean(axis=0) * [1.0, 1.0, 0.0]
    return answers.Preview(
        name=clip.name,
        seconds=clip.duration,
        frames=clip.frames,
        parents=[int(p) for p in clip.character.parents],
        poses=[np.round(pose - centre, 3).ravel().tolist() for pose in places],
    )


def _asked_clip(asked: Inquiry) -> Clip:
    """The clip that is asked about: of the project by its name, of a file by an animation's number."""
    from poise.studio.server.reading import checked_clip

    if "path" in asked.about:
        number = asked.about.get("animation")
        chosen = None if number is None else int(number)
        return checked_clip(
            Path(asked.about["path"]), beside=bool(asked.about.get("beside")), animation=chosen
        )
    return _clip(asked, str(asked.about.get("clip", "")))


def _clip(asked: Inquiry, name: str) -> Clip:
    from poise.clips.named import clip_named

    if name in asked.document.clips:
        return asked.evaluator.assets.load(name, asked.document.clips[name]).clip
    bundled = asked.about.get("bundled") is True
    if not bundled or "/" in name or "." in name:
        raise UnknownNameError("clip", name, asked.document.clips)
    return clip_named(name)


def pairing(asked: Inquiry) -> answers.Pairing:
    """Which joint of a clip's performer becomes which of who is on the stage, before anything is retargeted.

    ``clip`` is who moves, ``onto`` the clip of who is to perform (left out: who is on the stage), ``map`` is
    what was said already.
    """
    from poise.methods.adapt.retarget.correspondence import correspond
    from poise.studio.server.new_project import performer

    source = _clip(asked, str(asked.about.get("clip", ""))).character
    onto = str(asked.about.get("onto") or "")
    entry = asked.document.clips.get(onto)
    if not onto:
        onto, entry = performer(asked.document)
    if entry is None:
        raise UnknownNameError("clip", onto, asked.document.clips)
    target = asked.evaluator.assets.load(onto, entry).clip.character
    given = {str(k): str(v) for k, v in dict(asked.about.get("map") or {}).items()}
    same = source.names == target.names
    try:
        found = correspond(source, target, given)
    except InputError as problem:
        return answers.Pairing(
            source=source.name, target=target.name, onto=onto, entry=entry, same=same, pairs=[],
            left=list(source.names), free=list(target.names), problem=str(problem),
        )  # fmt: skip
    named = [(source.names[s], target.names[t]) for t, s in found.pairs.items()]
    pairs = [
        answers.JointPair(source=a, target=b, how="said" if a in given else "name" if a == b else "role")
        for a, b in named
    ]
    by_way = set(found.between)
    taken = {pair.source for pair in pairs}
    free = [n for i, n in enumerate(target.names) if i not in found.pairs and i not in by_way]
    return answers.Pairing(
        source=source.name,
        target=target.name,
        onto=onto,
        entry=entry,
        same=same,
        pairs=pairs,
        left=[n for n in source.names if n not in taken],
        free=free,
        problem="",
    )
