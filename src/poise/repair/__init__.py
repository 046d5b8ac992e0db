"""Repair: what a check finds wrong in a motion is mended by the smallest change, or left and said."""
