"""The simulation they act in."""
