"""A newcomer's way to a first own result: the commands of the site's landing page, in their order."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OWN = "hero.glb"
"""What the page calls the newcomer's own file."""
MOST = 5
"""Commands at most."""


def steps() -> list[list[str]]:
    """The commands under the landing page's heading for newcomers, in words."""
    page = (ROOT / "docs" / "index.md").read_text()
    section = page.split("## Try it on your own clip")[1].split("\n## ")[0]
    lines = "\n".join(re.findall(r"```bash\n(.*?)```", section, re.DOTALL)).splitlines()
    return [shlex.split(line, comments=True) for line in lines if shlex.split(line, comments=True)]
