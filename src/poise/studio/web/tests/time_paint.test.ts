import { expect, test } from "vitest";
import type { Curve, Lane } from "../src/time/lane.ts";
import { RULER } from "../src/time/lane.ts";
import { paint, type Scene } from "../src/time/paint.ts";

/** A canvas that keeps what is drawn: every line's points, and how it was finished. */
function canvas() {
  const lines: { points: [number, number][]; by: "fill" | "stroke"; style: unknown }[] = [];
  let points: [number, number][] = [];
  const target: Record<string, unknown> = {
    globalAlpha: 1,
    measureText: (text: string) => ({ width: 6 * text.length }),
    beginPath: () => {
      points = [];
    },
    moveTo: (x: number, y: number) => points.push([x, y]),
    lineTo: (x: number, y: number) => points.push([x, y]),
    fill: () => lines.push({ points: [...points], by: "fill", style: target["fillStyle"] }),
    stroke: () => lines.push({ points: [...points], by: "stroke", style: target["strokeStyle"] }),
  };
  const g = new Proxy(target, {
    get: (t, name: string) => (name in t ? t[name] : () => undefined),
    set: (t, name: string, v) => {
      t[name] = v;
      return true;
    },
  });
  return { g: g as unknown as CanvasRenderingContext2D, lines };
}

const colours = { ink: "", quiet: "", panel: "", edge: "", accent: "", onAccent: "", fine: "", wrong: "" };
function drawn(curve: Partial<Curve>) {
  const lane = {
    id: "a",
    layer: "l",
    list: "",
    label: "",
    colour: "#123456",
    keys: [],
    segments: [],
    curves: [{ values: Float32Array.from([0, 1, 0.5]), span: [0, 20], ...curve }],
  } as unknown as Lane;
  const { g, lines } = canvas();
  paint(g, {
    lanes: [lane],
    window: { first: 0, last: 20 },
    width: 200,
    height: 300,
    scroll: 0,
    colours,
    selected: new Set(),
    frame: 0,
    range: [0, 20],
    frames: 21,
    solved: [],
    hovered: "",
  } as unknown as Scene);
  return lines.filter((l) => l.style === "#123456");
}

test("a curve about its middle is filled: along it, and back along its mirror image", () => {
  const [shape] = drawn({ fill: "about" });
  expect(shape!.by).toBe("fill");
  expect(shape!.points).toHaveLength(6);
  const [a, b, c, d, e, f] = shape!.points as [number, number][];
  expect([d![0], e![0], f![0]]).toEqual([c![0], b![0], a![0]]);
  const middle = a![1];
  expect(f![1]).toBeCloseTo(middle, 9);
  expect(b![1] + e![1]).toBeCloseTo(2 * middle, 9);
  expect(c![1] + d![1]).toBeCloseTo(2 * middle, 9);
  expect(b![1]).toBeLessThan(c![1]); // up is more
  expect(middle).toBeGreaterThan(RULER);
});

test("a plain curve goes from its first frame to its last", () => {
  const [line] = drawn({}).filter((l) => l.by === "stroke");
  expect(line!.points.map((p) => p[0])).toEqual([0, 100, 200]);
});
