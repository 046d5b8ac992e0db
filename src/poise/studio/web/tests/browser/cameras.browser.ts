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

/** How far the stage's cameras are from the file's [m, °], and whether both films are the same. */
const FILMED = `
import json, sys
from zipfile import ZipFile
import numpy as np, poise
from poise.cli import main
from poise.pictures.performance import Performance
seen = json.loads(sys.argv[1])
project = poise.project.open("walk.poise")
clip = project.clip()
lift = Performance(clip, detail=8).offset
times = np.array([each["frame"] for each in seen]) / float(clip.rate)
there = project.shots().seen(clip, times, (320, 180), lift)
off = max(float(np.abs(np.r_[c.eye, c.target, c.fov] - np.r_[e["eye"], e["target"], e["fov"]]).max())
  for c, e in zip(there, seen, strict=True))
try:
    main(["render", "walk.poise", "-o", "line.zip", "--size", "320x180", "--fps", "12"])
except SystemExit as end:
    assert not end.code
with ZipFile("studio.zip") as a, ZipFile("line.zip") as b:
    names = sorted(a.namelist())
    same = [a.read(x) == b.read(y) for x, y in zip(names, sorted(b.namelist()), strict=True)]
print(json.dumps({"off": off, "same": all(same), "frames": len(names)}))`;

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

  test("cameras are put where one looks from, keyed and cut; films see what the stage shows", async () => {
    const panel = tab.inspector.locator("details", { has: tab.page.getByText("Cameras", { exact: true }) });
    const before = await tab.undoable();
    await tab.seek(0);
    await bar().getByRole("button", { name: "Persp" }).click();
    await panel.locator("summary").click();
    await tab.step(() => panel.getByRole("button", { name: "+ Camera from this view" }).click());
    await panel.getByLabel("name", { exact: true }).fill("wide");
    await tab.step(() => tab.key("Enter"));
    await tab.step(() =>
      panel
        .getByLabel("goes along with")
        .selectOption("Hips")
        .then(() => undefined),
    );
    // A second key of it, from elsewhere; then another camera, and the cut to it.
    await stage().focus();
    for (const key of ["6", "6", "8"]) await tab.key(key);
    await tab.seek(40);
    await tab.step(() => panel.getByRole("button", { name: "key camera wide here" }).click());
    await stage().focus();
    await tab.key("1");
    await tab.step(() => panel.getByRole("button", { name: "+ Camera from this view" }).click());
    await tab.step(() => panel.getByRole("button", { name: "cut to camera camera here" }).click());
    expect(await bar().getByLabel("look through").inputValue()).toBe("cuts");
    const cuts = () =>
      tab.read(() => window.studio.state.value!.document["cuts"] as { time?: number; camera: string }[]);
    expect((await cuts()).map((c) => [Math.round(60 * (c.time ?? 0)), c.camera])).toEqual([
      [0, "wide"],
      [40, "camera"],
    ]);
    // Its border in the time line is dragged.
    const [from, to] = [await tab.lane("@cameras", 40), await tab.lane("@cameras", 30)];
    await tab.dragged(from, { x: to.x - from.x, y: 0 });
    expect((await cuts())[1]!.time).toBeCloseTo(0.5, 6);
    const seen: { frame: number; eye: number[]; target: number[]; fov: number }[] = [];
    for (const frame of [0, 12, 29, 30, 50]) {
      await tab.seek(frame);
      await tab.drawn();
      const { eye, target, fov } = await tab.read(() => {
        const { camera, controls } = window.stage;
        return { eye: camera.position.toArray(), target: controls.target.toArray(), fov: camera.fov };
      });
      seen.push({ frame, eye, target, fov });
    }
    expect(seen[1]!.eye).not.toEqual(seen[0]!.eye);
    await tab.picture("camera-cuts");
    // A film of the studio, one of the command line, and the stage: all by the saved file.
    await tab.key("Control+s");
    await tab.until(() => !window.studio.state.value!.modified);
    await tab.key("Control+e");
    const dialog = tab.page.getByRole("dialog");
    await tab.page.getByLabel("file name").fill("studio.zip");
    await dialog.getByLabel("size").selectOption("180p");
    await dialog.getByLabel("frames a second").fill("12");
    await dialog.getByLabel("frames a second").press("Tab");
    expect(await dialog.getByLabel("camera", { exact: true }).inputValue()).toBe("cuts");
    await tab.picture("camera-film");
    const promised = Number(/(\d+) in all/.exec((await dialog.textContent())!)![1]);
    await dialog.getByRole("button", { name: "Export", exact: true }).click();
    await expect.poll(() => existsSync(join(at.home, "studio.zip")), { timeout: WAIT }).toBe(true);
    const told = execFileSync(PYTHON, ["-c", FILMED, JSON.stringify(seen)], {
      cwd: at.home,
      env: ENV,
      encoding: "utf8",
    });
    const found = JSON.parse(told.trim().split("\n").at(-1)!) as {
      off: number;
      same: boolean;
      frames: number;
    };
    console.log("cameras of the stage and of films", found);
    expect(found.off).toBeLessThan(1e-4);
    expect(found.same).toBe(true);
    expect(found.frames).toBe(promised);
    // Turning the view leaves the cuts; all of it is undone, step by step.
    await stage().focus();
    await tab.key("4");
    expect(await bar().getByLabel("look through").inputValue()).toBe("");
    await tab.key("n");
    expect(await bar().getByLabel("look through").inputValue()).toBe("cuts");
    await tab.back(before);
    expect(await bar().getByLabel("look through").count()).toBe(0);
    expect(tab.problems).toEqual([]);
  });
});
