// While somebody poses: the flight's arc, momentum, limits of hinges; a face keyed by its morph targets.
// Screens in three sizes, light and dark, for somebody to look at.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { MorphKey, PoseEdit } from "../../src/messages.ts";
import { CHROMIUM } from "./chromium.ts";
import { opened } from "./opened.ts";
import { PYTHON, ROOT } from "./server.ts";
import { type Tab, WAIT } from "./tab.ts";

const env = { ...process.env, PYTHONPATH: process.env["PYTHONPATH"] ?? join(ROOT, "src") };
const python = (code: string, ...args: string[]): string =>
  execFileSync(PYTHON, ["-c", code, ...args], { env, encoding: "utf8" });

const JUMP = `
import sys
import poise
poise.clips.get("jump").save(sys.argv[1])
`;

describe.skipIf(!CHROMIUM)("aids while posing", () => {
  const at = opened({
    width: 1280,
    height: 800,
    source: (home) => {
      python(JUMP, join(home, "jump.glb"));
      return "jump.glb";
    },
  });
  let tab: Tab;

  beforeAll(async () => {
    tab = at.tab;
    await tab.until(() => window.studio.carried.value?.flights?.length);
    await tab.page.locator('[data-part="tools"]').getByRole("button", { name: "Pose", exact: true }).click();
  }, WAIT);

  test("in a flight its arc is drawn, and said to be one", async () => {
    const [first, last] = await tab.read(() => window.studio.carried.value!.flights[0]!);
    await tab.seek(Math.round((first + last) / 2));
    const said = tab.page.locator("[data-flight]");
    await said.waitFor({ timeout: WAIT });
    expect(await said.textContent()).toMatch(/arc \d+–\d+: apex \d\.\d\d m, 0\.\d\d s, gravity \d+\.\d/);
    expect(await tab.read(() => window.stage.scene.getObjectByName("flight arc")!.visible)).toBe(true);
    const flight = await tab.read(() => window.studio.posing.flight.value!.flight);
    expect(Math.abs(flight.gravity! - 9.81)).toBeLessThan(0.5);
    const drift = Number(await tab.page.locator("[data-drift]").getAttribute("data-drift"));
    expect(drift).toBeGreaterThanOrEqual(0);
    await tab.seek(5); // long before it
    await said.waitFor({ state: "detached", timeout: WAIT });
    expect(await tab.read(() => window.stage.scene.getObjectByName("flight arc")!.visible)).toBe(false);
  });

  test("a hinge stops at its limit, and goes beyond with Alt", async () => {
    await tab.seek(5);
    await tab.page.locator(".bodies button", { hasText: /^LeftForeArm$/ }).click();
    const ring = await tab.sign("pose:LeftForeArm:x");
    const limit = await tab.read(() => {
      const { figure } = window.studio;
      const body = figure.value!.bodies.findIndex((b) => b.name === "LeftForeArm");
      const { lower, upper } = figure.value!.joints![body]!;
      return [lower[0]!, upper[0]!] as [number, number];
    });
    const undoable = await tab.undoable();
    const turned = async (alt: boolean): Promise<number> => {
      const centre = await tab.read(() => {
        const { figure, posing } = window.studio;
        const body = figure.value!.bodies.findIndex((b) => b.name === "LeftForeArm");
        return [...posing.places()!.slice(7 * body, 7 * body + 3)];
      });
      const middle = (await tab.page.evaluate(
        (p) =>
          window.stage.onScreen(window.stage.camera.position.clone().set(p[0]!, p[1]!, p[2]!) as never) as {
            x: number;
            y: number;
          },
        centre,
      ))!;
      const reach = Math.hypot(ring.x - middle.x, ring.y - middle.y);
      const start = Math.atan2(ring.y - middle.y, ring.x - middle.x);
      await tab.page.mouse.move(ring.x, ring.y);
      await tab.page.mouse.down();
      if (alt) await tab.page.keyboard.down("Alt"); // before the press it would turn the camera
      for (let k = 1; k <= 8; k++) {
        const angle = start + k * 0.3;
        await tab.page.mouse.move(middle.x + reach * Math.cos(angle), middle.y + reach * Math.sin(angle));
      }
      const value = await tab.read(() => window.studio.posing.pending.value!.joints["LeftForeArm"]![0]!);
      await tab.undoableIs(undoable + 1); // keyed as it goes
      await tab.key("Escape");
      await tab.page.mouse.up();
      if (alt) await tab.page.keyboard.up("Alt");
      // The next turn begins where this one did.
      await tab.undoableIs(undoable);
      await tab.settled();
      return value;
    };
    const free = await turned(true);
    const held = await turned(false);
    console.log("limits", limit, "with Alt", free, "without", held);
    expect(held).toBeGreaterThanOrEqual(limit[0] - 1e-6);
    expect(held).toBeLessThanOrEqual(limit[1] + 1e-6);
    expect(free < limit[0] - 0.05 || free > limit[1] + 0.05).toBe(true);
  });

  test("it is seen in three sizes, light and dark", async () => {
    const [first, last] = await tab.read(() => window.studio.carried.value!.flights[0]!);
    await tab.seek(Math.round((first + last) / 2));
    for (const [width, height] of [
      [1280, 800],
      [1366, 768],
      [1920, 1080],
    ] as const) {
      await tab.page.setViewportSize({ width, height });
      for (const theme of ["light", "dark"]) {
        await tab.drawn();
        const tools = (await tab.page.locator('[data-part="tools"]').boundingBox())!;
        const stage = (await tab.page.locator('[data-part="stage"]').boundingBox())!;
        expect(tools.x + tools.width).toBeLessThanOrEqual(stage.x + stage.width + 1); // nothing is cut off
        await tab.picture(`aids ${width} ${theme}`);
        await tab.menu("View", "dark");
      }
    }
    await tab.page.setViewportSize({ width: 1280, height: 800 });
  });

  test("nothing went wrong meanwhile", () => {
    expect(tab.problems).toEqual([]);
  });
});

