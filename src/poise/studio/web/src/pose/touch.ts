// What is pulled comes to rest on what is there: near a surface the point goes where the body just
// touches it.
// With n the surface's outward normal at its nearest place s, and v the vertices of the body about the point,
//     p = s + n · max(−n·v)
// so that a sole lies flat on a box, a palm on a table, and a hand round a bar touches it from outside.
import * as THREE from "three";
import { GROUND, type Surface } from "../layer.ts";
import { verticesOf } from "../stage/body_shapes.ts";
import { type Handle, type Place, plus } from "../stage/handle.ts";
import { STRIDE } from "../stage/poses.ts";
import { barOf, cylinderOf, groundOf, halfOf, radiusOf, stairsOf, turned } from "../stage/surfaces.ts";
import type { Store } from "../store.ts";
import { placeAt } from "../time/surface_track.ts";
import { takenSurfaces, worldSource, worldSurfaces } from "../world.ts";
import { past } from "./posing.ts";

/** So near to a surface, as it is seen, what is pulled goes to it [px]. */
const NEAR = 12;

export interface Touch {
  place: Place;
  /** The surface that it rests on. */
  on: string;
}

/** The nearest place of a surface, and the way out of it there. */
interface Near {
  at: THREE.Vector3;
  out: THREE.Vector3;
}

/** Where a point rests that is wanted at a place, if a surface is that near [m]; `reach` says how far the
 * body goes from the point along a direction. */
export function touching(
  wanted: Place,
  surfaces: readonly Surface[],
  time: number,
  within: number,
  reach: (way: THREE.Vector3) => number,
): Touch | undefined {
  let best: Touch | undefined;
  let least = within;
  for (const surface of surfaces) {
    for (const { at, out } of nearest(surface, time, new THREE.Vector3(...wanted))) {
      const rest = at.addScaledVector(out, Math.max(reach(out.clone().negate()), 0));
      const away = rest.distanceTo(new THREE.Vector3(...wanted));
      if (away < least) [best, least] = [{ place: rest.toArray() as Place, on: surface.name }, away];
    }
  }
  return best;
}

/** How far a body goes from one of its points along a direction of the world [m]; `vertices` and the point
 * are in the body's frame, which is turned. */
export function reachAlong(
  vertices: ArrayLike<number>,
  point: Place,
  turn: THREE.Quaternion,
): (way: THREE.Vector3) => number {
  return (way) => {
    const own = way.clone().applyQuaternion(turn.clone().conjugate());
    const from = own.dot(new THREE.Vector3(...point));
    let most = 0;
    for (let k = 0; k < vertices.length; k += 3)
      most = Math.max(
        most,
        own.x * vertices[k]! + own.y * vertices[k + 1]! + own.z * vertices[k + 2]! - from,
      );
    return most;
  };
}

/** In the world; of boxes and steps one for each, so that the nearest counts. */
function nearest(surface: Surface, time: number, place: THREE.Vector3): Near[] {
  const turn = turned(surface.turn);
  const middle = new THREE.Vector3(...placeAt(surface, time));
  const own = place.clone().sub(middle).applyQuaternion(turn.clone().conjugate());
  return inside(surface, own).map(({ at, out }) => ({
    at: at.applyQuaternion(turn).add(middle),
    out: out.applyQuaternion(turn),
  }));
}

/** In the surface's own frame. */
function inside({ shape }: Surface, p: THREE.Vector3): Near[] {
  switch (shape.kind) {
    case GROUND: {
      const { height, slope } = groundOf(shape);
      const out = new THREE.Vector3(-slope[0], -slope[1], 1).normalize();
      const off = (p.z - height - slope[0] * p.x - slope[1] * p.y) * out.z;
      return [{ at: p.clone().addScaledVector(out, -off), out }];
    }
    case "box":
      return [onBox(p, new THREE.Vector3(), new THREE.Vector3(...halfOf(shape)))];
    case "stairs": {
      const [steps, rise, run, width] = stairsOf(shape);
      return Array.from({ length: steps }, (_, k) => {
        const half = new THREE.Vector3(run / 2, width / 2, ((k + 1) * rise) / 2);
        return onBox(p, new THREE.Vector3((k + 0.5) * run, 0, half.z), half);
      });
    }
    case "ball":
      return [round(p, new THREE.Vector3(), radiusOf(shape))];
    case "bar": {
      const [long, radius] = barOf(shape);
      const along = Math.min(Math.max(p.x, -long / 2), long / 2);
      return [round(p, new THREE.Vector3(along, 0, 0), radius)];
    }
    case "cylinder": {
      const [radius, height] = cylinderOf(shape);
      const half = height / 2;
      const level = Math.min(Math.max(p.z, -half), half);
      const side = round(p.clone().setZ(level), new THREE.Vector3(0, 0, level), radius);
      const far = Math.min(1, radius / Math.max(Math.hypot(p.x, p.y), 1e-9));
      const top: Near = {
        at: new THREE.Vector3(far * p.x, far * p.y, half),
        out: new THREE.Vector3(0, 0, 1),
      };
      return [side, top];
    }
    default:
      return [];
  }
}

