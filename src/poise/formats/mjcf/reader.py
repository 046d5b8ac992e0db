"""Reading MJCF: one character of the model, its keyframes as the frames of a clip."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.dynamics.mujoco_warnings import heard_warnings
from poise.errors import FileFormatError, InputError, MissingDependencyError, UnknownNameError
from poise.formats.cycle import looped
from poise.formats.key_times import uniform_rate
from poise.formats.mjcf.bodies import FREE, read_bodies
from poise.formats.mjcf.gathered import Gathered, gathered
from poise.formats.mjcf.writer import FACTS
from poise.motion import Clip, Source
from poise.motion.frame_times import exact_rate
from poise.reading import blaming, json_from

_WORLD = 0
"""The body that everything hangs from."""
LEFT_OUT = (
    ("nu", "actuators"),
    ("ntendon", "tendons"),
    ("neq", "equality constraints"),
    ("nflex", "soft bodies"),
)


@dataclass(frozen=True)
class MjcfPayload:
    """What a clip read from MJCF remembers."""

    origins: Mapping[str, Array]
    """MuJoCo's body origin in our frame of each body [m], (3,): zero unless a joint is anchored elsewhere."""
    key_names: tuple[str, ...] = ()


def load(path: str | Path, *, root: str | None = None, fps: Fraction | float | str | None = None) -> Clip:
    """Read the character whose top body is ``root`` (else the free one, else the largest).

    Frames are the model's keyframes: at their times if those are evenly spaced, else at ``fps`` or one
    per second. Without keyframes there is one frame, the model's initial pose.
    """
    path = Path(path)
    model, notes = compile_model(path)
    return clip_of(path, "mjcf", model, notes, root=root, fps=fps)


def clip_of(
    path: Path,
    format: str,
    model: Any,
    notes: list[str],
    *,
    root: str | None,
    fps: Fraction | float | str | None,
    speeds: Mapping[str, float] | None = None,
) -> Clip:
    """The clip of a compiled model; ``speeds``: the fastest that joints move, by name."""
    mujoco = mujoco_library()

    def name_of(kind: int, index: int) -> str | None:
        name: str | None = mujoco.mj_id2name(model, kind, index)
        return name or None

    top = _choose_root(path, model, name_of, root, notes)
    with blaming(path, "a model of a character"):
        facts = _facts(model, name_of)
        reading = read_bodies(model, name_of, top, speeds or _said_speeds(facts))
        title = _model_name(model) or path.stem
        character = Character(title, reading.bodies, mass_source="given")
        qpos, rate, names = _frames(model, name_of, fps, facts.get("rate"), notes)
        q = reading.configurations(qpos)
        clip_source = Source(
            str(path),
            format,
            1.0,
            "z",
            (*notes, *reading.notes, *_left_out(model)),
            MjcfPayload(reading.origins, names),
        )
        return looped(Clip(_labelled(character), q, rate, name=path.stem, source=clip_source), facts)


def _said_speeds(facts: Mapping[str, Any]) -> dict[str, float]:
    """Limits of speed that Poise wrote, by joint; others' edits that make no sense are passed over."""
    said = facts.get("speeds")
    if not isinstance(said, dict):
        return {}
    return {str(k): float(v) for k, v in said.items() if isinstance(v, float | int) and 0 < v < np.inf}


def _choose_root(path: Path, model: Any, name_of: Any, wanted: str | None, notes: list[str]) -> int:
    tops = [
        b for b in range(1, model.nbody) if model.body_parentid[b] == _WORLD and model.body_mocapid[b] < 0
    ]
    if not tops:
        raise FileFormatError(path, "the model has no bodies: the file has no character")
    names = {b: name_of(1, b) or f"body {b}" for b in tops}
    if wanted is not None:
        for b, name in names.items():
            if name == wanted:
                return b
        raise UnknownNameError("top body", wanted, names.values(), where=str(path))

    def rank(b: int) -> tuple[bool, int]:
        joint = int(model.body_jntadr[b])
        return bool(joint >= 0 and model.jnt_type[joint] == FREE), int(np.sum(model.body_rootid == b))

    best = max(tops, key=rank)
    # Something free and small (a ball to catch) beside a fixed, larger figure is not the character.
    if rank(best)[1] == 1:
        best = max(tops, key=lambda b: (rank(b)[1], rank(b)[0]))
    if len(tops) > 1:
        left = ", ".join(n for b, n in names.items() if b != best)
        notes.append(f"read the body {names[best]}; left out: {left}")
    return best


