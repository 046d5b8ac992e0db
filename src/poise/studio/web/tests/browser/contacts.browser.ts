// What carries a motion: surfaces on the stage, bars in the time line, dragged, locked, deleted, confirmed.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "./chromium.ts";
import { opened } from "./opened.ts";
import { PYTHON, ROOT } from "./server.ts";
import { type Tab, WAIT } from "./tab.ts";

/** Somebody who waves and meanwhile rises by half a metre, as on a lift that no file tells of. */
const RISING = `
import sys
import numpy as np
from poise import clips
wave = clips.get("wave")
rise = np.clip((wave.times - 1.0) / 0.7, 0.0, 1.0)
q = np.array(wave.q)
q[:, 2] += 0.5 * rise**2 * (3 - 2 * rise)
wave.with_q(q).save(sys.argv[1])
`;

describe.skipIf(!CHROMIUM)("contacts", () => {
  const at = opened({
    width: 1280,
    height: 860,
    source: (home) => {
      const env = { ...process.env, PYTHONPATH: process.env["PYTHONPATH"] ?? join(ROOT, "src") };
      execFileSync(PYTHON, ["-c", RISING, join(home, "rising.bvh")], { env });
      return "rising.bvh";
    },
  });
  let tab: Tab;
  /** What was found, for the present document. */
  const told = async () => {
    await tab.quiet();
    return tab.read(() => window.studio.carried.value!.contacts);
  };
  const kept = () =>
    tab.read(() => {
      const all = window.studio.state.value!.document["contacts"] as
        | Record<string, { contacts: { start: number; end: number; locked?: boolean }[] }>
        | undefined;
      return Object.values(all ?? {})[0]?.contacts;
    });

  beforeAll(async () => {
    tab = at.tab;
    await told();
  }, WAIT);

  test("a step that was found stands on the stage with a question mark", async () => {
    await tab.seek(120);
    await tab.drawn();
    expect(await tab.read(() => window.stage.scene.getObjectByName("surface step")?.visible)).toBe(true);
    await expect
      .poll(() => tab.page.locator('[data-part="surface-name"]').allTextContents())
      .toEqual([expect.stringMatching(/^step\? \d+ cm$/)]);
    await tab.menu("View", "forces");
    await tab.changed();
    await tab.picture("contacts light");
    await tab.menu("View", "dark");
    await tab.picture("contacts dark");
    await tab.menu("View", "dark");
    await tab.menu("View", "world");
    expect(await tab.changed()).toBeGreaterThan(0.002);
    await tab.menu("View", "world");
  });

  test("dragging the end of a bar keeps the contacts, in one step of undo", async () => {
    const contact = (await told())[0]!;
    const from = await tab.lane(`@contacts#${contact.part}`, contact.end);
    const to = await tab.lane(`@contacts#${contact.part}`, contact.end - 12);
    await tab.dragged(from, { x: to.x - from.x, y: 0 });
    const now = (await kept())!;
    expect(now[0]!.end).toBeGreaterThan(contact.end - 15);
    expect(now[0]!.end).toBeLessThan(contact.end - 9);
    await tab.undo();
    expect(await kept()).toBeUndefined();
  });

  test("a bar is locked, does not move then, and is deleted once it is unlocked", async () => {
    const contact = (await told())[0]!;
    const middle = () => tab.lane(`@contacts#${contact.part}`, (contact.start + contact.end) / 2);
    const click = async () => {
      const { x, y } = await middle();
      await tab.page.mouse.click(x, y);
    };
    await click();
    await tab.step(() => tab.inspector.getByRole("button", { name: "Lock", exact: true }).click());
    expect((await kept())![0]!.locked).toBe(true);
    const count = (await kept())!.length;
    await told();
    const revision = await tab.revision();
    await tab.press(await middle(), { x: 40, y: 0 });
    await tab.page.mouse.up();
    expect(await tab.revision()).toBe(revision);
    await tab.step(() => tab.inspector.getByRole("button", { name: "Unlock" }).click());
    await told();
    await click();
    await tab.step(() => tab.key("Delete"));
    expect(await kept()).toHaveLength(count - 1);
    await tab.back(0);
  });

  test("a step is confirmed by one click, and is no question any more", async () => {
    await told();
    await tab.step(() => tab.inspector.getByRole("button", { name: "It is there" }).click());
    await tab.until(() => window.studio.carried.value?.surfaces.every((s) => !s.asked));
    // It is the project's now, and can be moved: its handle bears its name.
    await tab.until(() => window.stage.scene.getObjectByName("@world/1"));
    const world = await tab.read(
      () => window.studio.state.value!.document["world"] as { surfaces: { name: string }[] },
    );
    expect(world.surfaces.map((s) => s.name)).toEqual(["floor", "step"]);
    await tab.picture("contacts confirmed");
    await tab.undo();
    await tab.until(() => window.studio.carried.value?.surfaces.some((s) => s.asked));
  });

  test("nothing went wrong meanwhile", () => {
    expect(tab.problems).toEqual([]);
  });
});
