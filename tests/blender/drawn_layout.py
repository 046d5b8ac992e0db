"""Stands for Blender's layout, which needs a window: notes what a panel's own code draws."""

import bpy


class Layout:
    """Stands for Blender's layout: notes what the panel's own code draws, as rows of (kind, text, value)."""

    def __init__(self, rows, row=None):
        self._rows, self._row = rows, row

    def __setattr__(self, name, value):
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        elif name == "alert" and value:
            self._rows.append([("alert", "", "")])

    def _note(self, *entry):
        if self._row is None:
            self._rows.append([entry])
        else:
            self._row.append(entry)

    def row(self, align=False):
        new = []
        self._rows.append(new)
        return Layout(self._rows, new)

    def split(self, factor=0.5, align=False):
        return Layout(self._rows, self._row)

    def column(self, align=False):
        return Layout(self._rows, self._row)

    box = column

    def label(self, text="", icon=""):
        self._note("label", text, "")

    def prop(self, data, name, text=None, icon=""):
        known = data.bl_rna.properties[name]
        value = getattr(data, name)
        if known.type == "ENUM":
            value = known.enum_items[value].name
        elif known.type == "FLOAT":
            value = f"{value:.3f}"
        elif known.type == "POINTER":
            value = value.name if value is not None else ""
        elif known.type == "BOOLEAN":
            self._note("check", known.name if text is None else text, value)
            return
        self._note("field", known.name if text is None else text, str(value))

    prop_search = lambda self, data, name, home, key, text=None: self.prop(data, name, text)  # noqa: E731

    def operator(self, name, text=None, icon=""):
        home, _, word = name.partition(".")
        kind = getattr(bpy.types, f"{home.upper()}_OT_{word}")
        self._note(
            "button",
            kind.bl_label if text is None else text or {"ADD": "+", "REMOVE": "-", "X": "x"}.get(icon, icon),
            "",
        )
        return type("Set", (), {})()

    def template_list(self, kind, key, data, name, active, index, rows=2):
        for item in getattr(data, name):
            self._rows.append(
                [
                    ("check", item.bone, item.on),
                    ("field", "", item.place.name),
                    ("field", "", str(item.frame)),
                ]
            )


def drawn(panel):
    """The rows that a panel's own code draws."""
    rows = []
    kind = getattr(bpy.types, panel)
    fake = type("Fake", (), {n: f for n, f in vars(kind).items() if n.startswith("draw")})()
    fake.layout = Layout(rows)
    fake.draw(bpy.context)
    return [row for row in rows if row]
