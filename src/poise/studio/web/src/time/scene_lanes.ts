// The scene of a planned motion: its stances and flights one after another, and the partial keys within them.
import { own, type Staged } from "../layer.ts";
import type { Use } from "../operations.ts";
import { idOf } from "./address.ts";
import type { Entry } from "./entry.ts";
import { headLane, type Key, type Lane, lane, type Segment } from "./lane.ts";
import { inWords, type LaneContext, reportOf } from "./lane_context.ts";

export function sceneLanes(use: Use, colour: string, context: LaneContext): Lane[] {
  const layer: Staged = use.layer;
  const head = headLane(layer, colour, { folds: true });
  const scene = own(layer.scene);
  if (!scene) {
    head.segments = [
      {
        id: idOf(layer.name, "scene"),
        first: 0,
        last: context.frames - 1,
        label: String(layer.scene),
        state: "plain",
      },
    ];
    return [head];
  }
  const segments = (scene["segments"] ?? []) as Entry[];
  const ends = segmentEnds(segments, (context.frames - 1) / context.fps);
  const outcomes = reportOf(context, layer.name)?.outcomes ?? [];
  const bars: Segment[] = [];
  const keys: Key[] = [];
  segments.forEach((segment, k) => {
    const start = k ? ends[k - 1]! : 0;
    const name = String(segment["name"] || segment["kind"]);
    const own = outcomes.filter(
      (o) => o.name.startsWith(`${name}:`) || o.name.startsWith(`${name} `) || o.name.includes(`'${name}'`),
    );
    const missed = own.find((o) => !o.met && !o.waits);
    const waits = own.some((o) => o.waits);
    const state = missed ? ("wrong" as const) : own.length && !waits ? ("fine" as const) : ("plain" as const);
    bars.push({
      id: idOf(layer.name, `scene/segments/${k}`),
      first: start * context.fps,
      last: ends[k]! * context.fps,
      label: `${name}${segment["kind"] === "flight" ? " (in the air)" : ""}`,
      state,
      draggable: typeof segment["duration"] === "number",
      ...(missed ? { hint: inWords(missed) } : {}),
    });
    ((segment["keys"] ?? []) as Entry[]).forEach((key, n) => {
      keys.push({
        id: idOf(layer.name, `scene/segments/${k}/keys/${n}`),
        frame: (typeof key["at"] === "number" ? start + key["at"] : ends[k]!) * context.fps,
        shape: "ring",
        fixed: typeof key["at"] !== "number",
        title: `${key["of"]} in ${name}`,
      });
    });
  });
  return [
    head,
    lane(`${layer.name}#segments`, layer.name, "stances, flights", colour, {
      depth: 1,
      segments: bars,
      list: "scene/segments",
    }),
    lane(`${layer.name}#keys`, layer.name, "partial keys", colour, { depth: 1, keys }),
  ];
}

/** When each segment ends [s]. A flight lasts as long as physics wants:
 * what remains of the whole is shared among those. */
export function segmentEnds(segments: Entry[], whole: number): number[] {
  const known = segments.reduce((sum, s) => sum + (typeof s["duration"] === "number" ? s["duration"] : 0), 0);
  const free = segments.filter((s) => typeof s["duration"] !== "number").length;
  const share = free ? Math.max((whole - known) / free, 0.05) : 0;
  let now = 0;
  return segments.map((s) => {
    now += typeof s["duration"] === "number" ? s["duration"] : share;
    return now;
  });
}
