// Lanes of the time line from the document's layers.
import type { AnyLayer } from "../messages.ts";
import type { Lane } from "./lane.ts";

export const COLOURS: Record<string, string> = {
  source: "#7b8794",
  synthesis: "#9b6bd3",
  tracks: "#3f8fd6",
  beat: "#d6763f",
  adaptation: "#3fa66b",
  retarget: "#5f9ea0",
  kinodynamics: "#c94f7c",
  targets: "#d94141",
  attachment: "#8a63b8",
};

export function lanesOf(layers: readonly AnyLayer[], fps: number): Lane[] {
  return layers.map((layer) => ({
    id: layer.name,
    label: layer.name,
    colour: COLOURS[layer.kind] ?? "#888888",
    keys: timed(layer, fps),
    segments: lasting(layer, fps),
    muted: layer.muted ?? false,
  }));
}

/** Constraints at one time, as keys. */
function timed(layer: AnyLayer, fps: number): Lane["keys"] {
  if (layer.kind !== "targets" && layer.kind !== "adaptation") return [];
  const shape = layer.kind === "targets" ? ("target" as const) : ("diamond" as const);
  return (layer.constraints ?? []).flatMap((c, k) => (typeof c["when"]?.at === "number" ? [{ id: `${layer.name}/constraints/${k}`, frame: c["when"].at * fps, shape, title: c["name"] ?? "" }] : []));
}

/** Constraints over an interval, as segments; foot plants by each of their points. */
function lasting(layer: AnyLayer, fps: number): Lane["segments"] {
  if (layer.kind !== "targets" && layer.kind !== "adaptation") return [];
  return (layer.constraints ?? []).flatMap((c, k) => {
    const id = `${layer.name}/constraints/${k}`;
    const label = c["name"] ?? "constraint";
    if (typeof c["when"]?.from === "number") return [{ id, first: c["when"].from * fps, last: c["when"].to * fps, label, state: "plain" as const, draggable: true }];
    const spans = Object.values((c["intervals"] ?? {}) as Record<string, { from: number; to: number }>);
    if (!spans.length) return [];
    return [{ id, first: Math.min(...spans.map((s) => s.from)) * fps, last: Math.max(...spans.map((s) => s.to)) * fps, label, state: "plain" as const }];
  });
}
