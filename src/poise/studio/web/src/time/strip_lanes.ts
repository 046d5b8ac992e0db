// Strips of a track in the time line: one bar each; where two overlap, the later one comes in.
import type { Strip } from "../messages.ts";
import type { Use } from "../operations.ts";
import { idOf } from "./address.ts";
import { headLane, type Lane, type Segment } from "./lane.ts";
import type { LaneContext } from "./lane_context.ts";
import { placedStrips } from "./strips.ts";

export function stripLanes({ layer, option }: Use, colour: string, context: LaneContext): Lane[] {
  const strips = (layer[option.name] as Strip[] | undefined) ?? [];
  const segments = placedStrips(strips, context.clips).map(({ strip, first, last }, k): Segment => {
    const signs = [
      strip.clip,
      ...(context.clips[strip.clip]?.loop || (strip.loop ?? 1) > 1 ? ["↻"] : []),
      ...((strip.loop ?? 1) > 1 ? [`${strip.loop}×`] : []),
      ...(strip.mirror ? ["⇄"] : []),
      ...((strip.speed ?? 1) === 1 ? [] : [`· ${Number((strip.speed ?? 1).toFixed(3))}×`]),
    ];
    return {
      id: idOf(layer.name, `${option.name}/${k}`),
      first: first * context.fps,
      last: last * context.fps,
      label: signs.join(" "),
      state: "plain",
      draggable: true,
    };
  });
  return [headLane(layer, colour, { list: option.name, segments })];
}
