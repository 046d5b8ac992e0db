import { describe, expect, it } from "vitest";
import {
  boxed,
  fixButton,
  hit,
  LANE,
  type Lane,
  neighbour,
  RULER,
  rise,
  rowOf,
  TALL,
} from "../src/time/lane.ts";
import { fitted } from "../src/time/paint.ts";
import { panned, ticks, toFrame, toPixel, whole, zoomed } from "../src/time/window.ts";
import { poseLane } from "./lanes.ts";

const lanes: Lane[] = [
  poseLane(),
  {
    id: "air",
    layer: "tracks",
    list: "",
    label: "Template",
    colour: "#888",
    keys: [],
    segments: [{ id: "s", first: 20, last: 60, label: "flight", state: "wrong", hint: "lands early" }],
  },
];
const pixel = (f: number) => 10 * f;

describe("what lies under the pointer", () => {
  it("finds keys, then segments, their edges, then the lane alone", () => {
    expect(hit(lanes, 103, RULER + 5, pixel)?.key?.id).toBe("a");
    expect(hit(lanes, 300, RULER + LANE + 5, pixel)?.segment?.id).toBe("s");
    expect(hit(lanes, 598, RULER + LANE + 5, pixel)?.edge).toBe("last");
    expect(hit(lanes, 250, RULER + 5, pixel)).toEqual({ lane: lanes[0] });
    expect(hit(lanes, 250, RULER + 5 * LANE, pixel)).toBeUndefined();
  });

  it("finds both edges of a segment four pixels to either side of them, the first where it is short", () => {
    const edges = (x: number) => hit(lanes, x, RULER + LANE + 5, pixel)?.edge;
    expect([195, 196, 200, 204, 205].map(edges)).toEqual([undefined, "first", "first", "first", undefined]);
    expect([595, 596, 600, 604, 605].map(edges)).toEqual([undefined, "last", "last", "last", undefined]);
    expect(hit(lanes, 195, RULER + LANE + 5, pixel)).toEqual({ lane: lanes[1] });
    expect(hit(lanes, 201, RULER + LANE + 5, (f) => 200 + 0.01 * (f - 20))?.edge).toBe("first");
  });

  it("finds keys within seven pixels, the later of two, in tall lanes where their value is", () => {
    const at = (x: number) => hit(lanes, x, RULER + 5, pixel)?.key?.id;
    expect([92, 93, 107, 108].map(at)).toEqual([undefined, "a", "a", undefined]);
    expect(hit(lanes, 100, RULER + 5, () => 100)?.key?.id).toBe("b");
    const curve: Lane = {
      ...lanes[0]!,
      tall: true,
      range: [0, 2],
      keys: [{ ...lanes[0]!.keys[0]!, value: 2 }],
    };
    const row = rowOf(curve, 2);
    expect(row).toBe(8);
    expect([rowOf(curve, 0), rowOf(curve, 1)]).toEqual([TALL - 8, TALL / 2]);
    expect(hit([curve], 100, RULER + row + 9, pixel)?.key?.id).toBe("a");
    expect(hit([curve], 100, RULER + row + 10, pixel)?.key).toBeUndefined();
    expect(rise(curve, TALL - 16)).toBe(2);
    expect(rise(lanes[0]!, LANE - 8)).toBe(1);
  });

  it("offers to fix a segment that can be, at its end, where there is room", () => {
    const wrong = { ...lanes[1]!.segments[0]!, fixable: true };
    expect(fixButton(wrong, pixel)).toEqual([564, 595]);
    expect(fixButton(wrong, (f) => 1.5 * f)).toBeUndefined();
    expect(fixButton({ ...wrong, fixable: false }, pixel)).toBeUndefined();
  });

  it("takes scrolling into account and never reaches under the ruler", () => {
    expect(hit(lanes, 300, RULER + 2, pixel, LANE)?.segment?.id).toBe("s");
    expect(hit(lanes, 103, RULER - 3, pixel, 3)).toBeUndefined();
  });

  it("finds keys in a box and the next key in either direction", () => {
    expect(boxed(lanes, [5, 45], [RULER, RULER + 5]).map((k) => k.id)).toEqual(["a", "b"]);
    expect(boxed(lanes, [5, 45], [RULER + LANE, RULER + 2 * LANE])).toEqual([]);
    expect([neighbour(lanes, 10, 1), neighbour(lanes, 10, -1)]).toEqual([40, undefined]);
  });
});

describe("the window of the time line", () => {
  it("goes from frames to pixels and back", () => {
    const w = whole(300);
    expect(toFrame(w, 900, toPixel(w, 900, 123.4))).toBeCloseTo(123.4);
  });

  it("zooms about a frame that stays where it is", () => {
    const w = whole(300);
    const z = zoomed(w, 0.5, 100, 300);
    expect(toPixel(z, 900, 100)).toBeCloseTo(toPixel(w, 900, 100));
    expect(z.last - z.first).toBeCloseTo(0.5 * (w.last - w.first));
    expect(zoomed(w, 1e-9, 100, 300).last - zoomed(w, 1e-9, 100, 300).first).toBe(8);
  });

  it("keeps some of the clip in sight", () => {
    expect(panned(whole(300), 1e6, 300).first).toBeLessThan(300);
    expect(panned(whole(300), -1e6, 300).last).toBeGreaterThan(0);
  });

  it("numbers frames far enough apart to be read", () => {
    const t = ticks({ first: 0, last: 10000 }, 1000);
    expect(t.step).toBe(1000);
    expect(ticks({ first: 0, last: 20 }, 1000).step).toBe(2);
  });
});

describe("words in a bar", () => {
  const wide = (part: string) => 6 * part.length;
  it("are cut where they have no room, and say so", () => {
    expect(fitted("RightHand on box", 96, wide)).toBe("RightHand on box");
    expect(fitted("RightHand on box — touched here", 120, wide)).toBe("RightHand on box…");
    expect(fitted("RightHand", 30, wide)).toBe("Righ…");
    expect(fitted("RightHand", 10, wide)).toBe("");
  });
});
