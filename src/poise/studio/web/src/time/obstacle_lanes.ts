// What is in the way of a loosened motion: when it is touched, and the keys of what moves.
import type { Loose } from "../layer.ts";
import type { Use } from "../operations.ts";
import { idOf } from "./address.ts";
import { stacked } from "./constraint_lanes.ts";
import { headLane, type Lane, lane, type Segment } from "./lane.ts";
import { contactsOf, type LaneContext } from "./lane_context.ts";

export function obstacleLanes(use: Use, colour: string, context: LaneContext): Lane[] {
  const layer: Loose = use.layer;
  const obstacles = layer.obstacles ?? [];
  const head = headLane(layer, colour);
  if (!obstacles.length) return [head];
  const touched: Segment[] = contactsOf(context, layer).map((c, k) => ({
    id: idOf(layer.name, `contact ${k}`),
    first: c.start * context.fps,
    last: c.end * context.fps,
    label: `${c.body} on ${c.obstacle}`,
    state: "plain",
    hint: "touched here; follows from the motion",
  }));
  const rows = touched.length ? stacked(touched) : [[]];
  return [
    head,
    ...rows.map((segments, row) =>
      lane(`${layer.name}#contacts${row}`, layer.name, row ? `contacts ${row + 1}` : "contacts", colour, {
        depth: 1,
        segments,
      }),
    ),
    ...obstacles.flatMap((entry, k) => {
      if (!entry.path?.length) return [];
      const keys = entry.path.map((key, n) => ({
        id: idOf(layer.name, `obstacles/${k}/path/${n}`),
        frame: key.time * context.fps,
        shape: "square" as const,
        title: `${entry.name} at ${key.position.map((v) => v.toFixed(2)).join(", ")} m`,
      }));
      return [
        lane(idOf(layer.name, `obstacles/${k}`), layer.name, entry.name, colour, {
          depth: 1,
          keys,
          list: `obstacles/${k}/path`,
          mutes: `obstacles/${k}/muted`,
          muted: entry.muted ?? false,
        }),
      ];
    }),
  ];
}
