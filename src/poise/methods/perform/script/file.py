"""Scripts as files, JSON or TOML: poses, then keys or states.

    name = "wave"
    character = "humanoid"
    start = "Rest"
    beats = {tempo = 120, count = 16}          # or {times = […]}, {midi = "song.mid"}, {wav = "song.wav"}

    [poses.Rest]
    RightArm = [75, 0, 0]                       # rotation vector in degrees; a hinge has one number

    [[keys]]
    pose = "Up"
    after = 0.5                                 # seconds after the key before; or at = seconds, or beat = 3
    style = "snappy"                            # optional: style, lead, joints, velocity (°/s), name, note

    [[states]]                                  # instead of keys
    name = "idle"
    pose = "Rest"
    seconds = 0.5
    next = "wave"
    on = {contact = "flinch"}

``poses`` may also be the name of a library file beside the script. ``quantise = true`` moves keys to the
beats.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from poise.character import Character
from poise.errors import InputError, UnknownNameError
from poise.methods.perform.script import sound
from poise.methods.perform.script.beats import Beats
from poise.methods.perform.script.pose import PoseLibrary
from poise.methods.perform.script.script import Script
from poise.methods.perform.script.state_machine import Cue, Machine, State
from poise.reading import beside, blaming, read_json, read_toml

FOLDER = Path(__file__).parent / "scripts"
_TOP = {"name", "character", "start", "beats", "quantise", "poses", "keys", "states", "cues"}
_KEY = {"pose", "after", "at", "beat", "style", "lead", "joints", "velocity", "name", "note"}
_CUE = {"at", "name"}
_STATE = {"name", "pose", "seconds", "next", "on", "style", "note"}


def bundled(name: str) -> Path:
    """The file of a bundled script."""
    names = bundled_names()
    if name not in names:
        raise UnknownNameError("bundled script", name, names)
    return FOLDER / f"{name}.toml"


def bundled_names() -> tuple[str, ...]:
    """The scripts that come with Poise."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def read_data(path: Path) -> Any:
    """The contents of a JSON or TOML file."""
    return read_toml(path) if path.suffix.lower() == ".toml" else read_json(path)


def load(path: str | Path, character: Character | None = None) -> Script | Machine:
    """A script of keys or a state machine from a file."""
    file = Path(path)
    data = read_data(file)
    with blaming(file, "a script"):
        return from_data(data, file.parent, character, name=file.stem)


def from_data(
    data: Any, folder: Path, character: Character | None = None, *, name: str = "script"
) -> Script | Machine:
    """A script of keys or a state machine from what a file holds; files that it names are in ``folder``."""
    if not isinstance(data, Mapping):
        raise InputError("a script is a table of poses and keys")
    _refuse_unknown(data, _TOP, "a script")
    poses = data.get("poses", {})
    if isinstance(poses, str):
        library = PoseLibrary.load(beside(folder, poses, "the library of poses"), character)
    else:
        library = PoseLibrary.from_data(data, character)
    name, start = str(data.get("name", name)), data.get("start")
    if ("keys" in data) == ("states" in data):
        raise InputError('a script has either "keys" or "states"')
    beats = _beats(data["beats"], folder) if "beats" in data else None
    if "states" in data:
        return _machine(data, library, name, start)
    script = Script(library, name=name, start=start)
    for number, entry in enumerate(data["keys"]):
        _add(script, entry, number, beats)
    if data.get("quantise"):
        if beats is None:
            raise InputError("to quantise, a script needs beats")
        return script.snapped(beats)
    return script


def _add(script: Script, entry: Any, number: int, beats: Beats | None) -> None:
    """One key."""
    what = f"key {number}"
    if isinstance(entry, list) and len(entry) == 2:
        entry = {"pose": entry[0], "after": entry[1]}
    if not isinstance(entry, Mapping):
        raise InputError(f'{what} is written {{pose = "…", after = seconds}} or ["…", seconds]')
    _refuse_unknown(entry, _KEY, what)
    said = [word for word in ("after", "at", "beat") if word in entry]
    if "pose" not in entry or len(said) != 1:
        raise InputError(f"{what} needs a pose and one of after, at and beat")
    _require_notes(entry.get("note", ""), what)
    more = {k: entry[k] for k in ("lead", "joints", "name", "note") if k in entry}
    if "style" in entry:
        style = entry["style"]
        more["style"] = tuple(style) if isinstance(style, list) else style
    if "velocity" in entry:
        more["velocity"] = {joint: np.radians(np.atleast_1d(v)) for joint, v in entry["velocity"].items()}
    if "beat" in entry:
        number, count = entry["beat"], len(beats) if beats is not None else 0
        if beats is None or not (isinstance(number, int) and 1 <= number <= count):
            raise InputError(f"{what} is on beat {number!r}; beats are 1 to {count}")
        script.at(entry["pose"], float(beats.times[number - 1]), **more)
    elif "at" in entry:
        script.at(entry["pose"], _seconds(entry["at"], what), **more)
    else:
        script.target(entry["pose"], _seconds(entry["after"], what), **more)


def _machine(data: Mapping[str, Any], library: PoseLibrary, name: str, start: Any) -> Machine:
    states = []
    for number, entry in enumerate(data["states"]):
        _refuse_unknown(entry, _STATE, f"state {number}")
        if not {"name", "pose", "seconds"} <= set(entry):
            raise InputError(f"state {number} needs a name, a pose and seconds")
        _require_notes(entry.get("note", ""), f"state {number}")
        states.append(State(**entry))
    cues = []
    for number, entry in enumerate(data.get("cues", ())):
        what = f"cue {number}"
        _refuse_unknown(entry, _CUE, what)
        if set(entry) != _CUE:
            raise InputError(f"{what} needs a name and when it is given (at)")
        cues.append(Cue(_seconds(entry["at"], what), str(entry["name"])))
    return Machine(library, states, cues=cues, name=name, start=start)


def _beats(data: Any, folder: Path) -> Beats:
    match data:
        case {"times": list(times)}:
            return Beats(np.array(times, dtype=np.float64))
        case {"tempo": tempo, **rest}:
            more: Any = rest
            return Beats.at_tempo(
                float(tempo), int(more.get("count", 256)), start=float(more.get("start", 0.0))
            )
        case {"midi": str(name), **rest}:
            return Beats.from_midi(beside(folder, name, "the music"), notes=bool(rest.get("notes", False)))
        case {"wav": str(name)}:
            return Beats.from_wav(beside(folder, name, "the music"))
    raise InputError("beats are {times = […]}, {tempo = 120, count = 16}, {midi = file} or {wav = file}")


def _seconds(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
        raise InputError(f"{what} needs a time in seconds, not {value!r}")
    return float(value)


def _require_notes(text: Any, what: str) -> None:
    try:
        sound.pitches(text)
    except InputError as problem:
        raise InputError(f"{what}: {problem}") from None


def _refuse_unknown(entry: Any, known: set[str], what: str) -> None:
    if not isinstance(entry, Mapping):
        raise InputError(f"{what} must be a table")
    for word in entry:
        if word not in known:
            raise UnknownNameError("field", word, sorted(known), where=what)
