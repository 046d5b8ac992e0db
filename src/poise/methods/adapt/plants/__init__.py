"""Feet that stand."""
