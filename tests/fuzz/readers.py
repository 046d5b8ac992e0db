"""Every way a file comes in, with the changes that fuzzing makes to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mutations as m
import seeds

from poise import formats
from poise import project as projects
from poise.batch.ledger import Ledger
from poise.batch.recipe import read_recipe
from poise.constraints.entries import read_items
from poise.errors import InputError, PoiseError
from poise.formats.captures import load_markers
from poise.formats.captures.mot import load_forces
from poise.formats.scenery import load_world
from poise.formats.surface_file import load_surface
from poise.methods.key.sheet.file import load as load_tracks
from poise.methods.perform.script import file as script_file
from poise.methods.perform.script.beats import Beats, read_wav
from poise.methods.perform.script.pose import PoseLibrary
from poise.methods.plan.scene.scene import Scene
from poise.project.journal import journal_path
from poise.serve import frames
from poise.serve.requests import Request, answer
from poise.serve.session import Session


@dataclass(frozen=True)
class Reader:
    """One of them."""

    name: str
    file: str
    """What the file is called."""
    read: Callable[[Path], Any]
    mutations: tuple[m.Mutation, ...]
    beside: tuple[str, ...] = ()
    """Sound files of other readers that lie there too."""


def _project(path: Path) -> None:
    with projects.open(path) as project:
        for name, entry in project.document.clips.items():
            if entry.inside:
                project.assets.load(name, entry)


def _journal(path: Path) -> None:
    """``path`` is the journal's; the project lies beside it."""
    with projects.open(path.with_name("seed1.poise")) as project:
        if project.recovery is not None:
            project.recover()


def _midi(path: Path) -> None:
    Beats.from_midi(path)
    Beats.from_midi(path, notes=True)


def _frames(path: Path) -> None:
    """Requests of a host, answered; problems are told to it, and what is no frame ends it."""
    session, problem = Session(), None
    with path.open("rb") as stream:
        while (message := frames.read(stream)) is not None:
            try:
                answer(session, Request(*message, lambda part: None))
            except PoiseError as found:
                problem = found
    if problem is not None:
        raise problem


def _lenient(path: Path) -> None:
    formats.load(path, lenient=True)


def _body(path: Path) -> None:
    """A body model; the motion lies beside it."""
    formats.load(path.with_name("motion.npz"), body=str(path))


def _ledger(path: Path) -> None:
    ledger = Ledger(path.parent)
    for clip, outcome in ledger.outcomes.items():
        ledger.done(clip, path.parent, outcome.recipe)
    if not ledger.outcomes:
        raise InputError("no line of it is one of ours")


def _constraints(path: Path) -> None:
    read_items(path, _CLIP)


_CLIP = seeds.clip()
_TEXT = (m.of_bytes, m.of_numbers, m.of_numbers, m.of_lines)
_JSON = (m.of_bytes, m.of_numbers, m.of_json, m.of_json)
JOURNAL = journal_path(Path("seed1.poise")).name

READERS: dict[str, Reader] = {
    reader.name: reader
    for reader in (
        Reader("bvh", "x.bvh", formats.load, _TEXT),
        Reader("lenient", "x.bvh", _lenient, _TEXT),
        Reader("vrm", "x.vrm", formats.load, (m.of_bytes, m.of_glb, m.of_glb)),
        Reader("glb", "x.glb", formats.load, (m.of_bytes, m.of_glb, m.of_glb)),
        Reader("fbx", "x.fbx", formats.load, (m.of_bytes, m.of_fbx, m.of_fbx)),
        Reader("usda", "x.usda", formats.load, _TEXT),
        Reader("usdz", "x.usdz", formats.load, (m.of_bytes, m.of_zip, m.of_zip)),
        Reader("gltf", "x.gltf", formats.load, _JSON),
        Reader("xml", "x.xml", formats.load, (m.of_bytes, m.of_numbers, m.of_xml, m.of_xml)),
        Reader("urdf", "x.urdf", formats.load, (m.of_bytes, m.of_numbers, m.of_xml, m.of_xml)),
        Reader("asf", "x.asf", formats.load, _TEXT),
        Reader("amc", "x.amc", formats.load, _TEXT, ("asf",)),
        Reader("npz", "x.npz", formats.load, (m.of_bytes, m.of_zip, m.of_zip)),
        Reader("npy", "x.npy", formats.load, (m.of_bytes, m.of_npy, m.of_npy)),
        Reader("amass", "x.npz", formats.load, (m.of_bytes, m.of_zip, m.of_zip)),
        Reader("trc", "x.trc", load_markers, _TEXT),
        Reader("mot", "x.mot", load_forces, _TEXT),
        Reader("c3d", "x.c3d", load_markers, (m.of_bytes, m.of_bytes, m.of_floats)),
        Reader("markers", "x.json", load_markers, _JSON),
        Reader("obj", "x.obj", load_surface, _TEXT),
        Reader("poise", "x.poise", _project, (m.of_bytes, m.of_numbers, m.of_zip, m.of_zip, m.of_json)),
        Reader("journal", JOURNAL, _journal, (m.of_bytes, m.of_journal, m.of_journal), ("poise",)),
        Reader("toml", "x.toml", script_file.load, _TEXT),
        Reader("script", "x.json", script_file.load, _JSON),
        Reader("poses", "x.json", PoseLibrary.load, _JSON),
        Reader("scene", "x.json", Scene.load, _JSON),
        Reader("world", "x.json", load_world, _JSON),
        Reader("set", "x.gltf", load_world, _JSON),
        Reader("scenery", "x.xml", load_world, (m.of_bytes, m.of_numbers, m.of_xml, m.of_xml)),
        Reader("usdset", "x.usda", load_world, _TEXT),
        Reader("body", "x.npz", _body, (m.of_bytes, m.of_zip, m.of_zip), ("amass",)),
        Reader("ledger", "batch.jsonl", _ledger, (m.of_bytes, m.of_numbers, m.of_lines)),
        Reader("recipe", "x.json", read_recipe, _JSON),
        Reader("tracks", "x.json", load_tracks, _JSON),
        Reader("constraints", "x.json", _constraints, _JSON),
        Reader("midi", "x.mid", _midi, (m.of_bytes, m.of_midi, m.of_midi)),
        Reader("wav", "x.wav", read_wav, (m.of_bytes, m.of_wav)),
        Reader("frames", "x.bin", _frames, (m.of_bytes, m.of_frames, m.of_frames)),
    )
}  # fmt: skip
BESIDE = {"asf": "x.asf", "poise": "seed1.poise", "amass": "motion.npz"}
"""What the sound files beside are called."""
