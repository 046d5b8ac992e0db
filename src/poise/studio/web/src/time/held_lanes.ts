// Points that are held, in the time line: a bar over its frames for each, one lane for each point.
import type { HeldPoint } from "../messages.ts";
import type { Use } from "../operations.ts";
import { idOf } from "./address.ts";
import { headLane, type Lane, lane, type Segment } from "./lane.ts";
import { inWords, type LaneContext, outcomeOf, reportOf, stateOf } from "./lane_context.ts";

export function heldLanes({ layer, option }: Use, colour: string, context: LaneContext): Lane[] {
  const all = (layer[option.name] as HeldPoint[] | undefined) ?? [];
  const outcomes = reportOf(context, layer.name)?.outcomes ?? [];
  const points = [...new Set(all.map((held) => held.point))];
  const segment = (held: HeldPoint, k: number): Segment => {
    const outcome = outcomeOf(outcomes, `${held.point} held from ${held.at[0].toFixed(2)} s`);
    const missed = outcome && !outcome.met && !held.muted;
    return {
      id: idOf(layer.name, `${option.name}/${k}`),
      first: held.at[0] * context.fps,
      last: held.at[1] * context.fps,
      label: held.muted ? "held (muted)" : held.turn ? "held, with its direction" : "held",
      state: held.muted ? "plain" : stateOf(outcome),
      draggable: true,
      ...(missed ? { hint: inWords(outcome) } : {}),
    };
  };
  return [
    headLane(layer, colour),
    ...points.map((point) =>
      lane(`${layer.name}#${option.name}/${point}`, layer.name, point, colour, {
        depth: 1,
        list: option.name,
        segments: all.flatMap((held, k) => (held.point === point ? [segment(held, k)] : [])),
      }),
    ),
  ];
}
