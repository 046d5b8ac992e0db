"""What questions are answered with. The browser's types are generated from these, as from ``messages``."""

from __future__ import annotations

from typing import Any

import msgspec

from poise.operations.description import Card
from poise.project.clip_entry import ClipEntry
from poise.studio.carried import Carried

Place2 = tuple[float, float]
Place3 = tuple[float, float, float]


class _Told(msgspec.Struct, frozen=True, kw_only=True):
    """Part of an answer."""


class Preset(_Told, frozen=True, kw_only=True):
    """A tension by name."""

    name: str
    frequency: float
    """[Hz]"""
    ratio: float


class Vocabulary(_Told, frozen=True, kw_only=True):
    """Every name that a document may use here: of Poise, and of the character on the stage."""

    operations: list[Card]
    """What layers can do."""
    tensions: list[Preset]
    """From held to hanging."""
    gravities: list[str]
    roots: list[str]
    templates: list[str]
    shapes: list[str]
    styles: list[str]
    clips: list[str]
    characters: list[str]
    scenes: list[str]
    """What can be planned."""
    plans: list[str]
    """Those of them that are templates for any body."""
    scripts: list[str]
    exports: list[str]
    """Extensions of files that can be written."""
    films: list[str]
    sizes: list[str]
    views: list[str]
    """Of films: extensions, sizes and cameras by name."""
    backgrounds: list[str]
    joints: list[str]
    limbs: list[str]
    points: list[str]
    roles: dict[str, str]
    """What bodies are: ``right hand`` → ``RightHand``."""


class Touch(_Told, frozen=True, kw_only=True):
    """Something on the floor, from one frame to another."""

    part: str
    start: int
    end: int
    points: list[str]


class Stretch(_Told, frozen=True, kw_only=True):
    """What happens from one frame to another, in words."""

    kind: str
    start: int
    end: int
    words: str


class Ground(_Told, frozen=True, kw_only=True):
    """What a motion stands on and pushes against, by frame."""

    floor: float
    """Height as the motion has it [m]."""
    support: list[list[Place2]]
    """Corners of the support polygon; none where nothing touches."""
    force: list[Place3]
    """Of the ground on the body [N]; without frames where the character has no mass."""
    pressure: list[Place2 | None]
    """Centre of pressure; None where hardly anything presses."""
    weight: float
    """[N]"""
    contacts: list[Touch]
    phases: list[Stretch]
    notes: list[str]
    """What could not be known."""


class Plant(_Told, frozen=True, kw_only=True):
    """A foot that stands."""

    id: str
    name: str
    number: int
    """In the layer's constraints; -1 where it was found in the motion."""
    start: float
    end: float
    """[s]"""
    place: Place3
    """x, y [m] and yaw [rad]."""
    height: float
    points: dict[str, Place3]
    """Where each of its points is held [m]."""
    intervals: dict[str, Place2]
    """From when to when each is held [s]."""
    entry: dict[str, Any]
    """As a constraint of the layer."""


class Plants(_Told, frozen=True, kw_only=True):
    """Feet that stand in the motion an adaptation is given, those of its list first."""

    layer: str
    plants: list[Plant]
    command: dict[str, Any] | None
    """Puts all that were found into the list, in this order after what is there; then each can be moved."""


class Segment(_Told, frozen=True, kw_only=True):
    """What the centre of mass does from one key to the next."""

    key: int
    start: float
    end: float
    template: str
    fine: bool
    words: list[str]
    """What could be better."""
    fixable: bool


class Segments(_Told, frozen=True, kw_only=True):
    """The path of a tracks layer."""

    layer: str
    segments: list[Segment]
    fine: bool
    command: dict[str, Any] | None
    """Moves keys in time as the hints ask; None where nothing can be fixed so."""


class Mend(_Told, frozen=True, kw_only=True):
    """What would mend something."""

    words: str
    command: dict[str, Any] | None
    """Does it; None where nothing would change."""


class Music(_Told, frozen=True, kw_only=True):
    """Beats of a layer, its keys, and the sound that they come from."""

    beats: list[float]
    """[s]"""
    tempo: float
    keys: list[float]
    """When poses are to be reached [s]."""
    file: str
    seconds: float
    low: list[float]
    high: list[float]
    """The sound's envelope in equal parts of ``seconds``, −1 … 1; empty where there is no recording."""
    problem: str
    """Why beats could not be found; empty where they were."""


