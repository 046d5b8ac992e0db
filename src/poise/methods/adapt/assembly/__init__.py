"""Clips as strips on one track."""
