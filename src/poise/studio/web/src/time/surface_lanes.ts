// What is in the way of a loosened motion: when it is touched, and the keys of what moves.
import { type Loose, surfacesIn } from "../layer.ts";
import type { Use } from "../operations.ts";
import { idOf } from "./address.ts";
import { stacked } from "./constraint_lanes.ts";
import { headLane, type Lane, lane, type Segment } from "./lane.ts";
import { contactsOf, type LaneContext, reportOf } from "./lane_context.ts";
import { keysOf } from "./surface_track.ts";

export function surfaceLanes(use: Use, colour: string, context: LaneContext): Lane[] {
  const layer: Loose = use.layer;
  const surfaces = surfacesIn(layer);
  const head = headLane(layer, colour);
  if (!surfaces.length) return [head];
  const drafted = Object.keys(context.reports).some((name) => reportOf(context, name)?.waits);
  const touched: Segment[] = contactsOf(context, layer).map((c, k) => ({
    id: idOf(layer.name, `contact ${k}`),
    first: c.start * context.fps,
    last: c.end * context.fps,
    label: `${c.body} on ${c.surface}`,
    state: "plain",
    ...(drafted ? { dashed: true } : {}),
    hint: drafted
      ? "touched here before the drag; computed when you let go"
      : "touched here; computed from the motion",
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
    ...surfaces.flatMap((entry, k) => {
      if (!keysOf(entry).length) return [];
      const keys = keysOf(entry).map((key, n) => ({
        id: idOf(layer.name, `world/surfaces/${k}/track/${n}`),
        frame: key.time * context.fps,
        shape: "square" as const,
        title: `${entry.name} at ${key.place.map((v) => v.toFixed(2)).join(", ")} m`,
      }));
      return [
        lane(idOf(layer.name, `world/surfaces/${k}`), layer.name, entry.name, colour, {
          depth: 1,
          keys,
          list: `world/surfaces/${k}/track`,
          mutes: `world/surfaces/${k}/muted`,
          muted: entry.muted ?? false,
        }),
      ];
    }),
  ];
}
