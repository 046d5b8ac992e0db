// A new key in a track, at a time, from what is on the stage there:
// where the body is, where the centre of mass is.
import { insert, pointAt, put } from "../commands.ts";
import { type Layer, type Loose, own, type Scripted, type Surface } from "../layer.ts";
import type { AnyCommand, PoseKey } from "../messages.ts";
import type { Store } from "../store.ts";
import { idOf, read } from "./address.ts";
import { through } from "./easing.ts";
import { type Entry, tidy } from "./entry.ts";
import { gainOf, single } from "./keyframe_lanes.ts";
import { placeAt } from "./surface_track.ts";

export interface Insertion {
  command: AnyCommand;
  id?: string;
}

/** Puts a key in and selects it; `first` makes the track where this is its first key.
 * The server knows poses by numbers. */
export async function insertEntry(
  store: Store,
  layer: Layer,
  list: string,
  time: number,
  first?: (entry: Entry) => [string, unknown],
): Promise<void> {
  let made = newEntry(store, layer, list, time);
  if (list === "keyframes/poses" && typeof made !== "string") {
    const known = (await store.ask("key", { layer: layer.name, time: tidy(time) })) as PoseKey | undefined;
    const now = store.layers.value.find((l) => l.name === layer.name);
    if (!known || !now) return; // why not has been said
    made = newEntry(store, now, list, time, known.q);
  }
  if (typeof made === "string") return store.note(made, "problem", layer.name);
  const command = made.command as { do: string; value: unknown };
  store.edit(
    first && command.do === "set" ? put(layer.name, ...first((command.value as Entry[])[0]!)) : made.command,
  );
  if (made.id) store.selected.value = new Set([made.id]);
}

/** The command, or in words why there is none; `q` is the pose that a key of poses holds. */
export function newEntry(
  store: Store,
  layer: Layer,
  list: string,
  time: number,
  q: readonly number[] = [],
): Insertion | string {
  const at = tidy(time);
  const entries = (read(layer, list) as Entry[] | undefined) ?? [];
  const put_ = (entry: Entry): Insertion => ({
    command:
      Array.isArray(entries) && entries.length
        ? insert(layer.name, `${list}/${entries.length}`, entry)
        : put(layer.name, list, [entry]),
    id: idOf(layer.name, `${list}/${entries.length ?? 0}`),
  });
  const taken =
    Array.isArray(entries) &&
    /^keyframes\/(poses|path\/keys|inertia\/keys|pins\/\d+\/gains)$|^world\/surfaces\/\d+\/track$/.test(
      list,
    ) &&
    entries.some((e) => Math.abs((e["time"] as number) - at) < 0.5 / store.fps.value);
  if (taken) return "there is already a key at this frame";
  if (list === "constraints") return constraint(store, layer, list, entries.length, at);
  if (list === "keyframes/poses") return put_({ time: at, q: [...q] });
  if (list === "keyframes/pins") return pinned(store, at, put_);
  if (list === "held") return heldThere(store, at, put_);
  if (/^keyframes\/pins\/\d+\/gains$/.test(list))
    return put_({ time: at, value: [clean(gainOf(read(layer, list.replace(/\/gains$/, "")) as Entry)(at))] });
  if (list === "keyframes/path/keys") {
    const place = centre(store, at);
    return place
      ? put_({ time: at, position: place })
      : "the centre of mass is not known yet: wait until the motion is solved";
  }
  if (list === "keyframes/inertia/keys") return put_({ time: at, value: [inertiaAt(store, entries, at)] });
  if (list === "keyframes/spins") return put_({ start: at, end: tidy(at + 0.5), turns: 1 });
  if (/^world\/surfaces\/\d+\/track$/.test(list))
    return put_({
      time: at,
      place: placeAt({ ...(read(layer, list.replace(/\/track$/, "")) as Surface), place: [0, 0, 0] }, at).map(
        clean,
      ),
    });
  if (list === "tension") return tension(layer as Loose, at);
  if (list === "disturbances") return blow(store, at, put_);
  if (list === "script/keys") return scriptKey(layer as Scripted, at, put_);
  if (list === "strips") {
    const clip = (entries.at(-1)?.["clip"] as string | undefined) ?? "";
    return clip ? put_({ clip, at }) : "add a clip from the bin first";
  }
  if (list === "scene/segments")
    return put_({
      kind: "stance",
      duration: 0.5,
      holds: (read(layer, "scene/feet") as string[] | undefined) ?? [],
      name: `segment ${entries.length + 1}`,
    });
  return "no keys can be put in here";
}

