"""What may be asked: one function for each request, from a message to a message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from poise.errors import InputError, UnknownNameError
from poise.operations.declare import Operation
from poise.operations.decoding import converted
from poise.operations.description import card
from poise.operations.frozen_data import finite
from poise.operations.loosen import Loosen
from poise.operations.registry import operation as operation_named
from poise.operations.registry import operations
from poise.operations.result import Result
from poise.operations.situation import Situation
from poise.serve.aiming import aimed
from poise.serve.carrying import contacts_told, found_contacts, parts_by_bone
from poise.serve.figure import Figure, Performance, fleshed
from poise.serve.session import Session, name_in
from poise.watching import Progress

if TYPE_CHECKING:
    from poise.dynamics.elastic import Surface

ARRAY = "array"
"""Where an option holds ``{"array": NAME}``, it stands for the values of that array of the message."""


class Request(NamedTuple):
    """A message, and whom to tell how far it is."""

    head: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    progress: Progress


class Answer(NamedTuple):
    """A message back."""

    head: dict[str, Any]
    arrays: Mapping[str, NDArray[Any]] = {}


def tell_operations(session: Session, request: Request) -> Answer:
    """What can be done to motions: the cards from which panels are drawn."""
    return Answer({"operations": [msgspec.to_builtins(card(each)) for each in operations().values()]})


def keep_character(session: Session, request: Request) -> Answer:
    """Remember a figure; what Poise makes of it."""
    from poise.character.labels import roles

    figure = Figure.told(request.head | {"name": name_in(request.head, "name")}, request.arrays)
    clip = figure.at_rest()
    session.figures.put(figure.name, figure)
    who = clip.character
    return Answer(
        {
            "mass": who.total_mass,
            "size": figure.size,
            "limbs": {b.name: f"{b.side} {b.limb}" if b.side != "centre" else b.limb for b in who.bodies},
            "roles": {role: who.names[i] for role, i in roles(who).items()},
            "points": list(who.points),
            "notes": list(who.notes),
        }
    )


def keep_clip(session: Session, request: Request) -> Answer:
    """Remember a motion of a figure."""
    name = name_in(request.head, "name")
    figure = session.figures.get(request.head.get("character"))
    performance = figure.performing(request.head, request.arrays)
    session.performances.put(name, performance)
    session.solved.drop(f"{name}/shifts")
    clip = performance.clip
    loose = [b.name for b in clip.character.bodies[1:] if b.joint.kind.name == "FREE"]
    return Answer({"frames": clip.frames, "rate": str(clip.rate), "loop": clip.loop, "free": loose})


def run_operation(session: Session, request: Request) -> Answer:
    """Do an operation to a clip; its motion, its report."""
    performance, operation, situation = _asked(session, request)
    result, off = aimed(operation, situation, performance, session.shifts(str(request.head["clip"])))
    met = bool(result.met) and not off
    head = {
        "met": met,
        "report": "\n".join([str(result), *(f"✗ {words}" for words in off)]),
        "missed": [*result.missed, *off],
        "facts": finite(result.facts() | {"met": met}),
    }
    if operation.MAKES != "motion":
        return Answer(head)
    made, who = result.clip, _performer(session, performance, operation)
    kept = request.head.get("keep")
    if kept is not None:
        session.performances.put(name_in(request.head, "keep"), Performance(who.figure, made, who.places))
    arrays: dict[str, NDArray[Any]] = dict(who.bones(made))
    worn = []
    for number, each in enumerate(result.attached):
        request.progress(0.99)
        surface = each.attachment.surface
        worn.append(
            {"name": str(surface.name), "vertices": f"worn {number}", "faces": f"worn {number} faces"}
        )
        arrays[f"worn {number}"] = np.asarray(each.mesh.vertices, dtype=np.float32)
        arrays[f"worn {number} faces"] = np.asarray(surface.triangles)
    return Answer(head | {"frames": made.frames, "rate": str(made.rate), "worn": worn}, arrays)


def glimpse_frames(session: Session, request: Request) -> Answer:
    """Some frames of what an operation would give, at once."""
    from poise.serve.live import checked_frames, glimpse

    performance, operation, situation = _asked(session, request)
    frames = checked_frames(request.head.get("frames"), performance.clip)
    name, quick = str(request.head["clip"]), bool(request.head.get("quick", False))
    found = glimpse(session, name, operation, situation, frames, quick=quick)
    who = _performer(session, performance, operation)
    told = who.bones(found.clip.with_q(found.q)) if frames is None else who.bones(found.clip, frames, found.q)
    return Answer({"exact": found.exact}, told)


def find_contacts(session: Session, request: Request) -> Answer:
    """Who touches the ground and when, and to which part of the body each bone belongs."""
    clip = session.performances.get(request.head.get("clip")).clip
    return Answer({"contacts": found_contacts(clip), "parts": parts_by_bone(clip.character)})


def save_clip(session: Session, request: Request) -> Answer:
    """Write a clip as a file, for the command line or another program; files that are there stay."""
    path = _whole_path(request)
    if path.exists() and request.head.get("force") is not True:
        raise InputError(f"{path} is there already: choose another name")
    written = session.performances.get(request.head.get("clip")).clip.save(path)
    return Answer({"path": str(written)})


def find_beats(session: Session, request: Request) -> Answer:
    """When the beats of a recording (WAV) or a MIDI file are [s]."""
    from poise.methods.perform.script.beats import Beats

    path = _whole_path(request)
    listen = Beats.from_midi if path.suffix.lower() in (".mid", ".midi") else Beats.from_wav
    return Answer({"tempo": (found := listen(path)).tempo}, {"times": np.array(list(found))})


def forget(session: Session, request: Request) -> Answer:
    """Let go of characters and clips."""
    names = request.head.get("names")
    if not isinstance(names, list):
        raise InputError("field 'names' must list names of clips and characters")
    shelves = (session.figures, session.performances)
    gone = [n for n in map(str, names) if any([shelf.drop(n) for shelf in shelves])]  # noqa: C419  both
    return Answer({"forgotten": gone})


def _whole_path(request: Request) -> Path:
    path = request.head.get("path")
    if not isinstance(path, str) or not Path(path).is_absolute():
        raise InputError(f"field 'path' must be the full path of a file, not {path!r:.60}")
    return Path(path)


REQUESTS: dict[str, Callable[[Session, Request], Answer]] = {
    "operations": tell_operations,
    "character": keep_character,
    "clip": keep_clip,
    "run": run_operation,
    "glimpse": glimpse_frames,
    "contacts": find_contacts,
    "save": save_clip,
    "beats": find_beats,
    "forget": forget,
}
"""By the word that asks for it; ``cancel`` is the server's own."""
IN_ORDER = ("operations", "character", "clip", "forget")
"""Requests that are answered before the next message is read, so that later ones may build on them."""


