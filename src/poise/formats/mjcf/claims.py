"""What a few letters of MJCF can ask MuJoCo to make: copies, grids, keys. Counted before it is asked.

A count multiplies what stands inside it (``replicate``), or says how many parts there are to be
(``composite``, ``flexcomp``, ``hfield``, built-in meshes, user data). Keys hold a whole configuration each.
"""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree

from poise.errors import FileFormatError
from poise.reading import Budget

_GRIDS = {
    "composite": ("count",),
    "flexcomp": ("count",),
    "hfield": ("nrow", "ncol"),
    "mesh": ("params",),
    "numeric": ("size",),
}
"""Attributes whose numbers, multiplied, say how much an element becomes."""
_COUNTS = ("dim", "num", "nsample", "actdim")
"""Attributes of any element that say how many numbers it has."""
_PART = 100
"""Numbers that MuJoCo keeps for a body with its joint, shape and name, about."""
MOST = 2500
"""Bodies, joints, or copies that a count makes: MuJoCo's time and memory grow with their square."""
_CONFIGURATION = 7
"""Coordinates of a joint at most."""
_NUMBER = re.compile(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?")


def require_modest(tree: ElementTree.Element, budget: Budget) -> None:
    """Refuse a model that claims more than files of its size can stand for."""
    parts, joints, bodies, copied = _walk(tree, budget)
    for count, what in ((joints, "joints"), (bodies, "bodies"), (copied, "copies of elements")):
        if count > MOST:
            raise FileFormatError(budget.path, f"{count:,} {what}, all counted; at most {MOST:,} are read")
    keys = len(tree.findall("./keyframe/key"))
    user = 0
    for size in tree.iter("size"):
        user += sum(_product(value) for name, value in size.attrib.items() if name.startswith("nuser_"))
    budget.spend(keys * _CONFIGURATION * joints, f"{keys:,} keys of {joints:,} joints")
    budget.spend(user * parts, f"{user:,} numbers of user data for each of {parts:,} elements")


def _walk(tree: ElementTree.Element, budget: Budget) -> tuple[int, int, int, int]:
    """Elements, joints and bodies with their copies, and copies alone; what they claim is spent."""
    parts, joints, bodies, copied = 0, 1, 1, 0
    stack = [(tree, 1)]
    while stack:
        element, copies = stack.pop()
        if element.tag == "replicate":
            copies *= max(1, _product(element.get("count", "1")))
        made = copies
        for name in _GRIDS.get(element.tag, ()):
            if element.get(name) is not None:
                made *= _product(element.get(name, ""))
        if element.tag in ("composite", "flexcomp"):
            copies = made = max(made, copies)
        cost = made * (
            _PART if element.tag in ("body", "joint", "geom", "site", "composite", "flexcomp") else 1
        )
        cost += sum(copies * _product(element.attrib[name]) for name in _COUNTS if name in element.attrib)
        budget.spend(cost, f"<{element.tag}>, with all its copies")
        parts += copies
        copied += copies - 1
        joints += copies * (element.tag in ("joint", "freejoint", "composite", "flexcomp"))
        bodies += copies * (element.tag in ("body", "composite", "flexcomp"))
        stack.extend((child, copies) for child in element)
    return parts, joints, bodies, copied


def _product(text: str) -> int:
    """Of the numbers in a text, each at least 1; what is not to be counted is MuJoCo's to refuse."""
    product = 1.0
    for word in _NUMBER.findall(text):
        try:
            product *= max(1.0, abs(float(word)))
        except ValueError:
            continue
        if not math.isfinite(product):
            return 1 << 62
    return min(int(product), 1 << 62) if _NUMBER.search(text) else 0
