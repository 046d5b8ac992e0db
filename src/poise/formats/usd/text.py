"""A USD text file changed at few places: every byte that says something else stays as its author wrote it.

The library can only write a layer anew: comments, spacing and the way numbers were typed are lost. So
statements that changed are taken from what it writes and put in the place of the old ones; the result
counts only if the library reads the very same layer out of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from poise.formats.usd.library import library

LONGEST = 1 << 26
"""Letters of a text that is looked through; a longer one is written anew."""
_DEEPEST = 200
"""Prims inside prims; stages of programs have a dozen or two."""
_SPECIAL = re.compile(r"[()\[\]{}\"'@#\n;]")
_BRACKET = re.compile(r"[()\[\]{}\"'@#]")
_BLANK = re.compile(r"(?:\s|;|#[^\n]*)*")
_PRIM = re.compile(r"(?:def|over|class)\b(?:[ \t]+[\w:]+)?[ \t]+([\"'])(?P<name>[^\"']*)\1")
_VARIANTS = re.compile(r"variantSet\b")
_PROPERTY = re.compile(
    r"(?:(?:custom|uniform|varying|config|prepend|append|add|delete|reorder)[ \t]+)*"
    r"(?:rel\b|[\w:]+(?:\[\])?)[ \t]+(?P<name>[\w:]+)"
)
_FACT = re.compile(r"(?:(?:prepend|append|add|delete|reorder)[ \t]+)?(?P<name>[\w:]+)")


class _Unreadable(Exception):
    """The text is not what was expected: it is written anew."""


@dataclass
class Block:
    """What stands between two braces, or in the whole file."""

    start: int
    end: int
    """Where the closing brace is, or the end of the text."""
    lines: list[tuple[str, int, int]] = field(default_factory=list)
    """Properties: name, first letter, and the letter after the last."""
    prims: dict[str, tuple[int, int, Block]] = field(default_factory=dict)
    """By name: first letter, letter after the last, and what is inside."""
    facts: list[tuple[str, int, int]] = field(default_factory=list)
    """What the layer says of itself (of the outermost block only)."""

    def at(self, path: Iterable[str]) -> Block | None:
        """The block of a prim below."""
        block: Block | None = self
        for name in path:
            block = block.prims[name][2] if block is not None and name in block.prims else None
        return block


def spliced(
    text: str, anew: str, properties: Iterable[tuple[str, str]], facts: Iterable[str] = ()
) -> str | None:
    """``text`` with these properties (path of the prim, name) and facts of the layer as ``anew`` has them.

    ``anew`` is what the library writes of the changed layer. Prims that ``text`` does not have are added.
    None where the library does not read the same layer out of the result.
    """
    if len(text) > LONGEST:
        return None
    try:
        old, new = _parsed(text), _parsed(anew)
        cuts = [*_fact_cuts(old, new, anew, facts), *_property_cuts(old, new, text, anew, properties)]
    except (_Unreadable, RecursionError):
        return None
    for start, end, words in sorted(cuts, reverse=True):
        text = text[:start] + words + text[end:]
    return text if _written(text) == anew else None


def _written(text: str) -> str | None:
    """What the library writes of a text that it reads."""
    layer = library("Sdf").Layer.CreateAnonymous(".usda")
    try:
        return str(layer.ExportToString()) if layer.ImportFromString(text) else None
    except library("Tf").ErrorException:
        return None


Cut = tuple[int, int, str]


def _fact_cuts(old: Block, new: Block, anew: str, facts: Iterable[str]) -> Iterator[Cut]:
    for name in facts:
        was = [part for part in old.facts if part[0] == name]
        now = [anew[a:b] for n, a, b in new.facts if n == name]
        if len(was) != 1 or len(now) != 1:
            raise _Unreadable
        yield was[0][1], was[0][2], now[0]


def _property_cuts(
    old: Block, new: Block, text: str, anew: str, properties: Iterable[tuple[str, str]]
) -> Iterator[Cut]:
    added: set[tuple[str, ...]] = set()
    for path, name in properties:
        way = tuple(path.strip("/").split("/"))
        known = next(k for k in range(len(way), -1, -1) if old.at(way[:k]) is not None)
        block, made = old.at(way[:known]), new.at(way[:known])
        if block is None or made is None:
            raise _Unreadable
        if known < len(way):  # a prim that is not there yet
            if way[: known + 1] not in added:
                added.add(way[: known + 1])
                start, end, _ = made.prims[way[known]]
                yield _inserted(text, block, anew[start:end])
            continue
        now = "".join(_indented(anew, a) + anew[a:b] for n, a, b in made.lines if n == name)
        was = [(a, b) for n, a, b in block.lines if n == name]
        if not now:
            raise _Unreadable
        if not was:
            after = max((b for _, _, b in block.lines), default=block.start)
            yield after, after, "\n" + now.rstrip("\n")
            continue
        yield was[0][0], was[0][1], now.strip()
        for a, b in was[1:]:
            begin = text.rfind("\n", 0, a)
            yield begin if not text[begin:a].strip() else a, b, ""


def _indented(text: str, start: int) -> str:
    """A line break and the blanks before a statement."""
    begin = text.rfind("\n", 0, start) + 1
    return "\n" + text[begin:start] if not text[begin:start].strip() else "\n"


def _inserted(text: str, block: Block, words: str) -> Cut:
    """At the end of a block: before the line of its brace."""
    if block.end >= len(text):
        return len(text), len(text), ("" if text.endswith("\n") else "\n") + f"\n{words}\n"
    begin = text.rfind("\n", 0, block.end) + 1
    at = begin if not text[begin : block.end].strip() else block.end
    last = words.rpartition("\n")[2]  # its closing brace, as far in as its first letter was
    return at, at, f"\n{last[: len(last) - len(last.lstrip())]}{words}\n"


def _parsed(text: str) -> Block:
    at = _BLANK.match(text, 0)
    start = at.end() if at is not None else 0
    whole = Block(start, len(text))
    if text.startswith("(", start):
        end = _past(text, start)
        whole.facts = list(_statements(text, start + 1, end - 1, _FACT))
        whole.start = start = end
    _fill(text, whole, start, len(text), 0)
    return whole


def _fill(text: str, block: Block, at: int, end: int, depth: int) -> None:
    if depth > _DEEPEST:
        raise _Unreadable
    while True:
        at = _blank(text, at)
        if at >= end or text[at] == "}":
            if at < end or block.end < len(text):
                block.end = at
            return
        prim = _PRIM.match(text, at)
        if prim is None:
            if _VARIANTS.match(text, at):
                brace = text.find("{", at)
                if brace < 0:
                    raise _Unreadable
                at = _past(text, brace)
                continue
            name, begin, at = _statement(text, at, end, _PROPERTY)
            block.lines.append((name, begin, at))
            continue
        start, at = at, _blank(text, prim.end())
        if text.startswith("(", at):
            at = _blank(text, _past(text, at))
        if not text.startswith("{", at):
            raise _Unreadable
        inner = Block(at + 1, -1)
        _fill(text, inner, at + 1, end, depth + 1)
        if inner.end < 0 or not text.startswith("}", inner.end):
            raise _Unreadable
        at = inner.end + 1
        block.prims[prim["name"]] = (start, at, inner)


def _statements(text: str, at: int, end: int, kind: re.Pattern[str]) -> Iterator[tuple[str, int, int]]:
    while (at := _blank(text, at)) < end:
        if text[at] in "\"'":  # a comment in words
            at = _past(text, at)
            continue
        found = _statement(text, at, end, kind)
        yield found
        at = found[2]


def _statement(text: str, at: int, end: int, kind: re.Pattern[str]) -> tuple[str, int, int]:
    """Name, first letter and letter after the last of the statement that begins at ``at``."""
    start = at
    while (found := _SPECIAL.search(text, at, end)) is not None and found.group() not in "\n;})#":
        at = _past(text, found.start())
    stop = found.start() if found is not None else end
    name = kind.match(text, start, stop)
    stop = start + len(text[start:stop].rstrip())
    if stop <= start:
        raise _Unreadable
    return name["name"] if name is not None else "", start, stop


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found is not None else at


def _past(text: str, at: int) -> int:
    """After the bracket, the text or the asset that begins at ``at``."""
    first = text[at]
    if first in "\"'@":
        mark = text[at : at + 3] if text[at : at + 3] == 3 * first else first
        after = at + len(mark)
        while True:
            end = text.find(mark, after)
            if end < 0:
                raise _Unreadable
            escapes = len(text[after:end]) - len(text[after:end].rstrip("\\"))
            if first == "@" or escapes % 2 == 0:
                return end + len(mark)
            after = end + 1
    depth = 0
    while True:
        found = _BRACKET.search(text, at)
        if found is None:
            raise _Unreadable
        letter, at = found.group(), found.end()
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "#":
            at = text.find("\n", at)
            if at < 0:
                raise _Unreadable
        else:
            at = _past(text, found.start())
        if depth == 0:
            return at
