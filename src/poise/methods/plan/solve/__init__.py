"""The search: stances, flights, projection."""
