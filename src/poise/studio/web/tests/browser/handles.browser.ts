// Every sort of handle is dragged once: the document changes where it should, as one step of undo.
import { beforeAll, describe, expect, test } from "vitest";
import type { Entry } from "../../src/time/entry.ts";
import { CHROMIUM } from "./chromium.ts";
import { opened } from "./opened.ts";
import type { Tab } from "./tab.ts";

describe.skipIf(!CHROMIUM)("handles", () => {
  const at = opened({ touch: true });
  let tab: Tab;

  beforeAll(async () => {
    tab = at.tab;
    await tab.edit({
      do: "group",
      label: "only the punch",
      commands: ["hat", "stand", "hit", "aim"].map((layer) => ({ do: "remove-layer", layer })),
    });
  });

  const tracks = async () => (await tab.layer("keys"))!["keyframes"];

  test("pins, centre of mass, velocity, apex and ring of key-frames", async () => {
    await tab.edit({
      do: "add-layer",
      layer: {
        do: "key",
        name: "keys",
        keyframes: {
          pins: [{ point: "LeftHand", at: [0.4, 0.6], fade: 0.1 }],
          path: {
            keys: [
              { time: 0, position: [0, 0, 0.95], velocity: [0, 0, 1] },
              { time: 0.8, position: [0.1, 0, 0.9], template: { kind: "projectile_3", height: 1.3 } },
              { time: 1.4, position: [0.4, 0, 0.9] },
              { time: 1.8, position: [0.75, 0, 0.9] },
            ],
          },
          inertia: { measure: "gyration", keys: [{ time: 0.3, value: 0.42 }] },
        },
      },
    });
    const before = await tracks();
    await tab.seek(30);
    await tab.dragged(await tab.sign("keys/keyframes/pins/0"));
    expect((await tracks()).pins[0].to).toHaveLength(3);
    await tab.undo();
    await tab.dragged(await tab.sign("keys/keyframes/path/keys/3"), { x: 30, y: 10 });
    expect((await tracks()).path.keys[3].position).not.toEqual(before.path.keys[3].position);
    await tab.undo();
    await tab.dragged(await tab.sign("keys/keyframes/path/keys/0:velocity"));
    expect((await tracks()).path.keys[0].velocity).not.toEqual([0, 0, 1]);
    await tab.undo();
    await tab.dragged(await tab.sign("keys/keyframes/path/keys/1:apex"), { x: 0, y: -30 });
    expect((await tracks()).path.keys[1].template.height).toBeGreaterThan(1.31);
    await tab.undo();
    await tab.dragged(await tab.sign("keys/keyframes/inertia/keys/0"), { x: 12, y: 0 });
    expect((await tracks()).inertia.keys[0].value).toBeGreaterThan(0.43);
    await tab.undo();
    expect(await tracks()).toEqual(before);
    await tab.undo();
  });

  test("a foot plant that was found becomes the document's own", async () => {
    await tab.edit({
      do: "group",
      label: "a walk",
      commands: [
        { do: "put-clip", name: "walk", clip: { bundled: "walk" } },
        { do: "set", layer: "punch", path: "clip", value: "walk" },
        { do: "add-layer", layer: { do: "adapt", name: "feet" } },
      ],
    });
    await tab.until(() => (window.studio.plants.value["feet"]?.plants.length ?? 0) > 0);
    const count = await tab.read(() => window.studio.plants.value["feet"]!.plants.length);
    const start = await tab.read(() => window.studio.plants.value["feet"]!.plants[0]!.place);
    await tab.dragged(await tab.sign("feet/constraints/0:found"), { x: 20, y: 8 });
    const constraints = (await tab.layer("feet"))!["constraints"];
    expect(constraints).toHaveLength(count);
    expect(
      Math.hypot(constraints[0].place[0] - start[0], constraints[0].place[1] - start[1]),
    ).toBeGreaterThan(0.01);
    await tab.undo();
    expect((await tab.layer("feet"))!["constraints"] ?? []).toEqual([]);
    await tab.undo();
  });

  test("the centre of mass, a turned body, and a limb about a local root", async () => {
    await tab.seek(30);
    await tab.drawn();
    const com = await tab.read(() =>
      [...window.studio.physics.value!.com.slice(90, 93)].map((v, k) =>
        k === 2 ? v - window.studio.lift.value : v,
      ),
    );
    await tab.dragged(await tab.pixel(com), { x: 10, y: 10 });
    const named = () =>
      tab.read(() => window.studio.layers.value.flatMap((l) => (l.do === "adapt" ? [l as Entry] : [])));
    expect((await named())[0]!["constraints"][0].handle.kind).toBe("centre_of_mass");
    await tab.undo();

    const body = (name: string) =>
      tab.page.evaluate(
        (n) =>
          window.studio.placeOf(
            window.studio.figure.value!.bodies.findIndex((b) => b.name === n),
            window.studio.player.time.value,
          )!,
        name,
      );
    const chest = await tab.pixel(await body("Head"));
    await tab.page.keyboard.down("Control");
    await tab.dragged({ x: chest.x, y: chest.y - 8 }, { x: 14, y: 4 });
    await tab.page.keyboard.up("Control");
    expect((await named())[0]!["constraints"][0].handle.kind).toBe("body_orientation");
    await tab.undo();

    const [elbow, wrist] = [
      await tab.pixel(await body("RightForeArm")),
      await tab.pixel(await body("RightHand")),
    ];
    await tab.page.keyboard.down("Shift");
    await tab.page.mouse.click(0.5 * (elbow.x + wrist.x), 0.5 * (elbow.y + wrist.y));
    await tab.page.keyboard.up("Shift");
    const way = { x: wrist.x - elbow.x, y: wrist.y - elbow.y };
    await tab.dragged({ x: wrist.x + 0.2 * way.x, y: wrist.y + 0.2 * way.y }, { x: 6, y: -10 });
    const joints = (await named())[0]!["joints"] as string[];
    expect(joints).toContain("RightHand");
    expect(joints).not.toContain("Hips");
    await tab.undo();
  });

  test("a finger selects and drags a target", async () => {
    await tab.edit({
      do: "add-layer",
      layer: {
        do: "adapt",
        name: "reach",
        plants: false,
        constraints: [
          {
            name: "left hand",
            handle: { kind: "point_position", point: "LeftHand", axes: "xyz" },
            target: { value: [0.3, 0.3, 1.3] },
            when: { at: 0.5 },
          },
        ],
      },
    });
    const at = await tab.sign("reach/constraints/0");
    await tab.page.touchscreen.tap(at.x + 12, at.y + 8); // fingers are wide
    expect(await tab.read(() => [...window.studio.selected.value])).toEqual(["reach/constraints/0"]);
    await tab.undo();
    expect(tab.problems).toEqual([]);
  });
});
