// A handle: a place on the stage that can be dragged,
// and the edit of the document that follows from where it is put.
import type { AnyCommand } from "../messages.ts";

/** Metres, as the document has them: without the height that the stage lifts everything by. */
export type Place = [number, number, number];
export type Axis = "" | "x" | "y" | "z";

export type HandleKind =
  | "target"
  | "pin"
  | "plant"
  | "turn"
  | "centre"
  | "velocity"
  | "apex"
  | "ring"
  | "axis"
  | "body"
  | "surface"
  | "size"
  | "spin"
  | "move"
  | "keyed";

export interface Handle {
  id: string;
  /** Ids of what is selected in the time line with it. */
  selects: string[];
  /** Layers that it edits; the last is shown in the inspector. */
  layers: string[];
  kind: HandleKind;
  name: string;
  /** What dragging it does, in words. */
  does: string;
  place: Place;
  /** Time [s] at which it holds, or the interval. */
  times: [number, number];
  /** Dragged in the plane that faces the camera, over the floor, or up and down. */
  over: "view" | "floor" | "height";
  edit: (place: Place, within: string, axis: Axis) => AnyCommand;
  /** Where it is pulled, for those whose edits follow by themselves; `edit` is not asked then. */
  follow?: (place: Place) => void;
  /** It was let go there: resolves when all is as it will be. */
  settled?: (place: Place) => Promise<void>;
  /** What it is once it is grabbed, by the direction to the camera: a ring that faces it gets its axis. */
  facing?: (way: Place) => Handle;
  /** Turned freely instead of about its ring's axis, by a rotation of the world (x, y, z, w). */
  roll?: (turn: [number, number, number, number]) => void;
  /** What has to be made in the document first, and the handle that then goes on. */
  begin?: (within: string) => { command: AnyCommand; handle: Handle } | undefined;
  /** Where it can be, next to where the pointer wants it. */
  settle?: (place: Place, axis: Axis) => Place;
  /** What else is to be said of where it has got to. */
  says?: () => string;
  /** What it belongs to: a line goes there. */
  from?: Place;
  /** A circle about a centre; the handle is anywhere on it.
   * It faces the camera, or lies about an axis that it turns about. */
  ring?: {
    centre: Place;
    radius: number;
    axis?: Place;
    /** How far it may be turned from a direction, back and on [rad]. */
    room?: { from: Place; back: number; on: number };
  };
  /** Only there while what it belongs to is selected: there would be too many. */
  chosen?: boolean;
  /** A footprint: turned by yaw [rad], so long [m]; found ones are not in the document yet. */
  print?: { yaw: number; length: number; found: boolean };
}

/** What handles need to know besides the document. */
export interface Surroundings {
  /** Where a point or a body is at a time. */
  point: (name: string, time: number) => Place | undefined;
  centre: (time: number) => Place | undefined;
  /** Where a point of something worn is at a time, told by where it is on its bone as modelled. */
  worn?: (name: string, rest: Place, time: number) => Place | undefined;
  /** How large the character is [m]. */
  size: number;
  /** How long the motion is [s]. */
  whole: number;
  /** How far the segments of a synthesised layer are turned about the vertical [rad], where that is known. */
  headings?: (layer: string) => readonly number[];
}

export const isPlace = (value: unknown): value is Place =>
  Array.isArray(value) && value.length === 3 && value.every((v) => typeof v === "number");

export const plus = (a: Place, b: Place, scale = 1): Place => [
  a[0] + scale * b[0],
  a[1] + scale * b[1],
  a[2] + scale * b[2],
];
export const minus = (a: Place, b: Place): Place => plus(a, b, -1);
export const length = (a: Place): number => Math.hypot(...a);
