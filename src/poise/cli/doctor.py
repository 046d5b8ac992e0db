"""``poise doctor``: what this machine and this install have, and what they lack."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from poise.cli.terminal import print

EXAMPLES = (
    "doctor",
    "doctor --json",
)
"""Commands for the help."""
SIGNS = {"fine": "ok", "missing": "--", "broken": "BROKEN"}


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Check this install: versions, extras, kernels, processor, graphics card, fonts, ffmpeg, Blender.

    Exit status 1 if something is broken that Poise needs.
    """
    from poise.diagnosis import Finding, diagnose

    def tell(finding: Finding) -> None:
        print(f"{SIGNS[finding.state]:>6}  {finding.name:<14} {finding.text}", flush=True)
        if finding.remedy:
            print(f"{'':>6}  {'':<14} → {finding.remedy}", flush=True)

    findings = diagnose((lambda finding: None) if as_json else tell)
    if as_json:
        healthy = all(finding.healthy for finding in findings)
        told = {"healthy": healthy, "findings": [finding.as_dict() for finding in findings]}
        print(json.dumps(told, indent=2, ensure_ascii=False))
    if not all(finding.healthy for finding in findings):
        raise typer.Exit(1)
