// The graph of a posed joint: how it is turned over time, its keys, which are dragged up and down, and the
// tangents of those that are selected. A hinge has one curve, its angle; everything else the three components
// of its rotation vector, which go on over half a turn.
//
// A tangent is a multiple of the segment's mean rate m, for all components at once (`arrive`, `leave`).
// Where keys are added to the motion below, the change has it: of a slope s over a motion of slope b,
//     multiple = (s − b)/m,    m = mean rate of what is added
import type { PoseEdit } from "../messages.ts";
import type { Skeleton } from "../pose/skeleton.ts";
import { rotation } from "../pose/turns.ts";
import type { Poses } from "../stage/poses.ts";
import { STRIDE } from "../stage/poses.ts";
import { idOf } from "./address.ts";
import { type Curve, type Key, type Lane, lane } from "./lane.ts";
import { spread } from "./spread.ts";

const DEGREE = 180 / Math.PI;
const COLOURS = ["#d9534f", "#4a9c5d", "#3f7fd6"];
/** How far a tangent's handle is from its key, of the segment. */
const ARM = 0.3;
/** A segment that turns by less has no rate that a tangent could be a multiple of [°]. */
const STILL = 0.05;
/** The mark between a key's id and the side of its tangent. */
const SIDE = "@";

/** What of the document and of the motion the graph of a joint is drawn from. */
export interface JointGraph {
  skeleton: Skeleton;
  poses: Poses;
  body: number;
  lift: number;
  fps: number;
  /** The layer of keys, and the option they are in. */
  layer: string;
  option: string;
  edits: readonly PoseEdit[];
  adds: boolean;
  /** The joint's coordinates in the motion below at a time, once that is known. */
  under: (time: number) => readonly number[] | undefined;
  selected: ReadonlySet<string>;
}

export const isTangent = (id: string): boolean => id.includes(SIDE);

/** A joint's coordinates as what is drawn [°]: next to others, as turns are the same after a round. */
export function drawnAs(value: readonly number[], beside?: readonly number[]): number[] {
  if (value.length === 1) return [value[0]! * DEGREE];
  const turn = rotation(value.slice(-4));
  if (!beside) return turn;
  const angle = Math.hypot(...turn);
  // Not turned at all it may be turned by whole rounds, about whichever axis others are.
  const about =
    angle > 1e-9 ? turn.map((v) => v / angle) : beside.map((v) => v / (Math.hypot(...beside) || 1));
  const rounds = Math.round((about.reduce((sum, v, i) => sum + v * beside[i]!, 0) - angle) / 360);
  return about.map((v) => v * (angle + 360 * rounds));
}

export function jointLanes(graph: JointGraph): Lane[] {
  const { skeleton, poses, body, lift, fps } = graph;
  if (!skeleton.turns(body)) return [];
  const size = poses.bodies * STRIDE;
  const values: number[][] = [];
  for (let f = 0; f < poses.frames; f++)
    values.push(
      drawnAs(skeleton.value(poses.values.subarray(f * size, (f + 1) * size), body, lift), values.at(-1)),
    );
  const name = skeleton.name(body);
  const count = values[0]?.length ?? 0;
  const own = graph.edits
    .map((edit, k) => ({ edit, k, frame: edit.time * fps }))
    .filter(({ edit }) => name in edit.joints)
    .sort((a, b) => a.frame - b.frame);
  return Array.from({ length: count }, (_, i) => {
    const curve: Curve = {
      values: Float32Array.from(values, (v) => v[i]!),
      span: [0, poses.frames - 1],
      colour: count === 1 ? "#8a63b8" : COLOURS[i]!,
    };
    const at = (frame: number) => values[Math.min(Math.max(Math.round(frame), 0), poses.frames - 1)]!;
    const points = own.map(({ edit, k, frame }) => {
      const given = edit.kind === "breakdown" ? undefined : edit.joints[name];
      const id = idOf(graph.layer, `${graph.option}/${k}`);
      const value = (given?.length ? drawnAs(given, at(frame)) : at(frame))[i]!;
      return { id, edit, frame, value, given: given !== undefined };
    });
    const keys = points.map(
      ({ id, frame, value, given, edit }): Key => ({
        id,
        frame,
        value,
        shape: given ? (edit.kind === "pose" ? "diamond" : "ring") : "square",
        title: given ? name : `${name}: a breakdown`,
        ...(given ? { field: `joint:${name}:${i}` } : {}),
      }),
    );
    const arms = points.flatMap((_, k) => tangents(graph, points, k, i, curve.values));
    return lane(
      `graph turn ${i}`,
      graph.layer,
      count === 1 ? `${name} angle` : `${name} turn ${"xyz"[i]}`,
      curve.colour!,
      {
        curves: [curve, ...arms.map((a) => a.line)],
        keys: [...keys, ...arms.map((a) => a.key)],
        range: spread([curve.values, [...keys, ...arms.map((a) => a.key)].map((k) => k.value!)]),
        unit: "°",
        tall: true,
      },
    );
  });
}

