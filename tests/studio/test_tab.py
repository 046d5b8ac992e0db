"""What waits for a tab, and what happens where it is too much."""

from __future__ import annotations

import asyncio

from poise.studio.server import browser_tab as tabs
from poise.studio.server.browser_tab import Tab


def sent(tab: Tab, most: int = 20) -> list[str | bytes]:
    """What the tab gets until there is nothing more for it."""

    async def all_of_it() -> list[str | bytes]:
        found: list[str | bytes] = []
        while len(found) < most:
            try:
                message = await asyncio.wait_for(tab.next(), 0.05)
            except TimeoutError:
                break
            if message is None:
                break
            found.append(message)
        return found

    return asyncio.run(all_of_it())


def test_a_tab_that_fell_behind_gets_all_of_the_stage_even_when_it_comes_at_once(monkeypatch):
    monkeypatch.setattr(tabs, "PACKETS", 100)

    def again(tab: Tab) -> None:
        for packet in (b"figure", b"poses"):
            tab.tell(packet)
        tab.catch_up()

    tab = Tab(again)
    tab.catch_up()
    tab.tell("state")
    for _ in range(3):
        tab.change(bytes(60))
    assert not tab.ready
    assert sent(tab) == ["state", b"figure", b"poses"]
    assert tab.ready


def test_a_tab_that_is_behind_is_not_ready_whatever_it_is_told(monkeypatch):
    monkeypatch.setattr(tabs, "PACKETS", 100)
    tab = Tab(lambda one: None)
    tab.tell(bytes(200))
    tab.catch_up()
    assert not tab.ready
