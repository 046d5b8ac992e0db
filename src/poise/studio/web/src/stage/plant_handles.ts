// Foot plants as footprints: moved over the floor, turned by the dot ahead of the toes.
// Those that the solver found become the document's own when they are grabbed.
import { put } from "../commands.ts";
import type { Constrained } from "../layer.ts";
import type { AnyCommand, Plants } from "../messages.ts";
import { idOf } from "../time/address.ts";
import type { Entry } from "../time/entry.ts";
import { timesOf } from "./constraint_handles.ts";
import { type Handle, isPlace, length, minus, type Place, type Surroundings } from "./handle.ts";

export function plantHandles(layer: Constrained, found: Plants | undefined, around: Surroundings): Handle[] {
  const entries = layer.constraints ?? [];
  const own = entries.flatMap((entry, k): Handle[] => {
    if (!entry["intervals"] || entry["muted"] === true) return [];
    const place = isPlace(entry["place"]) ? entry["place"] : found?.plants.find((p) => p.number === k)?.place;
    return place ? pair(layer.name, entry, k, place, around, false) : [];
  });
  // Found ones come after what is in the list, in the order in which the command puts them there.
  const loose = layer.plants !== false && found?.command ? found.plants.filter((p) => p.number < 0) : [];
  return [
    ...own,
    ...loose.flatMap((plant, n) =>
      pair(layer.name, plant.entry as Entry, entries.length + n, plant.place, around, true).map((handle) =>
        explicit(handle, found!.command as unknown as AnyCommand),
      ),
    ),
  ];
}

/** A footprint, and the dot that turns it. */
function pair(
  layer: string,
  entry: Entry,
  k: number,
  where: Place,
  around: Surroundings,
  found: boolean,
): Handle[] {
  const [x, y, yaw] = where;
  const height = typeof entry["height"] === "number" ? entry["height"] : 0;
  const path = `constraints/${k}`;
  const id = idOf(layer, path);
  const spans = Object.values(entry["intervals"] as Record<string, Entry>).map(timesOf);
  const times: [number, number] = [Math.min(...spans.map((s) => s[0])), Math.max(...spans.map((s) => s[1]))];
  const long = printLength(Object.keys(entry["intervals"] as object), times[0], around);
  const base = { selects: found ? [] : [id], layers: [layer], times, over: "floor" as const };
  const write = (value: Place, within: string) => put(layer, `${path}/place`, value, within);
  const name = String(entry["name"] || Object.keys(entry["intervals"] as object).join(", "));
  const ahead = 1.5 * long;
  const toes: Place = [x + ahead * Math.cos(yaw), y + ahead * Math.sin(yaw), height];
  const heading = (p: Place): number => Math.atan2(p[1] - y, p[0] - x);
  return [
    {
      ...base,
      id,
      kind: "plant",
      name,
      does: "move the footprint; the motion steps there",
      place: [x, y, height],
      print: { yaw, length: long, found },
      edit: (p, within) => write([p[0], p[1], yaw], within),
    },
    {
      ...base,
      id: `${id}:turn`,
      kind: "turn",
      name,
      does: "turn the footprint",
      place: toes,
      from: [x, y, height],
      settle: (p) => [x + ahead * Math.cos(heading(p)), y + ahead * Math.sin(heading(p)), height],
      edit: (p, within) => write([x, y, heading(p)], within),
    },
  ];
}

function explicit(handle: Handle, command: AnyCommand): Handle {
  return {
    ...handle,
    id: `${handle.id}:found`,
    does: `${handle.does} (it becomes a constraint of the layer)`,
    begin: (within) => ({ command: { ...command, gesture: within } as AnyCommand, handle }),
  };
}

/** Heel to ball; for a single point, what a foot usually is. */
function printLength(points: string[], time: number, around: Surroundings): number {
  const places = points.map((p) => around.point(p, time)).filter((p) => p !== undefined);
  const far = places.length > 1 ? length(minus(places[0]!, places.at(-1)!)) : 0;
  return far > 1e-3 ? far : 0.08 * around.size;
}