def _facts(model: Any, name_of: Any) -> dict[str, Any]:
    """What Poise itself wrote beside the keyframes."""
    kind = int(mujoco_library().mjtObj.mjOBJ_TEXT)
    for k in range(model.ntext):
        if name_of(kind, k) != FACTS:
            continue
        start = int(model.text_adr[k])
        text = bytes(model.text_data[start : start + int(model.text_size[k])]).rstrip(b"\0")
        try:
            said = json_from(text, FACTS)
            if isinstance(said, dict):
                said["rate"] = exact_rate(said["rate"])
                return said
        except (InputError, KeyError, ValueError):
            break  # edited by other hands: as if nothing had been said
    return {}


def _frames(
    model: Any, name_of: Any, fps: Fraction | float | str | None, said: Fraction | None, notes: list[str]
) -> tuple[Array, Fraction, tuple[str, ...]]:
    """qpos (F, nq), the rate and the names of the keyframes."""
    if not model.nkey:
        return np.array(model.qpos0)[None], exact_rate(fps or said or 1), ()
    qpos, times = np.array(model.key_qpos), np.array(model.key_time)
    names = tuple(name_of(_key_kind(), k) or "" for k in range(model.nkey))
    if fps is not None:
        return qpos, exact_rate(fps), names
    if said is not None and np.allclose(times * float(said), np.arange(model.nkey), rtol=0, atol=1e-3):
        return qpos, said, names
    if model.nkey > 1 and (np.diff(times) > 0).all():
        rate = uniform_rate(times)
        if rate is not None:
            return qpos, rate, names
    if model.nkey > 1:
        notes.append("keyframes without even times: one frame each, one per second")
    return qpos, Fraction(1), names


def _key_kind() -> int:
    return int(mujoco_library().mjtObj.mjOBJ_KEY)


def _model_name(model: Any) -> str:
    """The model's own name: the first of its packed names."""
    name = bytes(model.names).split(b"\0", 1)[0].decode("utf-8", "replace")
    return "" if name == "MuJoCo Model" else name


def _left_out(model: Any) -> list[str]:
    counts = [(int(getattr(model, field, 0)), what) for field, what in LEFT_OUT]
    listed = ", ".join(f"{n} {what}" for n, what in counts if n)
    return [f"left out: {listed}"] if listed else []


def _labelled(character: Character) -> Character:
    from poise.character.labels import labelled

    return labelled(character)


def mujoco_library() -> ModuleType:
    """The mujoco package, or an error that says how to get it."""
    try:
        import mujoco
    except ImportError:
        raise MissingDependencyError("mujoco", "MJCF", "pip install 'poise[contact]'") from None
    module: ModuleType = mujoco
    return module


def compile_model(path: Path) -> tuple[Any, list[str]]:
    """The compiled ``MjModel`` of a file, and notes on what had to be left out or what MuJoCo warns of."""
    mujoco = mujoco_library()
    whole = gathered(path)
    with heard_warnings() as heard:
        try:
            model = mujoco.MjModel.from_xml_string(whole.text, whole.assets)
        except (ValueError, mujoco.FatalError) as problem:
            raise _complaint(whole, problem) from None
    notes = [f"files that are not there were left out: {', '.join(whole.missing)}"] if whole.missing else []
    return model, [*notes, *(f"MuJoCo warns: {warning}" for warning in heard)]


def _complaint(whole: Gathered, problem: Exception) -> FileFormatError:
    """MuJoCo's message in one line, with the line number where it has one of the file's own."""
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    found = re.search(r"line (\d+)", str(problem))
    text = "; ".join(lines).removeprefix("XML Error: ").removeprefix("Error: ")
    if not whole.as_written:
        text, found = re.sub(r",? line \d+", "", text), None
    why = (
        f"{whole.missing[0]} is not there, and without it: MuJoCo: {text}"
        if whole.missing
        else f"MuJoCo: {text}"
    )
    return FileFormatError(whole.path, why, line=int(found.group(1)) if found else None)
