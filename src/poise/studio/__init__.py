"""The studio: an animator's workbench in the browser, and its viewer alone as one HTML file."""

from __future__ import annotations
