// A layer as the screen works with it: what all layers have, and the options of its operation by their names.
import type { Impulse, Load, Push, Spring, TensionKey, Throw, ThrowAt } from "./messages.ts";
import type { Entry } from "./time/entry.ts";

export interface Layer {
  /** The operation it does. */
  do: string;
  name: string;
  muted?: boolean;
  solo?: boolean;
  weight?: number;
  input?: string | null;
  [option: string]: unknown;
}

// What options hold that have editors of their own, so that these need not ask every time.

export interface Constrained extends Layer {
  constraints?: Entry[];
  /** Whether feet that stand are found in the motion. */
  plants?: boolean;
  joints?: string[] | null;
}

export type Tension = string | number | Record<string, string | number | Spring> | TensionKey[];

/** Where a surface that moves is at a time [s]. */
export interface TrackKey {
  time: number;
  place: [number, number, number];
}

/** A surface of a layer's world, as it is written: lengths in metres, its turn a rotation vector. */
export interface Surface {
  name: string;
  shape: { kind: string; half?: [number, number, number]; radius?: number; [size: string]: unknown };
  place?: [number, number, number];
  turn?: [number, number, number];
  track?: TrackKey[] | Record<string, unknown>;
  friction?: number;
  bounce?: number;
  muted?: boolean;
  [more: string]: unknown;
}

/** The kind of surfaces that have no end. */
export const GROUND = "ground";

/** Surfaces that stand in the layer itself: none where it names a file, or where they are typed. */
export const surfacesIn = ({ world }: Pick<Loose, "world">): Surface[] =>
  typeof world === "object" && world ? (world.surfaces ?? []) : [];

export interface Loose extends Layer {
  tension?: Tension;
  world?: string | { beside?: string; surfaces?: Surface[] } | null;
  touching?: string;
}

export interface Scripted extends Layer {
  script?: string | Entry | null;
  follow?: boolean;
}

export type Disturbance = Impulse | Push | Load | Throw | ThrowAt;

export interface Disturbed extends Layer {
  disturbances?: Disturbance[];
}

export interface Staged extends Layer {
  scene?: string | Entry;
}

export interface Keyframed extends Layer {
  keyframes?: string | Entry;
}

/** Data that stands in the layer itself; undefined where a file or something bundled is named instead. */
export const own = (value: string | Entry | null | undefined): Entry | undefined =>
  typeof value === "object" && value !== null ? value : undefined;
