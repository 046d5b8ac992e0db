// Films: 240 frames in every kind, each from the exact motion; a draft is refused. Facts are the files'.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "./chromium.ts";
import { opened } from "./opened.ts";
import { PYTHON, ROOT } from "./server.ts";
import { type Tab, WAIT } from "./tab.ts";

const ENV = { ...process.env, PYTHONPATH: process.env["PYTHONPATH"] ?? join(ROOT, "src") };
const run = (home: string, code: string): string =>
  execFileSync(PYTHON, ["-c", code], { cwd: home, env: ENV, encoding: "utf8" });

/** Frames and size of a film, decoded. */
const FACTS = `
import json, re, subprocess, zipfile
from io import BytesIO
import imageio_ffmpeg
from PIL import Image
found = {}
for name in ("film.mp4", "film.webm"):
    how = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", name, "-map", "0:v", "-f", "null", "-"]
    said = subprocess.run(how, capture_output=True, text=True).stderr
    size = re.search(r", (\\d+)x(\\d+)", said).groups()
    found[name] = [int(re.findall(r"frame=\\s*(\\d+)", said)[-1]), *map(int, size)]
with Image.open("film.gif") as film:
    found["film.gif"] = [film.n_frames, *film.size]
with zipfile.ZipFile("film.zip") as files:
    names = files.namelist()
    found["film.zip"] = [len(names), *Image.open(BytesIO(files.read(names[-1]))).size]
print(json.dumps(found))`;

describe.skipIf(!CHROMIUM)("films", () => {
  const at = opened({
    width: 1280,
    height: 800,
    source: (home) => {
      run(
        home,
        "from poise import Project; Project().add_clip('walk', 'walk').add('load', 'walk', clip='walk')" +
          ".add('trim', 'part', start=0.0, end=239 / 60).add('loosen', 'loose').save('film.poise')",
      );
      return "film.poise";
    },
  });
  let tab: Tab;
  beforeAll(() => {
    tab = at.tab;
  });

  test("MP4, WebM, GIF and PNG files hold every frame", async () => {
    const dialog = tab.page.getByRole("dialog");
    const keys = [0, 2].map((time) => ({ time, eye: [3 - time, -3, 1.5], target: [0, 0, 0.9] }));
    await tab.step(() =>
      tab.page.evaluate((c) => window.studio.edit(c as never), {
        do: "put-camera",
        name: "slide",
        camera: { keys },
      } as object),
    );
    for (const [kind, camera] of [
      [".mp4", "side"],
      [".webm", "orbit"],
      [".gif", "front"],
      [".zip", "cuts"],
    ] as const) {
      await tab.key("Control+e");
      await tab.page.getByLabel("file name").fill(`film${kind}`);
      await dialog.getByLabel("size").selectOption("180p");
      await dialog.getByLabel("frames a second").fill("60");
      await dialog.getByLabel("frames a second").press("Tab");
      await dialog.getByLabel("camera", { exact: true }).selectOption(camera);
      await expect.poll(() => dialog.textContent(), { timeout: WAIT }).toContain("240 in all");
      await dialog.getByRole("button", { name: "Export", exact: true }).click();
      await expect.poll(() => existsSync(join(at.home, `film${kind}`)), { timeout: WAIT }).toBe(true);
    }
    const found = JSON.parse(run(at.home, FACTS)) as Record<string, number[]>;
    for (const [name, facts] of Object.entries(found)) expect(facts, name).toEqual([240, 320, 180]);
  });

  test("a draft is refused, and said to be one", async () => {
    const slider = await (async () => {
      await tab.choose("loose");
      return tab.tension();
    })();
    await tab.press({ x: slider.x + slider.width / 2, y: slider.y + slider.height / 2 }, { x: 12, y: 0 }, 4);
    // No move is on its way any more: what is refused is said until something else is done.
    await tab.until(() => window.studio.shown.value.state === "draft" && !window.studio.connection.awaits);
    await tab.read(() =>
      window.studio.connection.say({ say: "export", path: "draft.mp4", force: false, options: {} }),
    );
    await expect.poll(() => tab.complaint(), { timeout: WAIT }).toMatch(/draft/);
    await tab.page.mouse.up();
    await tab.settled();
    expect(existsSync(join(at.home, "draft.mp4"))).toBe(false);
  });
});