interface Point {
  id: string;
  edit: PoseEdit;
  frame: number;
  value: number;
}

/** The handles of a selected key's tangents, with the lines to them. */
function tangents(
  { fps, adds, under, selected }: JointGraph,
  points: readonly Point[],
  k: number,
  component: number,
  curve: Float32Array,
): { key: Key; line: Curve }[] {
  const point = points[k]!;
  if (![...selected].some((id) => id === point.id || id.startsWith(point.id + SIDE))) return [];
  return ([-1, 1] as const).flatMap((way) => {
    const other = points[k + way];
    const frames = other ? Math.abs(other.frame - point.frame) : 0;
    if (!other || frames < 2) return [];
    const seconds = frames / fps;
    const below = (at: number): number | undefined => {
      const value = under(at);
      return value && drawnAs(value)[component];
    };
    const [here, there] = adds ? [below(point.edit.time), below(other.edit.time)] : [0, 0];
    const near = adds ? below(point.edit.time + way / fps) : 0;
    if (here === undefined || there === undefined || near === undefined) return [];
    const mean = (way * (other.value - there - (point.value - here))) / seconds;
    if (Math.abs(mean) * seconds < STILL) return [];
    const slope = slopeAt(curve, Math.round(point.frame), way) * fps;
    const low = way * (near - here) * fps;
    const arm = ARM * seconds;
    const frame = point.frame + way * ARM * frames;
    const value = point.value + way * slope * arm;
    const side = way > 0 ? "leave" : "arrive";
    const key: Key = {
      id: `${point.id}${SIDE}${side}`,
      frame,
      value,
      shape: "plant",
      title: `tangent: ${((slope - low) / mean).toFixed(2)} × the mean rate; drag it up or down`,
      // What it is now, and by how much a degree upwards changes it.
      field: `${side}:${(slope - low) / mean}:${way / (arm * mean)}`,
    };
    const line: Curve = {
      values: Float32Array.from(way > 0 ? [point.value, value] : [value, point.value]),
      span: way > 0 ? [point.frame, frame] : [frame, point.frame],
      colour: "#8a8f98",
    };
    return [{ key, line }];
  });
}

/** The slope of a curve at a frame, of the cubic through it and three frames on one side [1/frame]. */
function slopeAt(curve: Float32Array, frame: number, way: 1 | -1): number {
  const at = (n: number) => curve[Math.min(Math.max(frame + way * n, 0), curve.length - 1)]!;
  return (way * (-11 * at(0) + 18 * at(1) - 9 * at(2) + 2 * at(3))) / 6;
}

/** The key with a tangent dragged up by so much; a multiple keeps within what may be asked for. */
export function bent(edit: PoseEdit, field: string, by: number): PoseEdit {
  const [side, now, each] = field.split(":") as ["arrive" | "leave", string, string];
  const multiple = Math.min(Math.max(Number(now) + by * Number(each), -10), 10);
  return { ...edit, [side]: Number(multiple.toFixed(4)) };
}
