// Files: dropped, opened, exported, broken ones in words;
// and the same viewer in a page of its own and in a notebook.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "./chromium.ts";
import { opened, smallChain } from "./opened.ts";
import { PYTHON, ROOT } from "./server.ts";
import { type Tab, WAIT } from "./tab.ts";

const PENDULUM = `<mujoco model="pendulum">
<worldbody>
<body name="arm" pos="0 0 1">
<joint name="hinge" axis="0 1 0"/><geom type="capsule" size="0.04" fromto="0 0 0 0.4 0 0"/>
<body name="fore" pos="0.4 0 0">
<joint name="elbow" axis="0 1 0"/><geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0"/>
</body>
</body>
</worldbody>
</mujoco>`;
const SHARED = [process.env["POISE_SHARED_DATA"] ?? "", join(ROOT, "../shared/data")].find(
  (path) => path && existsSync(path),
);

describe.skipIf(!CHROMIUM)("files", () => {
  const at = opened({
    width: 1100,
    height: 720,
    source: smallChain,
  });
  let tab: Tab;

  beforeAll(() => {
    tab = at.tab;
  });

  /** Open a file of this computer: a project of its own. What is dropped is added to the bin instead. */
  const dropped = async (name: string, content: string | Buffer) => {
    const revision = await tab.revision();
    await tab.openFile(name, content);
    await tab.after(revision);
  };
  const python = (code: string, ...rest: string[]) =>
    execFileSync(PYTHON, ["-c", code, ...rest], {
      cwd: at.home,
      env: { ...process.env, PYTHONPATH: process.env["PYTHONPATH"] ?? join(ROOT, "src") },
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    });
  const said = () => tab.page.locator('[data-part="status"]').textContent();

  test("everything that can be exported is, and comes back when it is opened", async () => {
    await tab.until(() => window.studio.vocabulary.value.exports);
    const kinds = await tab.read(() => window.studio.vocabulary.value.exports!);
    expect(kinds).toEqual(expect.arrayContaining([".bvh", ".glb"]));
    for (const kind of kinds) {
      await tab.key("Control+e");
      await tab.page.getByLabel("file name").fill(`out${kind}`);
      await tab.key("Enter");
      await expect
        .poll(() => existsSync(join(at.home, `out${kind}`)) && statSync(join(at.home, `out${kind}`)).size, {
          timeout: WAIT,
        })
        .toBeGreaterThan(200);
    }
    await expect.poll(said, { timeout: WAIT }).toContain("exported");
    // Once more under the same name: only when that is said. The format is a button.
    const before = statSync(join(at.home, "out.bvh")).mtimeMs;
    await tab.key("Control+e");
    await tab.page.getByRole("group", { name: "format" }).getByRole("button", { name: "BVH" }).click();
    expect(await tab.page.getByLabel("file name").inputValue()).toBe("out.bvh");
    await tab.page.getByRole("dialog").getByText("already exists").waitFor({ timeout: WAIT });
    await tab.picture("export");
    await tab.page.getByLabel("file name").press("Enter");
    expect(await tab.page.getByRole("dialog").count()).toBe(1);
    await tab.page.getByRole("button", { name: "Replace" }).click();
    await expect
      .poll(() => statSync(join(at.home, "out.bvh")).mtimeMs, { timeout: WAIT })
      .toBeGreaterThan(before);
    await dropped("again.glb", readFileSync(join(at.home, "out.glb")));
    expect(
      await tab.read(() => [window.studio.result.value!.frames, window.studio.figure.value!.bodies.length]),
    ).toEqual([30, 3]);
  });

  test("a model without motion, a project, and what is in the workspace", async () => {
    await dropped("pendulum.xml", PENDULUM);
    expect(await tab.read(() => window.studio.figure.value!.bodies.map((b) => b.name))).toEqual(
      expect.arrayContaining(["arm", "fore"]),
    );
    python(
      "from poise import Project; " +
        "Project().add_clip('wave', 'wave').add('load', 'wave', clip='wave').save('wave.poise')",
    );
    await dropped("dropped.poise", readFileSync(join(at.home, "wave.poise")));
    expect(await tab.read(() => window.studio.state.value!.path)).toBe("dropped.poise");
    // The same file once more is that file; one from elsewhere is chosen as well as dropped.
    const known = readFileSync(join(at.home, "chain.bvh"));
    await tab.key("Control+o");
    await tab.picture("open");
    const first = await tab.revision();
    await tab.page
      .getByLabel("file from this computer")
      .setInputFiles({ name: "chain.bvh", mimeType: "text/plain", buffer: known });
    await tab.after(first);
    expect(await tab.read(() => window.studio.figure.value!.bodies.length)).toBe(3);
    await tab.drop("chain.bvh", `${known.toString()} `);
    await expect.poll(said, { timeout: WAIT }).toContain("another chain.bvh is already in the workspace");
    const other = await tab.revision();
    await tab.page.evaluate(() => window.studio.connection.say({ say: "open", path: "wave.poise" }));
    await tab.after(other);
    await tab.key("Control+o");
    await tab.page.getByLabel("filter").fill("chain");
    const revision = await tab.revision();
    await tab.page.locator(".files button", { hasText: "chain.bvh" }).click();
    await tab.after(revision);
    expect(await tab.read(() => window.studio.figure.value!.bodies.length)).toBe(3);
  });

  test("a new project: what was open is saved first or put aside, and found again", async () => {
    const dialog = tab.page.getByRole("dialog");
    const fresh = async (how: string, figure: string) => {
      await dialog.getByRole("button", { name: how }).click();
      await tab.page.waitForFunction((name) => window.studio.figure.value?.name === name, figure, {
        timeout: WAIT,
      });
      await tab.settled();
    };
    await tab.edit({ do: "add-layer", layer: { do: "loosen", name: "limp", tension: "drunk" } });
    await tab.seek(12);
    await tab.menu("File", "new");
    await dialog.getByText("not saved").waitFor({ timeout: WAIT });
    await dialog.getByLabel("character", { exact: true }).selectOption("lamp");
    await tab.picture("new");
    await fresh("Set aside and start", "lamp");
    expect(
      await tab.read(() => [
        window.studio.player.frame.value,
        window.studio.state.value!.path,
        window.studio.state.value!.modified,
      ]),
    ).toEqual([0, "", false]);
    expect(await tab.read(() => window.studio.layers.value.map((l) => l.do))).toEqual(["key"]);
    // A body that is dragged becomes a pin of the new key-frames.
    const shade = await tab.read(
      () =>
        window.studio.placeOf(
          window.studio.figure.value!.bodies.findIndex((b) => b.name === "UpperArm"),
          0,
        )!,
    );
    await tab.dragged(await tab.pixel(shade), { x: 20, y: 10 });
    expect((await tab.layer("key-frames"))!["keyframes"].pins).toHaveLength(1);
    // Under a name that is taken it is not saved, and nothing begins.
    await tab.menu("File", "new");
    await dialog.getByLabel("The character on the stage: lamp").check();
    await dialog.getByLabel("file name").fill("wave.poise");
    await dialog.getByRole("button", { name: "Save and start" }).click();
    await dialog.getByText("already exists").waitFor({ timeout: WAIT });
    await dialog.getByLabel("file name").fill("lamp.poise");
    const project = await tab.read(() => window.studio.state.value!.project);
    await dialog.getByRole("button", { name: "Save and start" }).click();
    await tab.page.waitForFunction((n) => window.studio.state.value!.project !== n, project, {
      timeout: WAIT,
    });
    await tab.settled();
    expect(existsSync(join(at.home, "lamp.poise"))).toBe(true);
    expect(
      await tab.read(() => [window.studio.figure.value!.name, window.studio.state.value!.undoable]),
    ).toEqual(["lamp", 0]);
    // What was put aside is the first thing to open.
    await tab.key("Control+o");
    const aside = dialog.locator(".files button").first();
    await expect.poll(() => aside.textContent(), { timeout: WAIT }).toContain("1 edit not saved");
    await tab.picture("open-aside");
    await aside.click();
    await tab.page.getByRole("button", { name: "Recover" }).click();
    await tab.until(() => window.studio.layers.value.some((l) => l.name === "limp"));
    await tab.settled();
    await tab.undo();
  });

  test("what cannot be read is said in words, and what was there stays", async () => {
    const before = await tab.revision();
    for (const [name, content, words] of [
      ["broken.bvh", "HIERARCHY\nROOT Hips\n{\n", /broken\.bvh/],
      ["nothing.glb", "", /nothing\.glb/],
      ["page.html", "<p>", /page\.html: files that the studio takes end in/],
      [
        "outside.gltf",
        JSON.stringify({
          asset: { version: "2.0" },
          buffers: [{ uri: "https://example.com/x.bin", byteLength: 4 }],
        }),
        /outside\.gltf|https|outside/,
      ],
      ["chain.bvh", "HIERARCHY", /already in the workspace/],
    ] as const) {
      await tab.read(() => {
        window.studio.messages.value = [];
      });
      await tab.drop(name, content);
      await expect.poll(() => tab.complaint(), { timeout: WAIT }).toMatch(words);
    }
    await tab.picture("problem");
    expect(await tab.revision()).toBe(before);
    expect(existsSync(join(at.home, "broken.bvh"))).toBe(false);
  });

  test("an edit that cannot be made says so at its layer, and undo takes it back", async () => {
    await tab.edit({ do: "add-layer", layer: { do: "adapt", name: "reach", plants: false } });
    await tab.page.evaluate(() =>
      window.studio.edit({
        do: "set",
        layer: "reach",
        path: "constraints",
        value: [
          {
            name: "tail",
            handle: { kind: "point_position", point: "Tail", axes: "xyz" },
            target: { value: [0, 0, 1] },
            when: { at: 0.2 },
          },
        ],
      }),
    );
    const alert = tab.page.locator('[data-layer="reach"] [role="alert"]');
    await alert.waitFor({ timeout: WAIT });
    expect(await alert.textContent()).toMatch(/Tail/);
    expect(await alert.textContent()).toMatch(/Link1/); // what there is instead
    await tab.choose("reach");
    expect(await tab.inspector.locator('[role="alert"]').textContent()).toMatch(/Tail/);
    await tab.undo();
    await alert.waitFor({ state: "hidden", timeout: WAIT });
    await tab.undo();
  });

  test.skipIf(!SHARED)("recordings, a skinned figure and a physics model of others", async () => {
    for (const [path, bodies] of [
      ["cmu_cgspeed_bvh/02_01.bvh", 20],
      ["khronos_gltf/CesiumMan.glb", 15],
      ["mjcf_mujoco/humanoid.xml", 10],
      ["threejs/RobotExpressive.glb", 3],
    ] as const) {
      await dropped(path.split("/")[1]!, readFileSync(join(SHARED!, path)));
      expect(await tab.read(() => window.studio.figure.value!.bodies.length), path).toBeGreaterThan(bodies);
      await tab.seek(0);
      await tab.changed();
      await tab.seek(10);
      if (await tab.read(() => window.studio.result.value!.frames > 10))
        expect(await tab.changed(), path).toBeGreaterThan(1e-4);
      await tab.picture(path.split("/")[1]!.split(".")[0]!);
    }
    await tab.drop("26_nan_value.bvh", readFileSync(join(SHARED!, "synthetic_edge/26_nan_value.bvh")));
    await expect.poll(() => tab.complaint(), { timeout: WAIT }).toMatch(/nan/i);
  });

  test("a page of its own and a notebook's cell play without a server or a network", async () => {
    python(
      "from poise.cli import main; import sys; main(sys.argv[1:])",
      "render",
      "wave.poise",
      "-o",
      "wave.html",
    );
    const cell = python("from poise import clips; print(clips.get('wave')._repr_html_())");
    writeFileSync(join(at.home, "cell.html"), `<!doctype html><body>${cell}</body>`);
    const context = await at.browser.newContext({ viewport: { width: 800, height: 560 }, offline: true });
    for (const name of ["wave.html", "cell.html"]) {
      const page = await context.newPage();
      const asked: string[] = [];
      const problems: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      page.on("pageerror", (error) => problems.push(error.message));
      await page.goto(`file://${join(at.home, name)}`, { timeout: WAIT });
      const frame = name === "cell.html" ? page.frameLocator("iframe") : page;
      const canvas = frame.locator("canvas").first();
      await canvas.waitFor({ timeout: WAIT });
      const shot = async () => (await canvas.screenshot()).toString("base64");
      await page.waitForTimeout(500);
      const first = await shot();
      let moved = false;
      for (let k = 0; !moved && k < 30; k++) {
        await page.waitForTimeout(700);
        moved = (await shot()) !== first; // it may play by itself
        if (!moved && k === 0) await frame.getByRole("button").first().click();
      }
      expect(moved, `${name} plays`).toBe(true);
      expect(asked.filter((url) => !/^(file|data|blob|about):/.test(url))).toEqual([]);
      expect(problems).toEqual([]);
      if (process.env["POISE_PICTURES"])
        await page.screenshot({ path: join(process.env["POISE_PICTURES"], `${name.split(".")[0]}.png`) });
      await page.close();
    }
    await context.close();
    expect([...tab.hosts]).toEqual(["127.0.0.1"]);
    expect(tab.problems).toEqual([]);
  });
});
