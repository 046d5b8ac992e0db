"""Acclaim skeletons (.asf) and motions (.amc), as :mod:`~poise.formats.asf_amc.reader` explains."""

from poise.formats.asf_amc.reader import load

__all__ = ["load"]
