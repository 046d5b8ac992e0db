"""The centre of mass's path and its templates."""
