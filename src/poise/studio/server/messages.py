"""What browser and server say to each other; the browser's types are generated from these (``typescript``).

Text frames are JSON: ``SAID`` from the browser, ``TOLD`` from the server. Binary frames are packets from the
server (``packet.py``) whose header is one of ``PACKET``: numbers for the stage.

Whatever a tab says is answered, whenever it comes: exactly one message to that tab bears its number.

| said | answer | what else follows |
|---|---|---|
| do, seal, undo, redo, recover | ``State`` | to all: the state, then ``Solved`` or ``Problem`` |
| open | ``State`` | the same, of another project |
| save | ``Notice`` of ``saved`` | to all: the state |
| hello | ``Welcome`` | ``Status``, at once and whenever it changes |
| grab | ``Grabbed`` | |
| pull | a packet ``pulled``, unless a newer pull came first | |
| look | none: it only says what comes first | |
| cancel | ``Notice`` of ``stopped`` or ``idle`` | where something was stopped all hear of it |
| export, ask | ``Answer`` | |

A ``Problem`` with the number is the answer where it could not be done (or was stopped). ``Solved`` bears the
number of the edit it shows, to the tab that made it, unless something newer came first.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from poise.studio.server.standing import Checks, Standing


class _Said(msgspec.Struct, frozen=True, kw_only=True, tag_field="say", forbid_unknown_fields=True):
    """From the browser."""

    number: int = 0
    """Comes back with the answer."""


class Hello(_Said, tag="hello", frozen=True, kw_only=True):
    """The first that a tab says on every socket: which edits it has sent and does not know the fate of."""

    waiting: list[str] = []
    """Their names (``Do.edit``)."""


class Do(_Said, tag="do", frozen=True, kw_only=True):
    """Apply a command of the project. ``live``: while something is dragged; a quick answer will do."""

    command: dict[str, Any]
    live: bool = False
    edit: Annotated[str, msgspec.Meta(max_length=100)] = ""
    """A name that no other edit of any tab has: by it the tab learns later whether it was made."""


class Seal(_Said, tag="seal", frozen=True, kw_only=True):
    """The drag is over: one step of undo, and the full solution."""


class Undo(_Said, tag="undo", frozen=True, kw_only=True):
    """One step back; with a ``gesture``, as if that had never begun, if it is the last that was done."""

    gesture: str = ""


class Redo(_Said, tag="redo", frozen=True, kw_only=True):
    """One step forward again."""


class Save(_Said, tag="save", frozen=True, kw_only=True):
    """Write the project, to ``path`` within the workspace if one is given."""

    path: str = ""
    force: bool = False


class Open(_Said, tag="open", frozen=True, kw_only=True):
    """Go on with another project or clip of the workspace."""

    path: str


class Export(_Said, tag="export", frozen=True, kw_only=True):
    """Bake to a file of the workspace, its extension the format; over one that exists only with ``force``."""

    path: str
    options: dict[str, Any] = {}
    force: bool = False


class Recover(_Said, tag="recover", frozen=True, kw_only=True):
    """Take in, or throw away, what a crash kept from being saved."""

    keep: bool


class Grab(_Said, tag="grab", frozen=True, kw_only=True):
    """Take a point of a pose, to be pulled about with all of the body; no point: somebody is about to."""

    session: int = 0
    """The tab's own number of this grab."""
    q: list[float] = []
    """The pose, as it is on the stage."""
    point: str = ""
    pins: list[str] = []
    """Points that stay where they are."""
    root: str = ""
    """The local root; empty: all of the body moves."""
    balanced: bool = False
    """Whether the centre of mass stays over its place."""


class Pull(_Said, tag="pull", frozen=True, kw_only=True):
    """Pull it to a place [m]; ``final``: it is let go there."""

    session: int
    seq: int
    place: tuple[float, float, float]
    final: bool = False


