// The asset bin: files are added, animations chosen, captures given to a figure, clips put on a track.
// Every story ends in facts that Python reads from the exported file.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "./chromium.ts";
import { opened } from "./opened.ts";
import { PYTHON, ROOT } from "./server.ts";
import { type Tab, WAIT } from "./tab.ts";

const SHARED = [process.env["POISE_SHARED_DATA"] ?? "", join(ROOT, "../shared/data")].find(
  (path) => path && existsSync(path),
);
const ENV = { ...process.env, PYTHONPATH: process.env["PYTHONPATH"] ?? join(ROOT, "src") };

/** Runs Python in a folder; what it prints, as JSON. */
function python<T>(home: string, code: string, ...rest: string[]): T {
  const said = execFileSync(PYTHON, ["-c", code, ...rest], { cwd: home, env: ENV, encoding: "utf8" });
  return JSON.parse(said || "null") as T;
}

/** A GLB of 76 animations of one figure: move k is the first 10 + k frames of a wave. */
const MANY = `
import json, struct
from poise import clips
clips.get("wave").save("one.glb")
data = open("one.glb", "rb").read()
size = struct.unpack_from("<I", data, 12)[0]
document, rest = json.loads(data[20 : 20 + size]), data[20 + size :]
first = document["animations"][0]
moves = []
for k in range(76):
    samplers = []
    for sampler in first["samplers"]:
        made = dict(sampler)
        for field in ("input", "output"):
            accessor = dict(document["accessors"][sampler[field]])
            accessor["count"] = min(accessor["count"], 10 + k)
            if field == "input":
                accessor["max"] = [(accessor["count"] - 1) / 60]
            document["accessors"].append(accessor)
            made[field] = len(document["accessors"]) - 1
        samplers.append(made)
    moves.append({"name": f"move_{k:02d}", "channels": first["channels"], "samplers": samplers})
document["animations"] = moves
text = json.dumps(document).encode()
text += b" " * (-len(text) % 4)
head = struct.pack("<4sII", b"glTF", 2, 12 + 8 + len(text) + len(rest))
open("moves.glb", "wb").write(head + struct.pack("<I4s", len(text), b"JSON") + text + rest)
`;

/** How far points of feet that stand get from where they were, by plain placement [m]. */
const JUDGE = `
import itertools, json, sys
import numpy as np
import poise
from poise.character.labels import roles

def paths(clip, bodies):
    return np.stack([clip.character.placement(clip.q)[0][:, b] for b in bodies], axis=1)

def skated(clip, still, frames=None):
    known = roles(clip.character)
    bodies = [known[r] for r in ("left foot", "right foot", "left toes", "right toes") if r in known]
    path = paths(clip, bodies)
    worst = 0.0
    for k in range(len(bodies)):
        for down, group in itertools.groupby(enumerate(still[:, k]), lambda each: each[1]):
            own = [f for f, _ in group if frames is None or frames[0] <= f <= frames[1]]
            if down and len(own) > 3:
                way = path[own, k, :2]
                worst = max(worst, float(np.linalg.norm(way - way[0], axis=1).max()))
    return worst

def stands(clip):
    known = roles(clip.character)
    bodies = [known[r] for r in ("left foot", "right foot", "left toes", "right toes") if r in known]
    path = paths(clip, bodies)
    speed = np.linalg.norm(np.gradient(path, axis=0), axis=2) * clip.fps
    low = path[..., 2] < np.min(path[..., 2], axis=0) + 0.03
    return (speed < 0.12) & low
`;

