// Whoever cannot see well, or uses no mouse: axe finds nothing serious in any part of the screen,
// light or dark, and a motion is made, posed and looked at by the keyboard alone.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "./chromium.ts";
import { opened } from "./opened.ts";
import { PYTHON, ROOT } from "./server.ts";
import type { Tab } from "./tab.ts";

const AXE = join(ROOT, "tests/pages/node_modules/axe-core/axe.min.js");
const ENV = { ...process.env, PYTHONPATH: process.env["PYTHONPATH"] ?? join(ROOT, "src") };

interface Finding {
  id: string;
  impact: string;
  nodes: { html: string; any: { message: string }[] }[];
}

describe.skipIf(!CHROMIUM)("access", () => {
  const at = opened({
    width: 1280,
    height: 800,
    source: (home) => {
      const code =
        "from poise import Project; Project().add_clip('walk', 'walk').add('load', 'walk', clip='walk')" +
        ".add('adapt', 'reach', constraints=[]).save('walk.poise')";
      execFileSync(PYTHON, ["-c", code], { cwd: home, env: ENV });
      return "walk.poise";
    },
  });
  let tab: Tab;
  beforeAll(() => {
    tab = at.tab;
  });

  /** What axe finds serious, in words. */
  const serious = async (where: string): Promise<string[]> => {
    if (!(await tab.read(() => "axe" in window))) await tab.page.evaluate(readFileSync(AXE, "utf8"));
    const found = await tab.page.evaluate(async () => {
      const { axe } = window as unknown as {
        axe: { run: (c: object) => Promise<{ violations: Finding[] }> };
      };
      return (await axe.run(document)).violations;
    });
    return found
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) =>
        nodes.map((n) => `${where}: ${id}: ${n.html.slice(0, 120)}: ${n.any[0]?.message ?? ""}`),
      );
  };

  test.skipIf(!existsSync(AXE))("axe finds nothing serious in any part, light or dark", async () => {
    const found: string[] = [];
    const look = async (name: string) => {
      const now = await serious(name);
      if (now.length) console.log(now.join("\n"));
      found.push(...now);
    };
    for (const theme of ["light", "dark"]) {
      await look(`${theme}, layers`);
      await tab.choose("reach");
      await tab.read(() => {
        for (const part of document.querySelectorAll<HTMLDetailsElement>('[data-part="inspector"] details'))
          part.open = true;
      });
      await look(`${theme}, inspector`);
      await tab.page
        .locator('[data-part="tools"]')
        .getByRole("button", { name: "Pose", exact: true })
        .click();
      await tab.page.locator(".bodies button", { hasText: /^LeftForeArm$/ }).click();
      await look(`${theme}, posing`);
      await tab.page.locator('[data-part="tools"]').getByRole("button", { name: "Target" }).click();
      await tab.page.getByRole("tab", { name: /Bin/ }).click();
      await look(`${theme}, bin`);
      await tab.page.getByRole("tab", { name: "Layers" }).click();
      await tab.page.getByRole("button", { name: "add a layer", exact: true }).click();
      await look(`${theme}, adding`);
      await tab.page.getByRole("button", { name: "add a layer", exact: true }).click();
      for (const [keys, name] of [
        ["Alt+n", "new"],
        ["Control+o", "open"],
        ["Control+e", "export"],
        ["?", "keys"],
      ] as const) {
        await tab.page.locator('[data-part="stage"] canvas').focus();
        await tab.key(keys);
        await tab.page.getByRole("dialog").waitFor();
        if (name === "export") await tab.page.getByLabel("file name").fill("film.mp4");
        await look(`${theme}, ${name}`);
        await tab.key("Escape");
        await expect.poll(() => tab.page.getByRole("dialog").count()).toBe(0);
      }
      await tab.page.locator(".menu .pull > button", { hasText: "View" }).click();
      await look(`${theme}, menu`);
      await tab.page.locator('[data-action="dark"]').click();
    }
    expect([...new Set(found)]).toEqual([]);
  });

  test("a pose is keyed, looked at from the side and taken back by the keyboard alone", async () => {
    const { page } = tab;
    const focused = () => tab.read(() => document.activeElement?.textContent?.trim() ?? "");
    await tab.read(() => {
      window.studio.body.value = -1;
    });
    const before = await tab.undoable();
    // To the list of bodies by Tab alone, and the body is picked by Enter.
    await page.locator('[data-part="menu"] button').first().focus();
    for (let k = 0; k < 60 && (await focused()) !== "LeftForeArm"; k++) await tab.key("Tab");
    expect(await focused()).toBe("LeftForeArm");
    await tab.key("Enter");
    expect(await tab.read(() => window.studio.pointOf(window.studio.body.value))).toBe("LeftForeArm");
    await tab.key("r");
    await page.locator('[data-part="tools"] [aria-pressed="true"]', { hasText: "Pose" }).waitFor();
    await tab.key("[");
    expect(await tab.read(() => window.studio.pointOf(window.studio.body.value))).toBe("LeftArm");
    await tab.key("h");
    expect(await tab.read(() => window.studio.pointOf(window.studio.body.value))).toBe("RightArm");
    await tab.key("]");
    expect(await tab.read(() => window.studio.pointOf(window.studio.body.value))).toBe("RightForeArm");
    await tab.until(() => window.studio.posing.skeleton.value);
    const label = () => tab.read(() => document.activeElement?.getAttribute("aria-label") ?? "");
    for (let k = 0; k < 80 && (await label()) !== "angle"; k++) await tab.key("Tab");
    expect(await label()).toBe("angle");
    await tab.step(async () => {
      await tab.key("Control+a");
      await page.keyboard.type("77");
      await tab.key("Enter");
    });
    await page.locator('[data-part="stage"] canvas').focus();
    await tab.key("3");
    expect(await page.locator('[data-part="cameras"] [aria-pressed="true"]').first().textContent()).toBe(
      "Side",
    );
    await tab.key("0");
    await tab.key("Control+z");
    await tab.undoableIs(before);
    expect(tab.problems).toEqual([]);
  });
});