function round(p: THREE.Vector3, centre: THREE.Vector3, radius: number): Near {
  const out = p.clone().sub(centre);
  if (out.lengthSq() < 1e-18) out.set(0, 0, 1);
  out.normalize();
  return { at: centre.clone().addScaledVector(out, radius), out };
}

/** The face that a place is outermost of; for places beside it, the nearest place of that face. */
function onBox(p: THREE.Vector3, centre: THREE.Vector3, half: THREE.Vector3): Near {
  const own = p.clone().sub(centre);
  const over = (i: number) => Math.abs(own.getComponent(i)) - half.getComponent(i);
  const face = [0, 1, 2].sort((a, b) => over(b) - over(a))[0]!;
  const out = new THREE.Vector3().setComponent(face, Math.sign(own.getComponent(face)) || 1);
  const at = own.clamp(half.clone().negate(), half);
  at.setComponent(face, out.getComponent(face) * half.getComponent(face));
  return { at: at.add(centre), out };
}

/** The surfaces that are there: the project's; else those of the take that are sure, and a floor. */
export function surfacesThere(store: Store): Surface[] {
  const own = worldSurfaces(store).filter((s) => !s.muted && !s["carried"]);
  if (own.length) return own;
  const asked = new Set(store.carried.value?.surfaces.filter((s) => s.asked).map((s) => s.name));
  const sure = takenSurfaces(store).filter((s) => !asked.has(s.name));
  const floor: Surface = { name: "floor", shape: { kind: GROUND, height: -store.lift.value } };
  const ground = sure.some((s) => s.shape.kind === GROUND) || worldSource(store);
  return ground ? sure : [floor, ...sure];
}

/** A handle that pulls a point of a body, which comes to rest on what is near: anywhere with Alt. */
export function resting(
  store: Store,
  handle: Handle,
  body: number,
  point: Place,
  perPixel: (at: THREE.Vector3) => number,
): Handle {
  // Found out once it is pulled: many a handle is only pointed at.
  let known: { vertices: readonly number[]; surfaces: readonly Surface[] } | undefined;
  const there = () => {
    const looks = store.looks.value;
    known ??= { vertices: looks ? verticesOf(looks, body) : [], surfaces: surfacesThere(store) };
    return known;
  };
  let on = "";
  return {
    ...handle,
    settle: (place, axis) => {
      on = "";
      const pose = store.posing.places();
      if (!pose || past.value) return place;
      const { vertices, surfaces } = there();
      const time = Math.round(store.player.frame.value) / store.fps.value;
      const turn = new THREE.Quaternion().fromArray(pose, body * STRIDE + 3);
      const lifted = new THREE.Vector3(place[0], place[1], place[2] + store.lift.value);
      const found = touching(
        place,
        surfaces,
        time,
        NEAR * perPixel(lifted),
        reachAlong(vertices, point, turn),
      );
      if (!found || !alongAxis(place, found.place, axis)) return place;
      on = found.on;
      return found.place;
    },
    says: () => (on ? `on ${on} (Alt: freely)` : ""),
  };
}

/** Whether it rests where a drag may put it: only along the axis that a drag is locked to. */
export const alongAxis = (wanted: Place, rest: Place, axis: string): boolean =>
  !axis || "xyz".split("").every((name, i) => name === axis || Math.abs(plus(rest, wanted, -1)[i]!) < 1e-9);
