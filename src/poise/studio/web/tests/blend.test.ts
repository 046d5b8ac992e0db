import * as THREE from "three";
import { describe, expect, it } from "vitest";
import type { FigurePacket, JointFact } from "../src/messages.ts";
import { between } from "../src/pose/blend.ts";
import { isPicked, named, pickAll, picked, pickLimb, setsOf } from "../src/pose/sets.ts";
import { Skeleton } from "../src/pose/skeleton.ts";
import { storeWith } from "./documents.ts";

let start = 0;
const joint = (kind: string, limb: string, side: string, more: Partial<JointFact> = {}): JointFact => {
  const size = { free: 7, ball: 4, hinge: 1, slide: 1 }[kind] ?? 0;
  start += size;
  return {
    kind,
    start: start - size,
    size,
    axis: [0, 1, 0],
    offset: [0, 0, 0.5],
    rest: new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 0, 1), 0.4).toArray() as never,
    lower: [null],
    upper: [null],
    mass: 1,
    centre: [0, 0, 0],
    limb,
    side,
    ...more,
  };
};
const FIGURE: FigurePacket = {
  kind: "figure",
  name: "",
  bodies: ["Trunk", "Chest", "Arm", "Forearm", "Hand", "Rail"].map((name, k) => ({ name, parent: k - 1 })),
  morphs: [],
  points: [],
  places: [],
  joints: [
    joint("free", "spine", "centre", { rest: [0, 0, 0, 1], offset: [0, 0, 0] }),
    joint("ball", "spine", "centre"),
    joint("ball", "arm", "left"),
    joint("hinge", "arm", "left"),
    joint("fixed", "hand", "left"),
    joint("slide", "", ""),
  ],
};
const skeleton = new Skeleton(FIGURE);
const turn = (x: number, angle: number): number[] => [Math.cos(angle / 2), x * Math.sin(angle / 2), 0, 0];

describe("placing by coordinates", () => {
  it("is the other way round of reading them", () => {
    const q = [0.1, 0.2, 0.9, ...turn(1, 0.3), ...turn(1, -0.8), ...turn(1, 1.2), 0.7, 0.25];
    const places = skeleton.placed(q, 0.05)!;
    expect(places[2]).toBeCloseTo(0.95, 12);
    skeleton.configuration(places, 0.05).forEach((v, k) => {
      expect(v).toBeCloseTo(q[k]!, 9);
    });
  });
});

describe("a pose a share of the way", () => {
  const from = { Arm: turn(1, 0), Forearm: [0.2], Trunk: [0, 0, 1, 1, 0, 0, 0] };
  const to = { Arm: turn(1, 1), Forearm: [1.2], Trunk: [2, 0, 1, ...turn(1, 1)] };

  it("turns by as much, also beyond either end, and takes the shorter way", () => {
    for (const share of [-0.5, 0, 0.38, 1, 1.5]) {
      const found = between(skeleton, from, to, share);
      turn(1, share).forEach((v, k) => {
        expect(found["Arm"]![k]).toBeCloseTo(v, 9);
        expect(found["Trunk"]![3 + k]).toBeCloseTo(v, 9);
      });
      expect(found["Forearm"]![0]).toBeCloseTo(0.2 + share, 12);
      expect(found["Trunk"]![0]).toBeCloseTo(2 * share, 12);
    }
    const opposite = between(skeleton, from, { Arm: turn(1, 1).map((v) => -v) }, 0.5);
    expect(Math.abs(opposite["Arm"]![0]!)).toBeCloseTo(Math.cos(0.25), 9);
    expect(Object.keys(opposite)).toEqual(["Arm"]);
  });
});

describe("sets of bodies", () => {
  it("are limbs with what they end in; the root goes with none, nor what cannot be turned", () => {
    named.value = { reach: ["Chest", "Forearm", "Nobody"] };
    expect(setsOf(FIGURE)).toEqual([
      { name: "spine", bodies: [1], own: false },
      { name: "left arm", bodies: [2, 3], own: false },
      { name: "reach", bodies: [1, 3], own: true },
    ]);
    named.value = {};
  });

  it("are picked at once, a limb by one of its bodies", () => {
    const { store } = storeWith([]);
    store.figure.value = FIGURE;
    store.body.value = 3;
    pickLimb(store);
    expect(picked(store)).toEqual([2, 3]);
    expect(isPicked(store, setsOf(FIGURE)[1]!)).toBe(true);
    pickAll(store, []);
    expect(picked(store)).toEqual([]);
  });
});
