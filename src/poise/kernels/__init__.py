"""Compiled kernels behind the decorator ``poise.compilation.kernel``: where they are kept, which there are,
what is compiled beforehand, for which processor or graphics card, and what a user hears of it.
"""