/** A head that can smile, over two seconds. */
const FACE = `
import sys
import numpy as np
from poise.character import Body, Character, Joint
from poise.character.skin import MorphTarget, Skin
from poise.motion import Clip
corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, 1.0]])
faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
morphs = (MorphTarget("smile", [3], [[0, 0, 0.5]]), MorphTarget("blink", [1, 3], [[0.3, 0, 0], [0.3, 0, 0]]))
skin = Skin(corners, faces, np.zeros((4, 1)), np.ones((4, 1)), np.eye(4)[None], morphs)
who = Character("face", [Body("Head", None, Joint.free())], skin=skin, mass_source="none")
Clip(who, np.tile(who.rest_pose(), (121, 1)), 60, morphs=np.zeros((121, 2))).save(sys.argv[1])
`;
/** Of its vertices, the one that both targets move. */
const CORNER = [0.2, 0.2, 1.0];
const WEIGHTS = `
import json, sys
import poise
clip = poise.load(sys.argv[1])
print(json.dumps({"names": clip.morph_names, "weights": clip.morphs[[0, 30, 60, 110]].tolist()}))
`;

describe.skipIf(!CHROMIUM)("a face", () => {
  const at = opened({
    width: 1280,
    height: 800,
    source: (home) => {
      python(FACE, join(home, "face.glb"));
      return "face.glb";
    },
  });

  test("is keyed by its sliders, in the time line, and exported as it was keyed", async () => {
    const { tab } = at;
    const keys = () =>
      tab.read(
        () => (window.studio.layers.value.at(-1) as { morphs?: MorphKey[]; edits?: PoseEdit[] }).morphs ?? [],
      );
    await tab.page.locator('[data-part="tools"]').getByRole("button", { name: "Pose", exact: true }).click();
    const slide = async (name: string, text: string) => {
      const field = tab.inspector.getByLabel(`${name} in numbers`, { exact: true });
      await field.fill(text);
      await field.press("Enter");
    };
    await tab.until(() => window.studio.vocabulary.value.operations);
    await tab.seek(30);
    await tab.changed();
    await tab.step(() => slide("smile", "0.8"));
    expect(await tab.changed()).toBeGreaterThan(1e-3); // it is seen
    expect(await keys()).toEqual([{ time: 0.5, weights: { smile: 0.8 } }]);
    await tab.seek(60);
    await tab.step(() => slide("blink", "1"));
    expect((await keys()).map((k) => k.weights)).toEqual([{ smile: 0.8 }, { blink: 1 }]);
    // The slider itself, by keyboard: one step of undo.
    const slider = tab.inspector.getByRole("slider", { name: "smile", exact: true });
    await slider.focus();
    await tab.step(() => tab.key("End"));
    expect((await keys())[1]!.weights["smile"]).toBe(1);
    await tab.undo();
    // A place of the face itself, dragged: the target that moves it is keyed, one step of undo.
    await tab.seek(90);
    await tab.dragged(await tab.pixel(CORNER), { x: 0, y: -14 });
    const dragged = (await keys())[2]!;
    expect(dragged.time).toBeCloseTo(1.5, 6);
    expect(dragged.weights["smile"]).toBeGreaterThan(0.05);
    expect(Math.abs(dragged.weights["blink"] ?? 0)).toBeLessThan(0.1);
    await tab.undo();
    expect((await keys()).length).toBe(2);
    await tab.picture("face");
    await tab.page.evaluate(() =>
      window.studio.connection.say({ say: "export", path: "smiles.glb", force: true } as never),
    );
    await tab.until(() => window.studio.messages.value.some((m) => m.text === "exported smiles.glb"));
    const { names, weights } = JSON.parse(python(WEIGHTS, join(at.home, "smiles.glb"))) as {
      names: string[];
      weights: number[][];
    };
    expect(names).toEqual(["smile", "blink"]);
    expect(weights[0]).toEqual([0, 0]);
    expect(weights[1]![0]).toBeCloseTo(0.8, 5);
    expect(weights[2]![1]).toBeCloseTo(1, 5);
    expect(weights[3]).toEqual([0, 0]);
    expect(tab.problems).toEqual([]);
  });
});
