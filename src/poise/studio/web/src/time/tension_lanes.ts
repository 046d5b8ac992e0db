// How loose over time: keys of the tension and the frequency of the whole body between them.
import type { Loose } from "../layer.ts";
import type { Use } from "../operations.ts";
import { frequency } from "../panels/frequency.ts";
import { idOf } from "./address.ts";
import { headLane, type Key, type Lane } from "./lane.ts";
import type { LaneContext } from "./lane_context.ts";

export function tensionLanes(use: Use, colour: string, context: LaneContext): Lane[] {
  const layer: Loose = use.layer;
  const head = headLane(layer, colour, { list: "tension" });
  if (!Array.isArray(layer.tension)) return [head];
  const entries = layer.tension;
  const pitch = (k: number) => Math.log2(frequency(entries[k]!.tension));
  const order = entries.map((_, k) => k).sort((a, b) => entries[a]!.time - entries[b]!.time);
  // Between keys the pitch changes evenly, as in Python.
  const value = (time: number) => {
    const after = order.findIndex((k) => entries[k]!.time > time);
    if (after === 0) return pitch(order[0]!);
    if (after < 0) return pitch(order.at(-1)!);
    const [a, b] = [order[after - 1]!, order[after]!];
    const share = (time - entries[a]!.time) / (entries[b]!.time - entries[a]!.time);
    return pitch(a) + share * (pitch(b) - pitch(a));
  };
  const values = Float32Array.from({ length: 200 }, (_, i) =>
    value(((context.frames - 1) / context.fps) * (i / 199)),
  );
  head.keys = entries.map(
    (e, k): Key => ({
      id: idOf(layer.name, `tension/${k}`),
      frame: e.time * context.fps,
      shape: "diamond",
      title: `${frequency(e.tension)} Hz`,
      value: pitch(k),
      field: "tension",
    }),
  );
  head.curves = [{ values, span: [0, context.frames - 1] }];
  head.range = [-1, 4.5];
  head.unit = "octaves above 1 Hz";
  return [head];
}
