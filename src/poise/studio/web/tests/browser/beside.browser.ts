// Two figures of one project on the stage: who is covered by another motion is shown beside it.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "./chromium.ts";
import { opened } from "./opened.ts";
import { PYTHON, ROOT } from "./server.ts";
import { type Tab, WAIT } from "./tab.ts";

const ENV = { ...process.env, PYTHONPATH: process.env["PYTHONPATH"] ?? join(ROOT, "src") };

describe.skipIf(!CHROMIUM)("beside", () => {
  const at = opened({
    width: 1280,
    height: 800,
    source: (home) => {
      const code =
        "from poise import Project; Project().add_clip('walk', 'walk').add_clip('punch', 'punch')" +
        ".add('load', 'Hero', clip='walk').add('trim', 'aside', start=0.2)" +
        ".add('load', 'Boxer', clip='punch').save('two.poise')";
      execFileSync(PYTHON, ["-c", code], { cwd: home, env: ENV });
      return "two.poise";
    },
  });
  let tab: Tab;
  beforeAll(() => {
    tab = at.tab;
  });

  /** So many stand beside who is on the stage, and are where they are at this time. */
  const others = (count: number) =>
    tab.page.waitForFunction(
      (n) => {
        const there = window.stage.scene.getObjectByName("others")?.children ?? [];
        return there.length === n && there.every((each) => each.userData["place"]);
      },
      count,
      { timeout: WAIT },
    );

  test("a covered motion is shown beside the result, follows its edits, and goes", async () => {
    await tab.quiet();
    await tab.seek(30);
    await expect.poll(() => tab.changed(), { timeout: WAIT }).toBe(0);
    await tab.page.getByRole("button", { name: "show aside beside" }).click();
    await others(1);
    await expect.poll(() => tab.changed(), { timeout: WAIT }).toBeGreaterThan(2e-3);
    /** Where the other's root is on the stage, as far as its skin says. */
    const middle = () =>
      tab.read(() => {
        const group = window.stage.scene.getObjectByName("others")!;
        const box = (group.children[0] as unknown as { userData: { place: number[] } }).userData.place;
        return box;
      });
    const first = await middle();
    const own = (time: number) =>
      JSON.parse(
        execFileSync(
          PYTHON,
          ["-c", `import poise; c = poise.clips.get("walk"); print(c.at(${time})[:2].tolist())`],
          { env: ENV, encoding: "utf8" },
        ),
      ) as number[];
    for (const [k, v] of own(0.7).entries()) expect(first[k]!).toBeCloseTo(v, 3);
    await tab.picture("beside");
    await tab.edit({ do: "set", layer: "aside", path: "start", value: 0.4 });
    const later = own(0.9);
    await expect.poll(async () => (await middle())[0]!, { timeout: WAIT }).toBeCloseTo(later[0]!, 3);
    // Who is beside is worked on by one click: the boxer is beside then. One step of undo.
    await tab.step(() => tab.page.getByRole("button", { name: "work on aside" }).click());
    expect(await tab.read(() => window.studio.layers.value.map((l) => l.name))).toEqual([
      "Boxer",
      "Hero",
      "aside",
    ]);
    expect(await tab.read(() => window.studio.result.value!.frames)).toBe(41); // of the part from 0.4 s on
    await tab.page
      .locator('[data-layer="Boxer"] [aria-label="show Boxer beside"][aria-pressed="true"]')
      .waitFor();
    await tab.picture("beside swapped");
    await tab.undo();
    // Who is on the stage is the boxer again, and only he is exported.
    expect(await tab.read(() => window.studio.result.value!.frames)).toBe(115);
    await others(0); // nobody stands beside himself
    await tab.page.getByRole("button", { name: "show aside beside" }).click();
    await others(1);
    await tab.quiet();
    await expect.poll(() => tab.changed(), { timeout: WAIT }).toBe(0);
    await tab.page.getByRole("button", { name: "show aside beside" }).click();
    await others(0);
    await expect.poll(() => tab.changed(), { timeout: WAIT }).toBeGreaterThan(2e-3);
    expect(tab.problems).toEqual([]);
  });
});