describe.skipIf(!CHROMIUM)("the bin", () => {
  const at = opened({
    width: 1280,
    height: 800,
    source: (home) => {
      python(home, MANY);
      python(
        home,
        "from poise import Project; Project().add_clip('walk', 'walk').add('load', 'walk', clip='walk')" +
          ".save('course.poise')",
      );
      return "course.poise";
    },
  });
  let tab: Tab;
  beforeAll(() => {
    tab = at.tab;
  });
  const bin = () => tab.page.locator('[data-part="bin"]');
  const clips = () => tab.read(() => Object.keys(window.studio.state.value!.document["clips"] as object));
  const known = (name: string) =>
    tab.page.waitForFunction((n) => window.studio.facts.value[n]?.frames, name, { timeout: WAIT });
  const exported = async (file: string) => {
    await tab.key("Control+e");
    await tab.page.getByLabel("file name").fill(file);
    await tab.key("Enter");
    await expect.poll(() => existsSync(join(at.home, file)), { timeout: WAIT }).toBe(true);
  };

  test("three of 76 animations are taken; the file goes out with all of them", async () => {
    await tab.page.getByRole("tab", { name: /Bin/ }).click();
    await tab.drop("moves.glb", readFileSync(join(at.home, "moves.glb")));
    const file = bin().locator('[data-file="moves.glb"]');
    await file.waitFor({ timeout: WAIT });
    expect(await file.locator("h3").textContent()).toContain("76 animations");
    expect(await clips()).toEqual(["walk"]); // nothing is replaced, and nothing taken unasked
    for (const name of ["move_05", "move_20", "move_75"]) await file.getByLabel(name).check();
    await file.getByText("move_20").hover();
    await expect.poll(() => file.locator("canvas").getAttribute("data-drawn"), { timeout: WAIT }).toBe("yes");
    await tab.picture("bin-animations");
    await tab.step(() => file.getByRole("button", { name: "Take 3" }).click());
    expect(await clips()).toEqual(["walk", "move_05", "move_20", "move_75"]);
    for (const name of ["move_05", "move_20", "move_75"]) await known(name);
    expect(
      await tab.read(() =>
        ["move_05", "move_20", "move_75"].map((n) => window.studio.facts.value[n]!.frames),
      ),
    ).toEqual([15, 30, 85]);
    await tab.picture("bin-cards");
    await tab.step(() => bin().getByLabel("load move_20").click());
    await exported("taken.glb");
    const facts = python<[number, number, number]>(
      at.home,
      "import json, poise; c = poise.load('taken.glb', animation='move_20'); " +
        "print(json.dumps([len(c.source.animations), c.frames, round(c.duration * 60)]))",
    );
    expect(facts).toEqual([76, 30, 29]);
    await tab.undo();
    await tab.undo();
  });

  test.skipIf(!SHARED)("a capture dropped on a figure is retargeted, and its feet stand", async () => {
    const file = join(SHARED!, "cmu_cgspeed_bvh/02_01.bvh");
    await tab.drop("02_01.bvh", readFileSync(file), '[data-part="stage"]');
    const dialog = tab.page.getByRole("dialog");
    await dialog.getByText("have a counterpart", { exact: false }).waitFor({ timeout: WAIT });
    await tab.picture("joint-map");
    expect(await clips()).toContain("02_01");
    await tab.step(() => dialog.getByRole("button", { name: "Retarget" }).click());
    expect(await tab.read(() => window.studio.figure.value!.name)).toBe("humanoid");
    await tab.picture("retargeted");
    await exported("given.bvh");
    const slide = python<number>(
      at.home,
      `${JUDGE}
found = poise.load("given.bvh")
print(json.dumps(skated(found, stands(found))))`,
    );
    expect(slide).toBeLessThan(0.01);
    await tab.undo();
  });

  test("a walk, a run and a trimmed jump on the track, by dragging and by numbers", async () => {
    const before = await tab.undoable();
    await tab.page.getByRole("tab", { name: /Bin/ }).click();
    await bin().getByText("comes with Poise").click();
    for (const name of ["run", "jump"]) {
      await tab.step(() => bin().getByLabel(`take ${name}`).click());
      await known(name);
    }
    await tab.step(() => bin().getByLabel("add run to the track").click());
    await tab.step(() => bin().getByLabel("add jump to the track").click());
    const strips = () =>
      tab.read(() => (window.studio.layers.value.at(-1) as unknown as { strips: object[] }).strips);
    expect((await strips()).map((s) => (s as { clip: string }).clip)).toEqual(["walk", "run", "jump"]);
    const layer = await tab.read(() => window.studio.layers.value.at(-1)!.name);
    // The walk goes on for 2.4 s: its end is dragged.
    const end = await tab.read(() => (window.studio.facts.value["walk"]!.seconds ?? 0) * 60);
    const from = await tab.lane(layer, end);
    const to = await tab.lane(layer, 144);
    // What is dragged is snapped to frames; other strips stay where they are.
    await tab.dragged(from, { x: to.x - from.x, y: 0 });
    await tab.page.getByRole("tab", { name: "Layers" }).click();
    await tab.choose(layer);
    const numbers = (index: number) => tab.inspector.locator(`[data-strip="strips/${index}"]`);
    const say = async (index: number, label: string, value: string) => {
      if (!(await numbers(index).getByLabel(label, { exact: true }).count()))
        await numbers(index).locator(".entry-name").click();
      const field = numbers(index).getByLabel(label, { exact: true });
      await tab.step(async () => {
        await field.fill(value);
        await field.press("Enter");
      });
    };
    expect((await strips())[0]).toMatchObject({ clip: "walk", trim: [0, 2.4] });
    await say(1, "starts at [s]", "2.2");
    await say(1, "rounds", "2");
    await say(2, "from [s]", "0.2");
    await say(2, "to [s]", "2.1");
    await say(2, "starts at [s]", "3.3");
    const speed = numbers(2).locator("input.number").nth(3);
    await tab.step(async () => {
      await speed.fill("0.92");
      await speed.press("Enter");
    });
    expect(await strips()).toMatchObject([
      { clip: "walk", trim: [0, 2.4] },
      { clip: "run", at: 2.2, loop: 2 },
      { clip: "jump", at: 3.3, trim: [0.2, 2.1], speed: 0.92 },
    ]);
    await tab.seek(206);
    await tab.picture("track");
    expect(await tab.read(() => window.studio.result.value!.frames)).toBe(322);
    expect(await tab.read(() => window.studio.shown.value.state)).toBe("exact");
    await exported("course.glb");
    const [frames, first, second] = python<[number, number, number]>(
      at.home,
      `${JUDGE}
from poise import clips
from poise.motion import operators
found = poise.load("course.glb")
walk = operators.trim(clips.get("walk"), 0, 2.4)
run = operators.trim(clips.get("run"), 0, 80 / 60)
jump = operators.speed(operators.trim(clips.get("jump"), 0.2, 2.1), 0.92)
still = np.zeros((found.frames, 4), dtype=bool)
for source, start, low, high in ((walk, 0, 0, 138), (run, 132, 138, 205), (jump, 198, 205, 322)):
    own = stands(source)
    still[low:high] = own[low - start : high - start]
print(json.dumps([found.frames, skated(found, still, (132, 144)), skated(found, still, (198, 212))]))`,
    );
    expect(frames).toBe(322);
    expect(first).toBeLessThan(0.005);
    expect(second).toBeLessThan(0.005);
    await tab.back(before);
  });
});
