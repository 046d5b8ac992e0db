"""The problem: unknowns, requirements, price."""
