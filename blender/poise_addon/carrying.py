# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet on the ground and other contacts, as a list that people edit: found by Poise, then as they say."""

import json

from . import blender, program, reading, work
from .client import PoiseProblem
from .job import asking
from .options import takes_contacts
from .wishes import say, wish_of


def finding(wish):
    """Work that asks Poise which parts touch, and when; its answer."""
    who, frames = work.performer(wish), wish.frames()
    blender.refuse_unfit(who)
    if not blender.is_animated(who):
        raise PoiseProblem(f"{who.name} has no animation: give it an action first", "choice")
    read = yield from reading.reading(who, blender.plan_for(who), frames, 0.0, 0.5)
    link = program.link(wish.settings.get("program", ""))
    figure = f"{who.name} (figure)"
    yield from work.introducing(link, wish, read, who.name, figure, wish.settings.get("loop", False))
    head = {"ask": "contacts", "clip": who.name}
    answer, _ = yield from asking(link, head, {}, "Looking at contacts", 0.45, 1.0, PoiseProblem)
    return answer


def listed(settings, found, first):
    """Put contacts that were found into the panel's list, in frames of the scene."""
    settings.contacts.clear()
    for each in found["contacts"]:
        item = settings.contacts.add()
        item.part, item.surface = each["part"], each.get("surface", "")
        item.manner = each.get("manner", "")
        item.first, item.last = first + each["start"], first + each["end"]
    settings.contact = 0
    settings.contact_parts = json.dumps(found["parts"])


def part_of(settings, arm, bone):
    """The part of the body that a bone belongs to, as Poise calls it."""
    if not settings.contact_parts:
        raise PoiseProblem("Press 'Find contacts' first: Poise then knows the parts of this body", "choice")
    known = json.loads(settings.contact_parts)
    body = work.body_for(blender.plan_for(arm), bone)
    if body.name not in known:
        words = ", ".join(sorted(set(known.values())))
        raise PoiseProblem(
            f"{bone} has nothing that can touch the ground; parts that have: {words}", "choice"
        )
    return known[body.name]


def classes(bpy, working, state):
    """Operators and panel of the list; ``working``: what drives a job."""
    p = bpy.props

    class POISE_OT_contacts(working, bpy.types.Operator):
        """Find which feet, hands or knees touch the ground, and when: a list that can be changed"""

        bl_idname, bl_label, bl_options = "poise.contacts", "Find contacts", {"REGISTER", "UNDO"}

        def begin(self, context):
            self._wish = wish_of(context, state)
            return finding(self._wish)

        def done(self, context, result):
            settings = context.scene.poise
            listed(settings, result, self._wish.settings["first"])
            count = len(settings.contacts)
            say(context, f"{count} contacts found; what the list says is now kept" if count else
                "Nothing touches the ground in this motion")  # fmt: skip

    class POISE_OT_contact_add(bpy.types.Operator):
        """Say that the active bone's part touches the ground, from this frame on"""

        bl_idname, bl_label, bl_options = "poise.contact_add", "Add contact", {"REGISTER", "UNDO"}
        bone: p.StringProperty(name="Bone", description="Empty: the active bone", options={"SKIP_SAVE"})
        first: p.IntProperty(name="First", description="0: the frame that is shown", options={"SKIP_SAVE"})
        last: p.IntProperty(name="Last", description="0: ten frames later", options={"SKIP_SAVE"})

        def execute(self, context):
            scene, settings = context.scene, context.scene.poise
            active = context.active_pose_bone
            name = self.bone or (active.name if active is not None else "")
            try:
                if not name:
                    raise PoiseProblem("No bone is active: choose one in pose mode", "choice")
                part = part_of(settings, work.performer(wish_of(context, state)), name)
            except PoiseProblem as problem:
                say(context, str(problem), problem=True)
                self.report({"ERROR"}, str(problem))
                return {"CANCELLED"}
            item = settings.contacts.add()
            item.part, item.first = part, self.first or scene.frame_current
            item.last = self.last or min(item.first + 10, max(item.first, scene.frame_end))
            settings.contact = len(settings.contacts) - 1
            say(context, f"{part} touches from frame {item.first} to {item.last}")
            return {"FINISHED"}

    class POISE_OT_contact_remove(bpy.types.Operator):
        """Take the chosen contact off the list; an empty list means that contacts are found each time"""

        bl_idname, bl_label, bl_options = "poise.contact_remove", "Remove contact", {"REGISTER", "UNDO"}
        every: p.BoolProperty(name="All", options={"SKIP_SAVE"})

        def execute(self, context):
            settings = context.scene.poise
            if self.every:
                settings.contacts.clear()
            elif len(settings.contacts):
                settings.contacts.remove(settings.contact)
                settings.contact = max(0, settings.contact - 1)
            return {"FINISHED"}

    class POISE_UL_contacts(bpy.types.UIList):
        def draw_item(self, context, layout, data, item, icon, active, name, index=0, flag=0):
            row = layout.row(align=True)
            row.prop(item, "on", text="")
            row.label(text=item.part, icon="BONE_DATA")
            row.prop(item, "first", text="")
            row.prop(item, "last", text="")
            row.operator("poise.go", text="", icon="TIME").frame = item.first

    class POISE_PT_contacts(bpy.types.Panel):
        bl_label, bl_category, bl_space_type, bl_region_type = "Feet and contacts", "Poise", "VIEW_3D", "UI"
        bl_parent_id, bl_options = "POISE_PT_main", {"DEFAULT_CLOSED"}

        @classmethod
        def poll(cls, context):
            usable = context.object is not None and context.object.type == "ARMATURE"
            return usable and takes_contacts(state.cards[context.scene.poise.operation])

        def draw(self, context):
            settings, layout = context.scene.poise, self.layout
            layout.operator("poise.contacts", icon="VIEWZOOM")
            row = layout.row()
            row.template_list("POISE_UL_contacts", "", settings, "contacts", settings, "contact", rows=3)
            column = row.column(align=True)
            column.operator("poise.contact_add", text="", icon="ADD")
            column.operator("poise.contact_remove", text="", icon="REMOVE")
            column.operator("poise.contact_remove", text="", icon="TRASH").every = True
            if not len(settings.contacts):
                layout.label(text="Found anew each time")

    return [
        POISE_UL_contacts,
        POISE_OT_contacts,
        POISE_OT_contact_add,
        POISE_OT_contact_remove,
        POISE_PT_contacts,
    ]
