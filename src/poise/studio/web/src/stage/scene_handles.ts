// Handles of the partial keys of a planned motion: where something is to be, and how fast.
// What a key leaves free follows the motion; dragging changes only what it says.
import { put } from "../commands.ts";
import { own, type Staged } from "../layer.ts";
import type { Use } from "../operations.ts";
import { idOf } from "../time/address.ts";
import type { Entry } from "../time/entry.ts";
import { segmentEnds } from "../time/scene_lanes.ts";
import { GLANCE } from "./constraint_handles.ts";
import { type Handle, minus, type Place, plus, type Surroundings } from "./handle.ts";

type Told = (number | null)[];

export function sceneHandles(use: Use, around: Surroundings): Handle[] {
  const layer: Staged = use.layer;
  const segments = (own(layer.scene)?.["segments"] ?? []) as Entry[];
  const ends = segmentEnds(segments, around.whole);
  const headings = around.headings?.(layer.name) ?? [];
  return segments.flatMap((segment, k) =>
    ((segment["keys"] ?? []) as Entry[]).flatMap((key, n) => {
      const at = typeof key["at"] === "number" ? (k ? ends[k - 1]! : 0) + key["at"] : ends[k]!;
      return ofKey(layer.name, `scene/segments/${k}/keys/${n}`, key, at, around, headings[k] ?? 0);
    }),
  );
}

function ofKey(
  layer: string,
  path: string,
  key: Entry,
  time: number,
  around: Surroundings,
  heading: number,
): Handle[] {
  const id = idOf(layer, path);
  const of = String(key["of"]);
  const now = of === "com" ? around.centre(time) : around.point(of, time);
  if (!now) return [];
  const name = of === "com" ? "centre of mass" : of;
  const base = {
    selects: [id],
    layers: [layer],
    times: [time, time] as [number, number],
    over: "view" as const,
  };
  const found: Handle[] = [];
  const { position, velocity } = key as { position?: unknown; velocity?: unknown };
  if (isTold(position)) {
    // What is told from a reference pose is where the motion has it:
    // only how far it is moved counts, along the figure's heading.
    const relative = key["relative"] === true;
    const place = relative ? now : spread(now, position);
    const moved = (p: Place): Place => about(minus(p, now), -heading);
    const settle = (p: Place): Place =>
      relative
        ? plus(now, about(moved(p).map((v, i) => (position[i] === null ? 0 : v)) as Place, heading))
        : spread(place, gathered(p, position));
    const written = (p: Place): Told =>
      relative ? position.map((v, i) => (v === null ? null : v + moved(p)[i]!)) : gathered(p, position);
    found.push({
      ...base,
      id,
      kind: of === "com" ? "centre" : "pin",
      name: `${name}${free(position)}`,
      does: "move the partial key; the motion is made anew",
      place,
      settle,
      edit: (p, within) => put(layer, `${path}/position`, tidy(written(p)), within),
    });
  }
  if (isTold(velocity)) {
    const told = velocity.map((v) => GLANCE * (v ?? 0)) as Place;
    const tip = now.map((v, i) => v + told[i]!) as Place;
    const settle = (p: Place) => spread(tip, gathered(p, velocity));
    found.push({
      ...base,
      id: `${id}:velocity`,
      kind: "velocity",
      name: `velocity of ${name}${free(velocity)}`,
      does: "change how fast, and which way",
      place: tip,
      from: now,
      settle,
      edit: (p, within) =>
        put(
          layer,
          `${path}/velocity`,
          tidy(
            gathered(
              minus(p, now).map((v) => v / GLANCE),
              velocity,
            ),
          ),
          within,
        ),
    });
  }
  return found;
}

const isTold = (value: unknown): value is Told =>
  Array.isArray(value) &&
  value.length === 3 &&
  value.every((v) => v === null || typeof v === "number") &&
  value.some((v) => v !== null);

/** A place with what is told put in, and what is told taken out of a place. */
const spread = (place: Place, told: Told): Place => place.map((v, i) => told[i] ?? v) as Place;
const gathered = (place: readonly number[], told: Told): Told =>
  told.map((v, i) => (v === null ? null : place[i]!));

/** Turned about the vertical [rad]. */
const about = ([x, y, z]: Place, angle: number): Place => [
  x * Math.cos(angle) - y * Math.sin(angle),
  x * Math.sin(angle) + y * Math.cos(angle),
  z,
];

/** Which axes alone a key is about, in words. */
const free = (told: Told): string =>
  told.includes(null) ? ` (${["x", "y", "z"].filter((_, i) => told[i] !== null).join(", ")} only)` : "";
const tidy = (told: Told): Told => told.map((v) => (v === null ? null : Number(v.toFixed(6))));
