// A day's work in the studio, in a real browser:
// every test goes on from where the one before left the document.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Entry } from "../../src/time/entry.ts";
import { toPixel, whole } from "../../src/time/window.ts";
import { chain } from "./bvh.ts";
import { CHROMIUM } from "./chromium.ts";
import { opened } from "./opened.ts";
import { type Tab, WAIT } from "./tab.ts";

const FIST = 51; // the frame at which the boxer hits

describe.skipIf(!CHROMIUM)("the drunken boxer", () => {
  const at = opened();
  let tab: Tab;

  beforeAll(() => {
    tab = at.tab;
  });

  const target = async (layer = "hit"): Promise<number[]> =>
    (await tab.layer(layer))!["constraints"].find((c: { name: string }) => c.name === "fist on target").target
      .value;
  const undo = async () => {
    const revision = await tab.revision();
    await tab.key("Control+z");
    await tab.after(revision);
  };
  /** The button is let go: the drag has become one step of undo, and is solved in full. */
  const released = async (undoable: number) => {
    await tab.page.mouse.up();
    await tab.undoableIs(undoable + 1);
    await tab.settled();
  };

  test("opens with a motion, a figure and its layers", async () => {
    expect(await tab.read(() => window.studio.layers.value.map((l) => l.name))).toEqual([
      "punch",
      "aim",
      "hit",
      "stand",
      "hat",
    ]);
    expect(await tab.read(() => window.studio.result.value!.frames)).toBe(115);
    expect(await tab.read(() => window.studio.solved.value!.met)).toBe(true);
    await tab.until(() => window.studio.soft.value.length === 1); // what is worn comes after the motion
    expect(tab.problems).toEqual([]);
  });

  test("scrubbing says nothing to the server", async () => {
    await tab.quiet();
    const [requests, sent] = [tab.requests, tab.sent.length];
    await tab.page.locator('[data-part="stage"] canvas').focus();
    for (let k = 0; k < 8; k++) await tab.key("ArrowRight");
    const strip = (await tab.page.locator('[data-part="timeline"] canvas').boundingBox())!;
    await tab.press({ x: strip.x + 40, y: strip.y + 24 }, { x: 300, y: 0 }, 20);
    await tab.page.mouse.up();
    await tab.drawn();
    expect(await tab.read(() => window.studio.player.frame.value)).toBeGreaterThan(20);
    await tab.key("End");
    await tab.key("Home");
    expect([tab.requests, tab.sent.length]).toEqual([requests, sent]);
  });

  test("plays, pauses, and stays within the loop range", async () => {
    await tab.key("Space");
    await tab.until(() => window.studio.player.playing.value && window.studio.player.frame.value > 1);
    await tab.key("Space");
    expect(
      await tab.read(() => [window.studio.player.playing.value, window.studio.player.frame.value % 1]),
    ).toEqual([false, 0]);
    const strip = (await tab.page.locator('[data-part="timeline"] canvas').boundingBox())!;
    const last = await tab.read(() => window.studio.player.frames.value - 1);
    await tab.press(
      { x: strip.x + toPixel(whole(last + 1), strip.width, last), y: strip.y + 5 },
      { x: -0.6 * strip.width, y: 0 },
      6,
    );
    await tab.page.mouse.up();
    const range = await tab.read(() => window.studio.player.range.value);
    expect(range[1]).toBeLessThan(0.7 * last);
    await tab.key("Space");
    const frames = await tab.page.evaluate(async () => {
      const seen: number[] = [];
      for (let k = 0; k < 30; k++) {
        await new Promise((done) => requestAnimationFrame(done));
        seen.push(window.studio.player.frame.value);
      }
      return seen;
    });
    await tab.key("Space");
    expect(Math.max(...frames)).toBeLessThanOrEqual(range[1] + 1);
    await tab.page.mouse.dblclick(strip.x + 60, strip.y + 5);
    expect(await tab.read(() => window.studio.player.range.value)).toEqual([0, last]);
  });

  test("a layer is added, and taken back by undo", async () => {
    const before = await tab.read(() => window.studio.layers.value.length);
    await tab.page.getByRole("button", { name: "add a layer" }).click();
    await tab.page.locator(".menu-list button", { hasText: /adapt/i }).first().click();
    await tab.page.waitForFunction((n) => window.studio.layers.value.length === n + 1, before, {
      timeout: WAIT,
    });
    await tab.settled();
    await undo();
    expect(await tab.read(() => window.studio.layers.value.length)).toBe(before);
  });

  test("nobody is on the stage of a project without layers, and who was comes back", async () => {
    const count = await tab.read(() => window.studio.layers.value.length);
    const figures = () =>
      tab.read(() => window.stage.scene.children.filter((c) => c.name === "figure").length);
    const commands = await tab.read(() =>
      window.studio.layers.value.map((l) => ({ do: "remove-layer", layer: l.name })).reverse(),
    );
    await tab.page.evaluate((all) => window.studio.edit({ do: "group", commands: all } as never), commands);
    await tab.until(() => !window.studio.looks.value && !window.studio.layers.value.length);
    await tab.page.locator(".stage .empty").waitFor();
    expect(await figures()).toBe(0);
    await tab.drawn();
    await tab.picture("nobody");
    await undo();
    expect(await tab.read(() => window.studio.layers.value.length)).toBe(count);
    expect(await figures()).toBe(2);
    expect(await tab.page.locator(".stage .empty").count()).toBe(0);
  });

  test("the tension slider is live, and one step of undo", async () => {
    await tab.page.locator('[data-layer="hit"] .layer-name').click();
    const slider = await tab.tension();
    const [undoable, sent, before] = [
      await tab.undoable(),
      tab.sent.length,
      JSON.stringify((await tab.layer("hit"))!["tension"]),
    ];
    await tab.press(
      { x: slider.x + 0.3 * slider.width, y: slider.y + slider.height / 2 },
      { x: 0.4 * slider.width, y: 0 },
      10,
    );
    await tab.until(() => window.studio.solved.value?.live === true);
    await released(undoable);
    const live = tab.sent.slice(sent).filter((m) => m["say"] === "do" && m["live"]);
    expect(live.length).toBeGreaterThan(0);
    expect(JSON.stringify((await tab.layer("hit"))!["tension"])).not.toBe(before);
    expect(await tab.undoable()).toBe(undoable + 1);
    await undo();
    expect(JSON.stringify((await tab.layer("hit"))!["tension"])).toBe(before);
  });

  test("Escape lets the slider go back to where it was", async () => {
    const slider = await tab.tension();
    const [undoable, before] = [await tab.undoable(), JSON.stringify((await tab.layer("hit"))!["tension"])];
    await tab.press(
      { x: slider.x + 0.3 * slider.width, y: slider.y + slider.height / 2 },
      { x: 0.3 * slider.width, y: 0 },
      5,
    );
    await tab.undoableIs(undoable + 1);
    await tab.key("Escape");
    // The button is still down.
    await tab.page.mouse.move(slider.x + 0.8 * slider.width, slider.y + slider.height / 2);
    await tab.page.mouse.up();
    await tab.undoableIs(undoable);
    await tab.settled();
    expect(JSON.stringify((await tab.layer("hit"))!["tension"])).toBe(before);
    expect(await tab.undoable()).toBe(undoable);
    const knob = await tab.page.locator('[data-tension="*"] input[type="range"]').first().inputValue();
    expect(Number(knob)).toBeLessThan(0.5);
  });

  test("hit this makes a target of a body", async () => {
    await tab.page.evaluate(() => window.studio.player.seek(30));
    await tab.page.locator(".bodies button", { hasText: /^LeftHand$/ }).click();
    const before = (await tab.layer("hit"))!["constraints"].length;
    await tab.page.getByRole("button", { name: "Hit this", exact: true }).click();
    await tab.page.waitForFunction(
      (n) =>
        (window.studio.layers.value.find((l) => l.name === "hit") as Entry)["constraints"].length === n + 1,
      before,
      { timeout: WAIT },
    );
    await tab.settled();
    await undo();
    expect((await tab.layer("hit"))!["constraints"].length).toBe(before);
  });

  test("a target is dragged on the stage: live, refined, one step of undo", async () => {
    await tab.page.evaluate((f) => window.studio.player.seek(f), FIST);
    await tab.drawn();
    const [start, undoable, sent] = [await target(), await tab.undoable(), tab.sent.length];
    const before = await tab.read(() => [...window.studio.result.value!.values]);
    await tab.press(await tab.pixel(start), { x: -25, y: 14 }, 8);
    await tab.until(() => window.studio.solved.value?.live === true);
    await released(undoable);
    const end = await target();
    expect(Math.hypot(...end.map((v, k) => v - start[k]!))).toBeGreaterThan(0.02);
    // What stood at one place in three layers moved together.
    for (const layer of ["aim", "stand"]) expect(await target(layer)).toEqual(end);
    expect(await tab.read(() => window.studio.solved.value!.met)).toBe(true);
    expect(await tab.read(() => [...window.studio.result.value!.values])).not.toEqual(before);
    expect(await tab.undoable()).toBe(undoable + 1);
    expect(tab.sent.slice(sent).filter((m) => m["say"] === "seal").length).toBe(1);
    await undo();
    expect(await target()).toEqual(start);
    await tab.key("Control+Shift+z");
    await tab.undoableIs(undoable + 1);
    await tab.settled();
    expect(await target()).toEqual(end);
    await undo();
  });

  test("Escape takes a drag back, and what could be redone can be still", async () => {
    const [start, undoable] = [await target(), await tab.undoable()];
    expect(await tab.read(() => window.studio.state.value!.redoable)).toBe(1); // the drag that was undone
    await tab.press(await tab.pixel(start), { x: 40, y: -20 }, 6);
    await tab.undoableIs(undoable + 1);
    await tab.key("Escape");
    await tab.page.mouse.up();
    await tab.undoableIs(undoable);
    await tab.settled();
    expect(await target()).toEqual(start);
    expect(await tab.read(() => window.studio.state.value!.redoable)).toBe(1);
    await tab.key("Control+Shift+z");
    await tab.undoableIs(undoable + 1);
    await tab.settled();
    expect(Math.hypot(...(await target()).map((v, k) => v - start[k]!))).toBeGreaterThan(0.02);
    await undo();
  });

  test("a number that is typed moves what dragging moves, in one step", async () => {
    const [start, undoable] = [await target(), await tab.undoable()];
    const { x, y } = await tab.pixel(start);
    await tab.page.mouse.click(x, y);
    const entry = tab.inspector.locator(".entry.chosen");
    expect(await entry.locator(".hint").innerText()).toMatch(/^also in /);
    const revision = await tab.revision();
    await entry.getByLabel("place [m] z").fill("1.62");
    await tab.key("Enter");
    await tab.after(revision);
    for (const layer of ["aim", "hit", "stand"])
      expect(await target(layer)).toEqual([start[0], start[1], 1.62]);
    expect(await tab.undoable()).toBe(undoable + 1);
    await tab.picture("shared-target");
    await undo();
    for (const layer of ["aim", "hit", "stand"]) expect(await target(layer)).toEqual(start);
  });

  test("a click on a target selects it and edits nothing", async () => {
    const [undoable, sent] = [await tab.undoable(), tab.sent.length];
    const at = await tab.pixel(await target());
    await tab.page.mouse.click(at.x, at.y);
    expect(
      await tab.read(() => [...window.studio.selected.value].some((id) => id.startsWith("hit/constraints/"))),
    ).toBe(true);
    expect(tab.sent.slice(sent).filter((m) => m["say"] !== "ask")).toEqual([]);
    expect(await tab.undoable()).toBe(undoable);
  });

  test("X while dragging keeps it on the x axis", async () => {
    const [start, undoable] = [await target(), await tab.undoable()];
    await tab.press(await tab.pixel(start), { x: 30, y: 30 }, 4);
    await tab.key("x");
    await tab.page.mouse.move((await tab.pixel(start)).x + 40, (await tab.pixel(start)).y + 25);
    await released(undoable);
    const end = await target();
    expect(Math.abs(end[0]! - start[0]!)).toBeGreaterThan(0.01);
    expect(end[1]).toBeCloseTo(start[1]!, 9);
    expect(end[2]).toBeCloseTo(start[2]!, 9);
    await undo();
  });

  test("a foot plant is moved over the floor and turned", async () => {
    const plant = async () =>
      (await tab.layer("stand"))!["constraints"].find((c: { name: string }) => c.name === "front foot")
        .place as [number, number, number];
    const [start, undoable] = [await plant(), await tab.undoable()];
    await tab.press(await tab.pixel([start[0], start[1], 0]), { x: 20, y: 6 }, 4);
    await released(undoable);
    const moved = await plant();
    expect(Math.hypot(moved[0] - start[0], moved[1] - start[1])).toBeGreaterThan(0.01);
    expect(moved[2]).toBe(start[2]);
    await undo();
    // The same plant stands in two layers: one handle, named by the first, moves both.
    await tab.press(await tab.sign("aim/constraints/0:turn"), { x: 8, y: 14 }, 4);
    await released(undoable);
    const turned = await plant();
    expect(turned.slice(0, 2)).toEqual(start.slice(0, 2));
    expect(Math.abs(turned[2] - start[2])).toBeGreaterThan(0.05);
    await undo();
  });

  test("a dragged body becomes a constraint, in one step of undo", async () => {
    // Not an adaptation: the motion is loose.
    await tab.page.locator('[data-layer="hit"] .layer-name').click();
    await tab.page.evaluate(() => window.studio.player.seek(20));
    await tab.drawn();
    const [undoable, before] = [await tab.undoable(), (await tab.layer("hit"))!["constraints"].length];
    const head = await tab.page.evaluate(() => {
      const body = window.studio.figure.value!.bodies.findIndex((b) => b.name === "LeftForeArm");
      return window.studio.placeOf(body, window.studio.player.time.value)!;
    });
    const at = await tab.pixel(head);
    await tab.press(at, { x: 18, y: -12 }, 5);
    await released(undoable);
    expect((await tab.layer("hit"))!["constraints"].length).toBe(before + 1);
    await undo();
    expect((await tab.layer("hit"))!["constraints"].length).toBe(before);
  });

  test("G grabs a body that was picked by its name, once the pointer is over the stage", async () => {
    const [undoable, before] = [await tab.undoable(), (await tab.layer("hit"))!["constraints"].length];
    const picked = tab.page.locator(".bodies button", { hasText: /^Head$/ });
    await picked.click();
    await tab.key("g");
    await tab.page.locator('[data-part="status"]').getByText("over the stage").waitFor({ timeout: WAIT });
    const from = await tab.pixel([0, 0, 0]);
    await tab.page.mouse.move(from.x, from.y);
    await tab.key("g");
    for (let k = 1; k < 5; k++) await tab.page.mouse.move(from.x + 4 * k, from.y - 3 * k);
    await tab.until(() => window.studio.solved.value?.live === true);
    expect(await tab.read(() => window.studio.shown.value.state)).toBe("draft");
    await tab.page.mouse.down();
    await tab.page.mouse.up();
    await tab.settled();
    expect(await tab.undoable()).toBe(undoable + 1);
    expect((await tab.layer("hit"))!["constraints"].slice(before)).toMatchObject([
      { handle: { point: "Head" } },
    ]);
    expect(await tab.read(() => [window.studio.shown.value.state, window.studio.messages.value])).toEqual([
      "exact",
      [],
    ]);
    await undo();
    await picked.click();
  });

  test("layers are muted and soloed", async () => {
    const press = (layer: string, name: RegExp) =>
      tab.page.locator(`[data-layer="${layer}"]`).getByRole("button", { name }).first().click();
    for (const [name, field] of [
      [/^(m|mute.*)$/i, "muted"],
      [/^(s|solo.*)$/i, "solo"],
    ] as const) {
      await press("hat", name);
      await tab.page.waitForFunction(
        (f) => (window.studio.layers.value.find((l) => l.name === "hat") as Entry)[f] === true,
        field,
        { timeout: WAIT },
      );
      // Its letter is to be read: not in the colour of what is filled, on nothing.
      const look = await tab.page
        .locator('[data-layer="hat"]')
        .getByRole("button", { name })
        .first()
        .evaluate((b) => [getComputedStyle(b).backgroundColor, getComputedStyle(b).color]);
      expect(look[0]).not.toMatch(/transparent|, 0\)$/);
      expect(look[0]).not.toBe(look[1]);
      await undo();
    }
    await press("hit", /^(m|mute.*)$/i);
    await tab.until(() => window.studio.layers.value.find((l) => l.name === "hit")!.muted === true);
    await tab.settled();
    await undo();
  });

  test("a key is moved in the time line", async () => {
    const from = await tab.lane("hit", FIST);
    const to = await tab.lane("hit", FIST + 6);
    const undoable = await tab.undoable();
    await tab.press(from, { x: to.x - from.x, y: 0 }, 6);
    await tab.page.mouse.up();
    await tab.undoableIs(undoable + 1);
    await tab.settled();
    expect((await tab.layer("hit"))!["constraints"][0].when.at).toBeCloseTo((FIST + 6) / 60, 6);
    await undo();
    expect((await tab.layer("hit"))!["constraints"][0].when.at).toBeCloseTo(FIST / 60, 2);
  });

  test("the key sheet, and both key maps", async () => {
    await tab.page.locator('[data-part="stage"] canvas').focus();
    await tab.key("?");
    const sheet = tab.page.getByRole("dialog");
    await sheet.waitFor({ timeout: WAIT });
    expect(await sheet.textContent()).toContain("Blender");
    await sheet.getByRole("button", { name: /Maya/ }).click();
    expect(await sheet.textContent()).toContain("Maya");
    await tab.key("Escape");
    await sheet.waitFor({ state: "hidden", timeout: WAIT });
    await tab.page.evaluate(() => window.studio.player.seek(0));
    await tab.page.locator('[data-part="stage"] canvas').focus();
    await tab.key("."); // the next key, in Maya's map
    expect(await tab.read(() => window.studio.player.frame.value)).toBeCloseTo(FIST, 6);
    await tab.menu("View", "keymap");
    await tab.page.evaluate(() => window.studio.player.seek(0));
    await tab.page.locator('[data-part="stage"] canvas').focus();
    await tab.key("ArrowUp"); // the same, in Blender's
    expect(await tab.read(() => window.studio.player.frame.value)).toBeCloseTo(FIST, 6);
  });

  test("light and dark, remembered", async () => {
    const look = () =>
      tab.page.evaluate(() => [
        document.documentElement.dataset["theme"],
        (window.stage.scene.background as { getHexString(): string }).getHexString(),
      ]);
    const before = await look();
    await tab.menu("View", "dark");
    const after = await look();
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
    await tab.menu("View", "dark");
    expect(await look()).toEqual(before);
  });

  test("is saved, exported and opened again", async () => {
    await tab.key("Control+s");
    await tab.page.getByLabel("file name").fill("boxer"); // its ending goes without saying
    await tab.key("Enter");
    await tab.until(() => window.studio.state.value!.path === "boxer.poise");
    expect(existsSync(join(at.home, "boxer.poise"))).toBe(true);
    expect(await tab.read(() => window.studio.state.value!.modified)).toBe(false);
    await tab.key("Control+e");
    await tab.page.getByLabel("file name").fill("out.bvh");
    await tab.key("Enter");
    await expect.poll(() => readdirSync(at.home).includes("out.bvh"), { timeout: WAIT }).toBe(true);
    for (const [file, layers] of [
      ["out.bvh", 1],
      ["boxer.poise", 5],
    ] as const) {
      const revision = await tab.revision();
      await tab.key("Control+o");
      await tab.page.locator(".files button", { hasText: file }).click();
      await tab.page.getByRole("dialog").waitFor({ state: "hidden", timeout: WAIT });
      await tab.after(revision);
      expect(await tab.read(() => window.studio.layers.value.length)).toBe(layers);
    }
  });

  test("a dropped BVH is added, and opened where that is asked", async () => {
    await tab.seek(30);
    const layers = await tab.read(() => window.studio.layers.value.length);
    await tab.drop("small.bvh", chain({ frames: 40, joints: 3 }));
    await tab.until(() => "small" in (window.studio.state.value!.document["clips"] as object));
    expect(await tab.read(() => window.studio.layers.value.length)).toBe(layers);
    await tab.settled();
    await tab.page.getByRole("tab", { name: "Layers" }).click();
    await tab.key("Control+o");
    await tab.page.locator(".files button", { hasText: "small.bvh" }).click();
    await tab.until(() => window.studio.figure.value?.bodies.length === 3);
    await tab.settled();
    expect(await tab.read(() => window.studio.result.value!.frames)).toBe(40);
    expect(await tab.read(() => window.studio.player.frame.value)).toBe(0);
    expect(tab.problems).toEqual([]);
  });

  test("a page without the token gets nothing", async () => {
    const stranger = await at.browser.newContext();
    const page = await stranger.newPage();
    const answer = await page.goto(`http://127.0.0.1:${at.server.port}/`, { timeout: WAIT });
    expect(answer!.status()).toBe(403);
    expect(await page.evaluate(() => "studio" in window)).toBe(false);
    const socket = await page.evaluate(
      (port) =>
        new Promise<string>((done) => {
          const tried = new WebSocket(`ws://127.0.0.1:${port}/socket`);
          tried.onopen = () => done("open");
          tried.onclose = () => done("closed");
          setTimeout(() => done("late"), 10_000);
        }),
      at.server.port,
    );
    expect(socket).toBe("closed");
    await stranger.close();
  });
});
