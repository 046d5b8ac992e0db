# SPDX-License-Identifier: GPL-3.0-or-later
"""What is registered with Blender: properties and panel drawn from the cards, operators, preferences."""

import types

from . import carrying, lists, operators, options, panel, previewing

_state = types.SimpleNamespace(classes=[], cards={}, package="")


def register(bpy, package):
    """Register everything, options from the cards of the Poise that the extension was built with."""
    _state.package, _state.cards = package, options.known_cards()
    groups = {name: _group(bpy, card) for name, card in _state.cards.items()}
    own = _own(bpy, groups)
    classes = [
        *groups.values(),
        *own,
        *operators.classes(bpy, _state),
        *previewing.classes(bpy, _state),
        *lists.classes(bpy, _state),
        *panel.classes(bpy, _state),
        *carrying.classes(bpy, operators.Working, _state),
    ]
    for each in classes:
        bpy.utils.register_class(each)
    _state.classes = classes
    for name, handler in previewing.HANDLERS.items():
        getattr(bpy.app.handlers, name).append(bpy.app.handlers.persistent(handler))
    bpy.types.Scene.poise = bpy.props.PointerProperty(
        type=next(each for each in own if each.__name__ == "POISE_PG_settings")
    )


def unregister(bpy):
    """Take everything back."""
    previewing.forget()
    for name, handler in previewing.HANDLERS.items():
        handlers = getattr(bpy.app.handlers, name)
        if handler in handlers:
            handlers.remove(handler)
    if hasattr(bpy.types.Scene, "poise"):
        del bpy.types.Scene.poise
    for each in reversed(_state.classes):
        bpy.utils.unregister_class(each)
    _state.classes = []


def _group(bpy, card):
    """The property group of an operation's options."""
    makers = {
        "BOOL": bpy.props.BoolProperty, "INT": bpy.props.IntProperty, "FLOAT": bpy.props.FloatProperty,
        "ENUM": bpy.props.EnumProperty, "STRING": bpy.props.StringProperty,
    }  # fmt: skip
    notes = {field.property: makers[field.kind](**field.arguments) for field in options.fields(card)}
    return type(f"POISE_PG_{card['name']}", (bpy.types.PropertyGroup,), {"__annotations__": notes})


