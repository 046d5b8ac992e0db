"""Whether what comes out is put on the ground: what operations that make motion share."""

from __future__ import annotations

from typing import Annotated

from poise.operations.declare import about

GROUP, MEANS = (
    "Result",
    "Adjust the result so that contact forces can carry it, as poise ground does.",
)

Grounded = Annotated[bool, about(MEANS, group=GROUP)]
