// What disturbs a performance: blows, weights and throws as keys, pushes as bars.
import type { Disturbed } from "../layer.ts";
import type { Use } from "../operations.ts";
import { idOf } from "./address.ts";
import { type Entry, spanOf } from "./entry.ts";
import { headLane, type Key, type Lane, lane, type Segment } from "./lane.ts";
import type { LaneContext } from "./lane_context.ts";

export function disturbanceLanes(use: Use, colour: string, context: LaneContext): Lane[] {
  const layer: Disturbed = use.layer;
  const blows = layer.disturbances ?? [];
  const head = headLane(layer, colour, { list: "disturbances", folds: true });
  if (!blows.length) return [head];
  const keys: Key[] = [];
  const segments: Segment[] = [];
  blows.forEach((blow, k) => {
    const id = idOf(layer.name, `disturbances/${k}`);
    const span = spanOf(blow as unknown as Entry)!;
    if (blow.kind === "push")
      segments.push({
        id,
        first: span.first * context.fps,
        last: span.last * context.fps,
        label: `push ${blow.point}`,
        state: "plain",
        draggable: true,
      });
    else keys.push({ id, frame: span.first * context.fps, shape: "bolt", title: blow.kind });
  });
  return [
    head,
    lane(`${layer.name}#disturbances`, layer.name, "disturbances", colour, {
      depth: 1,
      list: "disturbances",
      keys,
      segments,
    }),
  ];
}
