// Constraints: keys where they are at one time, segments where they last; foot plants in a lane of their own.
import type { Constrained } from "../layer.ts";
import type { Bell } from "../messages.ts";
import { optionFor, type Use } from "../operations.ts";
import { idOf } from "./address.ts";
import { type Entry, spanOf } from "./entry.ts";
import { type Curve, headLane, type Key, type Lane, lane, type Segment } from "./lane.ts";
import { inWords, type LaneContext, outcomeOf, reportOf, stateOf } from "./lane_context.ts";

export function constraintLanes(use: Use, colour: string, context: LaneContext): Lane[] {
  const layer: Constrained = use.layer;
  const keys: Key[] = [];
  const lasting: Segment[] = [];
  const plants: Segment[] = [];
  const outcomes = reportOf(context, layer.name)?.outcomes ?? [];
  (layer.constraints ?? []).forEach((entry: Entry, k) => {
    const id = idOf(layer.name, `constraints/${k}`);
    const name = String(entry["name"] ?? entry["handle"]?.point ?? "constraint");
    const outcome = outcomeOf(outcomes, name);
    const muted = entry["muted"] === true;
    const span = spanOf(entry);
    const said = outcome ? `${name}: ${inWords(outcome)}` : name;
    if (span && span.first === span.last)
      keys.push({
        id,
        frame: span.first * context.fps,
        shape: use.card.dynamic ? "target" : "diamond",
        title: said,
        muted,
      });
    else {
      const [first, last] = span
        ? [span.first * context.fps, span.last * context.fps]
        : [0, context.frames - 1];
      const state = muted ? ("plain" as const) : stateOf(outcome);
      const hint = outcome && !outcome.met ? { hint: inWords(outcome) } : {};
      (entry["intervals"] ? plants : lasting).push({
        id,
        first,
        last,
        label: muted ? `${name} (muted)` : name,
        state,
        draggable: span !== undefined,
        ...hint,
      });
    }
  });
  for (const found of layer.plants === false ? [] : (context.plants[layer.name]?.plants ?? [])) {
    if (found.number < 0)
      plants.push({
        id: idOf(layer.name, `plant ${found.id}`),
        first: found.start * context.fps,
        last: found.end * context.fps,
        label: `${found.name} (found)`,
        state: "plain",
        hint: "stands in the motion, and is kept there",
      });
  }
  const head = headLane(layer, colour, { list: "constraints", keys, segments: lasting });
  const bell = optionFor(use.card, "bell");
  if (bell && keys.length)
    head.curves = [bells((layer[bell.name] ?? bell.default ?? 1) as number | Bell, keys, context)];
  if (!plants.length) return [head];
  return [
    head,
    ...stacked(plants).map((segments, row) =>
      lane(`${layer.name}#plants${row}`, layer.name, row ? `foot plants ${row + 1}` : "foot plants", colour, {
        depth: 1,
        segments,
        list: "constraints",
      }),
    ),
  ];
}

/** How much the motion is corrected over time:
 * a bell about each target, whose width is six standard deviations. */
function bells(shape: number | Bell, keys: Key[], context: LaneContext): Curve {
  const width = typeof shape === "number" ? shape : (shape.width ?? 1);
  const count = 240;
  const values = Float32Array.from({ length: count }, (_, i) => {
    const frame = ((context.frames - 1) * i) / (count - 1);
    return Math.max(
      0,
      ...keys
        .filter((k) => !k.muted)
        .map((k) => Math.exp(-0.5 * ((frame - k.frame) / ((width * context.fps) / 6)) ** 2)),
    );
  });
  return { values, span: [0, context.frames - 1], fill: "below" };
}

/** Segments in as few rows as keep them apart. */
export function stacked(segments: Segment[]): Segment[][] {
  const rows: Segment[][] = [];
  for (const s of segments) {
    const row = rows.find((r) => r.every((other) => s.first > other.last || s.last < other.first));
    if (row) row.push(s);
    else rows.push([s]);
  }
  return rows;
}
