"""Living faces: morph-target animations on springs with shape matching, and targets they still meet."""
