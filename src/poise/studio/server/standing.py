"""How the motion on the stage stands to the document: one state machine, which the server owns.

| state | what it means | an export |
|---|---|---|
| compiling | kernels are compiled, once on this machine | waits |
| solving | the document is being made | no |
| draft | what is seen is a quick answer, while something is dragged | no |
| exact | what is seen is the document, all layers measured on it | yes |
| partial | the same, without layers that failed | asks |
| stopped | somebody stopped it | no |
| failed | what the motion starts from cannot be made | no |
| stale | what is seen is an older document, and nobody makes this one | no |

The browser adds *offline* and nothing else. ``after`` is pure; ``web/tests/transitions.json`` says, for both
languages, what follows from what.
"""

from __future__ import annotations

from typing import Literal

import msgspec

State = Literal["compiling", "draft", "solving", "exact", "partial", "stopped", "failed", "stale"]
WORKING: tuple[State, ...] = ("compiling", "draft", "solving")
"""While it is so, somebody is at work, and says every second that it is."""


class Missed(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a layer was asked for and that is not so on the motion that is seen."""

    layer: str
    name: str
    error: float
    unit: str
    tolerance: float
    time: float
    """Where it is worst [s]."""
    broken_by: str = ""
    """The later layer that lost it; empty where its own missed it."""
    reason: str = ""


class Checks(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that layers were asked for, measured on the final motion."""

    asked: int = 0
    met: int = 0
    unsure: int = 0
    """Met when it was last measured, before a layer after which nobody can say."""
    missed: tuple[Missed, ...] = ()


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What is seen, what was asked for, and what is done about it."""

    state: State = "solving"
    revision: int = 0
    """Of the document."""
    shown: int = -1
    """Of the motion on the stage; -1: there is none."""
    part: float = 0.0
    """Of the work."""
    layer: str = ""
    """At work, or the one that failed."""
    why: str = ""
    quiet: float = 0.0
    """So long nothing was heard of a solver that should be at work [s]; 0: it is well."""
    kernels: tuple[int, int] = (0, 0)
    """Which kernel is compiled, of how many (0: nobody knows)."""
    seconds: float = 0.0
    """What the last answer took."""
    bypassed: dict[str, str] = {}
    """Layers that failed and were passed by, and why."""
    checks: Checks = Checks()
    window: tuple[int, int] = (0, -1)
    """First and last frame on the stage that are of this document, where the others are not; (0, -1): all
    are, or none."""

    @property
    def works(self) -> bool:
        """Whether somebody is, or should be, at work."""
        return self.state in WORKING


class Edited(msgspec.Struct, frozen=True, tag_field="event", tag="edited"):
    """A document is to be made; ``live``: while something is dragged."""

    revision: int
    live: bool = False


class Opened(msgspec.Struct, frozen=True, tag_field="event", tag="opened"):
    """It is another project's."""

    revision: int


class Worked(msgspec.Struct, frozen=True, tag_field="event", tag="worked"):
    """Work goes on."""

    layer: str
    part: float


class Compiled(msgspec.Struct, frozen=True, tag_field="event", tag="compiled"):
    """A kernel is being compiled, the ``number``-th of ``total`` (0: nobody knows)."""

    number: int
    total: int


class Made(msgspec.Struct, frozen=True, tag_field="event", tag="made", kw_only=True):
    """A motion is on the stage."""

    revision: int
    live: bool = False
    seconds: float = 0.0
    bypassed: dict[str, str] = {}
    checks: Checks = Checks()
    window: tuple[int, int] = (0, -1)


class Seen(msgspec.Struct, frozen=True, tag_field="event", tag="seen"):
    """Some frames of it are on the stage, before the others."""

    revision: int
    first: int
    last: int


class Failed(msgspec.Struct, frozen=True, tag_field="event", tag="failed"):
    """It cannot be made: what the motion starts from is missing or wrong."""

    revision: int
    layer: str
    why: str


class Stopped(msgspec.Struct, frozen=True, tag_field="event", tag="stopped"):
    """Somebody stopped it."""


class Restarted(msgspec.Struct, frozen=True, tag_field="event", tag="restarted"):
    """The solver was lost, and another one begins."""

    why: str


class GivenUp(msgspec.Struct, frozen=True, tag_field="event", tag="given_up"):
    """Nobody makes that document any more."""

    revision: int
    why: str


class Quiet(msgspec.Struct, frozen=True, tag_field="event", tag="quiet"):
    """Nothing was heard of the solver for so long [s]."""

    seconds: float


Event = Edited | Opened | Worked | Compiled | Seen | Made | Failed | Stopped | Restarted | GivenUp | Quiet


def after(now: Standing, event: Event) -> Standing:
    """How it stands after something has happened."""
    told: dict[str, object]
    match event:
        case Edited(revision=revision, live=live):
            told = {"state": "draft" if live else "solving", "revision": revision, **_FRESH}
        case Opened(revision=revision):
            return Standing(revision=revision)
        case Worked(layer=layer, part=part) if now.works:
            state = "solving" if now.state == "compiling" else now.state
            told = {"state": state, "layer": layer, "part": part, "quiet": 0.0}
        case Compiled(number=number, total=total) if now.works:
            part = (number - 1) / max(number, total)
            told = {"state": "compiling", "kernels": (number, total), "part": part, "quiet": 0.0}
        case Seen(revision=revision, first=first, last=last) if revision == now.revision and now.works:
            told = {"window": (first, last), "quiet": 0.0}
        case Made():
            told = {"shown": event.revision, "seconds": event.seconds, "quiet": 0.0, **_made(now, event)}
        case Failed(revision=revision, layer=layer, why=why) if revision == now.revision:
            told = {**_FRESH, "state": "failed", "layer": layer, "why": why}
        case Stopped() if now.works:
            told = {**_FRESH, "state": "stopped"}
        case Restarted(why=why) if now.works:
            told = {**_FRESH, "state": "solving", "why": why}
        case GivenUp(revision=revision, why=why) if revision == now.revision and now.works:
            told = {**_FRESH, "state": "stale", "why": why}
        case Quiet(seconds=seconds) if now.works:
            told = {"quiet": seconds}
        case _:  # what is past changes nothing
            return now
    return msgspec.structs.replace(now, **told)


_FRESH = {"part": 0.0, "layer": "", "why": "", "quiet": 0.0, "kernels": (0, 0), "window": (0, -1)}
"""Whatever was said of the work before is past."""


def _made(now: Standing, event: Made) -> dict[str, object]:
    """A motion came: what was asked for, a quick answer to it, or something older."""
    if event.live:  # an exact one may be on its way already
        waits = now.state in ("draft", "compiling")
        return {**_FRESH, "state": "draft", "window": event.window} if waits else {}
    if event.revision != now.revision:
        return {}
    state = "partial" if event.bypassed else "exact"
    return {**_FRESH, "state": state, "bypassed": event.bypassed, "checks": event.checks}