class Look(_Said, tag="look", frozen=True, kw_only=True):
    """The frame that is looked at: of long motions what is about it is made first."""

    frame: int


class Cancel(_Said, tag="cancel", frozen=True, kw_only=True):
    """Stop what is being computed."""


class Ask(_Said, tag="ask", frozen=True, kw_only=True):
    """A question that changes nothing; those of ``ANSWERS``."""

    question: str
    about: dict[str, Any] = {}


class Told(msgspec.Struct, frozen=True, kw_only=True, tag_field="told", omit_defaults=False):
    """From the server."""


class State(Told, tag="state", frozen=True, kw_only=True):
    """The document as it is now."""

    revision: int
    document: dict[str, Any]
    undoable: int
    redoable: int
    modified: bool
    path: str
    """Within the workspace; empty where it was never saved."""
    recovery: str = ""
    """What a crash left, in words; empty where nothing."""
    number: int = 0
    project: int = 0
    """Counts the projects that were opened: another number is another document."""


class Welcome(Told, tag="welcome", frozen=True, kw_only=True):
    """To a tab that said hello."""

    session: str
    """Of this server: another one is another process."""
    done: list[int] = []
    """Which of the edits that the tab was not sure of were made: their places in its list."""
    number: int = 0


class Status(Told, tag="status", frozen=True, kw_only=True):
    """How the motion on the stage stands to the document: at every change, and each second while somebody is
    at work."""

    standing: Standing


class Progress(Told, tag="progress", frozen=True, kw_only=True):
    """Work goes on; ``part`` 1 says that it is over."""

    what: str
    part: float
    kernels: tuple[int, int] = (0, 0)
    """Which kernel is compiled, of how many (0: nobody knows); (0, 0): none is."""


class Solved(Told, tag="solved", frozen=True, kw_only=True):
    """A revision's motion has been sent, with what its layers report."""

    revision: int
    live: bool
    seconds: float
    met: bool
    reports: dict[str, Any]
    """By layer."""
    notices: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()
    """While something is dragged: layers that ride along as they were, until it is over."""
    failures: dict[str, str] = {}
    """Layers that failed and were passed by, and why: the rest is there without them."""
    checks: Checks = Checks()
    """All that layers were asked for, measured on this motion."""
    window: tuple[int, int] = (0, -1)
    """First and last frame that are of this revision, where the others are as they were; (0, -1): all are."""
    number: int = 0


class Window(Told, tag="window", frozen=True, kw_only=True):
    """These frames of a revision have been made and sent, before the others."""

    revision: int
    first: int
    last: int


class Grabbed(Told, tag="grabbed", frozen=True, kw_only=True):
    """It is held."""

    session: int
    number: int = 0


class Problem(Told, tag="problem", frozen=True, kw_only=True):
    """Something could not be done; in words, with the layer it is about if known."""

    text: str
    layer: str = ""
    number: int = 0


class Notice(Told, tag="notice", frozen=True, kw_only=True):
    """Something was done: ``event`` says what to programs, ``text`` to people."""

    event: Literal["saved", "stopped", "idle", "restarted", "aside"]
    """Saved to ``path``; stopped, or nothing was there to stop; another solver; work put aside."""
    text: str
    path: str = ""
    number: int = 0


class Answer(Told, tag="answer", frozen=True, kw_only=True):
    """To a question."""

    question: str
    value: Any
    number: int = 0


class FigurePacket(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="figure"):
    """Who is on the stage; arrays as in ``looks.py``."""

    name: str
    bodies: list[BodyName]
    morphs: list[str]
    points: list[str]
    """Names of points on bodies."""
    places: list[PointPlace]
    """Where they are."""
    joints: list[JointFact] = []
    """Of the bodies, in their order."""
    groups: list[MaterialGroup] = []
    """Triangles by what they wear; none where vertices have all the colour there is."""


