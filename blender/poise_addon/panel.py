# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel in the sidebar: any operation drawn from its card, what the scene gives, what was found."""

import textwrap

from . import blender, options, program
from .options import NUMBER

LETTER = 5.5
"""Of the interface's usual font, on average [px]."""
EDGES, ICON = 48, 40
"""What stands beside a line of text in the sidebar: edges and tabs; an icon in a box [px]."""
ON_THE_BEAT = (
    "Beats move the keys of a script. Your own motion on the beat: "
    "Hit, 'Beats of the sound', targets at markers."
)
"""What to do instead of what Poise refuses."""


def lines(context, words, beside=0):
    """Words in lines as long as the sidebar is wide."""
    scale = context.preferences.system.ui_scale or 1.0
    width = context.region.width / scale if context.region is not None else 280.0
    return textwrap.wrap(words, max(16, int((width - EDGES - beside) / LETTER)))


def classes(bpy, state):
    """The panels."""

    def usable(context):
        return context.object is not None and context.object.type == "ARMATURE"

    class POISE_UL_targets(bpy.types.UIList):
        def draw_item(self, context, layout, data, item, icon, active, name, index=0, flag=0):
            row = layout.row(align=True)
            row.prop(item, "on", text="")
            parts = row.split(factor=0.75, align=True)
            where = "as animated" if item.own else item.place.name if item.place is not None else "nowhere"
            parts.label(text=f"{item.bone}: {where}")
            parts.prop(item, "frame", text="")

    class POISE_PT_main(bpy.types.Panel):
        bl_label, bl_category, bl_space_type, bl_region_type = "Poise", "Poise", "VIEW_3D", "UI"

        def draw(self, context):
            layout, settings = self.layout, context.scene.poise
            if settings.message:
                box = layout.box()
                box.alert = settings.problem
                for k, line in enumerate(lines(context, settings.message, ICON)):
                    box.label(
                        text=line, icon=("ERROR" if settings.problem else "INFO") if k == 0 else "BLANK1"
                    )
            if program.running() is None:
                layout.operator("poise.connect", icon="LINKED")
            if not usable(context):
                layout.label(text="Choose an armature", icon="ARMATURE_DATA")
                return
            layout.prop(settings, "operation", text="")
            card = state.cards[settings.operation]
            group = getattr(settings, f"of_{card['name']}")
            for line in lines(context, card["words"]):
                layout.label(text=line)
            row = layout.row(align=True)
            row.scale_y = 1.4
            row.operator("poise.run", text=card["name"].capitalize(), icon="PLAY").operation = card["name"]
            if card["makes"] == "motion":
                row.operator("poise.live", icon="VIEWZOOM")
            row.operator("poise.remove", text="Remove", icon="TRASH")
            self.draw_own(context, layout, card)
            self.draw_options(layout, settings, card, group)

        def draw_own(self, context, layout, card):
            """What the scene gives: targets, surfaces, another armature, a mesh, tensions of parts."""
            settings, names = context.scene.poise, {option["name"] for option in card["options"]}
            if "onto" in names:
                layout.prop(settings, "source", icon="ARMATURE_DATA")
            if "constraints" in names:
                layout.label(text="Targets")
                row = layout.row()
                row.template_list("POISE_UL_targets", "", settings, "targets", settings, "target", rows=2)
                column = row.column(align=True)
                column.operator("poise.target_add", text="", icon="ADD")
                column.operator("poise.target_remove", text="", icon="REMOVE")
                self.draw_target(layout, settings)
                if context.scene.sequence_editor is not None:
                    layout.operator("poise.beats", icon="SOUND")
            if "tension" in names:
                for index, part in enumerate(settings.parts):
                    row = layout.row(align=True)
                    if part.collection or not part.bones:
                        row.prop_search(part, "collection", context.object.data, "collections_all", text="")
                    else:
                        row.label(text=f"{len(part.bones.splitlines())} bones", icon="BONE_DATA")
                    row.prop(part, "tension", text="")
                    if part.tension == NUMBER:
                        row.prop(part, "hertz", text="")
                    row.operator("poise.part_remove", text="", icon="X").index = index
                layout.operator("poise.part_add", text="Tension of selected bones", icon="ADD")
            if "beats" in names:
                for line in lines(context, ON_THE_BEAT):
                    layout.label(text=line)
            if "mesh" in names:
                layout.prop(settings, "mesh")
                if settings.mesh is None:  # one of those that Poise brings along
                    layout.prop(getattr(settings, f"of_{card['name']}"), "o_mesh", text="or")
            if "world" in names:
                layout.prop(settings, "surfaces")

        def draw_target(self, layout, settings):
            """Where the chosen target of the list is."""
            if not 0 <= settings.target < len(settings.targets):
                return
            item = settings.targets[settings.target]
            column = layout.column(align=True)
            column.prop(item, "own")
            if not item.own:
                column.prop(item, "place")
                if item.place is not None and item.place.type == "ARMATURE":
                    column.prop_search(item, "place_bone", item.place.data, "bones", text="Its bone")
            column.prop(item, "point")

        def draw_options(self, layout, settings, card, group):
            """Fields under their headings, in the order of the declaration."""
            values, headings = options.values_of(group), {}
            for option in card["options"]:
                rare = option["expert"] and not settings.expert
                if not options.is_own(option) and not rare and options.shown(option, values):
                    headings.setdefault(option["group"], []).append(option["name"])
            for heading, names in headings.items():
                layout.label(text=heading)
                for name in names:
                    kind, own = f"k_{name}", f"o_{name}"
                    row = layout.row(align=True)
                    row.prop(group, kind if kind in values else own)
                    if values.get(kind) == NUMBER:
                        row.prop(group, own, text="")
            layout.prop(settings, "expert")

    class POISE_PT_range(bpy.types.Panel):
        bl_label, bl_category, bl_space_type, bl_region_type = "Frames and bones", "Poise", "VIEW_3D", "UI"
        bl_parent_id, bl_options = "POISE_PT_main", {"DEFAULT_CLOSED"}

        @classmethod
        def poll(cls, context):
            return usable(context)

        def draw(self, context):
            settings = context.scene.poise
            row = self.layout.row(align=True)
            row.prop(settings, "use_range")
            if settings.use_range:
                row.prop(settings, "first")
                row.prop(settings, "last")
            self.layout.prop(settings, "loop")
            self.layout.prop(settings, "only_selected")
            self.layout.prop(settings, "snap_ik")
            row = self.layout.row(align=True)
            row.prop(settings, "blend_in")
            row.prop(settings, "blend_out")

    class POISE_PT_findings(bpy.types.Panel):
        bl_label, bl_category, bl_space_type, bl_region_type = "Findings", "Poise", "VIEW_3D", "UI"
        bl_parent_id = "POISE_PT_main"

        @classmethod
        def poll(cls, context):
            return len(context.scene.poise.findings) > 0

        def draw(self, context):
            for item in context.scene.poise.findings[:20]:
                icon = "CANCEL" if item.serious else "DOT"
                self.layout.operator(
                    "poise.go", text=f"{item.frame}: {item.words}", icon=icon
                ).frame = item.frame
            self.layout.label(text=f"The whole report is the text '{blender.PREFIX}check'")

    return [POISE_UL_targets, POISE_PT_main, POISE_PT_range, POISE_PT_findings]
