// Keys of poses in the time line: all of the body, some of it, or a share of the way between two others.
import type { PoseEdit } from "../messages.ts";
import type { Use } from "../operations.ts";
import { idOf } from "./address.ts";
import { headLane, type Key, type Lane } from "./lane.ts";
import type { LaneContext } from "./lane_context.ts";

const SHAPES: Record<NonNullable<PoseEdit["kind"]>, Key["shape"]> = {
  pose: "diamond",
  partial: "ring",
  breakdown: "square",
};

export function editLanes({ layer, option }: Use, colour: string, context: LaneContext): Lane[] {
  const edits = (layer[option.name] as PoseEdit[] | undefined) ?? [];
  const keys = edits.map((edit, k): Key => {
    const joints = Object.keys(edit.joints);
    const share = edit.kind === "breakdown" ? `, ${Math.round(100 * (edit.share ?? 0))} % of the way` : "";
    return {
      id: idOf(layer.name, `${option.name}/${k}`),
      frame: edit.time * context.fps,
      shape: SHAPES[edit.kind ?? "partial"],
      title: `${joints.length === 1 ? joints[0] : `${joints.length} joints`}${share}`,
    };
  });
  return [headLane(layer, colour, { keys })];
}
