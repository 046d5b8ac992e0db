"""The outcomes of a batch as one HTML page that needs nothing else."""

from __future__ import annotations

import html
from pathlib import Path
from urllib.parse import quote

from poise.batch.outcome import STATES, Outcome, Summary
from poise.files import write_text

SIGNS = {"done": "✓ done", "missed": "✗ missed", "failed": "✗ failed", "crashed": "✗ crashed"}
STYLE = """
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem;
color: #1c2430 }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .35rem .6rem; vertical-align: top; border-bottom: 1px solid #d8dee6 }
td.number { text-align: right; font-variant-numeric: tabular-nums }
.done { color: #2e7d4f } .missed { color: #a35a00 } .failed, .crashed { color: #b83227 }
table.faults { width: auto; margin-bottom: 1.5rem } a { color: inherit }
ul { margin: 0; padding-left: 1.1rem } .quiet { color: #5d6a7c }
@media (prefers-color-scheme: dark) { body { background: #1e2228; color: #e4e9f0 }
th, td { border-color: #3d4550 }
.done { color: #58c98a } .missed { color: #e0a04a } .failed, .crashed { color: #ff7b6b } }
"""


def write_page(summary: Summary, path: Path, title: str) -> Path:
    """Write the page; links lead to results beside it."""
    rows = "\n".join(_row(outcome) for outcome in sorted(summary.outcomes, key=_urgency))
    faults = "".join(
        f"<tr><td>{html.escape(kind)}</td>{_number(n)}</tr>" for kind, n in summary.faults.items()
    )
    found = f"<table class=faults><tr><th>found</th><th>clips</th></tr>{faults}</table>" if faults else ""
    return write_text(
        path,
        f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{html.escape(title)}</title><style>{STYLE}</style>
<h1>{html.escape(title)}</h1>
<p>{html.escape(str(summary))}</p>
{found}
<table><thead><tr><th>clip</th><th>outcome</th><th>plausible</th><th>what</th><th>frames</th>
<th>seconds</th></tr></thead>
<tbody>
{rows}
</tbody></table>
</html>
""",
    )


def _urgency(outcome: Outcome) -> tuple[int, str]:
    """What needs a look comes first."""
    return -STATES.index(outcome.state), outcome.clip


def _number(value: object) -> str:
    return f"<td class=number>{value}</td>"


def _row(outcome: Outcome) -> str:
    lines = [*([outcome.problem] if outcome.problem else []), *outcome.missed]
    lines += [f"repaired: {text}" for text in outcome.repaired] + list(outcome.findings)
    lines += list(outcome.left_out)
    what = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
    plausible = {True: "yes", False: "no", None: "–"}[outcome.plausible]
    name = html.escape(outcome.clip)
    if outcome.output:
        name = f'<a href="{html.escape(quote(outcome.output))}">{name}</a>'
    return (
        f"<tr><td>{name}</td><td class={outcome.state}>{SIGNS[outcome.state]}</td><td>{plausible}</td>"
        f"<td>{f'<ul>{what}</ul>' if what else ''}</td>"
        f"{_number(outcome.frames or '')}{_number(f'{outcome.seconds:.2f}')}</tr>"
    )
