"""The studio's server: guards the door, keeps the document, solves in a process of its own."""

from __future__ import annotations
