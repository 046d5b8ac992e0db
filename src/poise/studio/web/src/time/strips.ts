// Strips of a track: when each plays, and what becomes of it when it or one of its ends is dragged.
import type { ClipFacts, Strip } from "../messages.ts";
import { tidy } from "./entry.ts";

export type Facts = Readonly<Record<string, ClipFacts>>;

export interface PlacedStrip {
  strip: Strip;
  /** From when to when it plays [s]. */
  first: number;
  last: number;
}

/** The shortest strip [s]. */
const LEAST = 0.05;
const SLOWEST = 0.05;
const FASTEST = 20;

/** How long a strip plays [s]. */
export function lengthOf(strip: Strip, facts: Facts): number {
  const own = strip.trim ? strip.trim[1] - strip.trim[0] : (facts[strip.clip]?.seconds ?? 1);
  return (own * (strip.loop ?? 1)) / (strip.speed ?? 1);
}

/** Each strip in its time; one without a time follows the one named before it. */
export function placedStrips(strips: readonly Strip[], facts: Facts): PlacedStrip[] {
  let end = 0;
  return strips.map((strip) => {
    const first = strip.at ?? end;
    end = first + lengthOf(strip, facts);
    return { strip, first, last: end };
  });
}

/** The part of its clip that a strip plays [s]. */
export function partOf(strip: Strip, facts: Facts): [number, number] {
  return strip.trim ? [...strip.trim] : [0, facts[strip.clip]?.seconds ?? 1];
}

/** With one end elsewhere: more or less of its clip is played; a loop goes on for as long as asked. */
export function trimmed(
  { strip, first, last }: PlacedStrip,
  edge: "first" | "last",
  time: number,
  facts: Facts,
): Strip {
  const [low, high] = partOf(strip, facts);
  const endless = facts[strip.clip]?.loop && (strip.loop ?? 1) === 1;
  const speed = (strip.speed ?? 1) / (strip.loop ?? 1);
  if (edge === "last") {
    const wanted = low + Math.max(time - first, LEAST) * speed;
    const most = endless ? Infinity : (facts[strip.clip]?.seconds ?? high);
    return { ...strip, at: tidy(first), trim: [low, tidy(Math.min(wanted, most))] };
  }
  const at = Math.min(Math.max(time, 0), last - LEAST);
  const start = Math.max(low + (at - first) * speed, endless ? -Infinity : 0);
  return { ...strip, at: tidy(first + (start - low) / speed), trim: [tidy(start), high] };
}

/** With one end elsewhere, and all of its part played faster or slower. */
export function retimed(
  { strip, first, last }: PlacedStrip,
  edge: "first" | "last",
  time: number,
  facts: Facts,
): Strip {
  const [low, high] = partOf(strip, facts);
  const rounds = (high - low) * (strip.loop ?? 1);
  const wanted = edge === "last" ? Math.max(time - first, LEAST) : Math.max(last - Math.max(time, 0), LEAST);
  const speed = Math.min(Math.max(Number((rounds / wanted).toFixed(3)), SLOWEST), FASTEST);
  const at = edge === "last" ? first : Math.max(last - rounds / speed, 0);
  return { ...strip, at: tidy(at), speed };
}

/** Later by some time, never before the track begins. */
export const movedStrip = ({ strip, first }: PlacedStrip, by: number): Strip => ({
  ...strip,
  at: tidy(Math.max(first + by, 0)),
});

/** Cut in two at a time; undefined where that is not within it. */
export function split(
  { strip, first, last }: PlacedStrip,
  time: number,
  facts: Facts,
): [Strip, Strip] | undefined {
  if (time <= first + LEAST || time >= last - LEAST || (strip.loop ?? 1) > 1) return undefined;
  const [low, high] = partOf(strip, facts);
  const cut = tidy(low + (time - first) * (strip.speed ?? 1));
  return [
    { ...strip, at: tidy(first), trim: [low, cut] },
    { ...strip, at: tidy(time), trim: [cut, high], blend: 0 },
  ];
}
