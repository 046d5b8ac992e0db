"""The JSON Schema of project files, made from the types that read them: ``python -m poise.project.schema``"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from poise.project.document import VERSION, ProjectFile


def schema() -> dict[str, Any]:
    """The schema of a project file of the present version."""
    made = msgspec.json.schema(ProjectFile)
    for struct in made["$defs"].values():
        if "description" in struct:  # examples are for Python
            struct["description"] = struct["description"].partition("Examples:")[0].rstrip()
        told = struct.get("properties", {})
        for name in [name for name, each in told.items() if each.get("x-local")]:
            del told[name]  # of the machine: files do not keep it
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Poise project, version {VERSION}",
    }
    return {**head, **made}


def text() -> str:
    """As it is kept in the documentation."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(text(), end="")
