// @vitest-environment happy-dom
import { expect, it } from "vitest";
import type { FigurePacket, JointFact } from "../src/messages.ts";
import { bones } from "../src/pose/picture.tsx";
import { Skeleton } from "../src/pose/skeleton.ts";

const fact = (
  kind: string,
  start: number,
  offset: [number, number, number],
  more: Partial<JointFact> = {},
): JointFact => ({
  kind,
  start,
  size: kind === "free" ? 7 : kind === "hinge" ? 1 : 4,
  axis: [0, 1, 0],
  offset,
  rest: [0, 0, 0, 1],
  lower: [],
  upper: [],
  mass: 1,
  centre: [0, 0, 0],
  limb: "",
  side: "",
  ...more,
});
/** Who looks along x: hips, two thighs, and an arm to the left whose forearm hangs. */
const skeleton = new Skeleton({
  kind: "figure",
  name: "",
  bodies: [
    { name: "Hips", parent: -1 },
    { name: "LeftThigh", parent: 0 },
    { name: "RightThigh", parent: 0 },
    { name: "LeftArm", parent: 0 },
  ],
  morphs: [],
  points: [],
  places: [],
  joints: [
    fact("free", 0, [0, 0, 0], { mass: 9 }),
    fact("ball", 7, [0, 0.1, 0], { limb: "thigh", side: "left", centre: [0, 0, -0.4] }),
    fact("ball", 11, [0, -0.1, 0], { limb: "thigh", side: "right", centre: [0, 0, -0.4] }),
    fact("hinge", 15, [0, 0.2, 0.5], { centre: [0, 0, -0.3], axis: [1, 0, 0] }),
  ],
} as FigurePacket);

it("a pose is drawn from before it, whole, with whatever ends its limbs, whichever way it is turned", () => {
  const hangs = bones(skeleton, { LeftArm: [0] });
  const raised = bones(skeleton, { LeftArm: [Math.PI] });
  for (const { from, to } of [...hangs, ...raised])
    for (const v of [...from, ...to]) {
      expect(v).toBeGreaterThan(0.05);
      expect(v).toBeLessThan(0.95);
    }
  const tip = (of: typeof hangs) => of.map((b) => b.to).sort((a, b) => b[0] - a[0])[0]!;
  expect(hangs).toHaveLength(6); // three to the hips, and three ends
  // The arm of the left side is to the right of the picture, and goes up: 0 is the top.
  expect(tip(hangs)[0]).toBeGreaterThan(0.5);
  expect(Math.min(...raised.map((b) => b.to[1]))).toBeLessThan(0.2);
  const turned = bones(skeleton, { Hips: [5, 5, 5, Math.SQRT1_2, 0, 0, Math.SQRT1_2], LeftArm: [0] });
  turned.forEach(({ from }, k) => {
    from.forEach((v, i) => {
      expect(v).toBeCloseTo(hangs[k]!.from[i]!, 6);
    });
  });
  expect(bones(skeleton, { LeftArm: [0] })[0]!.width).toBeGreaterThan(0);
});
