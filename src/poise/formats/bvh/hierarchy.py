"""The HIERARCHY section: joints with names, offsets, channels and end sites, token by token.

    ROOT | JOINT name { OFFSET x y z  CHANNELS n name … name  (JOINT … | End Site { OFFSET x y z })* }

Braces may stand anywhere, names may hold blanks and any letters, keywords any case. A joint without
CHANNELS has none. What cannot be understood is refused with the line and the joint it stands in.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from pathlib import Path

from poise.errors import FileFormatError
from poise.formats.bvh.lines import line_of, without_comments

CHANNELS = ("Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation")
_CHANNEL = {c.lower(): c for c in CHANNELS}
_TOKEN = re.compile(rb"[{}]|[^\s{}]+")
_MOTION = re.compile(rb"(?:^|[\r\n}])[ \t]*(MOTION)(?=\s|$)", re.IGNORECASE)
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\r|\n")
_KEYWORDS = ("offset", "channels", "joint", "root", "end")

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class FileJoint:
    """One ROOT or JOINT as the file has it: file axes, file units."""

    name: str
    parent: int
    """Index of the parent, −1 for the root."""
    line: int
    offset: Triple = (0.0, 0.0, 0.0)
    channels: tuple[str, ...] = ()
    """In the order of the file, spelt as in ``CHANNELS``."""
    ends: tuple[Triple, ...] = ()
    """Offsets of its end sites."""
    channels_span: tuple[int, int] | None = None
    """Where the number and names of its channels stand in the file, in bytes."""
    first: int = 0
    """Its first channel among all channels of a frame."""

    @property
    def rotation_axes(self) -> str:
        """Axes of its rotation channels, in order: "zxy"."""
        return "".join(c[0].lower() for c in self.channels if c.endswith("rotation"))

    @property
    def has_position(self) -> bool:
        """Whether any position channel is among its channels."""
        return any(c.endswith("position") for c in self.channels)

    @property
    def stated_up(self) -> str:
        """The up axis that the order of its position channels states: "y", "z" or "" (nothing).

        X Y Z, as everybody writes them, states nothing; Y Z X is y up, Z X Y is z up. Poise writes
        these where a figure's shape would mislead a reader.
        """
        order = "".join(c[0] for c in self.channels if c.endswith("position"))
        return {"YZX": "y", "ZXY": "z"}.get(order, "")

    def column(self, channel: str) -> int:
        """Column of one of its channels in a frame, −1 where it has none."""
        return self.first + self.channels.index(channel) if channel in self.channels else -1


@dataclass
class _Open:
    """A joint (or end site) whose closing brace has not come yet."""

    joint: int
    line: int
    is_end: bool = False
    has_offset: bool = False
    ends: list[Triple] = field(default_factory=list)


class HierarchyParser:
    """Reads one HIERARCHY; ``joints`` and ``notes`` are the result, ``motion_at`` where MOTION starts."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.path, self.data = path, data
        self.joints: list[FileJoint] = []
        self.notes: list[str] = []
        found = _MOTION.search(data)
        self.motion_at = found.start(1) if found else -1
        text = without_comments(data[: self.motion_at] if found else data)
        if text.startswith(BYTE_ORDER_MARK):
            text = b" " * len(BYTE_ORDER_MARK) + text[len(BYTE_ORDER_MARK) :]
        self._tokens = [(m[0], m.start()) for m in _TOKEN.finditer(text)]
        self._line_ends = [m.end() for m in _LINE_END.finditer(text)]
        self._at = 0
        self._stack: list[_Open] = []
        self._parse()
        if self.motion_at < 0:
            raise self._error("no MOTION section: the file ends after the skeleton", len(data))

    def _line(self, offset: int) -> int:
        return bisect_right(self._line_ends, offset) + 1

    def _error(self, problem: str, offset: int) -> FileFormatError:
        return FileFormatError(self.path, problem, line=line_of(self.data, offset))

    def _text(self, token: bytes) -> str:
        try:
            return token.decode("utf-8")
        except UnicodeDecodeError:
            note = "names are not UTF-8 text; read as Latin-1"
            if note not in self.notes:
                self.notes.append(note)
            return token.decode("latin-1")

    def _next(self, wanted: str) -> tuple[bytes, int]:
        if self._at >= len(self._tokens):
            where = f" of joint {self.joints[self._stack[-1].joint].name!r}" if self._stack else ""
            end = len(self.data) if self.motion_at < 0 else self.motion_at
            raise self._error(f"the skeleton ends where {wanted}{where} was expected", end)
        self._at += 1
        return self._tokens[self._at - 1]

    def _parse(self) -> None:
        token, at = self._next("HIERARCHY")
        if token.lower() != b"hierarchy":
            raise self._error(f"a BVH file begins with HIERARCHY, not {self._text(token)[:40]!r}", at)
        while self._at < len(self._tokens):
            token, at = self._next("a keyword")
            word = token.lower()
            if word in (b"root", b"joint"):
                self._open_joint(word.decode(), at)
            elif word == b"end":
                self._open_end(at)
            elif word == b"offset":
                self._offset(at)
            elif word == b"channels":
                self._channels(at)
            elif word == b"}":
                self._close(at)
            else:
                inside = f" in joint {self.joints[self._stack[-1].joint].name!r}" if self._stack else ""
                raise self._error(
                    f"unexpected {self._text(token)[:40]!r}{inside}; "
                    "expected OFFSET, CHANNELS, JOINT, End Site or a brace",
                    at,
                )
        if self._stack:
            last = self._stack[-1]
            end = len(self.data) if self.motion_at < 0 else self.motion_at
            raise self._error(
                f"joint {self.joints[last.joint].name!r} of line {last.line} is not closed by '}}'", end
            )
        if not self.joints:
            raise self._error("the skeleton has no ROOT", 0)

    def _name(self, at: int) -> str:
        """All tokens up to the brace or the end of the line."""
        line, parts = self._line(at), []
        while self._at < len(self._tokens):
            token, place = self._tokens[self._at]
            if token in (b"{", b"}") or self._line(place) != line:
                break
            parts.append(self._text(token))
            self._at += 1
        return " ".join(parts)

    def _brace(self, what: str) -> None:
        token, at = self._next("'{'")
        if token != b"{":
            raise self._error(f"expected '{{' after {what}, found {self._text(token)[:40]!r}", at)

    def _open_joint(self, word: str, at: int) -> None:
        line = self._line(at)
        name = self._name(at)
        if not name:
            raise self._error(f"{word.upper()} without a name", at)
        if self._stack and self._stack[-1].is_end:
            raise self._error(f"joint {name!r} inside an End Site", at)
        if not self._stack and self.joints:
            raise self._error(
                f"a second skeleton, {name!r}, after {self.joints[0].name!r}: Poise reads one per file", at
            )
        self._brace(f"{word.upper()} {name}")
        parent = self._stack[-1].joint if self._stack else -1
        first = sum(len(j.channels) for j in self.joints[-1:]) + (self.joints[-1].first if self.joints else 0)
        self.joints.append(FileJoint(name, parent, line, first=first))
        self._stack.append(_Open(len(self.joints) - 1, line))

    def _open_end(self, at: int) -> None:
        self._name(at)  # "Site", or whatever the file calls the end
        if not self._stack or self._stack[-1].is_end:
            raise self._error("End Site outside a joint", at)
        self._brace("End Site")
        self._stack.append(_Open(self._stack[-1].joint, self._line(at), is_end=True))

    def _number(self, what: str) -> float:
        token, at = self._next(what)
        try:
            value = float(token)
        except ValueError:
            value = float("nan")
        if value != value or abs(value) == float("inf"):
            name = self.joints[self._stack[-1].joint].name
            raise self._error(f"joint {name!r}: {what} is {self._text(token)[:40]!r}, not a number", at)
        return value

    def _offset(self, at: int) -> None:
        if not self._stack:
            raise self._error("OFFSET outside a joint", at)
        top = self._stack[-1]
        offset = (self._number("OFFSET x"), self._number("OFFSET y"), self._number("OFFSET z"))
        top.has_offset = True
        if top.is_end:
            self._stack[-2].ends.append(offset)
        else:
            self.joints[top.joint] = replace(self.joints[top.joint], offset=offset)

    def _channels(self, at: int) -> None:
        if not self._stack:
            raise self._error("CHANNELS outside a joint", at)
        top = self._stack[-1]
        joint = self.joints[top.joint]
        token, start = self._next("the number of channels")
        if token not in (b"0", b"1", b"2", b"3", b"4", b"5", b"6"):
            raise self._error(
                f"joint {joint.name!r}: CHANNELS needs a number from 0 to 6, not {self._text(token)[:40]!r}",
                start,
            )
        names: list[str] = []
        end = start + len(token)
        while self._at < len(self._tokens) and (found := _CHANNEL.get(self._here().lower())):
            names.append(found)
            end = self._tokens[self._at][1] + len(self._tokens[self._at][0])
            self._at += 1
        if len(names) != int(token):
            follows = self._here() if self._at < len(self._tokens) else ""
            what = f"; {follows[:40]!r} is no channel ({', '.join(CHANNELS)})"
            known = follows.lower() in (*_KEYWORDS, "{", "}", "")
            raise self._error(
                f"joint {joint.name!r}: CHANNELS announces {int(token)} and names {len(names)}"
                + ("" if known else what),
                at,
            )
        if len(set(names)) < len(names):
            twice = next(n for n in names if names.count(n) > 1)
            raise self._error(f"joint {joint.name!r} names the channel {twice} twice", at)
        if top.is_end and names:
            raise self._error(f"the End Site of {joint.name!r} has channels; only joints may", at)
        if not top.is_end:
            if joint.channels_span is not None or top.joint != len(self.joints) - 1:
                raise self._error(f"joint {joint.name!r}: CHANNELS must come once, before its children", at)
            self.joints[top.joint] = replace(joint, channels=tuple(names), channels_span=(start, end))

    def _here(self) -> str:
        return self._tokens[self._at][0].decode("utf-8", "replace")

    def _close(self, at: int) -> None:
        if not self._stack:
            raise self._error("'}' without a joint to close", at)
        top = self._stack.pop()
        joint = self.joints[top.joint]
        if not top.has_offset:
            what = f"the End Site of {joint.name!r}" if top.is_end else f"joint {joint.name!r}"
            raise self._error(f"{what} has no OFFSET", at)
        if not top.is_end:
            self.joints[top.joint] = replace(joint, ends=tuple(top.ends))
