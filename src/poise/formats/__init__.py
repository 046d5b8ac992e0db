"""Files: reading and writing clips. Most callers need only :func:`load` and :func:`save`."""

from poise.formats.registry import FORMATS, Format, extensions, format_of, format_to_write, load, losses, save

__all__ = ["FORMATS", "Format", "extensions", "format_of", "format_to_write", "load", "losses", "save"]
