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
};

export function lanesOf(layers: readonly AnyLayer[], fps: number): Lane[] {
  return layers.map((layer) => ({
    id: layer.name,
    label: layer.name,
    colour: COLOURS[layer.kind] ?? "#888888",
    keys: timed(layer, fps),
    segments: [],
    muted: layer.muted ?? false,
  }));
}

/** Constraints at one time, as keys. */
function timed(layer: AnyLayer, fps: number): Lane["keys"] {
  if (layer.kind !== "targets" && layer.kind !== "adaptation") return [];
  return (layer.constraints ?? []).flatMap((c, k) => (typeof c["time"] === "number" ? [{ id: `${layer.name}/constraints/${k}`, frame: c["time"] * fps, shape: layer.kind === "targets" ? ("target" as const) : ("plant" as const) }] : []));
}
