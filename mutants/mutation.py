"""One small breakage: so many bytes of a file replaced by others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mutation:
    """A breakage as data; it is applied to a copy of the checkout, never to the checkout."""

    file: str
    """From the root of the checkout: ``src/poise/…``."""
    start: int
    end: int
    """Which bytes of the file."""
    text: str
    """What stands there instead."""
    what: str
    """In words: ``a < b → a >= b``."""
    line: int
    function: str = ""
    """Qualified name of the function it is in; "" in a module's own code."""
    name: str = ""
    """Of a breakage that is tried in every run; "" for a sampled one."""

    @property
    def package(self) -> str:
        """The package of Poise, methods each on their own, the studio's browser half as ``web``."""
        parts = Path(self.file).relative_to("src/poise").parts
        if "web" in parts:
            return "studio/web"
        if len(parts) == 1:
            return "poise"
        return "/".join(parts[:2]) if parts[0] == "methods" and len(parts) > 2 else parts[0]

    @property
    def key(self) -> str:
        """Tells it from all others, and survives changes elsewhere in the file."""
        return f"{Path(self.file).relative_to('src/poise')}::{self.function}: {self.what}"

    def applied(self, source: bytes) -> bytes:
        """The file with the breakage."""
        return source[: self.start] + self.text.encode() + source[self.end :]
