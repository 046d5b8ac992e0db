// Surfaces of a layer: put where a fist goes, seen, run into, moved and sized by hand, made to move.
import { beforeAll, describe, expect, test } from "vitest";
import type { Entry } from "../../src/time/entry.ts";
import { CHROMIUM } from "./chromium.ts";
import { opened } from "./opened.ts";
import { type Tab, WAIT } from "./tab.ts";

describe.skipIf(!CHROMIUM)("surfaces of a layer", () => {
  const at = opened({ width: 1280, height: 800 });
  let tab: Tab;

  beforeAll(async () => {
    tab = at.tab;
    await tab.edit({
      do: "group",
      label: "a loose punch",
      commands: [
        ...["hat", "stand", "aim"].map((layer) => ({ do: "remove-layer", layer })),
        { do: "become", layer: "hit", operation: "loosen" },
        { do: "set", layer: "hit", path: "tension", value: "relaxed" },
      ],
    });
    await tab.choose("hit");
    await tab.inspector.locator("summary", { hasText: /^World$/ }).click();
  });

  const button = (name: string) => tab.inspector.getByRole("button", { name, exact: true });
  const surfaces = async () =>
    (((await tab.layer("hit"))!["world"] as Entry | undefined)?.["surfaces"] ?? []) as Entry[];
  const type = async (label: string, text: string) => {
    const field = tab.inspector.getByLabel(label, { exact: true }).first();
    await field.fill(text);
    await field.press("Enter");
  };
  /** How far ahead the fist gets. */
  const reach = () =>
    tab.read(() => {
      const { figure, result, player } = window.studio;
      const fist = figure.value!.bodies.findIndex((b) => b.name === "RightHand");
      return Math.max(
        ...Array.from(
          { length: result.value!.frames },
          (_, f) => window.studio.placeOf(fist, f / player.fps.value)![0],
        ),
      );
    });

  test("a box stands where the picked fist is, and stops it; the time line says when", async () => {
    const free = await reach();
    await tab.seek(52);
    await tab.page.locator(".bodies button", { hasText: /^RightHand$/ }).click();
    await tab.changed();
    await tab.step(() => button("+ Box").click());
    expect(await tab.changed()).toBeGreaterThan(2e-3); // it is seen
    expect((await surfaces())[0]).toMatchObject({ name: "box", shape: { half: [0.1, 0.2, 0.2] } });
    expect(await reach()).toBeLessThan(free - 0.05);
    await tab.until(() => document.querySelector('[data-lane="hit#contacts0"]') !== null);
    const contact = tab.inspector.locator(".findings button", { hasText: "RightHand on box" });
    await contact.first().waitFor({ timeout: WAIT });
    await tab.seek(0);
    await contact.first().click();
    expect(await tab.read(() => window.studio.player.frame.value)).toBeGreaterThan(20);
    await tab.picture("obstacle");
    await tab.menu("View", "dark");
    await tab.picture("obstacle-dark");
    await tab.menu("View", "dark");
  });

  test("it is moved and made larger on the stage, solved as it goes; Esc takes it back", async () => {
    const before = (await surfaces())[0]!;
    await tab.dragged(await tab.sign("hit/world/surfaces/0"), { x: 40, y: 0 });
    expect((await surfaces())[0]!["place"]).not.toEqual(before["place"]);
    await tab.undo();
    await tab.dragged(await tab.sign("hit/world/surfaces/0:size"), { x: 14, y: -20 });
    expect((await surfaces())[0]!["shape"]["half"]).not.toEqual(before["shape"]["half"]);
    await tab.undo();
    // Rings turn it, each about one of its axes; they are there while it is selected.
    await tab.dragged(await tab.sign("hit/world/surfaces/0:spin-z"), { x: -50, y: 22 });
    const turn = (await surfaces())[0]!["turn"] as number[];
    expect(Math.abs(turn[2]!)).toBeGreaterThan(0.1);
    expect(Math.hypot(turn[0]!, turn[1]!)).toBeLessThan(1e-6);
    await tab.picture("obstacle-turned");
    await tab.undo();
    // With Ctrl turns go by 15° and places by round steps; what is asked for is said.
    const ring = await tab.sign("hit/world/surfaces/0:spin-z");
    await tab.step(async () => {
      await tab.press(ring, { x: -50, y: 22 }, 4);
      await tab.page.keyboard.down("Control");
      expect(await tab.page.locator('[data-part="stage-hint"]').textContent()).toMatch(
        /about z: -?(15|30|45|60|75|90)° /,
      );
      await tab.page.mouse.up();
      await tab.page.keyboard.up("Control");
    });
    const steps = ((await surfaces())[0]!["turn"] as number[])[2]! / (Math.PI / 12);
    expect(Math.abs(Math.round(steps))).toBeGreaterThan(0);
    expect(steps).toBeCloseTo(Math.round(steps), 4);
    await tab.undo();
    await tab.page.keyboard.down("Control");
    await tab.dragged(await tab.sign("hit/world/surfaces/0"), { x: 40, y: 7 });
    await tab.page.keyboard.up("Control");
    for (const place of (await surfaces())[0]!["place"] as number[])
      expect(100 * place).toBeCloseTo(Math.round(100 * place), 6);
    await tab.undo();
    await tab.read(() => {
      window.studio.selected.value = new Set();
    });
    await tab.until(() => !window.stage.scene.getObjectByName("hit/world/surfaces/0:spin-z"));
    const undoable = await tab.undoable();
    await tab.press(await tab.sign("hit/world/surfaces/0"), { x: 60, y: -30 }, 5);
    await tab.undoableIs(undoable + 1);
    await tab.key("Escape");
    await tab.page.mouse.up();
    await tab.undoableIs(undoable);
    await tab.settled();
    expect((await surfaces())[0]).toEqual(before);
  });

  test("numbers are typed, what is wrong is said; it is muted, copied and deleted", async () => {
    const free = async () => ((await surfaces())[0]!["muted"] ? reach() : Number.NaN);
    await tab.step(() => type("edges [m] x", "0.4"));
    expect((await surfaces())[0]!["shape"]["half"][0]).toBeCloseTo(0.2, 6);
    await tab.step(() => type("turned [°] z", "90"));
    expect((await surfaces())[0]!["turn"][2]).toBeCloseTo(Math.PI / 2, 5);
    await type("edges [m] x", "-1");
    await expect
      .poll(() => tab.page.locator('[data-part="status"]').textContent(), { timeout: WAIT })
      .toMatch(/half.*must be positive/);
    // As it still is.
    expect(await tab.inspector.getByLabel("edges [m] x", { exact: true }).first().inputValue()).toBe("0.4");
    const stopped = await reach();
    await tab.step(() => button("mute box").click());
    expect(await free()).toBeGreaterThan(stopped + 0.02);
    await tab.step(() => button("copy box").click());
    expect((await surfaces()).map((o) => o["name"]).sort()).toEqual(["box", "box 2"]);
    await tab.step(() => button("delete box 2").click());
    await tab.step(() => button("mute box").click());
    expect(await surfaces()).toHaveLength(1);
  });

  test("a ball with two keys flies, and its keys are in the time line", async () => {
    await tab.seek(20);
    await tab.read(() => {
      window.studio.body.value = -1;
    });
    await tab.step(() => button("+ Ball").click());
    await tab.step(() => button("Key its place here").click());
    await tab.seek(40);
    await tab.step(() => button("Key its place here").click());
    expect((await surfaces())[1]!["track"]).toHaveLength(2);
    const lane = await tab.lane("hit/world/surfaces/1", 40);
    await tab.dragged(lane, { x: 60, y: 0 });
    expect((await surfaces())[1]!["track"][1].time).toBeGreaterThan(40 / 60 + 0.01);
    await tab.dragged(await tab.sign("hit/world/surfaces/1/track/1"), { x: 50, y: -60 });
    await tab.seek(35);
    await tab.picture("obstacle-moving");
    const [first, second] = ((await surfaces())[1]!["track"] as { place: number[] }[]).map((k) => k.place);
    expect(Math.hypot(...first!.map((v, i) => v - second![i]!))).toBeGreaterThan(0.05);
    await tab.step(() => button("Stand still here").click());
    expect((await surfaces())[1]!["track"] ?? []).toEqual([]);
    expect(tab.problems).toEqual([]);
  });
});
