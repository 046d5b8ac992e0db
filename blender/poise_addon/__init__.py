# SPDX-License-Identifier: GPL-3.0-or-later
"""Poise in Blender: character animation that obeys the animator to the frame and still has weight."""


def register():
    """Called by Blender when the extension is enabled."""
    from . import blender, ui

    ui.register(blender.bpy, __package__)


def unregister():
    """Called by Blender when the extension is disabled: Poise ends, and nothing of it stays registered."""
    from . import blender, program, ui

    program.close()
    ui.unregister(blender.bpy)
