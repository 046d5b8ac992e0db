// Whole pieces of work, from an empty stage to a file; what is true at the end Python reads from the file.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { PoseEdit } from "../../src/messages.ts";
import { CHROMIUM } from "./chromium.ts";
import { opened } from "./opened.ts";
import { PYTHON, ROOT } from "./server.ts";
import { type Tab, WAIT } from "./tab.ts";

const ENV = { ...process.env, PYTHONPATH: process.env["PYTHONPATH"] ?? join(ROOT, "src") };

/** What a few lines of Python print about files of the workspace. */
function facts<T>(home: string, lines: string): T {
  const code = `import json, numpy as np, poise\nfrom poise.kinematics import Kinematics\n${lines}`;
  return JSON.parse(execFileSync(PYTHON, ["-c", code], { cwd: home, env: ENV, encoding: "utf8" })) as T;
}

/** How far feet get from where they are put down while they stand, by plain placement [m]. */
const STANDING = `
import itertools
from poise.character.labels import roles

def slid(clip):
    known = roles(clip.character)
    bodies = [known[r] for r in ("left foot", "right foot", "left toes", "right toes") if r in known]
    path = np.stack([clip.character.placement(clip.q)[0][:, b] for b in bodies], axis=1)
    speed = np.linalg.norm(np.gradient(path, axis=0), axis=2) * clip.fps
    still = (speed < 0.12) & (path[..., 2] < path[..., 2].min(axis=0) + 0.03)
    worst, frames = 0.0, 0
    for k in range(len(bodies)):
        for stands, group in itertools.groupby(enumerate(still[:, k]), lambda each: each[1]):
            own = [f for f, _ in group]
            if stands and len(own) > 3:
                way = path[own, k, :2]
                worst = max(worst, float(np.linalg.norm(way - way[0], axis=1).max()))
                frames += len(own)
    return worst, frames
`;

