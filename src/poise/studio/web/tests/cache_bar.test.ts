// The bar under the ruler says what frames are of which document.
import { describe, expect, it } from "vitest";
import { patched } from "../src/store.ts";
import { stretches } from "../src/time/cache_bar.ts";

const shown = (state: string, more: object = {}) =>
  ({ state, standing: { revision: 3, shown: 3, ...more } }) as never;

describe("the bar", () => {
  it("is green where all is exact, amber in a drag, grey where it is another document", () => {
    expect(stretches(shown("exact"), 100)).toEqual([{ first: 0, last: 99, state: "exact" }]);
    expect(stretches(shown("draft"), 100)).toEqual([{ first: 0, last: 99, state: "draft" }]);
    for (const state of ["stale", "failed", "stopped", "offline"])
      expect(stretches(shown(state), 100)).toEqual([{ first: 0, last: 99, state: "old" }]);
    expect(stretches(shown("solving", { shown: 2 }), 100)).toEqual([{ first: 0, last: 99, state: "old" }]);
    expect(stretches(shown("draft", { shown: 2 }), 100)).toEqual([{ first: 0, last: 99, state: "old" }]);
    expect(stretches(shown("exact"), 0)).toEqual([]);
  });

  it("of a long motion is new about the playhead first", () => {
    const window = [40, 60];
    expect(stretches(shown("draft", { window }), 100)).toEqual([
      { first: 0, last: 39, state: "old" },
      { first: 40, last: 60, state: "draft" },
      { first: 61, last: 99, state: "old" },
    ]);
    expect(stretches(shown("solving", { window: [0, 60], shown: 2 }), 100)).toEqual([
      { first: 0, last: 60, state: "exact" },
      { first: 61, last: 99, state: "old" },
    ]);
  });
});

describe("numbers of some frames", () => {
  it("take the place of what was known of them; all of another length are taken as they come", () => {
    const before = new Float32Array([1, 1, 1, 2, 2, 2, 3, 3, 3]);
    const made = patched(before, new Float32Array([9, 9, 9]), { first: 1, total: 3 });
    expect([...made]).toEqual([1, 1, 1, 9, 9, 9, 3, 3, 3]);
    expect([...before]).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3]);
    expect(patched(undefined, made, { first: 0, total: 3 })).toBe(made);
    expect([...patched(before, new Float32Array(0), { first: 0, total: 3 })]).toEqual([...before]);
    const longer = new Float32Array(12);
    expect(patched(before, longer, { first: 0, total: 4 })).toBe(longer);
  });
});
