// A point of something worn is dragged on the stage: it becomes a target that who wears it meets.
import { beforeAll, describe, expect, test } from "vitest";
import type { Entry } from "../../src/time/entry.ts";
import { CHROMIUM } from "./chromium.ts";
import { opened, smallChain, walkWith } from "./opened.ts";
import type { Tab } from "./tab.ts";

describe.skipIf(!CHROMIUM)("something worn", () => {
  const at = opened({ width: 1280, height: 900, source: smallChain });
  let tab: Tab;

  beforeAll(async () => {
    tab = at.tab;
    await walkWith(tab, { do: "wear", name: "my hat" });
    await tab.until(() => window.studio.soft.value.length === 1);
    await tab.seek(20);
  });

  /** Where the vertex farthest from the head is in the document, and as modelled. */
  const tip = () =>
    tab.read(() => {
      const { studio } = window;
      const { rest, shape, header } = studio.soft.value[0]!;
      const around = (v: number) => Math.hypot(rest![3 * v]!, rest![3 * v + 1]!, rest![3 * v + 2]!);
      let best = 0;
      for (let v = 1; 3 * v < rest!.length; v++) if (around(v) > around(best)) best = v;
      const frame = Math.round(studio.player.frame.value);
      const local = shape.subarray(frame * rest!.length + 3 * best, frame * rest!.length + 3 * best + 3);
      const { values, bodies } = studio.result.value!;
      const k = 7 * (frame * bodies + header.body);
      const mesh = window.stage.camera.position.clone().set(local[0]!, local[1]!, local[2]!);
      const turn = window.stage.camera.quaternion.clone().fromArray(values, k + 3);
      mesh.applyQuaternion(turn);
      return [mesh.x + values[k]!, mesh.y + values[k + 1]!, mesh.z + values[k + 2]! - studio.lift.value] as [
        number,
        number,
        number,
      ];
    });

  test("its tip is dragged: one target, met by the motion, one step of undo", async () => {
    const steps = await tab.undoable();
    const before = await tip();
    await tab.dragged(await tab.pixel([before[0], before[1], before[2] - 0.01]), { x: 24, y: 10 });
    const [entry] = (await tab.layer("my hat"))!["constraints"] as Entry[];
    expect(entry!["handle"]).toMatchObject({ kind: "attachment_point", attachment: "hat", axes: "xyz" });
    expect(await tab.undoable()).toBe(steps + 1);
    const told = await tab.read(() => window.studio.lanes.value.reports["my hat"]);
    expect(told).toMatchObject({ met: true });
    await tab.drawn();
    await tab.picture("hat dragged");
    // Its handle is on the stage, and goes on from there.
    await tab.dragged(await tab.sign("my hat/constraints/0"), { x: -12, y: 0 });
    const now = ((await tab.layer("my hat"))!["constraints"] as Entry[])[0]!["target"] as Entry;
    expect(now["value"]).not.toEqual((entry!["target"] as Entry)["value"]);
    await tab.undo();
    await tab.undo();
    expect((await tab.layer("my hat"))!["constraints"] ?? []).toEqual([]);
  });

  test("nothing went wrong meanwhile", () => {
    expect(tab.problems).toEqual([]);
  });
});
