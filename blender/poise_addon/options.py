# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of operations, from the cards by which Poise tells of them: fields to draw, and values to send.

Nothing here names an operation. What needs more than a field (targets, surfaces, another armature) is known
by its name among ``OWN``, and put in by whoever asks.
"""

import json
from collections import namedtuple
from pathlib import Path

from .client import PoiseProblem

Field = namedtuple("Field", "option property kind arguments")
"""A property to be registered: its option, its name, its kind (FLOAT, INT, BOOL, ENUM, STRING)."""
AUTO, NUMBER = "AUTO", "NUMBER"
OWN = ("constraints", "world", "onto", "mesh")
"""Options that the panel gives by what is in the scene, by editor or name."""
ON_THE_GROUND = ("contacts", "plants", "confirm")
"""Operations with one of these options ask what touches, and take the panel's list of contacts."""
LEFT_OUT = ("never",)
"""Operations that need no motion make no sense on an armature."""
CARDS = Path(__file__).with_name("operations.json")
"""The cards of the Poise that the extension was built with; a running Poise tells its own."""


def known_cards():
    """Cards by operation, those that work on a motion."""
    return usable(json.loads(CARDS.read_text(encoding="utf-8")))


def usable(cards):
    """Of all cards those that an armature's motion can be given to."""
    return {card["name"]: card for card in cards if card["input"] not in LEFT_OUT and card["name"] != "load"}


def is_own(option):
    """Whether the panel gives it by what is in the scene."""
    return option["name"] in OWN


def takes_contacts(card):
    """Whether an operation asks what touches the ground."""
    return any(option["name"] in ON_THE_GROUND for option in card["options"])


def fields(card):
    """The properties of an operation's options."""
    found = []
    for option in card["options"]:
        if not is_own(option):
            found += _fields(option)
        elif option["choices"]:  # in place of what is in the scene
            said = {"name": option["name"].capitalize(), "description": option["line"]}
            listed = {"items": _items(option), "default": option["default"]}
            found.append(Field(option, f"o_{option['name']}", "ENUM", {**said, **listed}))
    return found


def _fields(option):
    name, words = option["name"], option["line"] + (f" [{option['unit']}]" if option["unit"] else "")
    label = name.replace("_", " ").capitalize() + (f" [{option['unit']}]" if option["unit"] else "")
    said = {"name": label, "description": words}
    own, kind = f"o_{name}", f"k_{name}"
    holds, default = option["holds"], option["default"]
    if holds == "flag" and not option["optional"]:
        return [Field(option, own, "BOOL", {**said, "default": bool(default)})]
    if holds == "flag":
        chosen = AUTO if default is None else "ON" if default else "OFF"
        listed = [(AUTO, "Automatic", "As Poise finds best"), ("ON", "On", words), ("OFF", "Off", words)]
        return [Field(option, own, "ENUM", {**said, "items": listed, "default": chosen})]
    if holds == "word":
        items = _items(option)
        chosen = AUTO if default is None else str(default)
        return [Field(option, own, "ENUM", {**said, "items": items, "default": chosen})]
    if holds in ("number", "integer"):
        return _numbers(option, said, own, kind)
    text = "" if default in (None, [], {}) else default if isinstance(default, str) else json.dumps(default)
    return [Field(option, own, "STRING", {**said, "default": text})]


def _numbers(option, said, own, kind):
    whole, default = option["holds"] == "integer", option["default"]
    is_number = isinstance(default, (int, float)) and not isinstance(default, bool)
    arguments = {**said, "default": default if is_number else _usual(option)}
    least, most = option["range"].get("least"), option["range"].get("most")
    if least is not None:
        arguments["min"] = least if not option["range"].get("open") else least + 1e-6
    if most is not None:
        arguments["max"] = most
    if option["slider"]:
        arguments["soft_min"], arguments["soft_max"] = option["slider"]
    if whole:
        arguments = {k: int(v) if k in ("default", "min", "max") else v for k, v in arguments.items()}
    else:
        arguments["precision"] = 3
    number = Field(option, own, "INT" if whole else "FLOAT", arguments)
    if not option["choices"] and not option["optional"]:
        return [number]
    items = [*_items(option), (NUMBER, "Number", "A number of its own")]
    chosen = AUTO if default is None else NUMBER if is_number else str(default)
    plain = {**said, "name": option["name"].replace("_", " ").capitalize()}  # the unit is the number's
    return [Field(option, kind, "ENUM", {**plain, "items": items, "default": chosen}), number]


def _items(option):
    listed = [(AUTO, "Automatic", "As Poise finds best")] if option["optional"] else []
    return listed + [(word, word.capitalize(), means) for word, means in option["choices"].items()]


def _usual(option):
    if option["slider"]:
        return option["slider"][0] + 0.25 * (option["slider"][1] - option["slider"][0])
    return option["range"].get("least") or 1.0


def collected(card, values, own):
    """An operation to be sent: what differs from a card's defaults, and what the scene gives (``own``)."""
    found = {"do": card["name"]}
    for option in card["options"]:
        name = option["name"]
        if is_own(option):
            given = own.get(name)
            if given is None and option["choices"]:
                given = values.get(f"o_{name}")
            if given is not None and given != option["default"]:
                found[name] = given
            continue
        value = _value(card, option, values)
        if value is not None and value != option["default"]:
            found[name] = value
    for option in card["options"]:
        if option["required"] and option["name"] not in found:
            raise PoiseProblem(
                f"{card['name'].capitalize()} needs {option['name']}: {option['line']}", "choice"
            )
    return found


def _value(card, option, values):
    """The value of a field; None where it is left to Poise."""
    name, holds = option["name"], option["holds"]
    own, chosen = values.get(f"o_{name}"), values.get(f"k_{name}")
    if chosen is not None and chosen != NUMBER:
        return None if chosen == AUTO else chosen
    if holds == "number" and own is not None:
        return _as_typed(own, option["default"])
    if holds == "flag" and option["optional"]:
        return {"ON": True, "OFF": False}.get(own)
    if holds == "word":
        return None if own in (AUTO, None) else int(own) if isinstance(option["default"], int) else own
    if holds in ("list", "data") or (holds == "text" and isinstance(own, str) and own[:1] in "[{" and own):
        return _data(card, option, own)
    return None if own == "" else own


def _as_typed(number, default):
    """Blender keeps 32 bits: the default is the default, and what was typed has six digits."""
    if isinstance(default, (int, float)) and abs(number - default) <= 1e-6 * abs(default):
        return default
    return float(f"{number:.6g}")


def _data(card, option, text):
    if not text or not text.strip():
        return None
    try:
        return json.loads(text)
    except ValueError:
        words = [part.strip() for part in text.split(",") if part.strip()]
        if option["holds"] == "list" and not text.strip().startswith(("[", "{")):
            try:
                return [float(word) for word in words]
            except ValueError:
                return words
        form = option["form"]
        raise PoiseProblem(
            f"{card['name']}, {option['name']}: {text!r} cannot be read; write {form}", "choice"
        ) from None


def values_of(group):
    """What the options of an operation are set to, in its property group."""
    names = list(group.bl_rna.properties.keys())
    return {name: getattr(group, name) for name in names if name[:2] in ("o_", "k_")}


def shown(option, values):
    """Whether an option matters, as others are set."""
    for other, wanted in option["when"].items():
        value = values.get(f"o_{other}")
        if isinstance(wanted, bool):
            if bool(value) is not wanted:
                return False
        elif value not in (wanted, None):
            return False
    return True
