"""Weight on the ground: the smallest change of a clip such that forces at its contacts carry it."""
