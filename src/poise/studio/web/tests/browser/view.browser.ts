// What is seen: everything that can be switched on or off, the camera, screens of every size,
// and the first minute.
import { beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM } from "./chromium.ts";
import { opened } from "./opened.ts";
import { Tab, WAIT } from "./tab.ts";

const SWITCHES = ["wire", "ghosts", "trails", "com", "inertia", "momentum", "support", "forces"];

describe.skipIf(!CHROMIUM)("the view", () => {
  const at = opened({ width: 1280, height: 800 });
  let tab: Tab;

  beforeAll(() => {
    tab = at.tab;
  });

  const stage = () => tab.page.locator('[data-part="stage"] canvas');
  /** The stage's picture becomes another one. */
  const becomes = async (what: () => Promise<unknown>) => {
    await tab.changed();
    await what();
    await expect.poll(() => tab.changed(), { timeout: WAIT }).toBeGreaterThan(2e-5);
  };

  test("every switch of the view changes the picture, and back", async () => {
    await tab.quiet(); // what carries it, and what it stands on, come a moment after the motion
    await tab.seek(46);
    await tab.page.locator(".bodies button", { hasText: /^RightHand$/ }).click();
    await tab.changed();
    await tab.read(() => {
      window.seen["first"] = window.seen["stage"]!;
    });
    for (const name of SWITCHES) {
      await becomes(() => tab.menu("View", name));
      await tab.picture(`switch-${name}`);
      await becomes(() => tab.menu("View", name));
    }
    // Nothing is hovered over: where a menu was, the pointer is left above the stage.
    const off = async () => {
      await tab.page.mouse.move(600, 5);
      await tab.changed();
      return tab.read(
        () =>
          Array.from(window.seen["stage"]!).filter((v, k) => Math.abs(v - window.seen["first"]![k]!) >= 8)
            .length,
      );
    };
    await expect.poll(off, { timeout: WAIT }).toBeLessThan(20); // a pixel of an edge may fall to either side
    await tab.page.locator(".bodies button", { hasText: /^RightHand$/ }).click();
  });

  test("the wire is where the motion was keyed, the solid figure where dynamics takes it", async () => {
    await tab.seek(46);
    await tab.drawn();
    const apart = await tab.page.evaluate(() => {
      const { result, reference, figure } = window.studio;
      const count = figure.value!.bodies.length;
      const place = (poses: { values: Float32Array }, body: number) =>
        [0, 1, 2].map((k) => poses.values[(46 * count + body) * 7 + k]!);
      return Math.max(
        ...figure.value!.bodies.map((_, i) =>
          Math.hypot(...place(result.value!, i).map((v, k) => v - place(reference.value!, i)[k]!)),
        ),
      );
    });
    expect(apart).toBeGreaterThan(0.03);
    const shown = () =>
      tab.read(() => {
        let count = 0;
        window.stage.scene.traverseVisible((o) => void (o.name === "figure" && count++));
        return count;
      });
    expect(await shown()).toBe(2); // solid, and the outline of the wire
    await tab.menu("View", "ghosts");
    await tab.drawn();
    expect(await shown()).toBeGreaterThan(2); // ghosts of the dynamic motion
    const bones = () =>
      tab.read(() => {
        let count = 0;
        window.stage.scene.traverseVisible((o) => void (o.name === "bones" && count++));
        return count;
      });
    expect(await bones()).toBeGreaterThan(1); // and of the keyed one: bones, as its wire
    expect(await tab.page.locator('[data-part="legend"]').textContent()).toMatch(/before.*after.*as keyed/);
    // Each has the number of its frame, where there is room; with the next picture.
    const dated = async () =>
      (await tab.page.locator('[data-part="label"]:visible').allTextContents()).filter((t) =>
        /^\d+$/.test(t),
      );
    await expect.poll(async () => (await dated()).length, { timeout: WAIT }).toBeGreaterThan(1);
    await tab.menu("View", "wire");
    await tab.drawn();
    expect(await bones()).toBe(0);
    await tab.menu("View", "wire");
    await tab.menu("View", "ghosts");
    expect(await tab.page.locator('[data-part="legend"]').count()).toBe(0);
  });

  test("the camera turns, shifts, comes closer and frames what is picked, saying nothing of it", async () => {
    const camera = () =>
      tab.read(() => [...window.stage.camera.position.toArray(), ...window.stage.controls.target.toArray()]);
    const sent = tab.sent.filter((m) => m["say"] !== "ask").length;
    const box = (await stage().boundingBox())!;
    const empty = { x: box.x + 40, y: box.y + 40 };
    const views = [await camera()];
    await tab.press(empty, { x: 90, y: 20 }, 5);
    await tab.page.mouse.up();
    views.push(await camera());
    await tab.page.mouse.move(empty.x, empty.y);
    await tab.page.mouse.down({ button: "right" });
    await tab.page.mouse.move(empty.x + 60, empty.y + 30, { steps: 4 });
    await tab.page.mouse.up({ button: "right" });
    views.push(await camera());
    await tab.page.mouse.wheel(0, -400); // which is not waited for
    await expect.poll(camera, { timeout: WAIT }).not.toEqual(views.at(-1));
    views.push(await camera());
    await tab.page.locator(".bodies button", { hasText: /^Head$/ }).click();
    await stage().focus();
    await tab.key("f");
    views.push(await camera());
    for (let k = 1; k < views.length; k++) expect(views[k], `step ${k}`).not.toEqual(views[k - 1]);
    const head = await tab.read(
      () => window.studio.placeOf(window.studio.body.value, window.studio.player.time.value)!,
    );
    expect(Math.hypot(...head.map((v, k) => v - views.at(-1)![3 + k]!))).toBeLessThan(0.4);
    await tab.page.locator(".bodies button", { hasText: /^Head$/ }).click();
    await stage().focus();
    await tab.key("f");
    expect(tab.sent.filter((m) => m["say"] !== "ask").length).toBe(sent);
  });

  test("plays backwards, and at other speeds", async () => {
    await tab.seek(100);
    await tab.page.getByRole("button", { name: "play backwards" }).click();
    await tab.until(() => window.studio.player.frame.value < 95);
    await tab.page.getByRole("button", { name: "play backwards" }).click();
    expect(await tab.read(() => window.studio.player.playing.value)).toBe(false);
    const passed = async (speed: string) => {
      await tab.page.getByLabel("speed").selectOption(speed);
      await tab.seek(0);
      // In half a second that is brought about: a busy machine's own would be any.
      return tab.page.evaluate(() => {
        const { player } = window.studio;
        player.toggle(1);
        player.advance(0.5);
        const { value } = player.frame;
        player.toggle(1);
        return value;
      });
    };
    expect(await passed("0.1")).toBeCloseTo(3, 6);
    expect(await passed("1")).toBeCloseTo(30, 6);
  });

  test("what is on the screen can be read on any screen, light or dark", async () => {
    await tab.seek(40);
    for (const [width, height] of [
      [1280, 800],
      [1366, 768],
      [1024, 640],
    ] as const) {
      await tab.page.setViewportSize({ width, height });
      await tab.drawn();
      const found = await tab.read(() => ({
        over: [
          document.documentElement.scrollWidth - innerWidth,
          document.documentElement.scrollHeight - innerHeight,
        ],
        parts: Object.fromEntries(
          ["menu", "outliner", "stage", "inspector", "transport", "timeline", "status"].map((p) => {
            const { left, top, right, bottom } = document
              .querySelector(`[data-part="${p}"]`)!
              .getBoundingClientRect();
            return [
              p,
              {
                width: right - left,
                height: bottom - top,
                inside: left >= -1 && top >= -1 && right <= innerWidth + 1 && bottom <= innerHeight + 1,
              },
            ];
          }),
        ),
        smallest: Math.min(
          ...[...document.querySelectorAll<HTMLElement>("button, label, p, h2, small, kbd, output")]
            .filter((e) => e.offsetParent && e.textContent)
            .map((e) => parseFloat(getComputedStyle(e).fontSize)),
        ),
      }));
      expect(found.over, `${width} × ${height}`).toEqual([0, 0]);
      for (const [part, { inside }] of Object.entries(found.parts))
        expect(inside, `${part} at ${width} × ${height}`).toBe(true);
      expect(found.parts["stage"]!.width).toBeGreaterThan(0.45 * width);
      expect(found.parts["stage"]!.height).toBeGreaterThan(0.4 * height);
      expect(found.smallest).toBeGreaterThanOrEqual(10);
      await tab.picture(`screen-${width}`);
    }
    await tab.page.setViewportSize({ width: 1280, height: 800 });
    await becomes(() => tab.menu("View", "dark"));
    await tab.picture("screen-other-light");
    await becomes(() => tab.menu("View", "dark"));
  });

  test("the first minute: five things, each ticked off when it is done", async () => {
    const first = await Tab.open(at.browser, at.server.address, { width: 1280, height: 800, guide: true });
    await first.settled();
    const guide = first.page.locator('[data-part="guide"]');
    await guide.waitFor({ timeout: WAIT });
    const done = (count: number) =>
      expect.poll(() => guide.locator("li.done").count(), { timeout: WAIT }).toBe(count);
    await first.picture("guide");
    await first.page.locator('[data-part="stage"] canvas').focus();
    await first.key("Space");
    await done(1);
    await first.key("Space");
    await first.choose("hit");
    const slider = await first.tension();
    await first.dragged(
      { x: slider.x + 0.4 * slider.width, y: slider.y + slider.height / 2 },
      { x: 30, y: 0 },
    );
    await done(2);
    await first.seek(51);
    await first.drawn();
    const target = (await first.layer("hit"))!["constraints"][0].target.value as number[];
    await first.dragged(await first.pixel(target), { x: -14, y: 8 });
    await done(3);
    await first.step(() =>
      first.page.locator('[data-layer="hat"]').getByRole("button", { name: /^mute/ }).click(),
    );
    await done(4);
    await first.inspector.getByRole("button", { name: "Check" }).click();
    await done(5);
    await guide.getByRole("button", { name: "Done" }).click();
    await guide.waitFor({ state: "hidden", timeout: WAIT });
    await first.page.reload();
    await first.settled();
    expect(await guide.count()).toBe(0); // only the first time
    expect(first.problems).toEqual([]);
    for (let k = 0; k < 3; k++) await first.undo();
    await first.context.close();
    // Nothing from anywhere else.
    expect([...tab.hosts, ...first.hosts].every((host) => host === "127.0.0.1")).toBe(true);
    expect(tab.problems).toEqual([]);
  });
});
