"""Loosen: secondary dynamics without history (KD), and its inverse, which still hits the mark (IKD)."""
