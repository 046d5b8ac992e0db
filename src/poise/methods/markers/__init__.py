"""A character fitted to captured markers, or to positions of its joints."""
