// A performance on the beat: the script's keys, and the beats (with the recording's loudness).
import { own, type Scripted } from "../layer.ts";
import type { Use } from "../operations.ts";
import { idOf } from "./address.ts";
import type { Entry } from "./entry.ts";
import { headLane, type Key, type Lane, lane } from "./lane.ts";
import type { LaneContext } from "./lane_context.ts";

export function scriptLanes(use: Use, colour: string, context: LaneContext): Lane[] {
  const layer: Scripted = use.layer;
  const head = headLane(layer, colour, { folds: true });
  const found: Lane[] = [];
  const script = own(layer.script);
  const music = context.music[layer.name];
  const beats = script ? beatTimes(script, music?.beats) : (music?.beats ?? []);
  if (typeof layer.script === "string")
    found.push(
      lane(`${layer.name}#keys`, layer.name, "keys", colour, {
        depth: 1,
        keys: (music?.keys ?? []).map(
          (t, k): Key => ({
            id: idOf(layer.name, `key ${k}`),
            frame: t * context.fps,
            shape: "diamond",
            fixed: true,
            title: "a key of a bundled script: copy the script into the layer to move it",
          }),
        ),
        segments: [
          {
            id: idOf(layer.name, "script"),
            first: 0,
            last: context.frames - 1,
            label: `bundled script “${layer.script}”`,
            state: "plain",
          },
        ],
      }),
    );
  if (script?.["keys"]) {
    // Kept on beats, they are where the server moved them to.
    const written = keyTimes(script, beats);
    const times = script["quantise"] === true && music?.keys.length === written.length ? music.keys : written;
    const keys = (script["keys"] as unknown[]).map(
      (entry, k): Key => ({
        id: idOf(layer.name, `script/keys/${k}`),
        frame: times[k]! * context.fps,
        shape: "diamond",
        title: Array.isArray(entry) ? String(entry[0]) : String((entry as Entry)["pose"] ?? ""),
      }),
    );
    found.push(
      lane(`${layer.name}#keys`, layer.name, "keys", colour, { depth: 1, list: "script/keys", keys }),
    );
  }
  if (beats.length || music?.high.length) {
    const keys = beats
      .filter((t) => t * context.fps < context.frames + 1)
      .map(
        (t, k): Key => ({
          id: idOf(layer.name, `beat ${k + 1}`),
          frame: t * context.fps,
          shape: "ring",
          fixed: true,
          title: `beat ${k + 1}`,
        }),
      );
    const wave = music?.high.length
      ? {
          values: Float32Array.from(music.high, (v, i) => Math.max(v, -music.low[i]!)),
          span: [0, music.seconds * context.fps] as [number, number],
          fill: "about" as const,
        }
      : undefined;
    found.push(
      lane(`${layer.name}#beats`, layer.name, "beats", colour, {
        depth: 1,
        keys,
        ...(wave ? { curves: [wave], tall: true } : {}),
      }),
    );
  }
  return [head, ...found];
}

/** Times of the beats [s] that a script says itself, else those found in its recording. */
export function beatTimes(script: Entry, heard: number[] = []): number[] {
  const beats = script["beats"] as Entry | undefined;
  if (Array.isArray(beats?.["times"])) return beats["times"] as number[];
  if (typeof beats?.["tempo"] !== "number") return heard;
  const count = Math.min(Number(beats["count"] ?? 256), 256);
  return Array.from(
    { length: count },
    (_, k) => Number(beats["start"] ?? 0) + (60 * k) / Number(beats["tempo"]),
  );
}

/** When each key of a script is [s]: at a time, on a beat, or a while after the one before. */
export function keyTimes(script: Entry, beats: number[]): number[] {
  let now = 0;
  return ((script["keys"] ?? []) as unknown[]).map((entry) => {
    const key = (Array.isArray(entry) ? { after: entry[1] } : entry) as Entry;
    if (typeof key["at"] === "number") now = key["at"];
    else if (typeof key["beat"] === "number") now = beats[key["beat"] - 1] ?? now;
    else now += Number(key["after"] ?? 0);
    return now;
  });
}

/** A script's keys with some moved in time [s];
 * those on beats go to the nearest beat, those after another keep the rest in place. */
export function keysMoved(script: Entry, beats: number[], which: ReadonlySet<number>, by: number): unknown[] {
  const times = keyTimes(script, beats).map((t, k) => (which.has(k) ? Math.max(0, t + by) : t));
  let before = 0;
  return (script["keys"] as unknown[]).map((entry, k) => {
    const key: Entry = Array.isArray(entry) ? { pose: entry[0], after: entry[1] } : { ...(entry as Entry) };
    const time = times[k]!;
    if (typeof key["beat"] === "number" && beats.length) {
      if (which.has(k))
        key["beat"] =
          1 +
          beats.reduce((best, t, i) => (Math.abs(t - time) < Math.abs(beats[best]! - time) ? i : best), 0);
      before = beats[key["beat"] - 1]!;
      return key;
    }
    if (typeof key["at"] === "number") key["at"] = Number(time.toFixed(6));
    else key["after"] = Number(Math.max(time - before, 0.001).toFixed(6));
    before = time;
    return key;
  });
}
