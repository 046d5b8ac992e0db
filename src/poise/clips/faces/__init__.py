"""A sculpted face and its performances: ``clips.faces.get("smile")``, made by code when first asked for."""

from poise.clips.faces.performances import bust, get, names

__all__ = ["bust", "get", "names"]
