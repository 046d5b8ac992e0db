"""One pose that meets strict and soft tasks."""