const clean = (value: number): number => Number(value.toFixed(6));

function constraint(store: Store, layer: Layer, list: string, count: number, at: number): Insertion | string {
  const place = store.placeOf(store.body.value, at);
  const name = store.pointOf(store.body.value);
  if (!place || !name) return "select a body on the stage first: the key holds it where it is";
  const [entry] = pointAt(name, place, at);
  return {
    command: count ? insert(layer.name, `${list}/${count}`, entry) : put(layer.name, list, [entry]),
    id: idOf(layer.name, `${list}/${count}`),
  };
}

function pinned(store: Store, at: number, put_: (entry: Entry) => Insertion): Insertion | string {
  const name = store.pointOf(store.body.value);
  return name
    ? put_({ point: name, at: [at, tidy(at + 0.4)], fade: 0.1 })
    : "select a body on the stage first: the pin holds it";
}

function heldThere(store: Store, at: number, put_: (entry: Entry) => Insertion): Insertion | string {
  const name = store.pointOf(store.body.value);
  const place = store.placeOf(store.body.value, at);
  return name && place
    ? put_({ point: name, at: [at, tidy(at + 0.5)], to: place.map(clean) })
    : "pick a body on the stage first: it is held where it is";
}

/** Centre of mass on the stage at a time, in the motion's own height. */
function centre(store: Store, time: number): number[] | undefined {
  const physics = store.physics.value;
  if (!physics?.com.length) return undefined;
  const frame = Math.min(Math.max(Math.round(time * store.fps.value), 0), physics.com.length / 3 - 1);
  return [0, 1, 2].map((i) => clean(physics.com[3 * frame + i]! - (i === 2 ? store.lift.value : 0)));
}

/** On the curve through the keys; without any, the radius of gyration on the stage, √(tr J / 2m). */
function inertiaAt(store: Store, entries: Entry[], at: number): number {
  const keys = entries.flatMap((e) =>
    single(e["value"]) === undefined
      ? []
      : [{ time: e["time"] as number, value: single(e["value"])!, ease: e["ease"] ?? "spline" }],
  );
  if (keys.length) return clean(through(keys)(at));
  const physics = store.physics.value;
  if (!physics) return 0.4;
  const frame = Math.min(Math.round(at * store.fps.value), physics.inertia.length / 9 - 1);
  const trace = [0, 4, 8].reduce((sum, i) => sum + physics.inertia[9 * frame + i]!, 0);
  return clean(Math.sqrt(trace / (2 * physics.header.mass)));
}

/** A first key makes a tension that was the same always one that is keyed. */
function tension(layer: Loose, at: number): Insertion {
  const now = layer.tension ?? "relaxed";
  if (!Array.isArray(now))
    return {
      command: put(layer.name, "tension", [{ time: at, tension: now }]),
      id: idOf(layer.name, "tension/0"),
    };
  const before = now.findLast((k) => k.time <= at) ?? now[0]!;
  const next = [...now.filter((k) => k.time !== at), { time: at, tension: before.tension }].sort(
    (a, b) => a.time - b.time,
  );
  return {
    command: put(layer.name, "tension", next),
    id: idOf(layer.name, `tension/${next.findIndex((k) => k.time === at)}`),
  };
}

function blow(store: Store, at: number, put_: (entry: Entry) => Insertion): Insertion | string {
  const name = store.pointOf(store.body.value);
  return name
    ? put_({ kind: "impulse", time: at, point: name, impulse: [40, 0, 0] })
    : "select the body on the stage that is hit";
}

function scriptKey(layer: Scripted, at: number, put_: (entry: Entry) => Insertion): Insertion | string {
  const poses = Object.keys((own(layer.script)?.["poses"] ?? {}) as object);
  return poses.length ? put_({ pose: poses[0]!, at }) : "the script has no poses of its own to take";
}
