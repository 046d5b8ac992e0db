import { expect, test } from "vitest";
import type { Packet } from "../src/packet.ts";
import { Figure, Looks, type LooksHeader } from "../src/stage/figure.ts";

const part = <T extends Float32Array | Uint8Array | Uint16Array | Uint32Array>(values: T) => ({
  values,
  shape: [values.length],
});

/** Four corners on one body; "smile" moves the last and the second, "frown" the first. */
function face(): Looks {
  const arrays = {
    position: part(Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1])),
    normal: part(Float32Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0])),
    colour: part(new Uint8Array([0, 128, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
    joints: part(new Uint16Array(16)),
    weights: part(Float32Array.from({ length: 16 }, (_, i) => (i % 4 ? 0 : 1))),
    bind: part(Float32Array.from({ length: 16 }, (_, i) => (i % 5 ? 0 : 1))),
    index: part(Uint32Array.from([0, 1, 2, 1, 2, 3])),
    "morph0.at": part(Uint32Array.from([3, 1])),
    "morph0.by": part(Float32Array.from([1, 2, 3, 4, 5, 6])),
    "morph0.lit": part(Uint32Array.from([2])),
    "morph0.turn": part(Float32Array.from([7, 8, 9])),
    "morph1.at": part(Uint32Array.from([0])),
    "morph1.by": part(Float32Array.from([-1, -2, -3])),
    "morph1.lit": part(new Uint32Array()),
    "morph1.turn": part(new Float32Array()),
  };
  return new Looks({
    header: { name: "face", bodies: [{ name: "head", parent: -1 }], morphs: ["smile", "frown"] },
    arrays,
  } as unknown as Packet<LooksHeader>);
}

test("morph targets move the vertices that they name, by what they say, and no others", () => {
  const { geometry } = face();
  const [smile, frown] = geometry.morphAttributes.position!;
  expect([...smile!.array]).toEqual([0, 0, 0, 4, 5, 6, 0, 0, 0, 1, 2, 3]);
  expect([...frown!.array]).toEqual([-1, -2, -3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  expect([...geometry.morphAttributes.normal![0]!.array]).toEqual([0, 0, 0, 0, 0, 0, 7, 8, 9, 0, 0, 0]);
  expect(geometry.morphTargetsRelative).toBe(true);
});

test("colours are linear on the stage: half of the bytes is a fifth of the light", () => {
  const colour = [...face().geometry.getAttribute("color").array].slice(0, 3);
  [0, 0.2158, 1].forEach((v, i) => {
    expect(colour[i]).toBeCloseTo(v, 3);
  });
});

test("a face is left to the graphics card, with as much of each target as is told", () => {
  const figure = new Figure(face());
  figure.pose(Float32Array.from([0, 0, 0, 0, 0, 0, 1]), Float32Array.from([0.25, 0.75]));
  expect([...figure.mesh.morphTargetInfluences!]).toEqual([0.25, 0.75]);
});
