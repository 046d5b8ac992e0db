// Out of balance: the hips are pulled, with the feet where they stand, until the centre of mass is over them.
import type { Place } from "../stage/handle.ts";
import { STRIDE } from "../stage/poses.ts";
import type { Store } from "../store.ts";
import { standsAt } from "./posing.ts";
import { margin } from "./skeleton.ts";

/** So far inside the edge of the feet the weight comes to rest [m]. */
const INSIDE = 0.02;
/** The hips move the centre of mass by less than themselves: so many pulls at most. */
const PULLS = 4;

/** Shift the hips: seen at once, keyed where that is wanted, one step of undo. Whether it was enough. */
export async function shiftHips(store: Store): Promise<boolean> {
  const { posing } = store;
  const skeleton = posing.skeleton.value;
  const root = skeleton?.joints.findIndex((joint) => joint.kind === "free") ?? -1;
  if (!skeleton || root < 0) return false;
  const held = posing.held();
  let joints: Record<string, number[]> = {};
  let off = Infinity;
  for (let pull = 0; pull < PULLS; pull++) {
    const [found, places] = [standsAt(store, posing), posing.places()];
    if (!found || !places || found.polygon.length < 3) break;
    off = wayInside(found.centre, found.polygon).reduce((sum, v) => sum + Math.abs(v), 0);
    if (off < 1e-3) break;
    const [x, y] = wayInside(found.centre, found.polygon);
    const k = root * STRIDE;
    const from: Place = [places[k]!, places[k + 1]!, places[k + 2]! - store.lift.value];
    const to: Place = [from[0] + x!, from[1] + y!, from[2]];
    const hips = posing.grasp(root, skeleton.name(root), from);
    hips?.follow?.(to);
    await hips?.settled?.(to);
    const pose = posing.pending.value;
    if (!pose) break;
    joints = { ...joints, ...pose.joints };
    posing.pending.value = { ...pose, joints };
  }
  held.drop();
  const now = standsAt(store, posing);
  const enough = (now?.margin ?? -1) > 0;
  if (!enough)
    store.note("the hips alone cannot bring the weight over the feet: move a foot as well", "problem");
  return enough;
}

/** How far a place is to go to be well inside a polygon, towards its middle [m]. */
export function wayInside(
  [x, y]: readonly number[],
  polygon: readonly (readonly number[])[],
): [number, number] {
  const middle = [0, 1].map((i) => polygon.reduce((sum, p) => sum + p[i]!, 0) / polygon.length);
  const way: [number, number] = [middle[0]! - x!, middle[1]! - y!];
  const room = Math.min(INSIDE, 0.5 * (margin(middle, polygon) ?? 0));
  const inside = (share: number) =>
    (margin([x! + share * way[0], y! + share * way[1]], polygon) ?? 0) >= room;
  if (inside(0)) return [0, 0];
  let [low, high] = [0, 1];
  for (let k = 0; k < 30; k++) {
    const half = (low + high) / 2;
    if (inside(half)) high = half;
    else low = half;
  }
  return [high * way[0], high * way[1]];
}
