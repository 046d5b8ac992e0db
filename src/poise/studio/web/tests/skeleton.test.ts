import * as THREE from "three";
import { describe, expect, it } from "vitest";
import type { FigurePacket, JointFact, PoseEdit } from "../src/messages.ts";
import { keyed, withKey } from "../src/pose/keys.ts";
import { margin, Skeleton } from "../src/pose/skeleton.ts";
import { quaternion, rotation } from "../src/pose/turns.ts";
import { storeWith } from "./documents.ts";

const joint = (kind: string, more: Partial<JointFact> = {}): JointFact => ({
  kind,
  start: 0,
  size: { free: 7, ball: 4, hinge: 1 }[kind] ?? 0,
  axis: [0, 1, 0],
  offset: [0, 0, 0],
  rest: [0, 0, 0, 1],
  lower: [null],
  upper: [null],
  mass: 1,
  centre: [0, 0, 0],
  limb: "",
  side: "centre",
  ...more,
});
const turn = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 0, 1), 0.7);
/** A trunk, an arm that is a ball and rests turned, a forearm that is a hinge about y. */
const FIGURE: FigurePacket = {
  kind: "figure",
  name: "",
  bodies: [
    { name: "Trunk", parent: -1 },
    { name: "Arm", parent: 0 },
    { name: "Forearm", parent: 1 },
  ],
  morphs: [],
  points: [],
  places: [],
  joints: [
    joint("free"),
    joint("ball", { rest: turn.toArray() as [number, number, number, number], mass: 2 }),
    joint("hinge", { lower: [0], upper: [2] }),
  ],
};
const rest = Float64Array.from([
  ...[0, 0, 1, 0, 0, 0, 1],
  ...[0, 0, 1.5, ...turn.toArray()],
  ...[1, 0, 1.5, ...turn.toArray()],
]);
const skeleton = new Skeleton(FIGURE);

describe("a pose in the browser", () => {
  it("is read as coordinates of joints: nothing is turned at rest", () => {
    expect(skeleton.value(rest, 0, 0.2).map((v) => Number(v.toFixed(9)))).toEqual([0, 0, 0.8, 1, 0, 0, 0]);
    expect(skeleton.value(rest, 1)[0]).toBeCloseTo(1, 12);
    expect(skeleton.value(rest, 2)[0]).toBeCloseTo(0, 12);
    expect(skeleton.configuration(rest)).toHaveLength(12);
  });

  it("turns a body with all that hangs from it, and its coordinate by as much", () => {
    const [axis] = skeleton.axes(rest, 2, "local");
    const by = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(...axis!), Math.PI / 6);
    const bent = skeleton.turned(rest, 2, by);
    expect(skeleton.value(bent, 2)[0]! * (180 / Math.PI)).toBeCloseTo(30, 9);
    expect([...bent.slice(0, 14)]).toEqual([...rest.slice(0, 14)]);
    const raised = skeleton.turned(
      rest,
      1,
      new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(1, 0, 0), 1),
    );
    expect(skeleton.value(raised, 2)[0]).toBeCloseTo(0, 9); // what hangs from it is as it was, joint by joint
    expect(raised[16]).toBeCloseTo(1.5, 9);
  });

  it("knows limits, masses, and axes of three kinds", () => {
    expect(skeleton.beyond([2.5], 2)).toBeCloseTo(0.5);
    expect(skeleton.beyond([1], 2)).toBe(0);
    expect(skeleton.centre(rest)).toEqual([0.25, 0, 1.375]);
    expect(skeleton.axes(rest, 1, "world")[0]).toEqual([1, 0, 0]);
    expect(skeleton.axes(rest, 1, "local")[0]![1]).toBeCloseTo(Math.sin(0.7), 9);
    expect(skeleton.axes(rest, 1, "parent")[0]).toEqual([1, 0, 0]);
  });

  it("is over its feet or not, by so much", () => {
    const square = [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ];
    expect(margin([0.5, 0.4], square)).toBeCloseTo(0.4);
    expect(margin([0.5, 0.4], [...square].reverse())).toBeCloseTo(0.4);
    expect(margin([1.3, 1.4], square)).toBeCloseTo(-0.5);
    expect(margin([0, 0], [])).toBeUndefined();
  });

  it("is written in degrees and back", () => {
    expect(rotation(quaternion([10, -20, 30])).map((v) => Number(v.toFixed(9)))).toEqual([10, -20, 30]);
    expect(rotation([1, 0, 0, 0])).toEqual([0, 0, 0]);
  });
});

describe("keys of poses", () => {
  it("go into the key that is there, in order, and a breakdown gives way", () => {
    const edits: PoseEdit[] = [
      { time: 0.5, joints: { Arm: [1, 0, 0, 0] } },
      { time: 0.2, kind: "breakdown", share: 0.3, joints: { Arm: [], Forearm: [] } },
    ];
    const one = withKey(edits, 0.5, { Forearm: [0.3] });
    expect(one.map((e) => [e.time, Object.keys(e.joints)])).toEqual([
      [0.2, ["Arm", "Forearm"]],
      [0.5, ["Arm", "Forearm"]],
    ]);
    const two = withKey(edits, 0.2, { Forearm: [0.3] });
    expect(two.map((e) => [e.time, e.kind, Object.keys(e.joints)])).toEqual([
      [0.2, "breakdown", ["Arm"]],
      [0.2, undefined, ["Forearm"]],
      [0.5, undefined, ["Arm"]],
    ]);
  });

  it("make a layer below what is loose where there is none", () => {
    const { store } = storeWith();
    const made = keyed(store, 0.5, { Arm: [1, 0, 0, 0] })!;
    const loose = store.layers.value.findIndex((l) => l.name === "loose");
    expect(made.layer).toBe("poses");
    expect(made.command).toMatchObject({ do: "add-layer" });
    expect((made.command as { at?: number }).at).toBeLessThanOrEqual(loose);
  });
});
