// What lanes are made from besides their layer.
import type { Solved } from "../messages.ts";

/** One remark of a path's template, as Python has it (poise/methods/keyframing/hint.py). */
export interface Hint {
  key: number;
  time: number;
  kind: string;
  amount: number;
  unit: string;
  words: string;
  fixable: boolean;
}

/** A recording's loudness, evenly spaced, 0 … 1, and the beats found in it [s]. */
export interface Wave {
  peaks: Float32Array;
  duration: number;
  beats: number[];
}

export interface LaneContext {
  fps: number;
  frames: number;
  reports: Solved["reports"];
  hints: Record<string, Hint[]>;
  waves: Record<string, Wave>;
  folded: ReadonlySet<string>;
}

export const bare = (fps: number, frames = 1): LaneContext => ({ fps, frames, reports: {}, hints: {}, waves: {}, folded: new Set() });

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

export const reportOf = (context: Pick<LaneContext, "reports">, layer: string): Report | undefined => context.reports[layer] as Report | undefined;

/** An outcome in words. */
export function inWords(outcome: Outcome): string {
  if (outcome.met) return "met";
  const off = outcome.error === null ? "" : ` by ${Number(outcome.error.toPrecision(3))} ${outcome.unit ?? ""}`;
  return `missed${off}${outcome.worst_time === undefined || outcome.worst_time === null ? "" : ` at ${outcome.worst_time.toFixed(2)} s`}`;
}
