"""Older project files, brought up to date one version at a time. Steps work on plain data and never change.

Version 1 had ``type`` for the kind of a layer and ``enabled`` for what is now ``muted``, named clips by their
paths alone, and kept targets within the kinodynamics layer that had to meet them.

Version 4 tuned each joint on its own: a frequency was that of the joint alone, and its limb swung at five
eighths of it. It knew neither contacts nor joint limits of loose motions.

Version 3 had words of its own for what layers do (``kind``), other names for some options, and two layers
where a motion was loosened (``kinodynamics``) and then made to hit (``targets``): the second did the work of
the first anew. They are one now, unless something else works on the first.

Version 4 had no contacts: they were found anew by every layer.

Version 5 repaired fault by fault (``only``): the words for it are those of what may be changed now (``may``).
It had obstacles of their own kind in loosened layers (``old_obstacles``).

Version 6 held free roots of performances by springs (``balance``), with any ``control``.

Version 2 read files without turning figures to face x: what its layers say in places of the world holds for
clips that stand as their files have them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from poise.errors import InputError
from poise.gravity import EARTH, GRAVITY
from poise.project.document import VERSION
from poise.project.old_obstacles import command_with_surfaces, with_surfaces


def migrated(data: Any) -> tuple[dict[str, Any], int]:
    """A project's plain data in the present version, without the header; and the version it had."""
    if not isinstance(data, dict):
        raise InputError("a project is a mapping, and this is not")
    if data.get("poise") != "project":
        raise InputError(
            f"field 'poise' must be \"project\", not {data.get('poise')!r}: this is not a Poise project"
        )
    version = data.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise InputError(f"field 'version' must be a whole number from 1 to {VERSION}, not {version!r}")
    if version > VERSION:
        raise InputError(
            f"field 'version': {version} is from a later Poise; this one reads 1 to {VERSION}: update Poise"
        )
    found = {k: v for k, v in data.items() if k not in ("poise", "version")}
    for number in range(version, VERSION):
        try:
            found = STEPS[number](found)
        except (KeyError, TypeError, AttributeError, ValueError) as problem:
            raise InputError(f"version {number} cannot be brought up to date: {problem!r}") from None
    return found, version


def migrated_event(event: Mapping[str, Any], version: Any) -> dict[str, Any]:
    """An event of a journal (:mod:`poise.project.journal`) in the present version."""
    if isinstance(version, bool) or not isinstance(version, int) or not 1 <= version <= VERSION:
        raise InputError(f"a journal of version {version!r:.40}, which this Poise does not know")
    found = dict(event)
    for number in range(version, VERSION):
        if isinstance(found.get("document"), dict):
            found["document"] = STEPS[number](found["document"])
        if isinstance(found.get("do"), dict):
            found["do"] = _command(found["do"], COMMAND_STEPS[number])
    return found


