"""The body as the search sees it."""
