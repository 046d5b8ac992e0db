"""Poses of a motion changed by hand: keys of single joints, and what flows between them."""