describe.skipIf(!CHROMIUM)("stories", () => {
  const at = opened({
    width: 1280,
    height: 800,
    source: (home) => {
      const code =
        "from poise import Project; Project().add_clip('punch', 'punch').add('load', 'punch', clip='punch')" +
        ".save('punch.poise')";
      execFileSync(PYTHON, ["-c", code], { cwd: home, env: ENV });
      return "punch.poise";
    },
  });
  let tab: Tab;
  beforeAll(() => {
    tab = at.tab;
  });

  const exported = async (file: string) => {
    await tab.until(() => window.studio.shown.value.state === "exact");
    await tab.key("Control+e");
    await tab.page.getByLabel("file name").fill(file);
    await tab.key("Enter");
    await expect.poll(() => existsSync(join(at.home, file)), { timeout: WAIT }).toBe(true);
    await expect
      .poll(() => tab.read(() => window.studio.messages.value.some((m) => m.text.startsWith("exported"))), {
        timeout: WAIT,
      })
      .toBe(true);
    await tab.read(() => {
      window.studio.messages.value = [];
    });
  };
  const type = async (label: string, text: string) => {
    const field = tab.inspector.getByLabel(label, { exact: true }).first();
    await field.fill(text);
    await field.press("Enter");
  };

  test("story 6: a key is flattened: no rate there, and nothing passes beyond it", async () => {
    await tab.page.locator('[data-part="tools"]').getByRole("button", { name: "Pose" }).click();
    await tab.until(() => window.studio.posing.skeleton.value);
    await tab.page.locator(".bodies button", { hasText: /^LeftForeArm$/ }).click();
    const angles = [30, 60, 100];
    for (const [k, frame] of [20, 40, 70].entries()) {
      await tab.seek(frame);
      await tab.step(() => type("angle", String(angles[k])));
    }
    await tab.step(() => tab.inspector.getByLabel("mode", { exact: true }).selectOption("override"));
    const measured = (file: string) =>
      facts<{ keys: number[]; rates: number[]; least: number; most: number }>(
        at.home,
        `c = poise.load("${file}")
k = c.character.index("LeftForeArm"); up = int(c.character.parents[k])
r = Kinematics(c.character, c.q).rotations
d = np.swapaxes(r[:, up], 1, 2) @ r[:, k]
angle = 2 * np.arcsin(np.linalg.norm(d - np.eye(3), axis=(1, 2)) / 8**0.5)
t = np.arange(4) / c.fps
before = np.polynomial.polynomial.polyfit(-t, angle[40:36:-1], 3)[1]  # of the cubic, exactly
after = np.polynomial.polynomial.polyfit(t, angle[40:44], 3)[1]
deg = np.degrees(angle)
print(json.dumps({"keys": deg[[20, 40, 70]].tolist(), "rates": [float(before), float(after)],
  "least": float(min(deg[20:41].min() - 30, deg[40:71].min() - 60)),
  "most": float(max(deg[20:41].max() - 60, deg[40:71].max() - 100))}))`,
      );
    await exported("before.npz");
    const before = measured("before.npz");
    expect(Math.min(...before.rates.map(Math.abs))).toBeGreaterThan(0.1); // it goes through
    await tab.seek(40);
    await tab.step(() => tab.inspector.getByRole("button", { name: "Flat", exact: true }).click());
    const edits = (await tab.layer("poses"))!["edits"] as PoseEdit[];
    expect(edits.map((e) => [e.arrive ?? null, e.leave ?? null])).toEqual([
      [null, null],
      [0, 0],
      [null, null],
    ]);
    await tab.picture("flat");
    await exported("flat.npz");
    const flat = measured("flat.npz");
    for (const [k, angle] of angles.entries()) expect(Math.abs(flat.keys[k]! - angle)).toBeLessThan(1e-6);
    expect(Math.max(...flat.rates.map(Math.abs))).toBeLessThan(1e-6);
    expect(flat.least).toBeGreaterThan(-1e-9);
    expect(flat.most).toBeLessThan(1e-9);
  });

  test("story 2: from a T-pose to a jump that is believed", async () => {
    const began = Date.now();
    const dialog = tab.page.getByRole("dialog");
    await tab.menu("File", "new");
    await dialog.getByLabel("character", { exact: true }).selectOption("humanoid");
    await dialog.getByRole("button", { name: /^(Start|Set aside and start)$/ }).click();
    await tab.until(() => window.studio.layers.value.map((l) => l.do).join() === "key"); // the T-pose
    await tab.settled();
    await tab.picture("jump-1-t-pose");
    await tab.page.getByRole("button", { name: "add a layer" }).click();
    await tab.step(() => tab.page.locator('[data-adds="plan"]').first().click());
    // Each template shows what it takes, and what another one took goes when it is chosen.
    await tab.step(() => type("seconds", "2"));
    await tab.step(() => tab.inspector.getByLabel("scene", { exact: true }).selectOption("jump"));
    expect(await tab.complaint()).toBeFalsy();
    const plan = async () => (await tab.layer("plan"))!;
    expect(await plan()).not.toHaveProperty("seconds");
    expect(await tab.inspector.getByRole("button", { name: "Take it apart" }).count()).toBe(0);
    expect(await tab.inspector.getByLabel("seconds", { exact: true }).count()).toBe(0);
    await tab.step(() => type("over", "0.6"));
    await tab.inspector.locator("summary", { hasText: /^Result$/ }).click();
    await tab.step(() => tab.inspector.getByLabel("grounded", { exact: true }).selectOption("off"));
    expect(await plan()).toMatchObject({ scene: "jump", over: 0.6, grounded: false });
    await tab.seek(80);
    await tab.picture("jump-2-planned");
    await exported("jump.glb");
    expect((Date.now() - began) / 60_000).toBeLessThan(15);
    const found = facts<{
      plausible: boolean;
      findings: string[];
      gravity: number;
      flight: number;
      travelled: number;
      slid: number;
      stood: number;
    }>(
      at.home,
      `${STANDING}
c = poise.load("jump.glb")
said = poise.check(c)
report = said.report
[air] = report.flights
com = Kinematics(c.character, c.q).com
own = np.arange(air.start + 1, air.end)
t = own / c.fps
gravity = -2 * np.polynomial.polynomial.polyfit(t - t.mean(), com[own, 2], 2)[2]
worst, stood = slid(c)
print(json.dumps({"plausible": report.plausible, "findings": [f.words for f in report.findings],
  "gravity": float(gravity), "flight": len(own) / c.fps, "travelled": float(com[-1, 0] - com[0, 0]),
  "slid": worst, "stood": stood / c.frames}))`,
    );
    console.log(`a jump in ${((Date.now() - began) / 1000).toFixed(0)} s: ${JSON.stringify(found)}`);
    expect(found.plausible).toBe(true);
    expect(Math.abs(found.gravity / 9.81 - 1)).toBeLessThan(0.02);
    expect(found.flight).toBeGreaterThan(0.2);
    expect(Math.abs(found.travelled - 0.6)).toBeLessThan(0.05);
    expect(found.stood).toBeGreaterThan(2); // of four points of the feet, most of the time
    expect(found.slid).toBeLessThan(1e-3);
    expect(tab.problems).toEqual([]);
  });
});
