"""Who touches what is decided in one place: no other module may ask whether something is low, or slow, and
call it contact.

A walk over the source: a function that compares both heights and speeds, or that calls what is slow or low
standing, is a
detector. Those that there are besides ``poise.contacts`` are known, with the reason why they stay.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import poise

ROOT = Path(poise.__file__).parent
HOME = "contacts"
LOW = re.compile(r"(^|_)(low|lowest|height|heights|clearance|gap|gaps|floor|level)(_|$)", re.I)
SLOW = re.compile(r"(^|_)(slow|fast|speed|speeds|velocity|velocities|still|rest|resting)(_|$)", re.I)
FEET = re.compile(
    r"\b(foot|feet|sole|soles|toe|toes|heel|heels|stands?|standing|touch(es|ing)?|contacts?|planted|plants?)\b",
    re.I,
)
KNOWN = {
    "methods/adapt/retarget/stream.py": "frame by frame, as they come: forces need the frames that follow",
    "plausibility/paper_metrics.py": "numbers as papers define them, told under their names",
    "character/stance.py": "whether a rest pose stands upright, of a picture",
    "pictures/ground.py": "where a picture draws its ground, not who touches it",
    "plausibility/skate.py": "whether a loaded contact, as found, is braked",
    "methods/adapt/retarget/soles.py": "the judge of retargeted soles shares nothing with what held them",
    "repair/harm.py": "the judge of repairs shares nothing with it: what hardly moves may not begin to",
}


def compared(node: ast.AST) -> set[str]:
    """Names within comparisons of a function."""
    found: set[str] = set()
    for compare in ast.walk(node):
        if isinstance(compare, ast.Compare) and any(
            isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in compare.ops
        ):
            found |= {n.id for n in ast.walk(compare) if isinstance(n, ast.Name)}
            found |= {n.attr for n in ast.walk(compare) if isinstance(n, ast.Attribute)}
    return found


def detectors(source: str) -> list[str]:
    """Functions that decide about contact by height or speed."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef):
            continue
        names = compared(node)
        low, slow = (any(kind.search(n) for n in names) for kind in (LOW, SLOW))
        about = FEET.search(node.name.replace("_", " ")) or FEET.search(ast.get_docstring(node) or "")
        if (low and slow) or (slow and about):
            found.append(node.name)
    return found


def test_contact_is_decided_in_one_place():
    others = {}
    for path in sorted(ROOT.rglob("*.py")):
        where = path.relative_to(ROOT).as_posix()
        if not where.startswith(f"{HOME}/") and (found := detectors(path.read_text(encoding="utf-8"))):
            others[where] = found
    unknown = {where: found for where, found in others.items() if where not in KNOWN}
    assert not unknown, (
        f"contact is found by poise.contacts.find alone; these decide for themselves: {unknown}"
    )
    assert set(KNOWN) <= set(others), "an exception that is none any more"


def asks_for_gaps(source: str) -> list[str]:
    """Functions that ask a world, or a floor of it, how far something is from it."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef):
            continue
        for call in ast.walk(node):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
                continue
            whose = ast.unparse(call.func.value).lower()
            asks = call.func.attr in ("below", "gap", "clearance")
            if asks and re.search(r"world|floor|surface|ground", whose):
                found.append(node.name)
    return found


MEASURES = {
    "world/": "where surfaces are",
    "contacts/": "the detector",
    "pictures/": "where things are drawn",
    "plausibility/footing.py": "gaps of contacts that were found, on the frames that are judged",
    "methods/adapt/retarget/soles.py": "the judge of retargeted soles shares nothing with what held them",
    "repair/harm.py": "the judge of repairs shares nothing with it: how deep feet are",
    "methods/plan/limits/soles.py": "what soles must stay out of, not what they stand on",
    "methods/plan/motion_piece.py": "the same, of a motion that is handed out",
    "methods/perform/simulate/soles.py": "where a performer is put down, and how thick its soles are",
    "methods/perform/simulate/standing.py": "contact while it is simulated: a state that no clip has yet",
}
"""Who may measure gaps to surfaces."""


def test_gaps_are_measured_by_the_detector():
    """What is near a surface is asked of a Support; who measures gaps is about to decide by them."""
    others = {}
    for path in sorted(ROOT.rglob("*.py")):
        where = path.relative_to(ROOT).as_posix()
        found = asks_for_gaps(path.read_text(encoding="utf-8"))
        if found and not any(where.startswith(known) for known in MEASURES):
            others[where] = found
    assert not others, f"gaps are in Support.gap; these measure their own: {others}"
    assert asks_for_gaps("def f(world, p):\n    return world.below(p).gap < 0.01\n") == ["f"]


def test_feet_of_all_methods_come_from_one_place():
    """Nobody but the detector has thresholds of speed for feet: their names are known."""
    names = re.compile(r"^(SLOW|FAST|LOW|AT_REST|RESTING|STANDING|PLANTED|TOUCH\w*)$")
    others = {}
    for path in sorted((ROOT / "methods").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found = [
            t.id
            for node in tree.body
            if isinstance(node, ast.Assign)
            for t in node.targets
            if isinstance(t, ast.Name) and names.match(t.id) and FEET.search(ast.unparse(tree))
        ]
        if found:
            others[path.relative_to(ROOT).as_posix()] = found
    known = {
        "methods/adapt/retarget/transfer.py": ["TOUCHING"],  # joints of a rig that lie on one another
        "methods/adapt/retarget/stream.py": ["LOW", "SLOW"],  # as above: nothing is known of what comes
        "methods/perform/simulate/standing.py": ["LOW"],  # of the centre of mass: who has fallen
    }
    assert {w: f for w, f in others.items() if known.get(w) != f} == {}


def test_a_detector_is_seen():
    assert detectors("def down(h, speed):\n    return (h.height < 0.02) & (speed < 0.4)\n") == ["down"]
    assert detectors('def held(v):\n    """Feet that stand."""\n    return v.speed < SLOW\n') == ["held"]
    assert detectors("def quick(speed):\n    return speed > 3.0\n") == []
