"""Plausibility: what in a motion real bodies do not do. ``judge`` judges, ``physics`` only measures."""
