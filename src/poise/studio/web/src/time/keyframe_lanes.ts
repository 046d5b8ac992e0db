// Key-frames with weight: poses, pins with their gains, the centre of mass with its templates, inertia,
// spins.
import { type Keyframed, type Layer, own } from "../layer.ts";
import type { Use } from "../operations.ts";
import { idOf } from "./address.ts";
import { sampled, through, type ValueKey } from "./easing.ts";
import { type Entry, spanOf } from "./entry.ts";
import { headLane, type Key, type Lane, lane, type Segment } from "./lane.ts";
import type { LaneContext } from "./lane_context.ts";

/** What may stand between two keys of the centre of mass. */
export const TEMPLATES: Record<string, string> = {
  hermite: "free curve",
  projectile_1: "projectile",
  projectile_2: "projectile from a velocity",
  projectile_3: "projectile to a height",
  pendulum: "pendulum",
};

export function keyframeLanes(use: Use, colour: string, context: LaneContext): Lane[] {
  const layer: Keyframed = use.layer;
  const tracks = own(layer.keyframes) ?? {};
  const at = (path: string) => idOf(layer.name, `keyframes/${path}`);
  const sub = (what: string, label: string, list: string, more: Partial<Lane>): Lane =>
    lane(`${layer.name}#${what}`, layer.name, label, colour, {
      depth: 1,
      list: list && `keyframes/${list}`,
      ...more,
    });
  const found: Lane[] = [];
  if (tracks["poses"])
    found.push(
      sub("poses", "poses", "poses", { keys: keysIn(tracks["poses"], at("poses"), "diamond", context.fps) }),
    );
  list(tracks["pins"]).forEach((pin, k) => {
    found.push(pinLane(layer, pin, k, colour, context));
  });
  if (tracks["path"])
    found.push(
      sub("path", "centre of mass", "path/keys", pathParts(layer, tracks, at("path/keys"), context)),
    );
  if (tracks["inertia"])
    found.push(
      sub("inertia", "inertia", "inertia/keys", {
        ...valued(list(tracks["inertia"]["keys"]), at("inertia/keys"), context),
        mutes: "keyframes/inertia/muted",
        muted: tracks["inertia"]["muted"] === true,
        unit: "m",
      }),
    );
  if (list(tracks["spins"]).length)
    found.push(
      sub("spins", "momentum", "spins", {
        segments: list(tracks["spins"]).map((spin, k) => spinSegment(spin, at(`spins/${k}`), context.fps)),
      }),
    );
  return [
    headLane(layer, colour, {
      list: own(layer.keyframes) ? (tracks["poses"] ? "keyframes/poses" : "keyframes/pins") : "",
      folds: true,
    }),
    ...found,
  ];
}

const list = (value: unknown): Entry[] => (Array.isArray(value) ? (value as Entry[]) : []);

/** One number, which may be written as a list of one. */
export const single = (value: unknown): number | undefined =>
  typeof value === "number"
    ? value
    : Array.isArray(value) && value.length === 1
      ? (value[0] as number)
      : undefined;

function keysIn(entries: unknown, at: string, shape: Key["shape"], fps: number): Key[] {
  return list(entries).map((e, k) => ({
    id: `${at}/${k}`,
    frame: (spanOf(e)?.first ?? 0) * fps,
    shape,
    muted: e["muted"] === true,
    title: e["ease"] ? `${e["ease"]}` : "",
  }));
}

/** Keys of numbers with the curve through them. */
export function valued(entries: Entry[], at: string, context: LaneContext): Partial<Lane> {
  const numbers: ValueKey[] = [];
  const keys = entries.map((e, k): Key => {
    const value = single(e["value"]);
    if (value !== undefined && e["muted"] !== true)
      numbers.push({ time: e["time"], value, ease: e["ease"] ?? "spline" });
    return {
      id: `${at}/${k}`,
      frame: e["time"] * context.fps,
      shape: "diamond",
      muted: e["muted"] === true,
      title: value === undefined ? "" : `${Number(value.toFixed(3))}`,
      ...(value === undefined ? {} : { value, field: "value" }),
    };
  });
  if (!numbers.length) return { keys };
  const values = sampled(through(numbers), 0, (context.frames - 1) / context.fps);
  const most = Math.max(...numbers.map((n) => n.value), 1e-6);
  const least = Math.min(0, ...numbers.map((n) => n.value));
  return { keys, curves: [{ values, span: [0, context.frames - 1] }], range: [least, most * 1.08] };
}

