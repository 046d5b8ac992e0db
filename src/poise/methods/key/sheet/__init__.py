"""What the animator writes: keys, tracks, pins, and how they are read and reported."""
