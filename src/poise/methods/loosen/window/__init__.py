"""How far back each frame looks."""
