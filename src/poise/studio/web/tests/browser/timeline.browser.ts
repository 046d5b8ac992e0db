import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "./chromium.ts";
import { opened, smallChain, walkWith } from "./opened.ts";
import { type Tab, WAIT } from "./tab.ts";

const TRACKS = {
  pins: [{ point: "LeftHand", at: [0.4, 0.6], fade: 0.1 }],
  path: {
    keys: [
      { time: 0, position: [0, 0, 0.95] },
      { time: 0.3, position: [0.2, 0, 0.95], template: { kind: "projectile_3", height: 1.4 } },
      { time: 0.5, position: [0.4, 0, 0.95] },
      { time: 1, position: [0.8, 0, 0.95] },
    ],
  },
  inertia: {
    measure: "gyration",
    keys: [
      { time: 0.3, value: [0.42] },
      { time: 0.8, value: [0.45] },
    ],
  },
  spins: [{ start: 0.3, end: 0.5, turns: 0 }],
};
const reach = (point: string, time: number, place: number[]) => ({
  name: point,
  handle: { kind: "point_position", point, axes: "xyz" },
  target: { value: place },
  when: { at: time },
});

describe.skipIf(!CHROMIUM)("the time line", () => {
  const at = opened({
    width: 1280,
    height: 900,
    source: smallChain,
  });
  let tab: Tab;
  let base = 0;

  beforeAll(async () => {
    tab = at.tab;
    const constraints = [reach("LeftHand", 0.2, [0.5, 0.3, 1.2]), reach("RightHand", 0.5, [0.6, -0.3, 1.2])];
    const tension = [
      { time: 0.2, tension: 4 },
      { time: 0.8, tension: 8 },
    ];
    base = await walkWith(
      tab,
      { do: "adapt", name: "reach", plants: false, constraints },
      { do: "loosen", name: "loose", tension },
    );
  });

  afterEach(() => tab.back(base)); // whatever failed

  const constraints = async () =>
    (await tab.layer("reach"))!["constraints"] as { name: string; when: { at: number }; muted?: boolean }[];
  const times = async () => (await constraints()).map((c) => c.when.at);
  const fps = () => tab.read(() => window.studio.fps.value);
  const frameOf = async (time: number) => time * (await fps());
  const click = async (lane: string, time: number) => {
    const { x, y } = await tab.lane(lane, await frameOf(time));
    await tab.page.mouse.click(x, y);
  };
  const canvas = () => tab.page.locator('[data-part="timeline"] canvas');

  test("keys are dragged, alone and together, and copied with Alt", async () => {
    const before = await times();
    const [from, to] = [
      await tab.lane("reach", await frameOf(before[0]!)),
      await tab.lane("reach", (await frameOf(before[0]!)) + 4),
    ];
    await tab.dragged(from, { x: to.x - from.x, y: 0 });
    expect((await times())[0]! - before[0]!).toBeCloseTo(4 / (await fps()), 5);
    await tab.undo();
    expect(await times()).toEqual(before);
    // A box around both selects both, and both go.
    const second = await tab.lane("reach", await frameOf(before[1]!));
    await tab.press({ x: from.x - 20, y: from.y - 9 }, { x: second.x - from.x + 40, y: 16 }, 4);
    await tab.page.mouse.up();
    expect(await tab.read(() => window.studio.selected.value.size)).toBe(2);
    await tab.dragged(from, { x: to.x - from.x, y: 0 });
    for (const [k, time] of (await times()).entries())
      expect(time - before[k]!).toBeCloseTo(4 / (await fps()), 5);
    await tab.undo();
    await click("reach", before[0]!);
    await tab.page.keyboard.down("Alt");
    await tab.dragged(from, { x: to.x - from.x, y: 0 });
    await tab.page.keyboard.up("Alt");
    expect(await times()).toHaveLength(3);
    await tab.undo();
  });

  test("a key dragged in time is solved as it goes; Esc takes it back, letting go is one step", async () => {
    const before = await times();
    const undoable = await tab.undoable();
    const [from, to] = [
      await tab.lane("reach", await frameOf(before[0]!)),
      await tab.lane("reach", (await frameOf(before[0]!)) + 6),
    ];
    await tab.seek(Math.round(await frameOf(before[0]!)));
    const hand = () =>
      tab.read(
        () =>
          window.studio.placeOf(
            window.studio.figure.value!.bodies.findIndex((b) => b.name === "LeftHand"),
            window.studio.player.time.value,
          )!,
      );
    const reached = await hand();
    await tab.press(from, { x: to.x - from.x, y: 0 }, 6);
    // Every move has been answered.
    await tab.until(() => {
      const { solved, current, connection } = window.studio;
      return solved.value!.live && current.value && !connection.awaits;
    });
    const during = await hand();
    // The button is still down.
    expect(Math.hypot(...during.map((v, i) => v - reached[i]!))).toBeGreaterThan(0.01);
    await tab.picture("key-dragged");
    await tab.key("Escape");
    await tab.undoableIs(undoable);
    await tab.settled();
    await tab.page.mouse.up();
    expect(await times()).toEqual(before);
    expect(Math.hypot(...(await hand()).map((v, i) => v - reached[i]!))).toBeLessThan(1e-3);
    expect(await tab.undoable()).toBe(undoable);
  });

  test("keys are copied, pasted at a frame, duplicated, muted, and deleted", async () => {
    const before = await times();
    await click("reach", before[0]!);
    await tab.key("Control+c");
    await tab.seek(20);
    await tab.step(() => tab.key("Control+v"));
    expect((await times()).at(-1)).toBeCloseTo(20 / (await fps()), 5);
    await tab.undo();
    await click("reach", before[0]!);
    await tab.step(() => tab.key("Control+d"));
    expect(await times()).toHaveLength(3);
    await tab.undo();
    await click("reach", before[0]!);
    await tab.step(() => tab.key("m"));
    expect((await constraints())[0]!.muted).toBe(true);
    await tab.undo();
    await click("reach", before[0]!);
    await tab.step(() => tab.key("Delete"));
    expect(await times()).toEqual([before[1]]);
    await tab.undo();
    expect(await times()).toEqual(before);
  });

  test("keys are put in by a key and by a double click; without a body, why not is said", async () => {
    await tab.page.evaluate(() => {
      window.studio.body.value = -1;
      window.studio.messages.value = [];
    });
    const { x, y } = await tab.lane("reach", 45);
    await tab.page.mouse.dblclick(x, y);
    await expect
      .poll(() => tab.page.locator('[data-part="status"]').textContent(), { timeout: WAIT })
      .toMatch(/select a body/);
    await tab.page.locator(".bodies button", { hasText: /^LeftHand$/ }).click();
    await tab.step(() => tab.page.mouse.dblclick(x, y));
    expect(await times()).toHaveLength(3);
    await tab.undo();
    await tab.seek(20);
    await tab.page.locator('[data-lane="loose"] .lane-label').click();
    await canvas().focus();
    await tab.step(() => tab.key("i"));
    expect((await tab.layer("loose"))!["tension"]).toHaveLength(3);
    await tab.undo();
  });

  test("the graph: taller lanes, and a key's value is dragged up", async () => {
    await tab.page.locator('[data-lane="loose"] .lane-label').click();
    await tab.changed("timeline");
    await tab.page.getByRole("tab", { name: "Graph" }).click();
    await expect.poll(() => tab.changed("timeline"), { timeout: WAIT }).toBeGreaterThan(0.01);
    await tab.picture("graph");
    const strip = await tab.strip();
    await tab.page.mouse.move(strip.x + 300, strip.y + 100);
    await tab.page.keyboard.down("Shift");
    await tab.page.mouse.wheel(0, 1000); // to the last lane
    await tab.page.keyboard.up("Shift");
    const lane = tab.page.locator('[data-lane="loose"]');
    await expect // the wheel is not waited for
      .poll(
        async () => {
          const { y, height } = (await lane.boundingBox())!;
          return y > strip.y && y + height <= strip.y + strip.height + 1;
        },
        { timeout: WAIT },
      )
      .toBe(true);
    const name = (await lane.boundingBox())!;
    expect(name.height).toBe(64);
    const before = (await tab.layer("loose"))!["tension"] as { time: number; tension: number }[];
    // The lower of two keys an octave apart, in a lane a little wider than them.
    const row = 64 - 8 - (0.08 / 1.16) * 48;
    await tab.dragged(
      { x: (await tab.lane("loose", await frameOf(before[0]!.time))).x, y: name.y + row },
      { x: 0, y: -15 },
    );
    const after = (await tab.layer("loose"))!["tension"] as { time: number; tension: number }[];
    expect(after[0]!.tension).toBeGreaterThan(1.15 * before[0]!.tension);
    expect(after[0]!.time).toBeCloseTo(before[0]!.time, 6);
    await tab.undo();
    await tab.page.getByRole("tab", { name: "Dope sheet" }).click();
  });

  test("the bar of what is solved is another where the motion is not the document's", async () => {
    await tab.quiet();
    await tab.changed("timeline");
    const stand = (state: "stale" | "exact") =>
      tab.page.evaluate((how) => {
        const { standing } = window.studio.shown.value;
        window.studio.happens({ kind: "status", standing: { ...standing, state: how }, at: Date.now() });
      }, state);
    await stand("stale");
    expect(await tab.changed("timeline")).toBeGreaterThan(1e-3);
    await stand("exact");
    expect(await tab.changed("timeline")).toBeGreaterThan(1e-3);
  });

  test("tracks: a lane for each, a segment's end dragged, a hint, Fix tried and kept; zooming", async () => {
    await tab.edit({
      do: "group",
      label: "tracks",
      commands: [
        { do: "remove-layer", layer: "loose" },
        { do: "remove-layer", layer: "reach" },
        { do: "add-layer", layer: { do: "key", name: "keys", keyframes: TRACKS } },
      ],
    });
    const lanes = await tab.page
      .locator("[data-lane]")
      .evaluateAll((all) => all.map((e) => (e as HTMLElement).dataset["lane"]));
    for (const lane of ["keys", "keys/keyframes/pins/0", "keys#path", "keys#inertia", "keys#spins"])
      expect(lanes).toContain(lane);
    const end = await tab.lane("keys/keyframes/pins/0", await frameOf(0.6));
    await tab.dragged(end, { x: 40, y: 0 });
    expect((await tab.layer("keys"))!["keyframes"].pins[0].at[1]).toBeGreaterThan(0.62);
    await tab.undo();

    await tab.quiet();
    await tab.until(() => window.studio.paths.value["keys"]?.segments.some((s) => !s.fine && s.fixable));
    const words = await tab.read(() =>
      window.studio.paths.value["keys"]!.segments.flatMap((s) => s.words).join(" "),
    );
    expect(words).toMatch(/[a-z]{3,} .*\d/);
    await tab.choose("keys");
    await expect
      .poll(() => tab.inspector.textContent(), { timeout: WAIT })
      .toContain(words.split(" ").slice(0, 3).join(" "));
    const before = (await tab.layer("keys"))!["keyframes"].path.keys.map((k: { time: number }) => k.time);
    const trial = tab.page.locator('[data-part="trial"]');
    const fix = () => tab.inspector.getByRole("button", { name: /^Fix/ }).first().click();
    const undoable = await tab.undoable();
    await tab.step(fix);
    await trial.waitFor({ timeout: WAIT });
    expect(await tab.read(() => window.studio.reference.value === window.studio.trial.value!.before)).toBe(
      true,
    ); // the wire is how it was
    await tab.picture("fix-preview");
    await trial.getByRole("button", { name: "Take back" }).click();
    const now = async () => JSON.stringify(await tab.read(() => window.studio.layers.value));
    // The server has taken it back too.
    await tab.undoableIs(undoable);
    await tab.settled();
    expect((await tab.layer("keys"))!["keyframes"].path.keys.map((k: { time: number }) => k.time)).toEqual(
      before,
    );
    const unfixed = await now();
    await tab.step(fix);
    await trial.getByRole("button", { name: "Keep" }).click();
    await trial.waitFor({ state: "hidden", timeout: WAIT });
    expect(await now()).not.toBe(unfixed);
    await tab.until(() => window.studio.paths.value["keys"]?.segments.every((s) => s.fine) ?? false);
    await expect.poll(() => tab.undoable(), { timeout: WAIT }).toBe(undoable + 1);
    await tab.undo();
    expect(await now()).toBe(unfixed);
    expect(tab.problems).toEqual([]);
    await tab.quiet(); // no lane changes by itself any more
    const strip = await tab.strip();
    const shownAll = async () => {
      await tab.changed("timeline");
      return tab.page.evaluate(() =>
        Array.from(window.seen["timeline"]!).reduce((sum, v, k) => (sum + v * (k % 97)) % 1e9, 0),
      );
    };
    await tab.page.locator('[data-lane="keys"] .lane-label').click();
    const all = await shownAll();
    const zoom = async () => {
      await tab.page.mouse.move(strip.x + 300, strip.y + 100);
      await tab.page.mouse.wheel(0, -300);
      await expect.poll(shownAll, { timeout: WAIT }).not.toBe(all);
    };
    await zoom();
    await tab.key("Shift+F");
    await expect.poll(shownAll, { timeout: WAIT }).toBe(all);
    await zoom();
    await tab.page.getByRole("button", { name: "show the whole time line" }).click();
    await expect.poll(shownAll, { timeout: WAIT }).toBe(all);
    await zoom();
    const frame = await tab.read(() => window.studio.player.frame.value);
    await tab.page.mouse.dblclick(strip.x + 300, strip.y + 22);
    await tab.seek(frame); // the clicks of a double click go there
    await expect.poll(shownAll, { timeout: WAIT }).toBe(all);
  });
});
