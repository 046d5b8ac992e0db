// Posing in a real browser; what is true at the end is read from the exported file, in Python.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { PoseEdit } from "../../src/messages.ts";
import { CHROMIUM } from "./chromium.ts";
import { opened } from "./opened.ts";
import { PYTHON, ROOT } from "./server.ts";
import { type Tab, WAIT } from "./tab.ts";

/** Numbers that a few lines of Python print about files of the workspace. */
function facts(home: string, lines: string): Record<string, number> {
  const code = `import json, numpy as np, poise\nfrom poise.kinematics import Kinematics\n${lines}`;
  const env = { ...process.env, PYTHONPATH: process.env["PYTHONPATH"] ?? join(ROOT, "src") };
  return JSON.parse(execFileSync(PYTHON, ["-c", code], { cwd: home, env }).toString());
}

describe.skipIf(!CHROMIUM)("posing", () => {
  const at = opened({
    width: 1280,
    height: 800,
    source: (home) => {
      execFileSync(PYTHON, ["-c", "from poise import clips; clips.get('punch').save('punch.bvh')"], {
        cwd: home,
        env: { ...process.env, PYTHONPATH: process.env["PYTHONPATH"] ?? join(ROOT, "src") },
      });
      return "punch.bvh";
    },
  });
  let tab: Tab;

  beforeAll(async () => {
    tab = at.tab;
    await tab.page.locator('[data-part="tools"]').getByRole("button", { name: "Pose" }).click();
    await tab.until(() => window.studio.posing.skeleton.value);
  });

  const pick = (name: string) =>
    tab.page.locator(".bodies button", { hasText: new RegExp(`^${name}$`) }).click();
  const edits = () =>
    tab.read(() => window.studio.layers.value.find((l) => l.name === "poses")?.["edits"] as PoseEdit[]);
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

  test("a forearm turned over a clip: there at the key, nothing beyond its fade, one undo", async () => {
    await tab.seek(40);
    await pick("RightForeArm");
    await tab.drawn();
    const before = await tab.undoable();
    const ring = await tab.read(() => {
      const [ring] = window.studio.handles.value.filter((h) => h.id.startsWith("pose:"));
      return { centre: ring!.ring!.centre, place: ring!.place, axis: ring!.ring!.axis! };
    });
    expect(ring).toBeDefined();
    // Without the server: the picture changes before anything is answered.
    await tab.quiet();
    const sent = tab.sent.length;
    const seen = await tab.page.evaluate(() => {
      const { posing } = window.studio;
      const start = performance.now();
      const places = posing.places()!;
      const body = window.studio.body.value;
      posing.turn(places, [body], 0, 0.1);
      window.stage.drawNow();
      const took = performance.now() - start;
      posing.drop();
      return took;
    });
    console.log(`turned and drawn in ${seen.toFixed(1)} ms`);
    expect(tab.sent.length).toBe(sent); // nobody was asked
    const from = await tab.pixel(ring.place);
    const held = { x: from.x, y: from.y };
    await tab.page.mouse.move(held.x, held.y);
    await tab.page.mouse.down();
    await tab.page.keyboard.down("Control"); // by 15°
    const centre = await tab.pixel(ring.centre);
    const turn = (degrees: number) => {
      const [dx, dy] = [held.x - centre.x, held.y - centre.y];
      const a = (degrees * Math.PI) / 180;
      return {
        x: centre.x + dx * Math.cos(a) - dy * Math.sin(a),
        y: centre.y + dx * Math.sin(a) + dy * Math.cos(a),
      };
    };
    for (const degrees of [5, 15, 25, 32]) {
      const to = turn(degrees);
      await tab.page.mouse.move(to.x, to.y);
    }
    await tab.until(() => window.studio.posing.pending.value);
    await tab.page.mouse.up();
    await tab.page.keyboard.up("Control");
    await tab.until(() => window.studio.layers.value.some((l) => l.name === "poses"));
    await tab.until(() => window.studio.shown.value.state === "exact");
    expect(await tab.undoable()).toBe(before + 1);
    const [key, ...others] = await edits();
    expect(others).toEqual([]);
    expect(Object.keys(key!.joints)).toEqual(["RightForeArm"]);
    await exported("turned.npz"); // every digit
    const found = facts(
      at.home,
      `a, b = poise.load("punch.bvh"), poise.load("turned.npz")
ra, rb = (Kinematics(c.character, c.q).rotations for c in (a, b))
k = a.character.index("RightForeArm"); up = int(a.character.parents[k])
rel = lambda r: np.swapaxes(r[:, up], 1, 2) @ r[:, k]
d = np.swapaxes(rel(ra), 1, 2) @ rel(rb)
angle = np.degrees(2 * np.arcsin(np.clip(np.linalg.norm(d - np.eye(3), axis=(1, 2)) / 8**0.5, 0, 1)))
far = np.abs(a.times - a.times[40]) >= 0.25
others = [i for i in range(len(a.character.bodies)) if i not in a.character.subtree(k)]
apart = float(np.abs(ra[:, others] - rb[:, others]).max())
print(json.dumps({"key": float(angle[40]), "far": float(angle[far].max()), "elsewhere": apart}))`,
    );
    expect(Math.abs(found["key"]! / 15 - Math.round(found["key"]! / 15))).toBeLessThan(0.1 / 15);
    expect(found["key"]).toBeGreaterThan(10);
    expect(found["far"]).toBeLessThan(1e-9);
    expect(found["elsewhere"]).toBeLessThan(1e-9);
  });

  test("a spine is turned as a whole: every body of it by as much, one step of undo", async () => {
    const spine = ["Spine", "Chest"];
    const before = JSON.stringify(await edits());
    await tab.seek(45);
    const body = (name: string) => tab.page.locator(".bodies button", { hasText: new RegExp(`^${name}$`) });
    await tab.read(() => {
      window.studio.body.value = -1;
    });
    await body(spine[0]!).click();
    await body(spine[1]!).click({ modifiers: ["Control"] });
    expect(await tab.page.locator('.bodies [aria-pressed="true"]').allTextContents()).toEqual(spine);
    await exported("straight.npz");
    const ring = await tab.read(() => window.studio.handles.value.find((h) => h.kind === "spin")!.id);
    await tab.dragged(await tab.sign(ring), { x: 14, y: 10 });
    await exported("bent.npz");
    const turned = facts(
      at.home,
      `a, b = poise.load("straight.npz"), poise.load("bent.npz")
ra, rb = (Kinematics(c.character, c.q[45]).rotations[0] for c in (a, b))
told = {}
for name in ("Spine", "Chest", "LeftUpLeg"):
    k = a.character.index(name); up = int(a.character.parents[k])
    own = (ra[up].T @ ra[k]).T @ (rb[up].T @ rb[k])
    told[name] = float(np.degrees(2 * np.arcsin(min(1, np.linalg.norm(own - np.eye(3)) / 8**0.5))))
print(json.dumps(told))`,
    );
    expect(turned["Spine"]).toBeGreaterThan(2);
    expect(turned["Chest"]).toBeCloseTo(turned["Spine"]!, 4);
    expect(turned["LeftUpLeg"]).toBeLessThan(1e-6);
    await tab.undo();
    expect(JSON.stringify(await edits())).toBe(before);
    await body(spine[0]!).click();
  });

  test("a typed number is keyed exactly", async () => {
    await tab.seek(100);
    if ((await tab.read(() => window.studio.pointOf(window.studio.body.value))) !== "RightForeArm")
      await pick("RightForeArm");
    const field = tab.page.locator('[data-part="inspector"] input[aria-label="turned x"]');
    await field.fill("25");
    await field.press("Enter");
    await tab.page.waitForFunction(
      () => (window.studio.layers.value.find((l) => l.name === "poses")!["edits"] as PoseEdit[]).length === 2,
      null,
      { timeout: WAIT },
    );
    await tab.until(() => window.studio.shown.value.state === "exact");
    expect(Number(await field.inputValue())).toBe(25);
    await tab.undo();
    await tab.until(() => window.studio.shown.value.state === "exact");
  });

  test("a hand is pulled with the whole body; feet that stand stay", async () => {
    await tab.seek(20);
    await tab.read(() => {
      window.studio.body.value = -1;
    });
    await tab.drawn();
    const hand = await tab.read(() => {
      const { store, body } = { store: window.studio, body: 0 };
      void body;
      const bodies = store.figure.value!.bodies;
      const k = bodies.findIndex((b) => b.name === "RightHand");
      const places = store.posing.places()!;
      return [...places.slice(7 * k, 7 * k + 3)].map((v, i) => (i === 2 ? v - store.lift.value : v));
    });
    const pins = await tab.read(() =>
      window.studio.posing.skeleton.value!.standing(window.studio.posing.places()!),
    );
    expect(pins.length).toBeGreaterThan(0);
    const goal = [hand[0]! + 0.05, hand[1]! - 0.05, hand[2]! + 0.12];
    const from = await tab.pixel(hand as [number, number, number]);
    const to = await tab.pixel(goal as [number, number, number]);
    await tab.page.mouse.move(from.x, from.y);
    await tab.page.mouse.down();
    await tab.pull(from, to, 10);
    await tab.until(() => window.studio.posing.pending.value);
    await tab.page.mouse.up();
    await tab.until(
      () =>
        ((window.studio.layers.value.find((l) => l.name === "poses")?.["edits"] ?? []) as PoseEdit[]).length >
        1,
    );
    await tab.until(() => window.studio.shown.value.state === "exact");
    const delays = await tab.read(() => [...window.studio.posing.delays].sort((a, b) => a - b));
    console.log(
      `pulls: ${delays.length}, median ${delays[delays.length >> 1]?.toFixed(1)} ms, ` +
        `p95 ${delays[Math.floor(0.95 * delays.length)]?.toFixed(1)} ms`,
    );
    const said = tab.sent as unknown as { say: string; point?: string; place?: number[] }[];
    const [asked, held] = [said.findLast((m) => m.say === "pull")!, said.findLast((m) => m.say === "grab")!];
    await exported("reach.npz");
    const found = facts(
      at.home,
      `a, b = poise.load("punch.bvh"), poise.load("reach.npz")
ka, kb = (Kinematics(c.character, c.q[20]) for c in (a, b))
h = a.character.index("RightHand")
pins = ${JSON.stringify(pins)}
feet = max(float(np.linalg.norm(kb.point(p)[0] - ka.point(p)[0])) for p in pins)
hand = float(np.linalg.norm(kb.positions[0, h] - ka.positions[0, h]))
off = float(np.linalg.norm(kb.point("${held.point}")[0] - np.array(${JSON.stringify(asked.place)})))
told = {"hand": hand, "off": off, "feet": feet, "frames": b.frames - a.frames}
print(json.dumps(told))`,
    );
    expect(found["hand"]).toBeGreaterThan(0.03);
    expect(found["off"]).toBeLessThan(1e-3); // where it was let go
    expect(found["feet"]).toBeLessThan(1e-4);
    expect(found["frames"]).toBe(0);
    expect(delays.length).toBeGreaterThan(3);
  });

  test("Esc takes a pose back, and nothing is left in the document", async () => {
    const undoable = await tab.undoable();
    const before = JSON.stringify(await edits());
    await tab.seek(60);
    await pick("Head");
    await tab.drawn();
    const place = await tab.read(() => window.studio.handles.value[0]!.place);
    const from = await tab.pixel(place);
    await tab.page.mouse.move(from.x, from.y);
    await tab.page.mouse.down();
    for (let k = 1; k < 6; k++) await tab.page.mouse.move(from.x + 3 * k, from.y + 6 * k);
    await tab.until(() => window.studio.posing.pending.value);
    await tab.undoableIs(undoable + 1); // the server has it, keyed as it goes
    await tab.key("Escape");
    await tab.page.mouse.up();
    await tab.undoableIs(undoable);
    await tab.settled();
    expect(JSON.stringify(await edits())).toBe(before);
    expect(await tab.undoable()).toBe(undoable);
    expect(await tab.read(() => window.studio.posing.pending.value)).toBeUndefined();
  });

  test("copied and pasted mirrored twice is the same pose", async () => {
    const press = (name: string) =>
      tab.page.locator('[data-part="inspector"]').getByRole("button", { name, exact: true }).click();
    const poses = () => tab.read(() => window.studio.posing.places()!.length);
    expect(await poses()).toBeGreaterThan(0);
    const count = (await edits()).length;
    const copyAt = async (frame: number) => {
      await tab.seek(frame);
      await tab.until(() => window.studio.shown.value.state === "exact");
      await press("Copy");
      await tab.page.waitForFunction(
        (k) => window.studio.messages.value.some((m) => m.text === `copied the pose of frame ${k}`),
        frame,
        { timeout: WAIT },
      );
    };
    const pasteAt = async (frame: number, keys: number) => {
      await tab.seek(frame);
      await press("Paste mirrored");
      await tab.page.waitForFunction(
        (n) =>
          (window.studio.layers.value.find((l) => l.name === "poses")!["edits"] as PoseEdit[]).length === n,
        keys,
        { timeout: WAIT },
      );
      await tab.until(() => window.studio.shown.value.state === "exact");
    };
    const first = (await tab.page.evaluate(() =>
      window.studio.ask("posed", { layer: "poses", time: 80 / window.studio.fps.value }),
    )) as { joints: Record<string, number[]> };
    await copyAt(80);
    // Kept, it has a picture of its bones.
    await tab.inspector.locator("summary", { hasText: "Pose library" }).click();
    await tab.inspector.getByLabel("name of the pose").fill("guard");
    await press("Keep");
    const kept = tab.inspector.getByRole("button", { name: "guard", exact: true });
    await kept.waitFor({ timeout: WAIT });
    expect(await kept.locator("line").count()).toBeGreaterThan(10);
    await tab.picture("poses kept");
    await pasteAt(90, count + 1);
    await copyAt(90);
    await pasteAt(100, count + 2);
    const all = await edits();
    const last = all.at(-1)!.joints;
    let worst = 0;
    for (const [name, value] of Object.entries(last)) {
      const other = first.joints[name]!;
      const far = (sign: number) => Math.max(...value.map((v, k) => Math.abs(v - sign * other[k]!)));
      worst = Math.max(worst, value.length === 4 ? Math.min(far(1), far(-1)) : far(1));
    }
    expect(worst).toBeLessThan(1e-9);
  });

  test("a breakdown keeps its share after its neighbour is moved", async () => {
    await tab.seek(95);
    await tab.page.getByRole("button", { name: "Breakdown here" }).click();
    await tab.until(() =>
      (window.studio.layers.value.find((l) => l.name === "poses")!["edits"] as PoseEdit[]).some(
        (e) => e.kind === "breakdown",
      ),
    );
    const share = tab.page.locator('[data-part="inspector"] input[aria-label="share"]');
    await share.fill("38");
    await share.press("Enter");
    await tab.until(() =>
      (window.studio.layers.value.find((l) => l.name === "poses")!["edits"] as PoseEdit[]).some(
        (e) => e.share === 0.38,
      ),
    );
    const measured = async () => {
      await tab.until(() => window.studio.shown.value.state === "exact");
      return (await tab.page.evaluate(async () => {
        const { studio } = window;
        const keys = (studio.layers.value.find((l) => l.name === "poses")!["edits"] as PoseEdit[]).slice(-3);
        const joints = await Promise.all(
          keys.map(async (k) => {
            const told = (await studio.ask("posed", { layer: "poses", time: k.time })) as {
              joints: Record<string, number[]>;
            };
            return told.joints["RightArm"]!;
          }),
        );
        const angle = (a: number[], b: number[]) =>
          2 * Math.acos(Math.min(1, Math.abs(a.reduce((sum, v, i) => sum + v * b[i]!, 0))));
        return angle(joints[0]!, joints[1]!) / angle(joints[0]!, joints[2]!);
      })) as number;
    };
    expect(Math.abs((await measured()) - 0.38)).toBeLessThan(1e-3);
    const list = await edits();
    const fps = await tab.read(() => window.studio.fps.value);
    const moved = list.map((e, k) => (k === list.length - 1 ? { ...e, time: e.time + 10 / fps } : e));
    await tab.edit({ do: "set", layer: "poses", path: "edits", value: moved });
    expect(Math.abs((await measured()) - 0.38)).toBeLessThan(1e-3);
    expect(tab.problems).toEqual([]);
  });
});
