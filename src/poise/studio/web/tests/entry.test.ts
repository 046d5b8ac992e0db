import { describe, expect, it } from "vitest";
import { addressOf, idOf, placeOf, read, sortOf } from "../src/time/address.ts";
import { sampled, through } from "../src/time/easing.ts";
import type { Entry } from "../src/time/entry.ts";
import { later, spanOf, stretched } from "../src/time/entry.ts";

describe("addresses", () => {
  it("go both ways, also for layers with slashes in their names", () => {
    for (const layer of ["hit", "left/right", "a~b", "~1/~0"])
      expect(addressOf(idOf(layer, "constraints/3"))).toEqual({ layer, path: "constraints/3" });
    expect(addressOf("hit")).toEqual({ layer: "hit", path: "" });
  });

  it("tell the list and the place in it", () => {
    expect(placeOf("keyframes/pins/2/gains/10")).toEqual({ list: "keyframes/pins/2/gains", index: 10 });
    expect(placeOf("keyframes/path/keys/1/template")).toBeUndefined();
    expect(placeOf("muted")).toBeUndefined();
    expect(sortOf("keyframes/pins/2/gains")).toBe("keyframes/pins/*/gains");
  });

  it("read what stands there, and nothing where nothing does", () => {
    const layer = { do: "key", name: "t", keyframes: { pins: [{ "a/b": 5 }] } } as never;
    expect(read(layer, "keyframes/pins/0/a~1b")).toBe(5);
    expect(read(layer, "keyframes/path/keys")).toBeUndefined();
  });
});

const FORMS: [string, Entry, [number, number]][] = [
  ["a constraint at a time", { when: { at: 0.5 } }, [0.5, 0.5]],
  ["a constraint for a while", { when: { from: 0.1, to: 0.4 } }, [0.1, 0.4]],
  ["a key", { time: 0.25, value: [1] }, [0.25, 0.25]],
  ["a pose taken from a clip", { time: 1, clip: "jump", at: 0.3 }, [1, 1]],
  ["a spin or a push", { start: 0.2, end: 0.9 }, [0.2, 0.9]],
  ["a held pin", { point: "LeftFoot", at: [0.1, 0.6] }, [0.1, 0.6]],
  ["a key on a script", { pose: "Y", at: 0.7 }, [0.7, 0.7]],
  [
    "a pin with curves",
    {
      targets: [{ time: 0.2, value: null }],
      gains: [
        { time: 0.1, value: 0 },
        { time: 0.5, value: 1 },
      ],
    },
    [0.1, 0.5],
  ],
  ["a foot plant", { intervals: { Heel: { from: 0, to: 0.3 }, Ball: { from: 0.1, to: 0.5 } } }, [0, 0.5]],
];

describe("times of entries", () => {
  it.each(FORMS)("%s is read and moved", (_, entry, [first, last]) => {
    expect(spanOf(entry)).toEqual({ first, last });
    const moved = spanOf(later(entry, 0.1))!;
    expect(moved.first).toBeCloseTo(first + 0.1, 9);
    expect(moved.last).toBeCloseTo(last + 0.1, 9);
    expect(spanOf(later(later(entry, 0.1), -0.1))).toEqual({ first, last });
  });

  it("leaves alone what a pose takes from its clip", () => {
    expect(later({ time: 1, clip: "jump", at: 0.3 }, 1)["at"]).toBe(0.3);
  });

  it.each(FORMS.filter(([, , [a, b]]) => a !== b))(
    "%s is stretched at either end, and never turned around",
    (_, entry, [first, last]) => {
      expect(spanOf(stretched(entry, "last", 2)!)).toEqual({ first, last: 2 });
      const turned = spanOf(stretched(entry, "first", 9)!)!;
      expect(turned.first).toBeLessThan(turned.last);
      expect(turned.last).toBeCloseTo(last, 9);
    },
  );

  it("has nothing to say of what is always", () => {
    expect(spanOf({ when: { always: true } })).toBeUndefined();
    expect(stretched({ time: 1 }, "last", 2)).toBeUndefined();
  });
});

describe("curves through keys", () => {
  const keys = [
    { time: 0, value: 0 },
    { time: 1, value: 1 },
    { time: 2, value: 1 },
    { time: 3, value: 0 },
  ];

  it("go through the keys, hold the ends, and never overshoot", () => {
    const curve = through(keys);
    for (const k of keys) expect(curve(k.time)).toBeCloseTo(k.value, 12);
    expect([curve(-5), curve(9)]).toEqual([0, 0]);
    const values = sampled(curve, -1, 4, 500);
    expect(Math.max(...values)).toBeLessThanOrEqual(1 + 1e-6);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(-1e-6);
  });

  it("ease as they are told", () => {
    const half = (ease: string) =>
      through([
        { time: 0, value: 0, ease },
        { time: 1, value: 1 },
      ])(0.5);
    expect([half("linear"), half("smooth"), half("ease-in"), half("ease-out"), half("hold")]).toEqual([
      0.5, 0.5, 0.25, 0.75, 0,
    ]);
  });

  it("flow on between splines: the slope is the weighted harmonic mean of the rates", () => {
    const curve = through([
      { time: 0, value: 0 },
      { time: 1, value: 1 },
      { time: 3, value: 7 },
    ]);
    const slope = (curve(1 + 1e-6) - curve(1 - 1e-6)) / 2e-6;
    expect(slope).toBeCloseTo((2 * 2 + 1 + 2 + 2 * 1) / ((2 * 2 + 1) / 1 + (2 + 2 * 1) / 3), 4);
  });
});
