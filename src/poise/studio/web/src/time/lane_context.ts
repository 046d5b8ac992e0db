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
  /** It was not measured on the motion that is seen: nothing can be said of it yet. */
  waits?: boolean;
}

export interface Report {
  met?: boolean;
  outcomes?: Outcome[];
  warnings?: string[];
  message?: string;
  seconds?: number;
  iterations?: number;
  details?: Record<string, unknown>;
  /** Some of it is of the motion before, and waits for the one that is seen to be made in full. */
  waits?: boolean;
}

/** What was reported of the motion made in full, where another one is seen: as far as that was measured as
 * well it says so; the rest waits. */
export function whileDrafted(full: Solved["reports"], measured: Solved["reports"]): Solved["reports"] {
  const found = Object.entries(full as Record<string, Report | undefined>).map(([layer, report]) => {
    const known = (measured[layer] as Report | undefined)?.outcomes ?? [];
    const outcomes = (report?.outcomes ?? []).map(
      (o): Outcome =>
        known.find((k) => k.name === o.name) ?? { name: o.name, met: false, error: null, waits: true },
    );
    const fresh = known.filter((k) => !outcomes.some((o) => o.name === k.name));
    const all = [...outcomes, ...fresh];
    const waits = all.some((o) => o.waits) || !measured[layer];
    const met = !waits && all.every((o) => o.met);
    return [layer, { ...report, met, warnings: [], message: "", outcomes: all, waits }];
  });
  return { ...measured, ...Object.fromEntries(found) } as Solved["reports"];
}

/** How an outcome is drawn. */
export const stateOf = (outcome: Outcome | undefined): "fine" | "wrong" | "plain" =>
  !outcome || outcome.waits ? "plain" : outcome.met ? "fine" : "wrong";

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
  return own.find((o) => !o.met && !o.waits) ?? own.find((o) => o.waits) ?? own[0];
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
  if (outcome.waits) return "measured when you let go";
  if (outcome.met) return "met";
  const off = outcome.error === null ? "" : ` by ${amount(outcome.error, outcome.unit)}`;
  const when = outcome.worst_time ?? undefined;
  return `missed${off}${when === undefined ? "" : ` at ${when.toFixed(2)} s`}`;
}
