// Two tabs on one document, and a server that is killed and started again.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM, launch } from "./chromium.ts";
import { folder, forget, serve, type Server } from "./server.ts";
import { Tab, WAIT } from "./tab.ts";

describe.skipIf(!CHROMIUM)("tabs and crashes", () => {
  let server: Server;
  let browser: Browser;
  let tab: Tab;
  const home = folder();
  const token = "the-same-token-after-a-restart-0123456789";

  beforeAll(async () => {
    [server, browser] = await Promise.all([serve(home, { token }), launch()]);
    tab = await Tab.open(browser, server.address);
    await tab.settled(60_000);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    forget(home);
  });

  test("what one tab does the other sees, and can undo", async () => {
    const other = await tab.another(server.address);
    await other.settled();
    expect(await other.read(() => window.studio.result.value!.frames)).toBe(await tab.read(() => window.studio.result.value!.frames));
    await tab.page.evaluate(() => window.studio.edit({ do: "set", layer: "drunk", path: "tension", value: "tense" }));
    await other.until(() => (window.studio.layers.value.find((l) => l.name === "drunk") as any).tension === "tense");
    await Promise.all([tab.settled(), other.settled()]);
    const poses = () => [...window.studio.result.value!.values.slice(0, 5000)];
    expect(await other.read(poses)).toEqual(await tab.read(poses));
    await other.key("Control+z");
    await tab.until(() => typeof (window.studio.layers.value.find((l) => l.name === "drunk") as any).tension === "object");
    await tab.settled();
    await other.close();
  });

  test("a killed server is reconnected to, and unsaved work brought back", async () => {
    await tab.page.evaluate(() => window.studio.edit({ do: "set", layer: "hat", path: "muted", value: true }));
    await tab.until(() => window.studio.layers.value.find((l) => l.name === "hat")!.muted === true);
    await tab.settled();
    await tab.page.waitForTimeout(1500); // the journal is forced to the disk within a second
    await server.kill();
    await tab.until(() => window.studio.connection.live.value === "lost");
    server = await serve(home, { port: server.port, token });
    await tab.until(() => window.studio.connection.live.value === "open");
    const found = tab.page.getByRole("dialog", { name: /unsaved/i });
    await found.waitFor({ timeout: WAIT });
    await found.getByRole("button", { name: /bring it back/i }).click();
    await tab.until(() => window.studio.layers.value.find((l) => l.name === "hat")?.muted === true);
    await tab.settled(60_000);
    expect(tab.problems).toEqual([]);
  }, 120_000);
});
