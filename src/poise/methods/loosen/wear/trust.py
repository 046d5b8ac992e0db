"""How far the quick model of a soft thing can be trusted."""

QUICK_REACH = 0.06
"""How far the quick model is made for, as a part of the thing's diameter; beyond, ask for ``large``."""
QUICK_LIMIT = 0.45
"""Where the quick model says that it sways by more, the quick model is of no use: it may run away."""
