// Fix: a proposed change is made (one step of undo), what was is shown beside it, and the animator keeps it or takes it back.
import { group, put } from "../commands.ts";
import type { AnyCommand, AnyLayer } from "../messages.ts";
import type { Store } from "../store.ts";
import { read } from "./address.ts";
import { later, spanOf, type Entry } from "./entry.ts";
import type { Hint } from "./lane_context.ts";
import { byTime } from "./track_lanes.ts";

/** Make a change on trial: until it is kept or taken back, the motion before it stays on the stage as a ghost. */
export function attempt(store: Store, title: string, command: AnyCommand): void {
  store.trial.value = { title, before: store.result.value };
  store.edit(command);
}

export function keep(store: Store): void {
  store.trial.value = undefined;
}

export function takeBack(store: Store): void {
  if (!store.trial.value) return;
  store.trial.value = undefined;
  store.connection.say({ say: "undo" });
}

/** Moves keys in time as a path's hints ask. */
export function fixTiming(store: Store, name: string): void {
  const layer = store.layers.value.find((l) => l.name === name);
  const hint = (store.hints.value[name] ?? []).find((h) => h.fixable);
  if (!layer || !hint) return store.note("nothing here can be fixed by moving keys");
  attempt(store, `${hint.words}: keys moved in time`, retimed(layer, hint));
}

/** The end key of an arc where its hint wants it, and everything after it in any track of the layer as much later. */
export function retimed(layer: AnyLayer, hint: Hint): AnyCommand {
  const keys = read(layer, "tracks/path/keys") as Entry[];
  const order = byTime(keys);
  const end = keys[order[hint.key]!]!["time"] as number;
  const start = Math.max(...keys.filter((k) => k["muted"] !== true && k["time"] < end).map((k) => k["time"] as number));
  const clock = (t: number) => (t >= end - 1e-9 ? t + hint.amount : t > start ? start + ((t - start) * (end - start + hint.amount)) / (end - start) : t);
  const shift = (entry: Entry): Entry => {
    if (Array.isArray(entry["targets"]) || Array.isArray(entry["gains"])) return { ...entry, ...(entry["targets"] ? { targets: (entry["targets"] as Entry[]).map(shift) } : {}), ...(entry["gains"] ? { gains: (entry["gains"] as Entry[]).map(shift) } : {}) };
    const span = spanOf(entry);
    if (!span) return entry;
    const [first, last] = [clock(span.first), clock(span.last)];
    const moved = later(entry, first - span.first);
    if (last - first === span.last - span.first) return moved;
    if (Array.isArray(entry["at"])) return { ...moved, at: [first, last] };
    return typeof entry["end"] === "number" ? { ...moved, end: last } : moved;
  };
  const lists = ["tracks/poses", "tracks/pins", "tracks/path/keys", "tracks/inertia/keys", "tracks/spins"];
  const commands = lists.flatMap((path) => {
    const entries = read(layer, path) as Entry[] | undefined;
    return entries?.length ? [put(layer.name, path, entries.map(shift))] : [];
  });
  return group("fix the timing", commands);
}
