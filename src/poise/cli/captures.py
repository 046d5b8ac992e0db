"""Captures of markers on the command line: what is in them, and other files of them; nobody is fitted."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poise.cli.inputs import counted, parse_options
from poise.errors import UnknownNameError

if TYPE_CHECKING:
    from poise.markers import Markers

OPTIONS = ("up", "scale")
"""Ways of reading a capture as it is."""
HEAD = 4096
"""Bytes within which a table of OpenSim's says that its head ends."""


def capture(name: str, options: Sequence[str] | None) -> Markers | None:
    """The capture of that name; None where it is something else."""
    from poise.formats.captures import is_capture, load_markers

    if not is_capture(name):
        return None
    given = {k: v for k, v in parse_options(options or ()).items() if k != "lenient"}
    wrong = next((k for k in given if k not in OPTIONS), None)
    if wrong is not None:
        raise UnknownNameError("option", wrong, OPTIONS, where="reading markers as they are")
    up, scale = given.get("up"), given.get("scale")
    return load_markers(
        Path(name), up=None if up is None else str(up), scale=None if scale is None else float(scale)
    )


def writes_markers(path: Path) -> bool:
    """Whether markers can be written to a file of that name."""
    return path.suffix.lower() in (".trc", ".npz", ".json")


def describe(markers: Markers, name: str) -> dict[str, Any]:
    """Facts about a capture as plain data."""
    import numpy as np

    seen, source = markers.seen, markers.source
    low, high = np.nanmin(markers.positions, axis=(0, 1)), np.nanmax(markers.positions, axis=(0, 1))
    return {
        "name": name,
        "format": source.format if source else "",
        "markers": len(markers.names),
        "marker_names": list(markers.names),
        "frames": markers.frames,
        "fps": markers.fps,
        "rate": str(markers.rate),
        "duration_s": markers.duration,
        "start_s": markers.start,
        "lost": float(1.0 - seen.mean()),
        "lost_by_marker": {n: float(1 - s) for n, s in zip(markers.names, seen.mean(axis=0)) if s < 1},
        "lowest_m": low.tolist(),
        "highest_m": high.tolist(),
        "unit_m": source.unit if source else 1.0,
        "up": source.up if source else "z",
        "notes": list(source.notes) if source else [],
    }


def forces(name: str) -> dict[str, Any] | None:
    """Facts about a table of OpenSim's, forces or other columns; None where it is something else."""
    from poise.formats.captures import mot
    from poise.reading import read_head

    path = Path(name)
    if not path.is_file() or not mot.is_table(read_head(path, HEAD)):
        return None
    columns, table = mot.read_table(path)
    found: dict[str, Any] = {"name": name, "format": "mot", "columns": list(columns), "rows": len(table)}
    if not mot.holds_forces(columns):
        return found
    plates = mot.load_forces(path)
    most = [float(v) for v in (plates.force**2).sum(axis=2).max(axis=0) ** 0.5]
    return found | {
        "plates": list(plates.names),
        "rate": str(plates.rate),
        "start_s": plates.start,
        "duration_s": (len(plates.force) - 1) / float(Fraction(plates.rate)),
        "strongest_N": most,
    }


def words_of_forces(facts: dict[str, Any]) -> str:
    """The same for people."""
    lines = [f"{facts['name']}  (mot, {'forces' if 'plates' in facts else 'a table'})"]
    if "plates" in facts:
        each = (f"{n} (at most {f:.0f} N)" for n, f in zip(facts["plates"], facts["strongest_N"]))
        late = f", from {facts['start_s']:g} s on" if facts["start_s"] else ""
        lines += [
            f"  plates     {len(facts['plates'])}: {', '.join(each)}",
            f"  samples    {facts['rows']} at {float(Fraction(facts['rate'])):g} a second = "
            f"{facts['duration_s']:.3f} s{late}",
            f'  next       poise.formats.captures.mot.load_forces("{facts["name"]}") in Python',
        ]
    else:
        names = facts["columns"]
        lines += [
            f"  columns    {len(names)}: {', '.join(names[:8])}{' …' if len(names) > 8 else ''}",
            f"  rows       {facts['rows']}",
            "  note       no force plate is in it; angles of OpenSim's models are not read as motion: "
            "give the markers (TRC) instead",
        ]
    return "\n".join(lines)


def words(facts: dict[str, Any]) -> str:
    """The same for people."""
    size = [h - l for h, l in zip(facts["highest_m"], facts["lowest_m"])]
    lines = [
        f"{facts['name']}  ({facts['format']}, markers)",
        f"  markers    {facts['markers']}: {', '.join(facts['marker_names'][:12])}"
        + (" …" if facts["markers"] > 12 else ""),
        f"  motion     {counted(facts['frames'], 'frame')} at {facts['fps']:g} fps = "
        f"{facts['duration_s']:.3f} s" + (f", from {facts['start_s']:g} s on" if facts["start_s"] else ""),
        f"  seen       {100 * (1 - facts['lost']):.1f} % of all",
        f"  space      {size[0]:.2f} x {size[1]:.2f} m, {size[2]:.2f} m high",
        f"  file       unit {facts['unit_m']:g} m, {facts['up']} up",
        *(f"  note       {note}" for note in facts["notes"]),
        f"  next       poise solve-markers {facts['name']} -o motion.bvh",
    ]
    return "\n".join(lines)


def convert(markers: Markers, output: Path) -> str:
    """Write markers as they are; what was done, in words."""
    from poise.formats.captures import save_markers

    save_markers(markers, output)
    return (
        f"{output}: {len(markers.names)} markers, {counted(markers.frames, 'frame')} at {markers.fps:g} fps"
    )
