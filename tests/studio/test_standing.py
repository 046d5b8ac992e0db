"""The state machine, by the table that the browser's half keeps to as well."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from poise.studio.page import STATIC
from poise.studio.server.standing import WORKING, Edited, Event, Made, Seen, Standing, after

CASES = json.loads((STATIC.parent / "web" / "tests" / "transitions.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_follows_from_what(case: dict[str, Any]) -> None:
    now = Standing()
    for step in case["steps"]:
        if "event" not in step:
            continue  # the browser's own
        now = after(now, msgspec.convert(step["event"], Event))
        told = json.loads(msgspec.json.encode(now))
        assert {name: told[name] for name in step["stands"]} == step["stands"]
        assert set(told) >= set(step["stands"])


def test_every_state_but_the_browsers_own_is_in_the_table() -> None:
    (kind,) = (f.type for f in msgspec.structs.fields(Standing) if f.name == "state")
    found = {step["stands"]["state"] for case in CASES for step in case["steps"] if "stands" in step}
    assert found == set(kind.__args__)
    assert set(WORKING) <= found


def test_frames_that_come_first_are_told_until_all_are_there() -> None:
    now = after(Standing(revision=3, state="solving", shown=2), Seen(3, 10, 20))
    assert now.window == (10, 20)
    assert after(now, Seen(2, 0, 5)) is now, "what is past changes nothing"
    assert after(now, Made(revision=3)).window == (0, -1)
    assert after(now, Edited(4)).window == (0, -1)
    draft = after(Standing(revision=4, state="draft", shown=3), Made(revision=4, live=True, window=(10, 20)))
    assert (draft.state, draft.window) == ("draft", (10, 20))
