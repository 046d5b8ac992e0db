// Which way hips have to go, and which keys stand on a trail.
import { expect, test } from "vitest";
import type { FigurePacket } from "../src/messages.ts";
import { inward } from "../src/pose/shift_hips.ts";
import { margin } from "../src/pose/skeleton.ts";
import { trailFrames, trailKeys } from "../src/pose/trail_keys.ts";
import { Poses } from "../src/stage/poses.ts";
import { stateOf, storeWith } from "./documents.ts";

const SOLES = [
  [0, 0],
  [0.3, 0],
  [0.3, 0.2],
  [0, 0.2],
];

test("the centre of mass is brought well inside, by the shortest way, either way round", () => {
  for (const polygon of [SOLES, [...SOLES].reverse()]) {
    expect(inward([0.15, 0.1], polygon)).toEqual([0, 0]);
    const by = inward([0.1, -0.13], polygon, 0.02);
    expect(by[0]).toBeCloseTo(0, 9);
    expect(by[1]).toBeCloseTo(0.15, 9);
    const corner = inward([-1, -1], polygon, 0.02);
    expect(margin([-1 + corner[0], -1 + corner[1]], polygon)).toBeCloseTo(0.02, 6);
  }
  const narrow = inward([1, 1], SOLES, 0.5); // where there is no room for so much, inside all the same
  expect(margin([1 + narrow[0], 1 + narrow[1]], SOLES)).toBeGreaterThan(0.05);
});

test("keys stand on the trail where they move the body, apart from where it is", () => {
  const { store, socket } = storeWith();
  const joints = (name: string) => ({ [name]: [1, 0, 0, 0] });
  const edits = [
    { time: 0, joints: joints("Hips") },
    { time: 0.5, joints: joints("Arm") },
    { time: 1, joints: joints("Leg") },
    { time: 1.5, joints: joints("Hand") },
  ];
  socket.tell(stateOf([{ do: "retouch", name: "poses", edits }] as never, { revision: 2 }));
  store.figure.value = {
    bodies: [
      { name: "Hips", parent: -1 },
      { name: "Arm", parent: 0 },
      { name: "Hand", parent: 1 },
      { name: "Leg", parent: 0 },
    ],
  } as FigurePacket;
  const values = Float32Array.from({ length: 100 * 4 * 7 }, (_, k) => (k % 7 ? 0 : Math.floor(k / 28) / 100));
  store.result.value = new Poses(values, 100, 4);
  store.fps.value = 60;
  store.player.resize(100);
  expect(trailFrames(store, 2)).toEqual([0, 30, 90]);
  expect(trailFrames(store, 3)).toEqual([0, 60]);
  store.player.seek(32); // 2 cm from one of them: a press means the hand
  const found = trailKeys(store, 2, 1.7);
  expect(found.map((h) => [h.id, Number(h.place[0].toFixed(3))])).toEqual([
    ["pose:Hand@0", 0],
    ["pose:Hand@90", 0.9],
  ]);
  expect(found[1]!.times).toEqual([1.5, 1.5]);
  expect(trailKeys(store, -1, 1.7)).toEqual([]);
});