def answer(session: Session, request: Request) -> Answer:
    """Do what a message asks for."""
    word = request.head.get("ask")
    if not isinstance(word, str) or word not in REQUESTS:
        raise UnknownNameError("request", word, (*REQUESTS, "cancel"))
    return REQUESTS[word](session, request)


def _asked(session: Session, request: Request) -> tuple[Performance, Operation, Situation]:
    """Who moves how, what is to be done to it, and what that finds."""
    from poise.serve.live import remember

    name = request.head.get("clip")
    performance = session.performances.get(name)
    operation = _operation(request)
    said = contacts_told(request.head.get("contacts"), performance.clip, operation)

    def keep(found: Any) -> None:
        remember(session, str(name), performance.clip, operation, said, found)

    clip = performance.clip
    if isinstance(operation, Loosen) and operation.world is not None:
        clip = fleshed(clip)
    situation = Situation(
        Result(clip),
        session.clip,
        _surfaces(request),
        progress=request.progress,
        keep=keep,
        contacts=said,
    )
    return performance, operation, situation


def _surfaces(request: Request) -> Callable[[str], Surface]:
    """Meshes by name: those of the message, else files."""
    told = request.head.get("surfaces", {})

    def named(name: str) -> Surface:
        from poise.dynamics.elastic import Surface
        from poise.formats.surface_file import load_surface

        entry = told.get(name) if isinstance(told, dict) else None
        if entry is None:
            return load_surface(name)
        filled = _filled({k: {ARRAY: v} for k, v in dict(entry).items()}, request.arrays)
        return Surface(np.array(filled["vertices"]), np.array(filled["triangles"], dtype=np.int64), name)

    return named


def _operation(request: Request) -> Operation:
    told = _filled(request.head.get("operation"), request.arrays)
    if not isinstance(told, dict) or not isinstance(told.get("do"), str):
        raise InputError('field \'operation\' must say what to do, with its options: {"do": "loosen", …}')
    cls = operation_named(told["do"])
    made = converted(
        {
            "do": told["do"],
            **cls.accepting({**cls.on_a_clip(), **{k: v for k, v in told.items() if k != "do"}}),
        },
        cls,
        told["do"],
    )
    made.check()
    return made


def _filled(data: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    """Plain data with the values of arrays where their names stand."""
    if isinstance(data, dict):
        if set(data) == {ARRAY} and isinstance(data[ARRAY], str):
            if data[ARRAY] not in arrays:
                raise UnknownNameError("array", data[ARRAY], arrays, where="the message")
            return arrays[data[ARRAY]].tolist()
        return {k: _filled(v, arrays) for k, v in data.items()}
    return [_filled(v, arrays) for v in data] if isinstance(data, list) else data


def _performer(session: Session, performance: Performance, operation: Operation) -> Performance:
    """Who performs the result: another figure, where the motion was given to one."""
    onto = getattr(operation, "onto", None)
    if onto is None:
        return performance
    figure, other = session.figures.find(onto), session.performances.find(onto)
    if figure is None and other is None:
        raise InputError(
            f"{onto!r} is no character of this session: send it first, so that there are bones to be told"
        )
    return Performance(figure if figure is not None else other.figure, performance.clip)  # type: ignore[union-attr]
