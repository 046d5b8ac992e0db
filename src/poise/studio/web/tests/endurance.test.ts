// The verdict on an hour's memory: panels that come and go are no leak, and what grows under them is one.
import { expect, test } from "vitest";
import { judged, type Sample } from "./browser/endurance.ts";

const PANELS = [687, 704, 721, 738, 818, 1271];

/** An hour of samples: one panel or another is open, and so much is lost with every minute. */
function hour(nodes: (minutes: number) => number): Sample[] {
  return Array.from({ length: 121 }, (_, k) => ({
    minutes: k / 2,
    drags: 4 * k,
    held: { "DOM nodes": nodes(k / 2) },
  }));
}

test("panels that are open more often at the end are no leak", () => {
  const later = [687, 818, 1271];
  const samples = hour((minutes) =>
    minutes < 30 ? PANELS[Math.round(2 * minutes) % 3]! : later[Math.round(2 * minutes) % 3]!,
  );
  expect(judged(samples).flat).toBe(true);
});

test("what is lost with every drag is one, whatever panel is open", () => {
  const samples = hour((minutes) => PANELS[Math.round(minutes * 26) % PANELS.length]! + 3 * minutes);
  expect(judged(samples).flat).toBe(false);
});