class Entry(_Told, frozen=True, kw_only=True):
    """Something for a layer's list."""

    constraint: dict[str, Any]


class PoseKey(_Told, frozen=True, kw_only=True):
    """A key for a track of poses."""

    time: float
    q: list[float]


class Animation(_Told, frozen=True, kw_only=True):
    """One of the animations of a file."""

    name: str
    seconds: float
    joints: int
    """How many joints it moves."""


class Animations(_Told, frozen=True, kw_only=True):
    """All animations of the file that a clip comes from; none where it can hold but one."""

    clip: str
    animations: list[Animation]
    chosen: int
    """The one that the clip is; -1: none of them."""


class Posed(_Told, frozen=True, kw_only=True):
    """A pose by joints, each as a key of poses has it."""

    joints: dict[str, list[float]]


class Text(_Told, frozen=True, kw_only=True):
    """A report, to be read."""

    text: str


class Read(_Told, frozen=True, kw_only=True):
    """A file that can be used."""

    path: str
    frames: int
    bodies: int


class ClipFacts(_Told, frozen=True, kw_only=True):
    """A clip in short."""

    name: str
    kind: str = "motion"
    """``motion``, or ``character``: somebody at rest."""
    frames: int = 0
    fps: float = 0.0
    seconds: float = 0.0
    loop: bool = False
    character: str = ""
    bodies: int = 0
    animation: str = ""
    """Its name in its file, where that holds several."""
    skinned: bool = False
    textures: int = 0
    notes: list[str] = []
    """What was guessed or left out on reading."""
    problem: str = ""
    """Why it cannot be read."""


class Clips(_Told, frozen=True, kw_only=True):
    """The project's clips."""

    clips: list[ClipFacts]


class Inspected(_Told, frozen=True, kw_only=True):
    """What a file holds."""

    file: str
    kind: str
    """``motion``, ``character``, ``world``, ``sound`` or ``project``."""
    facts: ClipFacts | None
    """Of what is read where nothing else is said."""
    animations: list[Animation]
    surfaces: list[dict[str, Any]] = []
    """Of a world, as the project's has them."""
    entry: ClipEntry | None = None
    """As a clip of the project."""


class Preview(_Told, frozen=True, kw_only=True):
    """A few poses of a clip, evenly over its time, about where it is on average."""

    name: str
    seconds: float
    frames: int
    parents: list[int]
    poses: list[list[float]]
    """x, y, z of each body [m], pose by pose."""


class Beside(_Told, frozen=True, kw_only=True):
    """Somebody else of the project, to be seen beside who is on the stage."""

    layer: str
    mark: str
    """Another one for another motion."""
    packed: str
    """A figure and its poses, as pages have them; empty where they are those of the mark that was given."""


class JointPair(_Told, frozen=True, kw_only=True):
    """Two joints that become one another."""

    source: str
    target: str
    how: str
    """``name``, ``role`` or ``said``."""


class Pairing(_Told, frozen=True, kw_only=True):
    """Which joint becomes which."""

    source: str
    target: str
    onto: str
    """The clip whose character is to perform, …"""
    entry: ClipEntry
    """… and what it is, where the project does not have it yet."""
    same: bool
    """Whether both have the same joints."""
    pairs: list[JointPair]
    left: list[str]
    """Of the source, without a counterpart."""
    free: list[str]
    """Of the target: they stay as they are."""
    problem: str


ANSWERS: dict[str, Any] = {
    "vocabulary": Vocabulary,
    "physics": Ground,
    "contacts": Carried,
    "plants": Plants,
    "segments": Segments,
    "fix": Mend,
    "ground": Mend,
    "pose": Entry,
    "key": PoseKey,
    "posed": Posed,
    "animations": Animations,
    "inspect": Inspected,
    "clips": Clips,
    "preview": Preview,
    "beside": Beside,
    "pairing": Pairing,
    "scene": dict[str, Any],
    "beats": Music,
    "script": dict[str, Any],
    "snap": Mend,
    "report": Text,
    "check": dict[str, Any],
    "window": float | None,
    "export": str,
    "read": Read,
    "files": list[str],
}
"""By question."""