def _command(old: dict[str, Any], step: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
    """A command, or each of a group."""
    if isinstance(old.get("commands"), list):
        return {**old, "commands": [_command(c, step) if isinstance(c, dict) else c for c in old["commands"]]}
    return step(old)


def _from_1(old: dict[str, Any]) -> dict[str, Any]:
    new = dict(old)
    clips = old.get("clips", {})
    new["clips"] = {n: {"file": entry} if isinstance(entry, str) else entry for n, entry in clips.items()}
    layers: list[dict[str, Any]] = []
    for entry in old.get("layers", []):
        layer = {k: v for k, v in entry.items() if k not in ("type", "enabled", "targets")}
        layer = {"kind": entry["type"], **layer}
        if not entry.get("enabled", True):
            layer["muted"] = True
        layers.append(layer)
        if entry.get("targets"):
            hits = {"kind": "targets", "name": f"{entry['name']} targets", "constraints": entry["targets"]}
            layers.append({**hits, **({"muted": True} if "muted" in layer else {})})
            if old.get("output") == entry["name"]:
                new["output"] = hits["name"]
    new["layers"] = layers
    return new


def _from_2(old: dict[str, Any]) -> dict[str, Any]:
    return {**old, "clips": {n: _standing(entry) for n, entry in old.get("clips", {}).items()}}


def _command_from_2(old: dict[str, Any]) -> dict[str, Any]:
    return {**old, "clip": _standing(old.get("clip"))} if old.get("do") == "put-clip" else old


def _standing(entry: Any) -> Any:
    """A clip of version 2, which stands as its file has it."""
    if not isinstance(entry, dict) or not entry.get("file") or _frontless(str(entry["file"])):
        return entry
    return {**entry, "read": {"front": "kept", **(entry.get("read") or {})}}


def _frontless(file: str) -> bool:
    """Of a format whose files have no front; where the name does not tell, it may be of another."""
    return file.lower().endswith((".xml", ".mjcf", ".npz"))


_NAMES = {
    "source": "load", "synthesis": "plan", "tracks": "key", "beat": "perform", "adaptation": "adapt",
    "kinodynamics": "loosen", "targets": "hit", "attachment": "wear",
}  # fmt: skip
_OPTIONS: dict[str, dict[str, str]] = {
    "loosen": {"damping": "dampers"},
    "hit": {"shape": "width", "shapes": "widths"},
    "wear": {"damping": "ratio", "hold": "grip"},
    "adapt": {"keys": "key_spacing", "limits": "joint_limits"},
    "key": {"tracks": "keyframes", "rate": "fps", "fix": "retime"},
    "plan": {"rate": "fps"},
    "perform": {"limits": "strength", "perturbations": "disturbances", "floor": "ground"},
    "fix": {"repairs": "only"},
}
"""Options that have another name."""
_OF_ALL = ("name", "muted", "solo", "weight", "input")
"""Fields that every layer has."""


def _from_3(old: dict[str, Any]) -> dict[str, Any]:
    entries = old.get("layers", [])
    layers = [_renamed(entry) for entry in entries]
    merged: list[dict[str, Any]] = []
    before = ""
    for k, layer in enumerate(layers):
        below = layer.get("input") or before
        before = layer["name"]
        if layer["do"] != "hit":
            merged.append(layer)
            continue
        loose = next(each for each in layers if each["name"] == below)
        at = layers.index(loose)
        under = loose.get("input") or (layers[at - 1]["name"] if at else "")
        users = [e for j, e in enumerate(layers) if e is not layer and _below(layers, j) == below]
        alone = not users and old.get("output") != below and loose in merged
        if alone:
            merged.remove(loose)
        merged.append(_merged(loose, layer, under, alone=alone and k == at + 1))
    return {**old, "layers": merged}


def _command_from_3(old: dict[str, Any]) -> dict[str, Any]:
    """An edit of version 3. What an option was called tells its layer only where one kind had it: other edits
    are not understood, and their journal is put aside."""
    if old.get("do") == "add-layer" and isinstance(old.get("layer"), dict):
        if old["layer"].get("kind") == "targets":
            raise InputError("targets were a layer of their own")
        return {**old, "layer": _renamed(old["layer"])}
    if old.get("do") in ("set", "insert", "remove"):
        head, sign, rest = str(old.get("path", "")).partition("/")
        if head in _AMBIGUOUS:
            raise InputError(f"{head!r} meant several things")
        return {**old, "path": f"{_ONCE.get(head, head)}{sign}{rest}"}
    return old


_AMBIGUOUS = ("damping", "hold", "limits", "floor", "gravity")
"""Names that options of several kinds had, of which some have changed."""
_ONCE = {old: new for names in _OPTIONS.values() for old, new in names.items() if old not in _AMBIGUOUS}
"""Names that have changed for all who had them."""


def _below(layers: list[dict[str, Any]], k: int) -> str:
    return str(layers[k].get("input") or (layers[k - 1]["name"] if k else ""))


def _renamed(entry: dict[str, Any]) -> dict[str, Any]:
    do = _NAMES.get(entry["kind"], entry["kind"])
    return {"do": do, **renamed_options(do, {k: v for k, v in entry.items() if k != "kind"})}


def renamed_options(do: str, options: dict[str, Any]) -> dict[str, Any]:
    """Options of an operation by the names they have now."""
    names = _OPTIONS.get(do, {})
    found = {names.get(name, name): value for name, value in options.items()}
    if do == "perform" and isinstance(found.get("gravity"), list):
        found["gravity"] = _pull(found["gravity"])
    return found


def _pull(gravity: list[Any]) -> str:
    """A word for what was a vector [m/s²]."""
    words = {(0.0, 0.0, 0.0): "off", GRAVITY: "on"}
    pull = tuple(map(float, gravity))
    if pull not in words:
        raise ValueError(f"performances know gravity of {EARTH} m/s² or none, not {pull}")
    return words[pull]


def _merged(loose: dict[str, Any], hit: dict[str, Any], under: str, *, alone: bool) -> dict[str, Any]:
    """One layer that does what two did; where the first was all that acted, no target is asked for."""
    made = {**hit, **{k: v for k, v in loose.items() if k not in ("do", *_OF_ALL)}}
    made.pop("input", None)
    if alone and "input" in loose:
        made["input"] = loose["input"]
    if not alone and under:
        made["input"] = under
    if loose.get("muted"):
        made["muted"] = True
    elif alone and made.pop("muted", False):
        made["constraints"] = [{**wish, "muted": True} for wish in made.get("constraints", [])]
    if alone and loose.get("solo"):
        made["solo"] = True
    return made


SLOWER = 0.625
"""A limb's frequency and damping ratio over those of its joints alone: 0.58 to 0.65 on people (version 4)."""
OLD_RATIO = 0.7
"""The damping ratio of version 4 where none is given."""
PRECISION = 6
"""Decimals of migrated numbers."""


def _slower(tension: Any) -> Any:
    """A tension of version 4 as one of version 5."""
    if isinstance(tension, bool) or tension is None or isinstance(tension, str):
        return tension
    if isinstance(tension, int | float):
        return round(SLOWER * tension, PRECISION)
    if isinstance(tension, list):
        return [{**k, "tension": _slower(k.get("tension"))} if isinstance(k, dict) else k for k in tension]
    if isinstance(tension, dict) and tension.get("frequency") is not None:
        ratio = SLOWER * tension.get("ratio", OLD_RATIO)
        return {**tension, "frequency": _slower(tension["frequency"]), "ratio": round(ratio, PRECISION)}
    if isinstance(tension, dict) and "stiffness" in tension:
        return {"ratio": OLD_RATIO, **tension}
    if isinstance(tension, dict):
        return {name: _slower(value) for name, value in tension.items()}
    return tension


def _as_loose(layer: dict[str, Any]) -> dict[str, Any]:
    """A layer of version 4 that keeps its look."""
    if layer.get("do") not in ("loosen", "hit"):
        return layer
    new = {**layer, "contacts": False, "joint_limits": False}
    return {**new, "tension": _slower(layer["tension"])} if "tension" in layer else new


def _from_4(old: dict[str, Any]) -> dict[str, Any]:
    layers = [_as_loose(x) if isinstance(x, dict) else x for x in old.get("layers", [])]
    return {**old, "layers": layers} if "layers" in old else dict(old)


def _command_from_4(old: dict[str, Any]) -> dict[str, Any]:
    new = dict(old)
    path = str(old.get("path", "")).split("/")
    # A ratio is scaled like a frequency; a time or a stiffness is not.
    if old.get("do") == "set" and path[0] == "tension" and path[-1] not in ("time", "stiffness", "damping"):
        new["value"] = _slower(old.get("value"))
    if isinstance(old.get("layer"), dict):
        new["layer"] = _as_loose(old["layer"])
    return new


_MAY = {
    "time": ["time"],
    "floor": ["body", "feet"],
    "skate": ["body", "feet"],
    "path": ["flight"],
    "spin": ["spin"],
}
"""What may be changed for what was a repair; none is about balance any more."""


def _may(only: Any) -> Any:
    """Repairs of version 5 as what may be changed."""
    if not isinstance(only, list):
        return only
    return list(dict.fromkeys(word for name in only for word in _MAY.get(str(name), [])))


def _mending(layer: dict[str, Any]) -> dict[str, Any]:
    """A layer of version 5."""
    if layer.get("do") != "fix" or "only" not in layer:
        return layer
    return {"may" if k == "only" else k: _may(v) if k == "only" else v for k, v in layer.items()}


def _from_5(old: dict[str, Any]) -> dict[str, Any]:
    layers = [_mending(with_surfaces(x)) if isinstance(x, dict) else x for x in old.get("layers", [])]
    return {**old, "layers": layers} if "layers" in old else dict(old)


def _command_from_5(old: dict[str, Any]) -> dict[str, Any]:
    new = command_with_surfaces(old)
    if isinstance(old.get("layer"), dict):
        new["layer"] = _mending(new["layer"])
    if str(old.get("path", "")).split("/")[0] == "only":
        if old["path"] != "only":
            raise InputError("single repairs no longer have commands of their own; use fix with only")
        new["path"] = "may"
        if "value" in old:
            new["value"] = _may(old["value"])
    return new


def _from_6(old: dict[str, Any]) -> dict[str, Any]:
    layers = old.get("layers", [])
    return {**old, "layers": [_unaided(entry) if isinstance(entry, dict) else entry for entry in layers]}


def _command_from_6(old: dict[str, Any]) -> dict[str, Any]:
    if isinstance(old.get("layer"), dict):
        return {**old, "layer": _unaided(old["layer"])}
    if str(old.get("path", "")).partition("/")[0] == "balance":
        raise InputError("balance springs are gone")
    if old.get("path") == "scene" and old.get("value") == "walk":
        return {**old, "value": "four steps"}
    return old


def _unaided(layer: dict[str, Any]) -> dict[str, Any]:
    """A performance without the springs that held its root; who stood on them, by any control, stands on its
    own feet, which takes the control that knows all of the body.

    The bundled scene ``walk`` has a new name: ``walk`` is a template."""
    if layer.get("do") == "plan" and layer.get("scene") == "walk":
        return {**layer, "scene": "four steps"}
    if layer.get("do") != "perform":
        return layer
    new = {k: v for k, v in layer.items() if k != "balance"}
    if new.get("root") == "free":
        new.pop("control", None)
    elif not new.get("ground"):
        new.setdefault("world", "none")  # it touched nothing, whatever the project's world held
    return new


STEPS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {
    1: _from_1,
    2: _from_2,
    3: _from_3,
    4: _from_4,
    5: _from_5,
    6: _from_6,
}
"""By the version they start from."""
COMMAND_STEPS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {
    1: dict,
    2: _command_from_2,
    3: _command_from_3,
    4: _command_from_4,
    5: _command_from_5,
    6: _command_from_6,
}
"""The same for single commands; those of version 1 are taken as they are, or not understood."""