class MaterialGroup(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of triangles and their material."""

    start: int
    count: int
    """Of indices."""
    image: int
    """Which picture; -1: none."""
    roughness: float
    metalness: float
    both: bool
    """Whether both sides are drawn."""
    cut: bool
    """Whether what is clear is cut out."""


class BodyName(msgspec.Struct, frozen=True):
    """A body and its parent's number (-1: none)."""

    name: str
    parent: int


class PointPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A named point in the frame of its body [m]."""

    name: str
    body: int
    position: tuple[float, float, float]


class JointFact(msgspec.Struct, frozen=True, kw_only=True):
    """How a body hangs on its parent: enough to pose it without asking anybody."""

    kind: str
    """fixed, hinge, slide, ball, planar or free."""
    start: int
    """Where its coordinates begin in a configuration."""
    size: int
    """How many they are."""
    axis: tuple[float, float, float]
    offset: tuple[float, float, float]
    rest: tuple[float, float, float, float]
    """Quaternion x, y, z, w: parent-from-joint."""
    lower: list[float | None]
    upper: list[float | None]
    """Limits of its exponential coordinates [rad, m]; null: none."""
    mass: float
    """[kg]"""
    centre: tuple[float, float, float]
    """Of mass, in the body [m]."""
    limb: str
    side: str


class PulledPacket(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="pulled"):
    """Where the body went as a point of it was pulled: array ``poses`` (1, bodies, 7), not lifted."""

    session: int
    seq: int
    q: list[float]
    com: tuple[float, float, float]
    off: float
    """How far the point is from where it is pulled to [m]."""
    final: bool = False
    number: int = 0


class PosesPacket(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="poses"):
    """Places of all bodies, array ``poses`` (frames, bodies, 7), and weights of the skin's morph targets,
    array ``morphs`` (frames, targets), from frame ``first`` on.

    ``role``: ``result`` is the motion that would be baked, ``reference`` the one below it (drawn as wire),
    ``layer`` what the topmost layer of edited poses gives, where others are above it: what is posed.
    """

    role: str
    revision: int
    first: int
    total: int
    fps: float
    loop: bool
    lift: float
    """Height that the motion was raised by to stand on the floor [m]."""


class PhysicsPacket(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="physics"):
    """Per frame: ``com`` (F, 3), ``momentum`` (F, 3), ``spin`` (F, 3), ``inertia`` (F, 3, 3)."""

    revision: int
    first: int = 0
    """The frame that they begin with, of ``total``; the others are as they were."""
    total: int = 0
    mass: float
    support: list[list[tuple[float, float]]]
    """Corners of the support polygon by frame, empty where nothing touches the floor; a list without frames
    where it is not known yet: it comes in a packet of its own a little later."""


class SoftPacket(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="soft"):
    """Something soft on a bone: ``index`` (T · 3), ``shape`` (F, N, 3) in the frame of ``body`` [m]; and what
    can be brought somewhere, as modelled there: ``rest`` (N, 3)."""

    name: str
    body: int
    colour: tuple[float, float, float]
    """Linear RGB."""
    number: int
    """Of ``count``; all packets of a revision together are what is worn."""
    count: int
    layer: str = ""
    """The layer that attaches it."""


class PropPacket(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="prop"):
    """Something else in the scene: a solid, with array ``places`` (F, 7), not numbers while it is away."""

    name: str
    solid: str
    """Sphere, capsule, cylinder, ellipsoid or box, long axis along z."""
    size: tuple[float, float, float]
    """As ``poise.character.Shape`` has it [m]."""
    number: int
    """Of ``count``; all packets of a revision together are what is there."""
    count: int


SAID: Any = (
    Hello | Do | Seal | Undo | Redo | Save | Open | Export | Recover | Grab | Pull | Look | Cancel | Ask
)
TOLD: Any = State | Welcome | Status | Grabbed | Progress | Solved | Window | Problem | Notice | Answer
PACKET: Any = FigurePacket | PulledPacket | PosesPacket | PhysicsPacket | SoftPacket | PropPacket
