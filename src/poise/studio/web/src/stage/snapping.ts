// Round steps while something is dragged: places on a grid as fine as can be aimed at,
// turns by so many degrees from the start.
import * as THREE from "three";
import { type Axis, type Handle, length, minus, type Place, plus } from "./handle.ts";
import { angleAbout } from "./turning.ts";

/** Turns go by this much [rad]. */
export const TURN = Math.PI / 12;
const STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]; // [m]
/** Steps that are closer on the screen cannot be told apart while dragging [px]. */
const APART = 12;

/** The finest round step that can be aimed at [m], given metres per pixel. */
export const stepFor = (perPixel: number): number =>
  STEPS.find((step) => step >= APART * perPixel) ?? STEPS.at(-1)!;

const toStep = (value: number, step: number): number => Number((step * Math.round(value / step)).toFixed(6));

/** A place whose moved coordinates are round, counted from an origin. */
export function roundPlace(place: Place, step: number, moved: string, origin: Place = [0, 0, 0]): Place {
  return place.map((v, i) =>
    moved.includes("xyz"[i]!) ? origin[i]! + toStep(v - origin[i]!, step) : v,
  ) as Place;
}

/** As far from a centre as a round number, and there is some way left. */
export function roundRadius(place: Place, centre: Place, step: number): Place {
  const way = minus(place, centre);
  const far = length(way);
  return far < 1e-9 ? place : plus(centre, way, Math.max(toStep(far, step), step) / far);
}

export const roundAngle = (angle: number): number => TURN * Math.round(angle / TURN);

/** A direction from a centre, turned from another by a whole number of steps:
 * about an axis, or the shortest way. */
export function roundTurn(from: Place, to: Place, centre: Place, axis: Axis): Place {
  const [a, b] = [from, to].map((p) => new THREE.Vector3(...minus(p, centre))) as [
    THREE.Vector3,
    THREE.Vector3,
  ];
  const about = axis
    ? new THREE.Vector3().setComponent("xyz".indexOf(axis), 1)
    : a.clone().cross(b).normalize();
  if (about.lengthSq() < 0.5) return from; // nowhere to turn
  const angle = angleAbout(about.toArray() as Place, a.toArray() as Place, b.toArray() as Place);
  return plus(centre, a.applyAxisAngle(about, roundAngle(angle)).toArray() as Place);
}

/** The coordinates that a drag changes. */
export const movedBy = ({ over }: Pick<Handle, "over">, axis: Axis): string =>
  axis || (over === "floor" ? "xy" : over === "height" ? "z" : "xyz");
