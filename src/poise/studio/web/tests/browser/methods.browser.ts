// Every operation from the screen: tension, windows, targets, adaptation, templates, beats, scenes,
// soft things, plausibility.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Entry } from "../../src/time/entry.ts";
import { CHROMIUM } from "./chromium.ts";
import { opened, smallChain, walkWith } from "./opened.ts";
import { type Tab, WAIT } from "./tab.ts";
import { clicks } from "./wav.ts";

const SCRIPT = {
  name: "wave",
  character: "humanoid",
  start: "Down",
  beats: { tempo: 120, count: 8 },
  poses: {
    Down: { RightArm: [75, 0, 0], RightForeArm: 15 },
    Up: { RightArm: [-30, 0, 20], RightForeArm: 40 },
  },
  keys: [
    { pose: "Up", beat: 2 },
    { pose: "Down", beat: 3 },
  ],
};

describe.skipIf(!CHROMIUM)("every operation", () => {
  const at = opened({
    width: 1280,
    height: 900,
    source: smallChain,
  });
  let tab: Tab;
  let base = 0;

  beforeAll(async () => {
    tab = at.tab;
    base = await walkWith(tab, { do: "loosen", name: "loose", tension: "relaxed" });
  });

  afterEach(() => tab.back(base)); // whatever failed

  const done = () => tab.read(() => window.studio.layers.value.map((l) => l.do));
  const last = async (operation: string) =>
    (await tab.page.evaluate(
      (k) => window.studio.layers.value.findLast((l) => l.do === k) as Entry | undefined,
      operation,
    ))!;
  const button = (name: string | RegExp) =>
    tab.inspector.getByRole("button", { name, exact: typeof name === "string" });
  const add = async (operation: string) => {
    await tab.page.getByRole("button", { name: "add a layer" }).click();
    await tab.page.locator(`[data-adds="${operation}"]`).first().click();
  };
  const type = async (label: string, text: string) => {
    const field = tab.inspector.getByLabel(label, { exact: true }).first();
    await field.fill(text);
    await field.press("Enter");
  };
  const pick = (body: string) =>
    tab.page.locator(".bodies button", { hasText: new RegExp(`^${body}$`) }).click();

  test("tension: presets, a limb, a joint, a number typed, a key", async () => {
    await tab.choose("loose");
    const tension = async () => (await tab.layer("loose"))!["tension"];
    await tab.step(() => tab.inspector.getByLabel("whole body preset").selectOption("drunk"));
    expect(await tension()).toBe("drunk");
    await tab.step(() => tab.inspector.getByLabel("another part").selectOption("left arm"));
    expect(await tension()).toEqual({ "*": "drunk", "left arm": "loose" });
    await tab.step(() => tab.inspector.getByLabel("another part").selectOption("Head"));
    await tab.step(() => type("Head in numbers", "9"));
    expect((await tension())["Head"]).toBe(9);
    await tab.step(() => button("left arm like the rest again").click());
    expect(Object.keys(await tension())).toEqual(["*", "Head"]);
    await tab.seek(20);
    await tab.step(() => button("Key at this frame").click());
    expect(await tension()).toHaveLength(2);
    await tab.picture("tension");
  });

  test("the window: adaptive, suggested, and by the second", async () => {
    await tab.choose("loose");
    await tab.step(() => tab.inspector.getByLabel("window", { exact: true }).selectOption("adaptive"));
    await button("Suggest a window").click();
    await tab.step(() => button(/^Use \d/).click());
    const window_ = (await tab.layer("loose"))!["window"] as number;
    expect(window_).toBeGreaterThan(0.05);
    expect(window_).toBeLessThan(3);
    await tab.step(() => type("window in numbers", "0.5"));
    expect((await tab.layer("loose"))!["window"]).toBe(0.5);
  });

  test("hit this: a place, a velocity, a whole pose; and its numbers typed", async () => {
    await tab.seek(24);
    await pick("LeftHand");
    for (const [name, count] of [
      ["Hit this", 1],
      ["with velocity", 2],
      ["this pose", 1],
    ] as const) {
      await tab.step(() => button(name).click());
      expect((await last("hit"))["constraints"]).toHaveLength(count);
      if (name === "Hit this") {
        await tab.inspector.locator("[data-entry] .entry-name").first().click();
        await tab.step(() => type("place [m] z", "1.1"));
        expect((await last("hit"))["constraints"][0].target.value[2]).toBe(1.1);
        await tab.step(() => type("width in numbers", "0.6"));
        expect((await last("hit"))["width"]).toBe(0.6);
        await tab.undo();
        await tab.undo();
      }
      await tab.undo();
    }
    expect(await done()).toEqual(["load", "loosen"]);
    // Once it has nothing to hit any more, it is only loose again, as it was.
    await tab.step(() => button("Hit this").click());
    expect([await done(), (await last("hit"))["tension"]]).toEqual([["load", "hit"], "relaxed"]);
    await tab.step(() => button(/^delete LeftHand/).click());
    expect([await done(), (await last("loosen"))["tension"]]).toEqual([["load", "loosen"], "relaxed"]);
  });

  test("adapting: a pinned hand, its numbers, and feet that stand made editable", async () => {
    await tab.seek(24);
    await tab.step(() => button("Pin by adapting").click());
    await tab.inspector.locator("[data-entry] .entry-name").first().click();
    await tab.step(() => type("place [m] z", "1.2"));
    expect((await last("adapt"))["constraints"][0].target.value[2]).toBe(1.2);
    await tab.step(() => button("Hold it for a while").click());
    expect((await last("adapt"))["constraints"][0].when.from).toBeCloseTo(0.4, 6);
    await tab.step(() => button("Make them editable").click());
    expect((await last("adapt"))["constraints"].length).toBeGreaterThan(1);
    await tab.picture("adaptation");
    await pick("LeftHand");
  });

  test("key-frames: every track from its button, a template from the menu, numbers typed", async () => {
    await tab.step(() => add("key"));
    await tab.seek(12);
    await pick("LeftHand");
    const tracks = async () => (await last("key"))["keyframes"];
    await tab.step(() => button("Spin").click());
    expect((await tracks()).spins).toHaveLength(1);
    await tab.undo();
    for (const name of ["Pin", "Centre of mass", "Inertia"]) await tab.step(() => button(name).click());
    await tab.seek(40);
    await tab.step(() => button("Centre of mass").click());
    expect(Object.keys(await tracks()).sort()).toEqual(["inertia", "path", "pins"]);
    const layer = (await last("key"))["name"] as string;
    const key = await tab.lane(`${layer}#path`, 12);
    await tab.page.mouse.click(key.x, key.y);
    await tab.step(() => tab.inspector.getByLabel("then").selectOption("projectile to a height"));
    expect((await tracks()).path.keys[0].template.kind).toBe("projectile_3");
    await tab.step(() => type("place [m] x", "0.3"));
    expect((await tracks()).path.keys[0].position[0]).toBe(0.3);
    await tab.picture("keyframes");
    await pick("LeftHand");
  });

  test("something soft: worn, softer, on another bone", async () => {
    await tab.edit({ do: "add-layer", layer: { do: "wear", name: "hat", to: "Head" } });
    await tab.until(() => window.studio.soft.value.length === 1);
    await tab.choose("hat");
    const shape = () =>
      tab.read(() => window.studio.soft.value[0]!.shape.reduce((sum, v) => sum + Math.abs(v), 0));
    const stiff = await shape();
    await tab.quiet(); // what carries it has shaders of its own
    await tab.read(() => window.stage.drawNow());
    await tab.page.evaluate(() => {
      const gl = window.stage.renderer.getContext();
      const link = gl.linkProgram.bind(gl);
      gl.linkProgram = (program) => {
        link(program);
        (window as unknown as { built: number }).built =
          1 + ((window as unknown as { built?: number }).built ?? 0);
      };
    });
    await tab.inspector.locator("summary", { hasText: "Material" }).click();
    await tab.step(() => type("young", "4000"));
    expect((await tab.layer("hat"))!["young"]).toBe(4000);
    await expect.poll(shape, { timeout: WAIT }).not.toBe(stiff);
    await tab.read(() => window.stage.drawNow());
    // Another hat, the same shaders; something else may have come to the stage late, with one of its own.
    expect(await tab.read(() => (window as unknown as { built?: number }).built ?? 0)).toBeLessThan(2);
    await tab.step(() => tab.inspector.getByLabel("to", { exact: true }).selectOption("LeftHand"));
    await tab.until(
      () =>
        window.studio.soft.value[0]!.header.body ===
        window.studio.figure.value!.bodies.findIndex((b) => b.name === "LeftHand"),
    );
  });

  test("plausibility: checked, plots and findings lead to frames, a fix is tried", async () => {
    await tab.edit({ do: "set", layer: "loose", path: "tension", value: "loose" });
    await tab.edit({ do: "set", layer: "loose", path: "contacts", value: false }); // so that feet slide
    await button("Check").click();
    await tab.inspector.locator(".plot").first().waitFor({ timeout: WAIT });
    await tab.seek(0);
    const plot = tab.inspector.locator(".plot .u-over").first();
    await plot.scrollIntoViewIfNeeded();
    const { width } = (await plot.boundingBox())!;
    await plot.click({ position: { x: 0.7 * width, y: 20 } });
    await tab.until(() => window.studio.player.frame.value > 20);
    await tab.picture("plausibility");
    // Light or dark, the plots are drawn in the page's colours.
    const ink = () =>
      tab.page.evaluate(() => {
        const canvas = document.querySelector<HTMLCanvasElement>(".plot canvas")!;
        const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
        let sum = 0;
        let count = 0;
        for (let k = 0; k < data.length; k += 4)
          if (data[k + 3]! > 200) {
            sum += data[k]! + data[k + 1]! + data[k + 2]!;
            count++;
          }
        return sum / (3 * count);
      });
    const inked = await ink();
    await tab.menu("View", "dark");
    await expect.poll(ink, { timeout: WAIT }).not.toBeCloseTo(inked, 0);
    const other = await ink();
    await tab.picture("plausibility-dark");
    await tab.menu("View", "dark");
    await expect
      .poll(async () => Math.abs((await ink()) - inked) < 0.3 * Math.abs(other - inked), { timeout: WAIT })
      .toBe(true);
    const finding = tab.inspector.locator(".findings button[title^='frames']").first();
    await finding.waitFor({ timeout: WAIT });
    const [from, to] = /frames (\d+) to (\d+)/
      .exec((await finding.getAttribute("title"))!)!
      .slice(1)
      .map(Number);
    await finding.click();
    const frame = await tab.read(() => window.studio.player.frame.value);
    expect(frame).toBeGreaterThanOrEqual(from!);
    expect(frame).toBeLessThanOrEqual(to!);
    const layers = await done();
    await tab.step(() => button("Fix: preview").click());
    const trial = tab.page.locator('[data-part="trial"]');
    await trial.waitFor({ timeout: WAIT });
    await tab.picture("fix-plausibility");
    await trial.getByRole("button", { name: "Take back" }).click();
    await tab.page.waitForFunction(
      (before) => window.studio.layers.value.map((l) => l.do).join() === before,
      layers.join(),
      { timeout: WAIT },
    );
    await tab.settled();
  });

  test("on the beat: a recording, its wave form and beats, keys on them", async () => {
    writeFileSync(join(at.home, "music.wav"), clicks({ tempo: 120, seconds: 6 }));
    await tab.edit({
      do: "group",
      label: "a performance",
      commands: [
        ...(await tab.read(() => window.studio.layers.value.map((l) => l.name)))
          .reverse()
          .map((layer) => ({ do: "remove-layer", layer })),
        { do: "add-layer", layer: { do: "perform", name: "play", script: SCRIPT } },
      ],
    });
    await tab.choose("play");
    // Of the workspace: music.wav.
    await tab.step(() => tab.inspector.getByLabel("from", { exact: true }).selectOption("recording"));
    await tab.until(() => (window.studio.music.value["play"]?.high.length ?? 0) > 0); // the wave form
    expect(await tab.read(() => window.studio.music.value["play"]!.beats.length)).toBeGreaterThan(6);
    const tempo = await tab.read(() => window.studio.music.value["play"]!.tempo);
    expect(Math.abs(tempo - 120)).toBeLessThan(6);
    expect(await tab.read(() => Math.max(...window.studio.music.value["play"]!.high))).toBeGreaterThan(0.1);
    const beat = await tab.lane(
      "play#keys",
      60 * (await tab.read(() => window.studio.music.value["play"]!.beats[1]!)),
    );
    await tab.page.mouse.click(beat.x, beat.y);
    await tab.step(() => type("beat", "4"));
    expect((await tab.layer("play"))!["script"].keys[0].beat).toBe(4);
    await tab.step(() => tab.inspector.getByText("all keys on beats").click());
    await tab.picture("beat");
    expect(tab.problems).toEqual([]);
  });

  test("a scene: progress is told, it is cancelled, and solved", async () => {
    const undoable = await tab.undoable();
    await tab.page.evaluate(() =>
      window.studio.edit({
        do: "group",
        label: "a scene",
        commands: [
          ...window.studio.layers.value
            .map((l) => ({ do: "remove-layer" as const, layer: l.name }))
            .reverse(),
          {
            do: "add-layer",
            layer: { do: "plan", name: "jump", scene: "four punches" },
          },
        ],
      }),
    );
    await tab.undoableIs(undoable + 1);
    await tab.choose("jump");
    await tab.until(() => window.studio.progress.value);
    await tab.page.locator('[data-part="status"]').getByRole("button", { name: "Cancel" }).click();
    const goOn = tab.page.locator('[data-state="stopped"]').getByRole("button", { name: "Go on" });
    await goOn.waitFor({ timeout: WAIT });
    await tab.until(() => !window.studio.progress.value);
    expect(await tab.read(() => window.studio.current.value)).toBe(false);
    await goOn.click();
    await tab.settled();
    expect(await tab.read(() => window.studio.result.value!.frames)).toBeGreaterThan(30);
    await tab.step(() => button("Take it apart").click());
    const segments = async () => (await tab.layer("jump"))!["scene"].segments as Record<string, unknown>[];
    const count = (await segments()).length;
    expect(count).toBeGreaterThan(1);
    expect(await tab.page.locator('[data-lane^="jump"]').count()).toBeGreaterThan(0);
    await tab.inspector.locator(".segments .entry-name").nth(1).click();
    const revision = await tab.revision();
    await button("+ Key").click(); // a partial key: the centre of mass goes through its highest place
    await tab.page.waitForFunction((r) => window.studio.state.value!.revision > r, revision, {
      timeout: WAIT,
    });
    expect(((await segments())[1]!["keys"] as unknown[]).length).toBeGreaterThan(0);
    await tab.picture("scene");
    await tab.key("Escape");
    // Partial keys have handles: of the lamp, whose jump is soon made, one is dragged.
    await tab.page.evaluate(async () =>
      window.studio.edit({
        do: "set",
        layer: "jump",
        path: "scene",
        value: await window.studio.ask("scene", { name: "lamp jump" }),
      }),
    );
    await tab.until(() => window.studio.figure.value?.name === "lamp");
    await tab.settled();
    const key = async () => ((await segments())[0]!["keys"] as Entry[])[1]!["position"] as (number | null)[];
    const before = await key(); // where the bulb is to be: x and z
    await tab.dragged(await tab.sign("jump/scene/segments/0/keys/1"), { x: 16, y: -20 });
    const after = await key();
    expect([after[0] !== before[0], after[1], after[2]! > before[2]!]).toEqual([true, null, true]);
    await tab.picture("synthesis-key");
    expect(tab.problems).toEqual([]);
  });
});
