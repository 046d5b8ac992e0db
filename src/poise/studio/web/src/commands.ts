// The edits that parts of the screen make, as commands of the project. One place knows where things stand in a layer.
import type { AnyCommand, AnyLayer } from "./messages.ts";
import type { Store } from "./store.ts";

let gestures = 0;
/** A name for what belongs together: one drag, one step of undo. */
export const gesture = (what: string): string => `${what} ${Date.now().toString(36)}-${++gestures}`;

export const put = (layer: string, path: string, value: unknown, within = ""): AnyCommand => ({ do: "set", layer, path, value, ...(within ? { gesture: within } : {}) });

export const insert = (layer: string, path: string, value: unknown): AnyCommand => ({ do: "insert", layer, path, value });

export const remove = (layer: string, path: string): AnyCommand => ({ do: "remove", layer, path });

export const group = (label: string, commands: AnyCommand[]): AnyCommand => ({ do: "group", label, commands });

/** A name that no layer has yet. */
export function freeName(layers: readonly AnyLayer[], wanted: string): string {
  const taken = new Set(layers.map((l) => l.name));
  for (let k = 1; ; k++) {
    const name = k === 1 ? wanted : `${wanted} ${k}`;
    if (!taken.has(name)) return name;
  }
}

/** A constraint that a point is at a place at a time, as constraint files have it; with a velocity, two of them. */
export function pointAt(point: string, place: readonly number[], time: number, velocity?: readonly number[]): Record<string, unknown>[] {
  const handle = { kind: "point_position", point, axes: "xyz" };
  const at = { name: `${point} at ${time.toFixed(2)} s`, handle, target: { value: [...place] }, when: { at: time } };
  if (!velocity) return [at];
  return [at, { ...at, name: `${point} moves so at ${time.toFixed(2)} s`, target: { value: [...velocity] }, rate: true }];
}

/** "Hit this": a target for the loosened motion, in the targets layer, which is made where there is none. */
export function hit(store: Store, constraints: Record<string, unknown>[]): void {
  const layers = store.layers.value;
  const targets = layers.find((l) => l.kind === "targets");
  if (targets) {
    const count = (targets.constraints ?? []).length;
    store.edit(group("target", constraints.map((c, k) => insert(targets.name, `constraints/${count + k}`, c))));
    store.layer.value = targets.name;
    return;
  }
  const loose = layers.findLastIndex((l) => l.kind === "kinodynamics");
  const name = freeName(layers, "targets");
  const added: AnyCommand[] = [];
  if (loose < 0) added.push({ do: "add-layer", layer: { kind: "kinodynamics", name: freeName(layers, "loose") } });
  added.push({ do: "add-layer", layer: { kind: "targets", name, constraints }, at: loose < 0 ? layers.length + 1 : loose + 1 });
  store.edit(group("target", added));
  store.layer.value = name;
}

/** Keep a point at a place at a time by changing the whole motion as little as possible. */
export function reach(store: Store, constraints: Record<string, unknown>[]): void {
  const layers = store.layers.value;
  const found = layers.findLast((l) => l.kind === "adaptation");
  if (found) {
    const count = (found.constraints ?? []).length;
    store.edit(group("reach", constraints.map((c, k) => insert(found.name, `constraints/${count + k}`, c))));
    store.layer.value = found.name;
    return;
  }
  const name = freeName(layers, "adaptation");
  const dynamic = layers.findIndex((l) => l.kind === "kinodynamics" || l.kind === "targets");
  store.edit({ do: "add-layer", layer: { kind: "adaptation", name, constraints }, ...(dynamic < 0 ? {} : { at: dynamic }) });
  store.layer.value = name;
}
