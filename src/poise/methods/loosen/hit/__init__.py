"""The inverse: corrections that make the loose motion meet its targets."""
