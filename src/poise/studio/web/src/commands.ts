// The edits that parts of the screen make, as commands of the project.
// One place knows where things stand in a layer.
import type { AnyCommand, AnyLayer } from "./messages.ts";
import type { Store } from "./store.ts";

let gestures = 0;
/** A name for what belongs together: one drag, one step of undo. */
export const gesture = (what: string): string => `${what} ${Date.now().toString(36)}-${++gestures}`;

export const put = (layer: string, path: string, value: unknown, within = ""): AnyCommand => ({
  do: "set",
  layer,
  path,
  value,
  ...(within ? { gesture: within } : {}),
});

export const insert = (layer: string, path: string, value: unknown): AnyCommand => ({
  do: "insert",
  layer,
  path,
  value,
});

export const remove = (layer: string, path: string): AnyCommand => ({ do: "remove", layer, path });

export const group = (label: string, commands: AnyCommand[]): AnyCommand => ({
  do: "group",
  label,
  commands,
});

/** A name that no layer has yet. */
export function freeName(layers: readonly AnyLayer[], wanted: string): string {
  const taken = new Set(layers.map((l) => l.name));
  for (let k = 1; ; k++) {
    const name = k === 1 ? wanted : `${wanted} ${k}`;
    if (!taken.has(name)) return name;
  }
}

/** A constraint that a point is at a place at a time, as constraint files have it;
 * with a velocity, two of them. */
export function pointAt(
  point: string,
  place: readonly number[],
  time: number,
  velocity?: readonly number[],
): Record<string, unknown>[] {
  const handle = { kind: "point_position", point, axes: "xyz" };
  const at = {
    name: `${point} at ${time.toFixed(2)} s`,
    handle,
    target: { value: [...place] },
    when: { at: time },
  };
  if (!velocity) return [at];
  return [
    at,
    {
      ...at,
      name: `${point} moves so at ${time.toFixed(2)} s`,
      target: { value: [...velocity] },
      rate: true,
    },
  ];
}

/** An edit that puts constraints into a layer, and where the first of them then stands. */
export interface Placed {
  command: AnyCommand;
  layer: string;
  path: string;
}

/** "Hit this": targets for the loosened motion, in the targets layer, which is made where there is none. */
export function targeted(layers: readonly AnyLayer[], constraints: Record<string, unknown>[]): Placed {
  const targets = layers.find((l) => l.kind === "targets");
  if (targets) return appended("target", targets, constraints);
  const loose = layers.findLastIndex((l) => l.kind === "kinodynamics");
  const name = freeName(layers, "targets");
  const added: AnyCommand[] = [];
  if (loose < 0)
    added.push({ do: "add-layer", layer: { kind: "kinodynamics", name: freeName(layers, "loose") } });
  added.push({
    do: "add-layer",
    layer: { kind: "targets", name, constraints },
    at: loose < 0 ? layers.length + 1 : loose + 1,
  });
  return { command: group("target", added), layer: name, path: "constraints/0" };
}

/** Keep points at places by changing the whole motion, or only some joints of it, as little as possible. */
export function adapted(
  layers: readonly AnyLayer[],
  constraints: Record<string, unknown>[],
  joints?: string[],
): Placed {
  const found = layers.findLast((l) => l.kind === "adaptation" && same(l.joints ?? undefined, joints));
  if (found?.kind === "adaptation") return appended("reach", found, constraints);
  const name = freeName(layers, "adaptation");
  const dynamic = layers.findIndex((l) => l.kind === "kinodynamics" || l.kind === "targets");
  const layer: AnyLayer = { kind: "adaptation", name, constraints, ...(joints ? { joints } : {}) };
  return {
    command: { do: "add-layer", layer, ...(dynamic < 0 ? {} : { at: dynamic }) },
    layer: name,
    path: "constraints/0",
  };
}

/** Constraints are told apart by their names: one that is there already is written anew. */
function appended(
  label: string,
  layer: { name: string; constraints?: Record<string, unknown>[] },
  constraints: Record<string, unknown>[],
): Placed {
  const known = layer.constraints ?? [];
  let free = known.length;
  const places = constraints.map((c) => {
    const found = known.findIndex((k) => k["name"] === c["name"]);
    return found >= 0 ? found : free++;
  });
  const commands = constraints.map((c, k) =>
    (places[k]! < known.length ? put : insert)(layer.name, `constraints/${places[k]!}`, c),
  );
  return { command: group(label, commands), layer: layer.name, path: `constraints/${places[0] ?? free}` };
}

const same = (a: string[] | undefined, b: string[] | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.length === b.length && a.every((v) => b.includes(v)));

export function hit(store: Store, constraints: Record<string, unknown>[]): void {
  make(store, targeted(store.layers.value, constraints));
}

export function reach(store: Store, constraints: Record<string, unknown>[]): void {
  make(store, adapted(store.layers.value, constraints));
}

function make(store: Store, placed: Placed): void {
  store.edit(placed.command);
  store.layer.value = placed.layer;
}
