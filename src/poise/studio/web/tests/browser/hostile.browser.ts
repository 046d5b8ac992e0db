// A page of somebody else's, open in the same browser as the studio: it can read nothing and change nothing.
import { writeFileSync } from "node:fs";
import { createServer, type Server as Page } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chain } from "./bvh.ts";
import { CHROMIUM } from "./chromium.ts";
import { opened } from "./opened.ts";
import { WAIT } from "./tab.ts";

const ROUTES = [
  "/",
  "/socket",
  "/static/studio.js",
  "/static/studio.html",
  "/file/chain.bvh",
  "/file/../chain.bvh",
  "/upload/evil.bvh",
  "/sound/chain",
];

describe.skipIf(!CHROMIUM)("hostile pages", () => {
  const at = opened({
    source: (home) => {
      writeFileSync(join(home, "chain.bvh"), chain({ frames: 20, joints: 3 }));
      return "chain.bvh";
    },
  });
  let page: Page;
  let port = 0;

  beforeAll(async () => {
    page = createServer((_, answer) =>
      answer.writeHead(200, { "content-type": "text/html" }).end("<title>hostile</title>"),
    );
    await new Promise<void>((done) => page.listen(0, "127.0.0.1", done));
    port = (page.address() as AddressInfo).port;
  });
  afterAll(() => void page?.close());

  /** What a page at an address gets of the studio, in the browser that has the studio's cookie. */
  const tried = async (address: string, host: string) => {
    const other = await at.tab.context.newPage();
    await other.goto(address, { timeout: WAIT });
    const found = await other.evaluate(
      async ({ target, routes }) => {
        const http = `http://${target}`;
        const read: string[] = [];
        for (const route of routes) {
          for (const how of [
            {},
            { credentials: "include" as const },
            { method: "POST", body: "HIERARCHY", credentials: "include" as const },
          ]) {
            const answer = await fetch(http + route, how).then(
              (a) => (a.ok ? a.text() : ""),
              () => "",
            );
            if (answer) read.push(route);
          }
          await fetch(http + route, {
            mode: "no-cors",
            method: "POST",
            body: "HIERARCHY",
            credentials: "include",
          }).catch(() => undefined);
        }
        const socket = await new Promise<string>((done) => {
          const wire = new WebSocket(`ws://${target}/socket`);
          wire.onmessage = () => done("told");
          wire.onclose = () => done("closed");
          setTimeout(() => done("late"), 8000);
        });
        const frame = document.createElement("iframe");
        frame.src = `${http}/`;
        document.body.append(frame);
        await new Promise((done) => {
          frame.onload = done;
          setTimeout(done, 4000);
        });
        let framed = "";
        try {
          framed = String(frame.contentWindow!.document.body.innerHTML.includes("studio.js"));
        } catch {
          framed = "not allowed";
        }
        return { read, socket, framed };
      },
      { target: host, routes: ROUTES },
    );
    const inside = other
      .frames()
      .slice(1)
      .map((f) => f.url());
    const shown = await Promise.all(
      other
        .frames()
        .slice(1)
        .map((f) => f.evaluate(() => "studio" in window).catch(() => false)),
    );
    await other.close();
    return { ...found, inside, shown };
  };
  const before = () =>
    at.tab.read(() => [
      window.studio.state.value!.revision,
      window.studio.state.value!.undoable,
      JSON.stringify(window.studio.state.value!.document),
    ]);

  test.each([["127.0.0.1"], ["localhost"]])("another origin on %s", async (name) => {
    const state = await before();
    for (const target of [`127.0.0.1:${at.server.port}`, `localhost:${at.server.port}`]) {
      const found = await tried(`http://${name}:${port}/`, target);
      expect(found.read).toEqual([]);
      expect(found.socket).toBe("closed");
      expect(found.shown).not.toContain(true);
      expect(["not allowed", "false"]).toContain(found.framed);
    }
    expect(await before()).toEqual(state);
    expect(await at.tab.page.evaluate(() => window.studio.ask("files"))).toEqual(["chain.bvh"]);
  });

  test("a name that resolves to this machine is not this machine", async () => {
    const { chromium } = await import("playwright-core");
    const browser = await chromium.launch({
      executablePath: CHROMIUM!,
      args: ["--no-sandbox", `--host-resolver-rules=MAP evil.test 127.0.0.1`],
    });
    try {
      const visit = await browser.newPage();
      const token = new URL(at.server.address).search;
      for (const path of ["/", `/${token}`, "/static/studio.js", "/file/chain.bvh"]) {
        const answer = await visit.goto(`http://evil.test:${at.server.port}${path}`, { timeout: WAIT });
        expect(answer!.status(), path).toBeGreaterThanOrEqual(400);
        expect(await visit.content()).not.toMatch(/HIERARCHY|studio\.js/);
      }
      const socket = await visit.evaluate(
        (there) =>
          new Promise<string>((done) => {
            const wire = new WebSocket(`ws://evil.test:${there}/socket`);
            wire.onmessage = () => done("told");
            wire.onclose = () => done("closed");
          }),
        at.server.port,
      );
      expect(socket).toBe("closed");
    } finally {
      await browser.close();
    }
  });

  test("without the token nothing is given, whatever is asked for", async () => {
    const stranger = await at.browser.newContext();
    const page = await stranger.newPage();
    await page.goto(`http://127.0.0.1:${at.server.port}/`, { timeout: WAIT });
    for (const route of ROUTES) {
      for (const method of ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"]) {
        const status = await page.evaluate(
          ([path, how]) => fetch(path!, { method: how! }).then((a) => a.status),
          [route, method],
        );
        expect(status, `${method} ${route}`).toBeGreaterThanOrEqual(400);
      }
    }
    await stranger.close();
    expect(at.tab.problems).toEqual([]);
  });
});
