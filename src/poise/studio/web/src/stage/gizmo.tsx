// The axes of the world in the corner of the stage, as the camera sees them: a click on one looks along it;
// and how the camera is turned about what it looks at, for keys.
import { signal } from "@preact/signals";
import * as THREE from "three";
import { through } from "../shots.ts";
import { type Axial, type Camera, camera, look as lookFrom } from "./cameras.tsx";

/** How the camera is turned: the directions to its right, up and towards it, in the world. */
export type Turned = readonly (readonly [number, number, number])[];
export const turned = signal<Turned>([
  [1, 0, 0],
  [0, 0, 1],
  [0, -1, 0],
]);
/** It is drawn anew when any of that changes by more. */
const SEEN = 2e-3;
/** Half as wide as it is, how long its axes are, and its balls [px]. */
const [HALF, LONG, BALL] = [34, 24, 8];
const NAMES = ["x", "y", "z"] as const;

/** Before each picture: how the camera is turned by now. */
export function seenFrom(of: THREE.Camera): void {
  const found = [0, 1, 2].map((k) => {
    const [x, y, z] = new THREE.Vector3().setFromMatrixColumn(of.matrixWorld, k).toArray();
    return [x, y, z] as const;
  });
  const far = found.some((way, k) => way.some((v, i) => Math.abs(v - turned.peek()[k]![i]!) > SEEN));
  if (far) turned.value = found;
}

export interface Ball {
  view: Axial;
  axis: (typeof NAMES)[number];
  /** In the picture, to the right and down [px], and how near it is to the camera, −1 … 1. */
  x: number;
  y: number;
  near: number;
}

/** Both ends of each axis, the farthest first. */
export function balls([right, up, back]: Turned): Ball[] {
  const found = NAMES.flatMap((axis, k) =>
    ([1, -1] as const).map((sign): Ball => {
      const along = (way: readonly number[] | undefined) => sign * way![k]!;
      return {
        view: `${sign > 0 ? "+" : "-"}${axis}`,
        axis,
        x: LONG * along(right),
        y: -LONG * along(up),
        near: along(back),
      };
    }),
  );
  return found.sort((a, b) => a.near - b.near);
}

/** The other side of a view along an axis. */
export const opposite = (view: Camera): Camera =>
  view.startsWith("+")
    ? (`-${view.slice(1)}` as Axial)
    : view.startsWith("-")
      ? (`+${view.slice(1)}` as Axial)
      : view;

export function Gizmo() {
  return (
    <svg
      class="gizmo"
      data-part="gizmo"
      viewBox={`${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}`}
      width={2 * HALF}
      height={2 * HALF}
    >
      <title>axes of the world: a click looks along one</title>
      {balls(turned.value).map(({ view, axis, x, y, near }) => {
        const away = view.startsWith("-");
        const look = () => {
          lookFrom(camera.value === view && !through.value ? opposite(view) : view);
        };
        return (
          // biome-ignore lint/a11y/useSemanticElements: a button cannot stand in a drawing.
          <g
            key={view}
            class={`axis ${axis} ${away ? "away" : ""}`}
            role="button"
            tabindex={0} // as drawings spell it
            aria-label={`look from ${view}`}
            aria-pressed={camera.value === view}
            style={{ opacity: 0.75 + 0.25 * near }}
            onClick={look}
            onKeyDown={(e) => {
              if (e.key !== "Enter" && e.key !== " ") return;
              e.preventDefault();
              e.stopPropagation();
              look();
            }}
          >
            <title>look from {view}; again: from the other side</title>
            {!away && <line x1={0} y1={0} x2={x} y2={y} />}
            <circle cx={x} cy={y} r={BALL} />
            {!away && (
              <text x={x} y={y}>
                {axis.toUpperCase()}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

/** A camera turned about what it looks at, to the right and up [rad]; never over the pole. */
export function orbited(
  camera: THREE.Camera,
  target: THREE.Vector3,
  right: number,
  up: number,
  lowest = Math.PI,
): THREE.Vector3 {
  const away = camera.position.clone().sub(target);
  const far = away.length();
  const azimuth = Math.atan2(away.y, away.x) + right;
  const polar = Math.min(Math.max(Math.acos(away.z / far) - up, 1e-3), lowest);
  return new THREE.Vector3(
    Math.sin(polar) * Math.cos(azimuth),
    Math.sin(polar) * Math.sin(azimuth),
    Math.cos(polar),
  )
    .multiplyScalar(far)
    .add(target);
}
