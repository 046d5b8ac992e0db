"""Perform: simulated characters that arrive on time, even when pushed."""
