"""The page of a batch: what needs a look first, each clip with its verdict, what was found in how many."""

from __future__ import annotations

import re

from poise.batch.outcome import Outcome, Summary
from poise.batch.page import write_page


def test_every_clip_has_its_row_the_worst_first(tmp_path):
    outcomes = (
        Outcome(clip="a.bvh", state="done", plausible=True, output="a b.glb", frames=10, seconds=0.5),
        Outcome(clip="b.bvh", state="missed", plausible=False, findings=("<slides>",), kinds=("skate",) * 2),
        Outcome(clip="c.bvh", state="failed", problem="no & motion"),
        Outcome(clip="d.bvh", state="missed", plausible=False, kinds=("skate", "spin"), missed=("hand",)),
    )
    text = write_page(Summary(outcomes=outcomes), tmp_path / "page.html", "A <b>").read_text()
    rows = re.findall(
        r"<tr><td>(?:<a[^>]*>)?([a-d]\.bvh).*?</td><td class=(\w+)>.*?</td><td>(.+?)</td>", text
    )
    assert rows == [
        ("c.bvh", "failed", "–"),
        ("b.bvh", "missed", "no"),
        ("d.bvh", "missed", "no"),
        ("a.bvh", "done", "yes"),
    ]
    assert '<a href="a%20b.glb">a.bvh</a>' in text
    assert "<li>&lt;slides&gt;</li>" in text
    assert "<li>no &amp; motion</li>" in text
    assert "A &lt;b&gt;" in text
    faults = re.findall(r"<tr><td>(\w+)</td><td class=number>(\d)</td></tr>", text)
    assert faults == [("skate", "2"), ("spin", "1")]
