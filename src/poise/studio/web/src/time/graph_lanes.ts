// The graph: the same lanes, taller. Curves of the picked body, or of the centre of mass;
// keys with numbers can be dragged up and down.
import { type Constrained, type Keyframed, type Layer, own } from "../layer.ts";
import type { Poses } from "../stage/poses.ts";
import { STRIDE } from "../stage/poses.ts";
import type { Physics } from "../store.ts";
import { idOf } from "./address.ts";
import { type Entry, spanOf } from "./entry.ts";
import { type JointGraph, jointLanes } from "./joint_lanes.ts";
import { type Curve, type Key, type Lane, lane } from "./lane.ts";
import { spread } from "./spread.ts";

export const AXES = ["x", "y", "z"] as const;
const COLOURS = ["#d9534f", "#4a9c5d", "#3f7fd6"];

export interface Drawn {
  result: Poses | undefined;
  reference: Poses | undefined;
  physics: Physics | undefined;
  lift: number;
  fps: number;
  body: number;
  name: string;
  layers: readonly Layer[];
  /** While posing: the joint that is picked. */
  joint?: JointGraph | undefined;
}

/** Lanes of numbers among those of the dope sheet, and the place and speed of what is picked. */
export function graphLanes(dope: readonly Lane[], drawn: Drawn): Lane[] {
  const numbers = dope
    .filter((l) => l.keys.some((k) => k.value !== undefined))
    .map((l) => ({
      ...l,
      tall: true,
      ...(l.curves?.some((c) => c.fill)
        ? {}
        : {
            range: spread([
              ...(l.curves ?? []).map((c) => c.values),
              l.keys.flatMap((k) => (k.value === undefined ? [] : [k.value])),
            ]),
          }),
    }));
  return [
    ...(drawn.joint ? jointLanes(drawn.joint) : []),
    ...(drawn.body >= 0 ? bodyLanes(drawn) : centreLanes(drawn)),
    ...numbers,
  ];
}

function bodyLanes({ result, reference, lift, fps, body, name, layers }: Drawn): Lane[] {
  if (!result) return [];
  const kept = constraintKeys(layers, name, fps);
  const lanes = AXES.map((axis, i) => {
    const sources = [result, ...(reference && reference.frames === result.frames ? [reference] : [])];
    const curves = sources.map(
      (poses, n): Curve => ({
        values: column(
          poses.values,
          poses.frames,
          poses.bodies * STRIDE,
          body * STRIDE + i,
          i === 2 ? lift : 0,
        ),
        span: [0, poses.frames - 1],
        colour: COLOURS[i]!,
        dashed: n > 0,
      }),
    );
    const keys = kept.map(
      ({ id, frame, place }): Key => ({
        id,
        frame,
        shape: "target",
        value: place[i]!,
        field: `target/value/${i}`,
        fixed: false,
        title: name,
      }),
    );
    return lane(`graph ${axis}`, "", `${name} ${axis}`, COLOURS[i]!, {
      curves,
      keys,
      range: spread([...curves.map((c) => c.values), keys.map((k) => k.value!)]),
      unit: "m",
      tall: true,
    });
  });
  const values = speeds(result, body, fps);
  return [
    ...lanes,
    lane("graph speed", "", `${name} speed`, "#8a63b8", {
      curves: [{ values, span: [0, result.frames - 1] }],
      range: [0, 1.05 * Math.max(0.1, ...values)],
      unit: "m/s",
      tall: true,
    }),
  ];
}

function centreLanes({ physics, lift, fps, layers }: Drawn): Lane[] {
  if (!physics?.com.length) return [];
  const frames = physics.com.length / 3;
  const keyed = layers.find((l: Keyframed) => !l.muted && own(l.keyframes)?.["path"]) as
    | Keyframed
    | undefined;
  const entries = (own(keyed?.keyframes)?.["path"]["keys"] ?? []) as Entry[];
  const three = AXES.map((axis, i) => {
    const values = column(physics.com, frames, 3, i, i === 2 ? lift : 0);
    const keys = entries.map(
      (e, k): Key => ({
        id: idOf(keyed!.name, `keyframes/path/keys/${k}`),
        frame: e["time"] * fps,
        shape: "ring",
        muted: e["muted"] === true,
        value: e["position"][i],
        field: `position/${i}`,
      }),
    );
    return lane(`graph ${axis}`, keyed?.name ?? "", `centre of mass ${axis}`, COLOURS[i]!, {
      curves: [{ values, span: [0, frames - 1] }],
      keys,
      list: keyed ? "keyframes/path/keys" : "",
      range: spread([values, keys.map((k) => k.value!)]),
      unit: "m",
      tall: true,
    });
  });
  const about = AXES.map(
    (_, i): Curve => ({
      values: column(physics.spin, frames, 3, i, 0),
      span: [0, frames - 1],
      colour: COLOURS[i]!,
    }),
  );
  return [
    ...three,
    lane("graph spin", "", "angular momentum", "#8a63b8", {
      curves: about,
      range: spread(about.map((c) => c.values)),
      unit: "kg m²/s",
      tall: true,
    }),
  ];
}

/** Constraints at one time about a point, with the place they ask for. */
function constraintKeys(
  layers: readonly Layer[],
  point: string,
  fps: number,
): { id: string; frame: number; place: number[] }[] {
  return layers.flatMap((layer: Constrained) =>
    (layer.constraints ?? []).flatMap((c, k) => {
      const place = c["target"]?.value as unknown;
      const span = spanOf(c);
      const about = String(c["handle"]?.point ?? "").startsWith(point); // RightHandCentre is on RightHand
      return about &&
        !c["rate"] &&
        span &&
        span.first === span.last &&
        Array.isArray(place) &&
        place.length === 3
        ? [{ id: idOf(layer.name, `constraints/${k}`), frame: span.first * fps, place: place as number[] }]
        : [];
    }),
  );
}

function column(
  values: Float32Array,
  frames: number,
  stride: number,
  offset: number,
  less: number,
): Float32Array {
  return Float32Array.from({ length: frames }, (_, f) => values[f * stride + offset]! - less);
}

/** [m/s] of a body, by differences. */
export function speeds(poses: Poses, body: number, fps: number): Float32Array {
  const at = (f: number, i: number) => poses.values[(f * poses.bodies + body) * STRIDE + i]!;
  return Float32Array.from({ length: poses.frames }, (_, f) => {
    const [a, b] = [Math.max(f - 1, 0), Math.min(f + 1, poses.frames - 1)];
    return (Math.hypot(...[0, 1, 2].map((i) => at(b, i) - at(a, i))) * fps) / Math.max(b - a, 1);
  });
}
