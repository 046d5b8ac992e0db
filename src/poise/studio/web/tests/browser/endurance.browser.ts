// A minute of dragging: what would grow over an hour is flat already, but for what the solver remembers up to its bound.
import { describe, expect, test } from "vitest";
import { CHROMIUM } from "./chromium.ts";
import { endure, judged } from "./endurance.ts";

describe.skipIf(!CHROMIUM)("endurance", () => {
  test("a minute of dragging leaves nothing behind", async () => {
    const verdict = judged(await endure({ minutes: 0.7, every: 6, pause: 60 }), ["solver"]);
    expect(verdict.flat, verdict.lines.join("\n")).toBe(true);
  });
});
