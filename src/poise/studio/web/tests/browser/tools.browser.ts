// Tools of posing on a figure whose root rests turned, as FBX and GLB files have it: pulled, moved, put on
// what is there, blended; what is true at the end is read from the exported file, in Python.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { PoseEdit } from "../../src/messages.ts";
import { CHROMIUM } from "./chromium.ts";
import { opened } from "./opened.ts";
import { PYTHON, ROOT } from "./server.ts";
import { type Tab, WAIT } from "./tab.ts";

const ENV = { ...process.env, PYTHONPATH: process.env["PYTHONPATH"] ?? join(ROOT, "src") };
const python = (home: string, code: string): string =>
  execFileSync(PYTHON, ["-c", code], { cwd: home, env: ENV, encoding: "utf8" });

/** The bundled walk by somebody whose root has another rest than none. */
const WALK = `
from poise import clips, Project
from poise.character import Character
from poise.motion import Clip
walk = clips.get("walk")
first, *others = walk.character.bodies
turned = Character("turned", [first.replaced(rest=(0.5, 0.5, 0.5, 0.5), offset=(0.3, 0.2, 0.1)), *others])
Clip(turned, walk.q, walk.rate).save("walk.npz")
Project().add_clip("walk", "walk.npz").add("load", "walk", clip="walk").save("walk.poise")
`;

