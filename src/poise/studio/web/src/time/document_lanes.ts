// Lanes of the time line from the document's layers.
import type { AnyLayer } from "../messages.ts";
import { beatLanes } from "./beat_lanes.ts";
import { constraintLanes } from "./constraint_lanes.ts";
import { type Lane, lane } from "./lane.ts";
import type { LaneContext } from "./lane_context.ts";
import { synthesisLanes } from "./synthesis_lanes.ts";
import { tensionLanes } from "./tension_lanes.ts";
import { trackLanes } from "./track_lanes.ts";

export const COLOURS: Record<string, string> = {
  source: "#7b8794",
  synthesis: "#9b6bd3",
  tracks: "#3f8fd6",
  beat: "#d6763f",
  adaptation: "#3fa66b",
  retarget: "#5f9ea0",
  fix: "#6b8e23",
  kinodynamics: "#c94f7c",
  targets: "#d94141",
  attachment: "#8a63b8",
};

/** In the order of the outliner: what acts last is on top. */
export function lanesOf(layers: readonly AnyLayer[], context: LaneContext): Lane[] {
  return [...layers].reverse().flatMap((layer) => {
    const lanes = ofLayer(layer, COLOURS[layer.kind] ?? "#888888", context);
    return context.folded.has(layer.name) ? [foldedInto(lanes)] : lanes;
  });
}

function ofLayer(layer: AnyLayer, colour: string, context: LaneContext): Lane[] {
  switch (layer.kind) {
    case "targets":
    case "adaptation":
      return constraintLanes(layer, colour, context);
    case "tracks":
      return trackLanes(layer, colour, context);
    case "beat":
      return beatLanes(layer, colour, context);
    case "synthesis":
      return synthesisLanes(layer, colour, context);
    case "kinodynamics":
      return tensionLanes(layer, colour, context);
    case "source":
    case "retarget":
    case "fix":
    case "attachment": {
      const label =
        layer.kind === "source"
          ? layer.clip
          : layer.kind === "retarget"
            ? `onto ${layer.onto}`
            : layer.kind === "fix"
              ? (layer.repairs ?? ["all repairs"]).join(", ")
              : `on ${layer.to ?? "Head"}`;
      const bar = {
        id: `${layer.name}/`,
        first: 0,
        last: context.frames - 1,
        label,
        state: "plain" as const,
      };
      return [
        lane(layer.name, layer.name, layer.name, colour, {
          mutes: "muted",
          muted: layer.muted ?? false,
          segments: context.frames > 1 ? [bar] : [],
        }),
      ];
    }
  }
}

/** All keys of a layer in its own lane. */
function foldedInto(lanes: Lane[]): Lane {
  const [head, ...rest] = lanes;
  return { ...head!, keys: [...head!.keys, ...rest.flatMap((l) => l.keys.filter((k) => !k.fixed))] };
}
