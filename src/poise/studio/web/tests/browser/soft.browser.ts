// Something soft is taken by a point of it and brought somewhere: the joints that carry it move.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CHROMIUM } from "./chromium.ts";
import { opened } from "./opened.ts";
import { PYTHON, ROOT } from "./server.ts";

const ENV = { ...process.env, PYTHONPATH: process.env["PYTHONPATH"] ?? join(ROOT, "src") };
const python = (home: string, code: string) =>
  execFileSync(PYTHON, ["-c", code], { cwd: home, env: ENV, encoding: "utf8" });

describe.skipIf(!CHROMIUM)("something soft", () => {
  const at = opened({
    width: 1280,
    height: 800,
    source: (home) => {
      python(
        home,
        "from poise import Project; Project().add_clip('punch', 'punch').add('load', 'punch', clip='punch')" +
          ".add('wear', 'hat').save('hat.poise')",
      );
      return "hat.poise";
    },
  });

  test("the tip of a hat is dragged, by the pointer and by its handle, and gets there", async () => {
    const { tab } = at;
    await tab.until(() => window.studio.soft.value.length === 1);
    await tab.seek(50);
    await tab.drawn();
    // The vertex farthest from the bone: the tip; pressed a little below it.
    const tip = await tab.read(() => {
      const { rest, shape, header } = window.studio.soft.value[0]!;
      let [best, far] = [0, 0];
      for (let k = 0; k < rest.length / 3; k++) {
        const away = Math.hypot(rest[3 * k]!, rest[3 * k + 1]!, rest[3 * k + 2]!);
        if (away > far) [best, far] = [k, away];
      }
      const frames = window.studio.soft.value[0]!.frames;
      const size = shape.length / frames;
      const own = shape.slice(50 * size + 3 * best, 50 * size + 3 * best + 3);
      const { values, bodies } = window.studio.result.value!;
      const k = 7 * (50 * bodies + header.body);
      const v = window.stage.camera.position.clone().fromArray(own);
      const q = window.stage.camera.quaternion.clone().fromArray(values, k + 3);
      v.applyQuaternion(q);
      return [v.x + values[k]!, v.y + values[k + 1]!, v.z + values[k + 2]! - window.studio.lift.value] as [
        number,
        number,
        number,
      ];
    });
    const from = await tab.pixel([tip[0], tip[1], tip[2] - 0.03]);
    await tab.dragged(from, { x: 14, y: 10 });
    const layer = (await tab.layer("hat"))!;
    const [made] = layer["constraints"] as {
      name: string;
      handle: { kind: string; attachment: string; bone: string; place: number[] };
      target: { value: number[] };
      when: { at: number };
    }[];
    expect(made!.handle).toMatchObject({ kind: "attachment_point", bone: "Head" });
    expect(made!.when.at).toBeCloseTo(50 / 60, 6);
    expect(await tab.read(() => window.studio.shown.value.standing.checks?.met)).toBe(1);
    await tab.picture("hat dragged");
    // Its handle stands where it is to be, and is dragged again.
    const handle = await tab.read(
      () => window.studio.handles.value.find((h) => h.id.includes("constraints/0"))!.id,
    );
    await tab.dragged(await tab.sign(handle), { x: -10, y: 6 });
    await tab.edit({ do: "set", layer: "hat", path: "width", value: 0.6 });
    await tab.page.evaluate(() =>
      window.studio.connection.say({ say: "save", path: "done.poise", force: true }),
    );
    await tab.until(
      () => window.studio.state.value!.path === "done.poise" && !window.studio.state.value!.modified,
    );
    // Judged on the mesh that comes of it: where the vertex next to the point is at that frame.
    const told = JSON.parse(
      python(
        at.home,
        `import json, numpy as np, poise
from poise.project import open as opened
project = opened("done.poise")
made = project.made()
asked = project.document.layers[-1].constraints[0]
worn = made.attached[-1]
place = np.array(asked["handle"]["place"])
near = np.linalg.norm(worn.attachment.surface.points - place, axis=1)
vertex = int(np.argmin(near))
seen = np.asarray(worn.mesh.vertices)[50, vertex]
moved = float(np.linalg.norm(made.clip.q - poise.clips.get("punch").q))
off = float(np.linalg.norm(seen - asked["target"]["value"]))
print(json.dumps({"near": float(near[vertex]), "off": off, "moved": moved}))`,
      ),
    ) as { near: number; off: number; moved: number };
    console.log(`hat: ${JSON.stringify(told)}`);
    expect(told.near).toBeLessThan(1e-3);
    expect(told.off).toBeLessThan(told.near + 1e-3);
    expect(told.moved).toBeGreaterThan(1e-3);
    expect(tab.problems).toEqual([]);
  });
});