def _own(bpy, groups):
    p = bpy.props

    class POISE_PG_target(bpy.types.PropertyGroup):
        """A place that a bone is to be at, at a frame"""

        bone: p.StringProperty(name="Bone", description="The bone that is to be there")
        place: p.PointerProperty(
            type=bpy.types.Object, name="Place", description="Where: an empty or any object"
        )
        place_bone: p.StringProperty(name="Bone of the place", description="If the place is an armature")
        own: p.BoolProperty(name="As animated", description="Where the animation has the bone at that frame")
        frame: p.IntProperty(name="Frame", description="When")
        point: p.EnumProperty(
            name="Point",
            items=[("HEAD", "Head", "The bone's head"), ("TAIL", "Tail", "Its tip, if it ends a chain")],
        )
        on: p.BoolProperty(name="On", default=True, description="Whether it counts")

    class POISE_PG_part(bpy.types.PropertyGroup):
        """A tension of its own for the bones of a collection"""

        collection: p.StringProperty(name="Bones", description="A bone collection; empty: the selected bones")
        bones: p.StringProperty(name="Selected bones")
        tension: p.EnumProperty(
            name="Tension",
            items=[
                ("keyed", "Keyed", "Exactly as animated"),
                ("tense", "Tense", "7.5 Hz"),
                ("firm", "Firm", "4.4 Hz"),
                ("relaxed", "Relaxed", "2.8 Hz"),
                ("loose", "Loose", "1.6 Hz"),
                ("drunk", "Drunk", "1 Hz"),
                ("NUMBER", "Number", "A frequency of its own"),
            ],
            default="keyed",
        )  # fmt: skip
        hertz: p.FloatProperty(name="Frequency [Hz]", default=2.8, min=0.0, soft_min=0.3, soft_max=12)

    class POISE_PG_contact(bpy.types.PropertyGroup):
        """A part of the body that touches the ground, from frame to frame"""

        part: p.StringProperty(name="Part", description="Of the body, as Poise calls it")
        first: p.IntProperty(name="First", description="The frame at which it comes down")
        last: p.IntProperty(name="Last", description="The last frame at which it touches")
        surface: p.StringProperty(name="Surface", description="What it stands on; empty: what is below it")
        manner: p.StringProperty(name="Manner", description="stands, rolls, slides …; empty: as it is found")
        on: p.BoolProperty(name="On", default=True, description="Whether it counts")

    class POISE_PG_finding(bpy.types.PropertyGroup):
        """Something a check found"""

        words: p.StringProperty()
        frame: p.IntProperty()
        serious: p.BoolProperty()

    listed = [(name, name.capitalize(), card["words"]) for name, card in _state.cards.items()]
    first = "loosen" if "loosen" in _state.cards else listed[0][0]
    notes = {f"of_{name}": p.PointerProperty(type=group) for name, group in groups.items()}
    notes |= {
        "operation": p.EnumProperty(name="Do", items=listed, default=first),
        "expert": p.BoolProperty(name="All options", description="Show also what is rarely changed"),
        "use_range": p.BoolProperty(name="Range", description="Only these frames; else those of the scene"),
        "first": p.IntProperty(name="First", default=1),
        "last": p.IntProperty(name="Last", default=100),
        "loop": p.BoolProperty(name="Loop", description="The last frame of the range is the first again"),
        "only_selected": p.BoolProperty(name="Selected bones only", description="Write only these bones"),
        "snap_ik": p.BoolProperty(
            name="Also snap IK controls", description="Also key IK controls, so that you can go on in IK"
        ),
        "blend_in": p.IntProperty(name="Blend in", min=0, description="Frames over which it comes in"),
        "blend_out": p.IntProperty(name="Blend out", min=0, description="Frames over which it goes"),
        "surfaces": p.PointerProperty(
            type=bpy.types.Collection, name="Surfaces", description="Meshes to run into and stand on"
        ),
        "source": p.PointerProperty(
            type=bpy.types.Object, name="From", description="The armature whose motion is given to this one",
            poll=lambda self, item: item.type == "ARMATURE",
        ),
        "mesh": p.PointerProperty(
            type=bpy.types.Object, name="Mesh",
            description="What is worn, modelled on the rest pose; a closed mesh is solid, an open one cloth",
            poll=lambda self, item: item.type == "MESH",
        ),
        "targets": p.CollectionProperty(type=POISE_PG_target),
        "target": p.IntProperty(),
        "parts": p.CollectionProperty(type=POISE_PG_part),
        "contacts": p.CollectionProperty(type=POISE_PG_contact),
        "contact": p.IntProperty(),
        "contact_parts": p.StringProperty(),
        "message": p.StringProperty(),
        "problem": p.BoolProperty(),
        "findings": p.CollectionProperty(type=POISE_PG_finding),
        "finding": p.IntProperty(),
    }  # fmt: skip
    settings = type("POISE_PG_settings", (bpy.types.PropertyGroup,), {"__annotations__": notes})

    class POISE_AP_preferences(bpy.types.AddonPreferences):
        bl_idname = _state.package
        program: p.StringProperty(
            name="Poise program", subtype="FILE_PATH",
            description="The file 'poise' (Windows: poise.exe) of your installation; empty: it is looked for",
        )  # fmt: skip

        def draw(self, context):
            from . import program

            column = self.layout.column()
            column.prop(self, "program")
            path, running = program.found(self.program), program.running()
            for k, line in enumerate(panel.lines(context, f"Found: {path}" if path else program.HELP)):
                column.label(text=line, icon="BLANK1" if k else "CHECKMARK" if path else "ERROR")
            column.operator("poise.connect", icon="PLAY")
            if running is not None:
                column.label(text=f"Poise {running.greeting['poise']} answers", icon="CHECKMARK")

    return [
        POISE_PG_target,
        POISE_PG_part,
        POISE_PG_contact,
        POISE_PG_finding,
        settings,
        POISE_AP_preferences,
    ]
