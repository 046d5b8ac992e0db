// The hips of a pose that is off balance are shifted until the centre of mass is over what carries it: the
// poser answers each step, feet that stand stay, and the whole is keyed as one pull.
import { effect } from "@preact/signals";
import { type Place, plus } from "../stage/handle.ts";
import type { Store } from "../store.ts";
import { balanced, standsAt } from "./posing.ts";
import { margin } from "./skeleton.ts";

/** So far within what carries it the centre of mass is brought, where there is room [m]. */
export const SURE = 0.02;
/** Less room than this is none [m]; and so often all edges are gone through. */
const LEAST = 1e-4;
const ROUNDS = 60;
/** Not all of the body goes as far as the hips: so many steps are taken at most. */
const STEPS = 6;
/** A poser that has just begun loads its code first [ms]. */
const PATIENCE = 30_000;

/** The way over the floor that brings a point so far inside a convex polygon, or as far as there is room. */
export function inward(
  point: readonly number[],
  polygon: readonly (readonly number[])[],
  by = SURE,
): [number, number] {
  const [x, y] = within(point, polygon, by);
  const inside = margin([x, y], polygon) ?? 0;
  return inside >= 0.5 * by || by < LEAST ? [x - point[0]!, y - point[1]!] : inward(point, polygon, by / 2);
}

/** A point put to the inner side of every edge, one after another. */
function within(
  point: readonly number[],
  polygon: readonly (readonly number[])[],
  by: number,
): [number, number] {
  const edges = polygon.map((a, k) => [a, polygon[(k + 1) % polygon.length]!] as const);
  const area = edges.reduce((sum, [a, b]) => sum + a[0]! * b[1]! - b[0]! * a[1]!, 0);
  const turn = area < 0 ? -1 : 1;
  let [x, y] = [point[0]!, point[1]!];
  for (let round = 0; round < ROUNDS; round++)
    for (const [a, b] of edges) {
      const [ux, uy] = [b[0]! - a[0]!, b[1]! - a[1]!];
      const long = Math.hypot(ux, uy);
      if (!long) continue;
      const inside = (turn * ((y - a[1]!) * ux - (x - a[0]!) * uy)) / long;
      const lack = turn * Math.max(by - inside, 0);
      x -= (lack * uy) / long;
      y += (lack * ux) / long;
    }
  return [x, y];
}

export async function shiftHips(store: Store): Promise<void> {
  const { posing } = store;
  const places = posing.places();
  const root = store.pointOf(0);
  if (!places || !root) return;
  posing.finish();
  let to: Place = [places[0]!, places[1]!, places[2]! - store.lift.value];
  const handle = posing.grasp(0, root, to);
  if (!handle?.follow) return;
  const posed = posing.held();
  const kept = balanced.peek();
  for (let step = 0; step < STEPS; step++) {
    const stands = standsAt(store, posing);
    if (stands?.margin === undefined || stands.margin >= 0.5 * SURE) break;
    const [x, y] = inward(stands.centre, stands.polygon);
    to = plus(to, [x, y, 0]);
    const answer = answered(store);
    balanced.value = false; // the centre of mass is what is to move
    handle.follow(to);
    balanced.value = kept;
    if (!(await answer)) break;
  }
  await posing.settle(handle.settled?.(to) ?? Promise.resolve(), posed);
}

/** Whether the next pull was answered. */
function answered({ posing }: Store): Promise<boolean> {
  const before = posing.delays.length;
  return new Promise((resolve) => {
    const end = (found: boolean) => {
      clearTimeout(late);
      queueMicrotask(() => stop());
      resolve(found);
    };
    const late = setTimeout(() => end(false), PATIENCE);
    const stop = effect(() => {
      void posing.pending.value;
      if (posing.delays.length > before) end(true);
    });
  });
}
