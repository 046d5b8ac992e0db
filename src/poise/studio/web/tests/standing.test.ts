import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Standing } from "../src/messages.ts";
import { amount, FIRST, type Happening, headline, parted, stands, withoutLayer } from "../src/standing.ts";

interface Step {
  stands?: Partial<Standing>;
  browser?: Happening;
  shown?: { state: string; text?: string; mark?: string; next?: string[] };
}
const CASES = JSON.parse(readFileSync(new URL("transitions.json", import.meta.url), "utf-8")) as {
  name: string;
  steps: Step[];
}[];

describe("how the motion stands, by the table that Python keeps to as well", () => {
  it.each(CASES)("$name", ({ steps }) => {
    let shown = FIRST;
    let standing: Standing = FIRST.standing;
    for (const step of steps) {
      if (step.browser) shown = stands(shown, step.browser);
      else {
        standing = { ...standing, ...step.stands };
        shown = stands(shown, { kind: "status", standing, at: 0 });
      }
      if (!step.shown) continue;
      const { state, text, mark, next } = step.shown;
      const line = headline(shown, 60);
      expect(shown.state).toBe(state);
      if (text !== undefined) expect(line.text).toBe(text);
      if (mark !== undefined) expect(line.mark).toBe(mark);
      if (next !== undefined) expect(line.next.map((n) => n.label)).toEqual(next);
    }
  });
});

describe("what is wrong, in words", () => {
  it("is without the layer's place in the list, and never without what is seen instead", () => {
    expect(withoutLayer("layer 0 ('my walk'): clip 'walk': gone")).toBe("clip 'walk': gone");
    expect(withoutLayer(`layer 3 ("it's"): torn`)).toBe("torn");
    expect(withoutLayer("no layer 3: nothing")).toBe("no layer 3: nothing");
    expect(parted("long words · showing revision 7 of 8")).toEqual([
      "long words",
      " · showing revision 7 of 8",
    ]);
    expect(parted("exact")).toEqual(["exact", ""]);
  });
});

describe("numbers in words", () => {
  it("are as one reads them", () => {
    expect([amount(0.165, "m"), amount(0.0004, "m"), amount(0.1, "rad"), amount(1.234, "m/s")]).toEqual([
      "16.5 cm",
      "0.4 mm",
      "5.7°",
      "1.23 m/s",
    ]);
  });
});