/** A pin: a bar over the time it is held, and its gain over time. */
function pinLane(layer: Layer, pin: Entry, k: number, colour: string, context: LaneContext): Lane {
  const path = `keyframes/pins/${k}`;
  const id = idOf(layer.name, path);
  const label = String(
    pin["name"] ?? pin["point"] ?? pin["handle"]?.point ?? pin["handle"]?.body ?? `pin ${k}`,
  );
  const more: Partial<Lane> = {
    depth: 1,
    muted: pin["muted"] === true,
    mutes: `${path}/muted`,
    range: [0, 1.05],
  };
  const last = (context.frames - 1) / context.fps;
  const gain = gainOf(pin);
  const curve = {
    values: sampled(gain, 0, last),
    span: [0, context.frames - 1] as [number, number],
    fill: "below" as const,
  };
  if (pin["gains"]) {
    const keys = [
      ...valued(list(pin["gains"]), `${id}/gains`, context).keys!,
      ...keysIn(pin["targets"], `${id}/targets`, "square", context.fps),
    ];
    return lane(id, layer.name, label, colour, { ...more, keys, curves: [curve], list: `${path}/gains` });
  }
  const span = spanOf(pin);
  const segment: Segment = {
    id,
    first: (span?.first ?? 0) * context.fps,
    last: (span?.last ?? last) * context.fps,
    label: span ? "held" : "always held",
    state: "plain",
    draggable: span !== undefined,
  };
  return lane(id, layer.name, label, colour, {
    ...more,
    segments: [segment],
    curves: [curve],
    list: "keyframes/pins",
  });
}

/** How firmly a pin pulls, over time [s]. */
export function gainOf(pin: Entry): (time: number) => number {
  if (pin["gains"])
    return through(
      list(pin["gains"])
        .filter((g) => g["muted"] !== true)
        .map((g) => ({ time: g["time"], value: single(g["value"]) ?? 0, ease: g["ease"] ?? "spline" })),
    );
  const span = spanOf(pin);
  const gain = typeof pin["gain"] === "number" ? pin["gain"] : 1;
  if (!span) return () => gain;
  const [before, after] = Array.isArray(pin["fade"]) ? pin["fade"] : [pin["fade"] ?? 0.1, pin["fade"] ?? 0.1];
  return through([
    { time: span.first - Math.max(before, 1e-6), value: 0 },
    { time: span.first, value: gain },
    { time: Math.max(span.last, span.first + 1e-6), value: gain },
    { time: span.last + Math.max(after, 1e-6), value: 0 },
  ]);
}

function pathParts(layer: Layer, tracks: Entry, at: string, context: LaneContext): Partial<Lane> {
  const entries = list(tracks["path"]["keys"]);
  const keys = keysIn(entries, at, "ring", context.fps);
  const order = inOrder(entries);
  const said = context.paths[layer.name]?.segments ?? [];
  const segments = order.slice(0, -1).map((k, n): Segment => {
    const from = entries[k]!;
    const to = entries[order[n + 1]!]!;
    const own = said.find((p) => Math.abs(p.start - from["time"]) < 1e-6);
    const kind = String(from["template"]?.kind ?? "hermite");
    const state = !own ? ("plain" as const) : own.fine ? ("fine" as const) : ("wrong" as const);
    return {
      id: `${at}/${k}/template`,
      first: from["time"] * context.fps,
      last: to["time"] * context.fps,
      label: TEMPLATES[kind] ?? kind,
      state,
      ...(own && !own.fine ? { hint: own.words.join("; "), fixable: own.fixable } : {}),
    };
  });
  return { keys, segments, mutes: "keyframes/path_muted", muted: tracks["path_muted"] === true };
}

export const byTime = (entries: Entry[]): number[] =>
  entries.map((_, k) => k).sort((a, b) => entries[a]!["time"] - entries[b]!["time"]);

/** Numbers of the keys that act, by time. */
export const inOrder = (entries: Entry[]): number[] =>
  byTime(entries).filter((k) => entries[k]!["muted"] !== true);

function spinSegment(spin: Entry, id: string, fps: number): Segment {
  const turns = spin["turns"] as number | undefined;
  const label = spin["momentum"]
    ? `momentum ${(spin["momentum"] as number[]).map((v) => v.toFixed(1)).join(", ")}`
    : turns
      ? `${turns} turn${Math.abs(turns) === 1 ? "" : "s"}`
      : "turns freely";
  return { id, first: spin["start"] * fps, last: spin["end"] * fps, label, state: "plain", draggable: true };
}
