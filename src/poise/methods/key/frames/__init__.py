"""From tracks to frames."""
