// What lanes are made from besides their layer.
import { type Loose, surfacesIn } from "../layer.ts";
import type { Music, Plants, Segments, Solved } from "../messages.ts";
import type { Cards } from "../operations.ts";
import type { Facts } from "./strips.ts";

export interface LaneContext {
  fps: number;
  frames: number;
  reports: Solved["reports"];
  paths: Record<string, Segments>;
  music: Record<string, Music>;
  plants: Record<string, Plants>;
  clips: Facts;
  folded: ReadonlySet<string>;
  cards: Cards;
}

export const bare = (fps: number, frames = 1, cards: Cards = []): LaneContext => ({
  fps,
  frames,
  reports: {},
  paths: {},
  music: {},
  plants: {},
  clips: {},
  folded: new Set(),
  cards,
});

export interface Outcome {
  name: string;
  met: boolean;
  error: number | null;
  unit?: string;
  tolerance?: number;
  reason?: string;
  worst_time?: number;
}

export interface Report {
  met?: boolean;
  outcomes?: Outcome[];
  warnings?: string[];
  message?: string;
  seconds?: number;
  iterations?: number;
  details?: Record<string, unknown>;
}

export const reportOf = (context: Pick<LaneContext, "reports">, layer: string): Report | undefined =>
  context.reports[layer] as Report | undefined;

/** A body that touched a surface for a while [s]. */
export interface Contact {
  start: number;
  end: number;
  body: string;
  surface: string;
}

/** What touched the surfaces of a layer's own world; it may be a layer after it that tells. */
export function contactsOf(context: Pick<LaneContext, "reports">, layer: Pick<Loose, "world">): Contact[] {
  const names = new Set(
    surfacesIn(layer)
      .filter((s) => !s.muted)
      .map((s) => s.name),
  );
  return Object.keys(context.reports).flatMap((told) =>
    ((reportOf(context, told)?.details?.["contacts"] ?? []) as Contact[]).filter((c) => names.has(c.surface)),
  );
}

/** What became of a constraint; a foot plant has an outcome for each of its points,
 * the worst of which counts. */
export function outcomeOf(outcomes: readonly Outcome[], name: string): Outcome | undefined {
  const own = outcomes.filter((o) => o.name === name || o.name.startsWith(`${name}: `));
  return own.find((o) => !o.met) ?? own[0];
}

/** A number as people say it: parts of a metre in centimetres or millimetres, angles in degrees. */
export function amount(value: number, unit = ""): string {
  const [scale, name] =
    /^m(\/|$)/.test(unit) && Math.abs(value) < 1
      ? Math.abs(value) < 0.01
        ? [1000, `m${unit}`]
        : [100, `c${unit}`]
      : unit.startsWith("rad")
        ? [180 / Math.PI, unit.replace("rad", "°")]
        : [1, unit];
  const shown = Number((value * scale).toPrecision(2));
  const number = Math.abs(shown) < 0.01 ? "less than 0.01" : shown;
  return `${number}${name.startsWith("°") ? "" : " "}${name}`.trimEnd();
}

/** An outcome in words. */
export function inWords(outcome: Outcome): string {
  if (outcome.met) return "met";
  const off = outcome.error === null ? "" : ` by ${amount(outcome.error, outcome.unit)}`;
  const when = outcome.worst_time ?? undefined;
  return `missed${off}${when === undefined ? "" : ` at ${when.toFixed(2)} s`}`;
}