describe.skipIf(!CHROMIUM)("tools of posing", () => {
  const at = opened({
    width: 1280,
    height: 800,
    source: (home) => {
      python(home, WALK);
      return "walk.poise";
    },
  });
  let tab: Tab;
  beforeAll(async () => {
    tab = at.tab;
    await tab.page.locator('[data-part="tools"]').getByRole("button", { name: "Pose" }).click();
    await tab.until(() => window.studio.posing.skeleton.value);
  });

  const pick = async (name: string) => {
    await tab.read(() => {
      window.studio.body.value = -1;
    });
    await tab.page.locator(".bodies button", { hasText: new RegExp(`^${name}$`) }).click();
  };
  const edits = () =>
    tab.read(
      () =>
        (window.studio.layers.value.find((l) => l.name === "poses")?.["edits"] ??
          []) as unknown as PoseEdit[],
    );
  const exported = async (name: string) => {
    await tab.until(() => window.studio.shown.value.state === "exact");
    await tab.page.evaluate(
      (path) => window.studio.connection.say({ say: "export", path, force: true }),
      name,
    );
    await tab.page.waitForFunction(
      (file) => window.studio.messages.value.some((m) => m.text === `exported ${file}`),
      name,
      { timeout: WAIT },
    );
    await tab.read(() => {
      window.studio.messages.value = [];
    });
  };
  const facts = (code: string): Record<string, number> =>
    JSON.parse(
      python(at.home, `import json, numpy as np, poise\nfrom poise.kinematics import Kinematics\n${code}`),
    ) as Record<string, number>;
  /** Where a point of a body is in the pose of this frame. */
  const place = (point: string): Promise<[number, number, number]> =>
    tab.page.evaluate((name) => {
      const { figure, posing, lift } = window.studio;
      const skeleton = posing.skeleton.value!;
      const body = figure.value!.bodies.findIndex((b) => b.name === name);
      const found = [...posing.places()!.slice(7 * body, 7 * body + 3)];
      void skeleton;
      return [found[0]!, found[1]!, found[2]! - lift.value] as [number, number, number];
    }, point);
  /** Grabs the picked body by G and takes it from one place to another. */
  const pulled = async (from: number[], to: number[], keys: string[] = []) => {
    const [a, b] = [await tab.pixel(from), await tab.pixel(to)];
    await tab.page.mouse.move(a.x, a.y);
    await tab.key("g");
    for (const key of keys) await tab.page.keyboard.down(key);
    await tab.pull(a, b);
    await tab.until(() => window.studio.posing.pending.value);
    const told = await tab.page.locator('[data-part="stage-hint"]').textContent();
    await tab.page.mouse.down();
    await tab.page.mouse.up();
    for (const key of keys) await tab.page.keyboard.up(key);
    return told ?? "";
  };

  /** What was let go has been keyed, and is solved. */
  const settled = async () => {
    await tab.until(() => !window.studio.connection.held.value && !window.studio.posing.pending.value);
    await tab.settled();
  };

  test("a hand is pulled: the body stays as it stood, whatever its root rests like", async () => {
    await tab.seek(20);
    const undoable = await tab.undoable();
    await pick("RightHand");
    const hand = await place("RightHand");
    const told = await pulled(hand, [hand[0] + 0.05, hand[1] - 0.1, hand[2] + 0.25]);
    expect(told).toMatch(/RightHand: .* m/);
    await tab.undoableIs(undoable + 1);
    await settled();
    await exported("hand.npz");
    const found = facts(`
a, b = poise.load("walk.npz"), poise.load("hand.npz")
ka, kb = (Kinematics(c.character, c.q[20]) for c in (a, b))
h = a.character.index("RightHand")
apart = np.linalg.norm(ka.rotations[0, 0] - kb.rotations[0, 0])
hips = float(np.degrees(2 * np.arcsin(min(1, apart / 8**0.5))))
way = lambda k: float(np.linalg.norm(kb.positions[0, k] - ka.positions[0, k]))
print(json.dumps({"hips": hips, "moved": way(0), "hand": way(h), "head": way(a.character.index("Head"))}))`);
    // The hips go along a little, but nobody is turned over.
    expect(found["hips"]).toBeLessThan(20);
    expect(found["moved"]).toBeLessThan(0.2);
    expect(found["head"]).toBeLessThan(0.4);
    expect(found["hand"]).toBeGreaterThan(0.1);
    await tab.undo();
    await tab.until(() => window.studio.shown.value.state === "exact");
  });

  test("the whole figure is moved along x by its hips, and is else as it was", async () => {
    await tab.seek(20);
    await pick("Hips");
    const undoable = await tab.undoable();
    const from = await tab.sign("pose:Hips:move");
    await tab.page.mouse.move(from.x, from.y);
    await tab.page.mouse.down();
    await tab.page.mouse.move(from.x + 8, from.y);
    await tab.key("x");
    await tab.page.mouse.move(from.x + 60, from.y - 10, { steps: 4 });
    await tab.until(() => window.studio.posing.pending.value);
    await tab.page.mouse.up();
    await tab.undoableIs(undoable + 1);
    expect(Object.keys((await edits())[0]!.joints)).toEqual(["Hips"]);
    await exported("moved.npz");
    const found = facts(`
a, b = poise.load("walk.npz"), poise.load("moved.npz")
ka, kb = (Kinematics(c.character, c.q[20]) for c in (a, b))
by = kb.positions[0] - ka.positions[0]
print(json.dumps({"x": float(by[:, 0].mean()), "same": float(np.ptp(by, axis=0).max()),
  "yz": float(np.abs(by[:, 1:]).max()), "turned": float(np.abs(ka.rotations - kb.rotations).max())}))`);
    expect(Math.abs(found["x"]!)).toBeGreaterThan(0.03);
    expect(found["same"]).toBeLessThan(1e-5);
    expect(found["yz"]).toBeLessThan(1e-5);
    expect(found["turned"]).toBeLessThan(1e-5);
    await tab.undo();
  });

  test("a foot comes to stand on the floor; with Alt it goes anywhere", async () => {
    await tab.seek(20);
    const high = await tab.read(() => {
      const { figure, posing } = window.studio;
      const heights = ["LeftFoot", "RightFoot"].map((name) => {
        const body = figure.value!.bodies.findIndex((b) => b.name === name);
        return posing.places()![7 * body + 2]!;
      });
      return heights[0]! > heights[1]! ? "LeftFoot" : "RightFoot";
    });
    await pick(high);
    const foot = await place(high);
    const goal = [foot[0], foot[1], 0.09];
    expect(await pulled(foot, goal)).toMatch(/on floor/);
    await settled();
    await exported("foot.npz");
    const gap = (file: string) =>
      facts(`
from poise.character.labels import roles
b = poise.load("${file}")
kin = Kinematics(b.character, b.q[20])
k = b.character.index("${high}")
own = [kin.point(n)[0][2] for n, p in b.character.points.items() if p.body == k]
print(json.dumps({"gap": float(min(own))}))`)["gap"]!;
    const [standing] = [gap("foot.npz")];
    console.log(`a foot put down: its lowest point ${(1000 * standing).toFixed(1)} mm over the floor`);
    expect(Math.abs(standing)).toBeLessThan(0.012); // points are on the sole, flesh is a little rounder
    await tab.picture("tools foot on floor");
    await tab.undo();
    await pick(high);
    const undoable = await tab.undoable();
    expect(await pulled(await place(high), goal, ["Alt"])).not.toMatch(/on floor/);
    await tab.undoableIs(undoable + 1);
    await settled();
    await tab.undo();
  });

  test("a foot is held over a range of frames, while the hips are pulled, and taken elsewhere", async () => {
    await tab.seek(20);
    const before = await tab.undoable();
    const low = await tab.read(() => {
      const { figure, posing } = window.studio;
      const heights = ["LeftFoot", "RightFoot"].map((name) => {
        const body = figure.value!.bodies.findIndex((b) => b.name === name);
        return posing.places()![7 * body + 2]!;
      });
      return heights[0]! < heights[1]! ? "LeftFoot" : "RightFoot";
    });
    await pick(low);
    const start = await place(low);
    await tab.page.locator('[data-part="stage"] canvas').focus();
    await tab.step(() => tab.key("Shift+P"));
    type Held = { point: string; at: [number, number]; to: number[]; turn: boolean };
    const held = () =>
      tab.read(
        () => window.studio.layers.value.find((l) => l.name === "poses")!["held"] as unknown as Held[],
      );
    expect(await held()).toMatchObject([{ point: low, turn: true }]);
    // Its bar in the time line: let go at frame 45.
    const lane = `poses#held/${low}`;
    const [from, to] = [await tab.lane(lane, 20 + 30), await tab.lane(lane, 45)];
    await tab.dragged(from, { x: to.x - from.x, y: 0 });
    expect((await held())[0]!.at[1]).toBeCloseTo(45 / 60, 6);
    // While it holds the hips are pulled down.
    await tab.seek(30);
    await pick("Hips");
    const hips = await place("Hips");
    const undoable = await tab.undoable();
    await pulled(hips, [hips[0], hips[1], hips[2] - 0.12]);
    await tab.undoableIs(undoable + 1);
    await settled();
    await tab.picture("tools held foot");
    await exported("held.npz");
    const found = (file: string, goal: readonly number[]) =>
      facts(`
a, b = poise.load("walk.npz"), poise.load("${file}")
ka, kb = (Kinematics(c.character, c.q) for c in (a, b))
k, goal = a.character.index("${low}"), np.array(${JSON.stringify(goal)})
beyond = [f for f in range(a.frames) if f < 20 - 6 or f > 45 + 6]
same = [i for i in beyond if abs(i - 30) > 15]
print(json.dumps({"off": float(np.linalg.norm(kb.positions[20:46, k] - goal, axis=1).max()),
  "turned": float(np.ptp(kb.rotations[20:46, k], axis=0).max()),
  "went": float(np.ptp(ka.positions[20:46, k], axis=0).max()),
  "hips": float(kb.positions[30, 0, 2] - ka.positions[30, 0, 2]),
  "else": float(np.abs(a.q[same] - b.q[same]).max())}))`);
    const stays = await found("held.npz", start);
    console.log("a foot held for 25 frames", stays);
    expect(stays["off"]).toBeLessThan(1e-4);
    expect(stays["turned"]).toBeLessThan(1e-3);
    expect(stays["hips"]).toBeLessThan(-0.05);
    expect(stays["else"]).toBeLessThan(1e-9);
    // Its sign on the stage takes it elsewhere, at all of its frames.
    await tab.dragged(await tab.sign("poses/held/0"), { x: 0, y: -16 });
    const [{ to: goal }] = (await held()) as [Held];
    expect(goal[2]!).toBeGreaterThan(start[2] + 0.02);
    await exported("lifted.npz");
    expect(found("lifted.npz", goal)["off"]).toBeLessThan(1e-4);
    expect(await tab.read(() => window.studio.shown.value.standing.checks!.missed ?? [])).toEqual([]);
    await tab.back(before);
  });

  test("a key is dragged on the trail of a hand, at its own frame; others stay as they are", async () => {
    const before = await tab.undoable();
    await pick("RightHand");
    for (const frame of [10, 40]) {
      await tab.seek(frame);
      await tab.step(() => tab.page.locator('[data-part="stage"] canvas').press("k"));
    }
    expect((await edits()).map((e) => Math.round(60 * e.time))).toEqual([10, 40]);
    const first = JSON.stringify((await edits())[0]);
    await tab.seek(25);
    await tab.page.mouse.move(2, 2);
    const key = await tab.sign("pose:RightHand@40");
    await tab.picture("tools trail");
    const undoable = await tab.undoable();
    await tab.page.mouse.move(key.x, key.y);
    await tab.page.mouse.down();
    await tab.pull(key, { x: key.x + 10, y: key.y - 40 });
    await tab.until(() => window.studio.posing.pending.value);
    await tab.page.mouse.up();
    await tab.undoableIs(undoable + 1);
    await settled();
    expect(await tab.read(() => Math.round(window.studio.player.frame.value))).toBe(40);
    expect(JSON.stringify((await edits())[0])).toBe(first);
    await exported("trail.npz");
    const found = facts(`
a, b = poise.load("walk.npz"), poise.load("trail.npz")
ka, kb = (Kinematics(c.character, c.q) for c in (a, b))
h = a.character.index("RightHand")
way = np.linalg.norm(kb.positions[:, h] - ka.positions[:, h], axis=1)
up = float((kb.positions - ka.positions)[40, h, 2])
print(json.dumps({"there": float(way[40]), "other": float(way[10]), "up": up}))`);
    console.log("a key dragged on the trail", found);
    expect(found["there"]).toBeGreaterThan(0.03);
    expect(found["up"]).toBeGreaterThan(0.02);
    expect(found["other"]).toBeLessThan(1e-9);
    await tab.back(before);
  });

  test("who is off balance has the hips shifted over the feet, which stay", async () => {
    const before = await tab.undoable();
    await tab.seek(20);
    await pick("Hips");
    const hips = await place("Hips");
    await pulled(hips, [hips[0], hips[1] + 0.25, hips[2]], ["Alt"]);
    await settled();
    const undoable = await tab.undoable();
    const margin = () => tab.page.locator("[data-margin]").getAttribute("data-margin").then(Number);
    const off = await margin();
    expect(off).toBeLessThan(-0.02);
    await tab.page.getByRole("button", { name: "Shift hips" }).click();
    await tab.undoableIs(undoable + 1);
    await settled();
    await expect.poll(margin, { timeout: WAIT }).toBeGreaterThan(-0.005);
    await tab.picture("tools hips shifted");
    await exported("shifted.npz");
    await tab.undo();
    await exported("off.npz");
    const found = facts(`
a, b = poise.load("off.npz"), poise.load("shifted.npz")
ka, kb = (Kinematics(c.character, c.q[20]) for c in (a, b))
feet = [a.character.index(n) for n in ("LeftFoot", "RightFoot")]
low = min(feet, key=lambda k: ka.positions[0, k, 2])
print(json.dumps({"com": float(np.linalg.norm((kb.com - ka.com)[0, :2])),
  "foot": float(np.linalg.norm(kb.positions[0, low] - ka.positions[0, low]))}))`);
    console.log(`off balance by ${(-100 * off).toFixed(1)} cm, the hips shifted`, found);
    expect(found["com"]).toBeGreaterThan(-off - 0.01);
    expect(found["foot"]).toBeLessThan(1e-3);
    await tab.back(before);
  });

  test("an arm goes half of the way to rest, picked by L and seen while it is dragged", async () => {
    await tab.seek(30);
    await pick("RightForeArm");
    await tab.key("l");
    expect(await tab.page.locator('.bodies [aria-pressed="true"]').allTextContents()).toEqual([
      "RightArm",
      "RightForeArm",
      "RightHand",
    ]);
    const undoable = await tab.undoable();
    await tab.inspector.getByLabel("towards").selectOption("the rest pose");
    await tab.picture("tools limb");
    const slider = tab.inspector.getByLabel("blend");
    await slider.evaluate((field: HTMLInputElement) => {
      field.value = "50";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await tab.until(() => window.studio.posing.pending.value);
    await slider.evaluate((field: HTMLInputElement) => {
      field.value = "50";
      field.dispatchEvent(new Event("change", { bubbles: true }));
    });
    await tab.undoableIs(undoable + 1);
    await exported("half.npz");
    const found = facts(`
a, b = poise.load("walk.npz"), poise.load("half.npz")
def angle(clip, name):
    v = clip.q[30, clip.character.coordinates(name)]
    return float(v[0]) if len(v) == 1 else 2 * float(np.arctan2(np.linalg.norm(v[1:]), abs(v[0])))
def share(name):
    return angle(b, name) / angle(a, name)
others = [i for i in range(a.character.nq) if i not in range(*a.character.coordinates("RightArm").indices(99))
  and i not in range(*a.character.coordinates("RightForeArm").indices(99))
  and i not in range(*a.character.coordinates("RightHand").indices(99))]
print(json.dumps({"arm": share("RightArm"), "forearm": share("RightForeArm"),
  "others": float(np.abs(a.q[30, others] - b.q[30, others]).max())}))`);
    expect(found["arm"]).toBeCloseTo(0.5, 4);
    expect(found["forearm"]).toBeCloseTo(0.5, 4);
    expect(found["others"]).toBeLessThan(1e-9);
  });

  test("a key that is selected picks its joints; a set that is named is there again", async () => {
    await tab.read(() => {
      window.studio.body.value = -1;
    });
    const key = await tab.lane("poses", 30);
    await tab.page.mouse.click(key.x, key.y);
    expect(await tab.page.locator('.bodies [aria-pressed="true"]').allTextContents()).toEqual([
      "RightArm",
      "RightForeArm",
      "RightHand",
    ]);
    await tab.page.getByRole("button", { name: "name a set" }).click();
    await tab.page.getByLabel("name of the set").fill("punching arm");
    await tab.key("Enter");
    await pick("Head");
    await tab.page.getByRole("button", { name: "punching arm" }).click();
    expect(await tab.page.locator('.bodies [aria-pressed="true"]').count()).toBe(3);
    expect(tab.problems).toEqual([]);
  });
});
