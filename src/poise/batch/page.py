"""The outcomes of a batch as one HTML page that needs nothing else."""

from __future__ import annotations

import html
from pathlib import Path

from poise.batch.job import Outcome
from poise.batch.run import Summary
from poise.files import write_text

SIGNS = {"done": "✓ done", "missed": "✗ missed", "failed": "✗ failed", "crashed": "✗ crashed"}
STYLE = """
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem;
color: #1c2430 }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .35rem .6rem; vertical-align: top; border-bottom: 1px solid #d8dee6 }
td.number { text-align: right; font-variant-numeric: tabular-nums }
.done { color: #2e7d4f } .missed { color: #a35a00 } .failed, .crashed { color: #b83227 }
ul { margin: 0; padding-left: 1.1rem } .quiet { color: #5d6a7c }
@media (prefers-color-scheme: dark) { body { background: #1e2228; color: #e4e9f0 }
th, td { border-color: #3d4550 }
.done { color: #58c98a } .missed { color: #e0a04a } .failed, .crashed { color: #ff7b6b } }
"""


def write_page(summary: Summary, path: Path, title: str) -> Path:
    """Write the page."""
    counts = ", ".join(f"{summary.count(s)} {s}" for s in SIGNS if summary.count(s))
    rows = "\n".join(_row(outcome) for outcome in summary.outcomes)
    return write_text(
        path,
        f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}</style>
<h1>{html.escape(title)}</h1>
<p>{len(summary.outcomes)} clips: {counts}{f"; {summary.kept} done before" if summary.kept else ""}.</p>
<table><thead><tr><th>clip</th><th>outcome</th><th>plausible</th><th>what</th><th>frames</th>
<th>seconds</th></tr></thead>
<tbody>
{rows}
</tbody></table>
</html>
""",
    )


def _row(outcome: Outcome) -> str:
    lines = [*([outcome.problem] if outcome.problem else []), *outcome.missed]
    lines += [f"repaired: {text}" for text in outcome.repaired] + list(outcome.findings)
    what = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
    told = f"<ul>{what}</ul>" if what else "<span class=quiet>nothing to say</span>"
    plausible = {True: "yes", False: "no", None: "–"}[outcome.plausible]
    return (
        f"<tr><td>{html.escape(outcome.clip)}</td><td class={outcome.state}>{SIGNS[outcome.state]}</td>"
        f"<td>{plausible}</td><td>{told}</td>"
        f"<td class=number>{outcome.frames or ''}</td><td class=number>{outcome.seconds:.2f}</td></tr>"
    )
