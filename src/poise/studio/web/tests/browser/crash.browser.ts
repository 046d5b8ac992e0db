// Two tabs on one document, a tab that is closed,
// a server that is killed (also in the middle of a drag) and started again.
import { beforeAll, describe, expect, test } from "vitest";
import type { Entry } from "../../src/time/entry.ts";
import { CHROMIUM } from "./chromium.ts";
import { opened } from "./opened.ts";
import { serve } from "./server.ts";
import { type Tab, WAIT } from "./tab.ts";

describe.skipIf(!CHROMIUM)("tabs and crashes", () => {
  const token = "the-same-token-after-a-restart-0123456789";
  const at = opened({ token });
  let tab: Tab;

  beforeAll(() => {
    tab = at.tab;
  });

  /** The same server again, and what it kept brought back. */
  const again = async () => {
    await tab.until(() => window.studio.connection.live.value === "lost");
    at.server = await serve(at.home, { port: at.server.port, token });
    await tab.until(() => window.studio.connection.live.value === "open");
    // A drag that was going on ends; what it still says is refused until it is clear what is edited.
    await tab.page.mouse.up();
    const found = tab.page.getByRole("dialog", { name: /unsaved/i });
    await found.waitFor({ timeout: WAIT });
    await found.getByRole("button", { name: "Recover" }).click();
    await tab.until(() => !window.studio.state.value!.recovery);
  };

  test("what one tab does the other sees, and can undo", async () => {
    const other = await tab.another(at.server.address);
    await other.settled();
    expect(await other.read(() => window.studio.result.value!.frames)).toBe(
      await tab.read(() => window.studio.result.value!.frames),
    );
    await tab.page.evaluate(() =>
      window.studio.edit({ do: "set", layer: "hit", path: "tension", value: "tense" }),
    );
    await other.until(
      () => (window.studio.layers.value.find((l) => l.name === "hit") as Entry)["tension"] === "tense",
    );
    await Promise.all([tab.settled(), other.settled()]);
    const poses = () => [...window.studio.result.value!.values.slice(0, 5000)];
    expect(await other.read(poses)).toEqual(await tab.read(poses));
    await other.key("Control+z");
    await tab.until(
      () =>
        typeof (window.studio.layers.value.find((l) => l.name === "hit") as Entry)["tension"] === "object",
    );
    await tab.settled();
    await other.close();
  });

  test("a tab that is closed takes nothing with it", async () => {
    const undoable = await tab.undoable();
    const other = await tab.another(at.server.address);
    await other.settled();
    await other.page.evaluate(() =>
      window.studio.edit({ do: "set", layer: "stand", path: "muted", value: true }),
    );
    await other.until(() => window.studio.layers.value.find((l) => l.name === "stand")!.muted === true);
    await other.close();
    const next = await tab.another(at.server.address);
    await next.settled();
    expect((await next.layer("stand"))!["muted"]).toBe(true);
    expect(await next.undoable()).toBe(undoable + 1);
    await next.undo();
    await next.close();
    await tab.edit({ do: "remove-layer", layer: "hat" }); // what follows need not wait for it
  });

  test("a killed server is reconnected to, and unsaved work brought back", async () => {
    await tab.edit({ do: "set", layer: "stand", path: "muted", value: true });
    await at.server.kill();
    await again();
    await tab.until(() => window.studio.layers.value.find((l) => l.name === "stand")?.muted === true);
    await tab.settled();
    await tab.edit({ do: "set", layer: "stand", path: "muted", value: false });
  });

  test("without a server edits wait and are made then, and what cannot wait is refused", async () => {
    const muted = () => window.studio.layers.value.find((l) => l.name === "stand")?.muted === true;
    await at.server.kill();
    await tab.until(() => window.studio.shown.value.state === "offline");
    await tab.page.evaluate(() =>
      window.studio.edit({ do: "set", layer: "stand", path: "muted", value: true }),
    );
    const status = tab.page.locator('[data-state="offline"]');
    await status.getByText("1 edit waits").waitFor({ timeout: WAIT });
    await tab.key("Control+z");
    expect(await tab.read(() => window.studio.messages.value.at(-1)!.text)).toBe(
      "not undone: the studio is offline",
    );
    expect(await tab.read(muted)).toBe(false);
    await again();
    await tab.until(muted);
    await tab.until(() => window.studio.shown.value.state === "exact");
    expect(await tab.read(() => window.studio.shown.value.waiting)).toBe(0);
    await tab.undo();
    await tab.settled();
  });

  test("killed in the middle of a drag: at most the last second of it is lost", async () => {
    await tab.seek(51);
    await tab.drawn();
    const place = () =>
      tab.read(() =>
        JSON.stringify(
          (window.studio.layers.value.find((l) => l.name === "hit") as Entry)["constraints"][0].target.value,
        ),
      );
    const start = await tab.pixel(JSON.parse(await place()));
    const heard: { at: number; place: string }[] = [];
    await tab.page.mouse.move(start.x, start.y);
    await tab.page.mouse.down();
    for (let k = 1; k <= 30; k++) {
      await tab.page.mouse.move(start.x - k, start.y + 0.5 * k);
      await tab.page.waitForTimeout(100);
      heard.push({ at: performance.now(), place: await place() });
    }
    const killed = performance.now();
    await at.server.kill(); // the button is still down
    // A move that had waited for the solver may have been told meanwhile.
    heard.push({ at: killed, place: await place() });
    await again();
    await tab.until(() => window.studio.shown.value.waiting === 0);
    await tab.settled();
    // Moves that were never answered are made when the server is back.
    const flat = (c: Entry): Entry[] => (c["commands"] ? (c["commands"] as Entry[]).flatMap(flat) : [c]);
    const said = tab.sent.filter((m) => m["say"] === "do").flatMap((m) => flat(m["command"] as Entry));
    for (const { layer, value } of said)
      if (layer === "hit" && Array.isArray(value)) heard.push({ at: killed, place: JSON.stringify(value) });
    const back = await place();
    const found = heard.findLast((h) => h.place === back);
    const latest = heard.filter((h) => h.at < killed - 1000).at(-1)!;
    // What came back was there, and not longer ago than a second.
    expect(found).toBeDefined();
    expect(found!.at).toBeGreaterThanOrEqual(latest.at);
    await tab.settled();
    expect(tab.problems).toEqual([]);
  });
});
