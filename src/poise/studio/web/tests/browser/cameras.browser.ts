// Cameras of the stage: plans by keys and buttons, one that goes along, and films as the stage is seen.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "./chromium.ts";
import { opened } from "./opened.ts";
import { PYTHON, ROOT } from "./server.ts";
import { type Tab, WAIT } from "./tab.ts";

const ENV = { ...process.env, PYTHONPATH: process.env["PYTHONPATH"] ?? join(ROOT, "src") };

describe.skipIf(!CHROMIUM)("cameras", () => {
  const at = opened({
    width: 1280,
    height: 800,
    source: (home) => {
      const code =
        "from poise import Project; Project().add_clip('walk', 'walk').add('load', 'walk', clip='walk')" +
        ".save('walk.poise')";
      execFileSync(PYTHON, ["-c", code], { cwd: home, env: ENV });
      return "walk.poise";
    },
  });
  let tab: Tab;

  beforeAll(() => {
    tab = at.tab;
  });

  const bar = () => tab.page.locator('[data-part="cameras"]');
  const way = () =>
    tab.read(() => {
      const { camera, controls } = window.stage;
      return camera.position.clone().sub(controls.target).normalize().toArray();
    });
  /** How high, and how far to the right, a place is in the picture [px]. */
  const on = (place: readonly number[]) => tab.pixel(place);
  const stage = () => tab.page.locator('[data-part="stage"] canvas');

  test("from the front, the back, the sides and above, by keys and by buttons", async () => {
    await tab.seek(20);
    await stage().focus();
    const seen: Record<string, number[]> = {};
    for (const [key, name] of [
      ["1", "front"],
      ["1", "back"],
      ["3", "right"],
      ["3", "left"],
      ["7", "top"],
    ] as const) {
      await tab.key(key);
      await tab.drawn();
      seen[name] = await way();
      await tab.picture(`camera-${name}`);
      // Without perspective: what is nearer to the camera is not larger.
      const [ax, ay, az] = await tab.read(() => window.stage.controls.target.toArray());
      const v = seen[name]!;
      const up = name === "top" ? [0.5, 0, 0] : [0, 0, 0.5];
      const size = async (depth: number) => {
        const base = [ax! + depth * v[0]!, ay! + depth * v[1]!, az! + depth * v[2]!];
        const lift = await tab.read(() => window.studio.lift.value);
        base[2]! -= lift;
        const [a, b] = [await on(base), await on(base.map((c, i) => c + up[i]!))];
        return Math.hypot(a.x - b.x, a.y - b.y);
      };
      expect((await size(1)) / (await size(-1)), name).toBeCloseTo(1, 1);
    }
    const dot = (a: string, b: string) => seen[a]!.reduce((sum, v, i) => sum + v * seen[b]![i]!, 0);
    expect(dot("front", "back")).toBeCloseTo(-1, 3);
    expect(dot("right", "left")).toBeCloseTo(-1, 3);
    expect(dot("front", "right")).toBeCloseTo(0, 3);
    expect(seen["top"]![2]).toBeCloseTo(1, 3);
    // The walk is seen from the front where it comes towards the camera.
    const gone = await tab.read(() => {
      const { values, frames, bodies } = window.studio.result.value!;
      const last = 7 * bodies * (frames - 1);
      return [values[last]! - values[0]!, values[last + 1]! - values[1]!];
    });
    const far = Math.hypot(...gone);
    expect((gone[0]! * seen["front"]![0]! + gone[1]! * seen["front"]![1]!) / far).toBeGreaterThan(0.9);
    await bar().getByRole("button", { name: "Persp" }).click();
    expect((await way())[2]).toBeGreaterThan(0.1);
    await bar().getByRole("button", { name: "Side" }).click();
    expect((await way()).map((v, i) => Math.abs(v - seen["right"]![i]!) < 1e-6)).toEqual([true, true, true]);
  });

  test("along the world's axes by the corner of the stage, and turned by keys", async () => {
    const gizmo = (view: string) =>
      tab.page.locator('[data-part="gizmo"]').getByRole("button", { name: `look from ${view}` });
    const away = async (from: readonly number[]) => Math.hypot(...(await way()).map((v, i) => v - from[i]!));
    await gizmo("+x").click();
    expect(await away([1, 0, 0])).toBeLessThan(1e-4);
    await gizmo("+x").press("Enter"); // again: from the other side
    expect(await away([-1, 0, 0])).toBeLessThan(1e-4);
    await tab.picture("camera-axis");
    await gizmo("+z").focus();
    await tab.key("Enter");
    expect(await away([0, 0, 1])).toBeLessThan(1e-3);
    await tab.key("0");
    const azimuth = async () => Math.atan2((await way())[1]!, (await way())[0]!);
    const far = () =>
      tab.read(() => window.stage.camera.position.distanceTo(window.stage.controls.target as never));
    await stage().focus();
    const [turned, before] = [await azimuth(), await far()];
    await tab.key("6");
    expect((await azimuth()) - turned).toBeCloseTo(Math.PI / 12, 4);
    await tab.key("Control+ArrowLeft");
    expect((await azimuth()) - turned).toBeCloseTo(0, 4);
    await tab.key("+");
    expect((await far()) / before).toBeCloseTo(1 / 1.2, 4);
    await tab.key("-");
    expect((await far()) / before).toBeCloseTo(1, 4);
  });

  test("in a plan a hand is pulled in its plane, and turning the view leaves the plan", async () => {
    await bar().getByRole("button", { name: "Side" }).click();
    await tab.page.locator('[data-part="tools"]').getByRole("button", { name: "Pose", exact: true }).click();
    await tab.until(() => window.studio.posing.skeleton.value);
    const hand = await tab.read(() => {
      const k = window.studio.figure.value!.bodies.findIndex((b) => b.name === "RightHand");
      return [...window.studio.posing.places()!.slice(7 * k, 7 * k + 3)];
    });
    const lift = await tab.read(() => window.studio.lift.value);
    await tab.step(async () => {
      await tab.press(await tab.pixel([hand[0]!, hand[1]!, hand[2]! - lift]), { x: 30, y: -30 }, 4);
      await tab.until(() => window.studio.posing.pending.value);
      await tab.page.mouse.up();
    });
    // What was asked of the poser stays in the plane that is seen.
    type Pull = { say: string; place: number[] };
    const pulls = (tab.sent as unknown as Pull[]).filter((m) => m.say === "pull").map((m) => m.place);
    const v = await way();
    const by = pulls.at(-1)!.map((c, i) => c - pulls[0]![i]!);
    expect(pulls.length).toBeGreaterThan(1);
    expect(Math.hypot(...by)).toBeGreaterThan(0.01);
    expect(Math.abs(by.reduce((sum, c, i) => sum + c * v[i]!, 0))).toBeLessThan(0.02 * Math.hypot(...by));
    await tab.picture("camera-pose");
    await tab.undo();
    await tab.page.locator('[data-part="tools"]').getByRole("button", { name: "Target" }).click();
    const box = (await stage().boundingBox())!;
    await tab.press({ x: box.x + 60, y: box.y + box.height - 60 }, { x: 80, y: -30 }, 4);
    await tab.page.mouse.up();
    expect(await bar().getByRole("button", { name: "Persp" }).getAttribute("aria-pressed")).toBe("true");
    expect(await tab.read(() => window.stage.camera.fov)).toBe(35);
  });

  test("the camera goes along with a long walk, and without it sees all of it at first", async () => {
    await tab.step(() =>
      tab.page.evaluate(() =>
        window.studio.edit({ do: "add-layer", layer: { do: "repeat", name: "on", cycles: 6 } } as never),
      ),
    );
    const shown = async () => {
      const { x, y } = await tab.pixel(
        await tab.read(() => {
          const f = Math.round(window.studio.player.frame.value);
          const { values, bodies } = window.studio.result.value!;
          const k = 7 * bodies * f;
          return [values[k]!, values[k + 1]!, values[k + 2]! - window.studio.lift.value];
        }),
      );
      return { x, y };
    };
    const box = (await stage().boundingBox())!;
    const inside = ({ x, y }: { x: number; y: number }) =>
      x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height;
    const frames = await tab.read(() => {
      window.studio.body.value = -1;
      return window.studio.result.value!.frames;
    });
    await stage().focus();
    await tab.key("f");
    await tab.drawn();
    for (const frame of [0, frames - 1]) {
      await tab.seek(frame);
      await tab.drawn();
      expect(inside(await shown()), `frame ${frame}`).toBe(true);
    }
    await tab.picture("camera-whole");
    await tab.seek(0);
    await bar().getByRole("button", { name: "Follow" }).click();
    await tab.key("f");
    await tab.drawn();
    const first = await shown();
    for (const frame of [60, 200, frames - 1]) {
      await tab.seek(frame);
      await tab.drawn();
      const now = await shown();
      expect(Math.abs(now.x - first.x), `frame ${frame}`).toBeLessThan(40);
    }
    await tab.picture("camera-follow");
    await tab.key("v");
    expect(await bar().getByRole("button", { name: "Follow" }).getAttribute("aria-pressed")).toBe("false");
    await tab.undo();
  });

  test("a film's camera swings between views that the stage showed", async () => {
    const dialog = tab.page.getByRole("dialog");
    await tab.seek(0);
    await bar().getByRole("button", { name: "Persp" }).click();
    await tab.key("Control+e");
    await tab.page.getByLabel("file name").fill("keyed.gif");
    await dialog.getByLabel("size").selectOption("180p");
    await dialog.getByLabel("camera", { exact: true }).selectOption("keyed");
    await dialog.getByRole("button", { name: "+ as on the stage at 0.00 s" }).click();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await stage().focus();
    await tab.key("1");
    await tab.seek(60);
    await tab.key("Control+e");
    await tab.page.getByLabel("file name").fill("keyed.gif");
    await dialog.getByRole("button", { name: "+ as on the stage at 1.00 s" }).click();
    await tab.picture("camera-film");
    await dialog.getByRole("button", { name: "Export", exact: true }).click();
    await expect.poll(() => existsSync(join(at.home, "keyed.gif")), { timeout: WAIT }).toBe(true);
    const said = tab.sent.findLast((m) => m["say"] === "export") as unknown as {
      options: { keys: { time: number; view: string; azimuth: number; elevation: number }[] };
    };
    expect(said.options.keys.map(({ time, view }) => [time, view])).toEqual([
      [0, "orbit"],
      [1, "orbit"],
    ]);
    expect(said.options.keys[1]!.elevation).toBeCloseTo(0, 1);
    expect(Math.abs(said.options.keys[0]!.elevation)).toBeGreaterThan(2); // the view was turned before
    expect(tab.problems).toEqual([]);
  });
});
