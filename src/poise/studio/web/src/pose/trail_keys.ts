// Keys on the trail of the picked body: each stands where the body is at its frame, and is dragged from
// there, whatever frame is shown: the body follows and is keyed at the key's own frame.
import { type Handle, length, minus, type Place } from "../stage/handle.ts";
import { STRIDE } from "../stage/poses.ts";
import type { Store } from "../store.ts";
import { editsOf, posedLayer } from "./keys.ts";

/** More of them would hide the trail. */
const MOST = 40;
/** Where a key is nearer to the body than this, of the figure's size, a press means the body. */
const APART = 0.04;

/** Frames of keys that have to do with where a body is: of itself, and of what carries it. */
export function trailFrames(store: Store, body: number): number[] {
  const there = posedLayer(store);
  const bodies = store.figure.value?.bodies ?? [];
  if (!there || body < 0) return [];
  const carries = new Set<string>();
  for (let k = body; k >= 0; k = bodies[k]!.parent) carries.add(bodies[k]!.name);
  const own = editsOf(there).filter((edit) => Object.keys(edit.joints).some((name) => carries.has(name)));
  const frames = new Set(own.map((edit) => Math.round(edit.time * store.fps.value)));
  return [...frames].sort((a, b) => a - b);
}

/** Those that are not of the frame that is shown, the nearest of them. */
export function trailKeys(store: Store, body: number, size: number): Handle[] {
  const poses = store.posed.value;
  const name = store.pointOf(body);
  if (!poses || !name) return [];
  const now = Math.round(store.player.frame.value);
  const fps = store.fps.value;
  const at = (frame: number): Place => {
    const k = (frame * poses.bodies + body) * STRIDE;
    const { values } = poses;
    return [values[k]!, values[k + 1]!, values[k + 2]! - store.lift.value];
  };
  const here = at(Math.min(now, poses.frames - 1));
  return trailFrames(store, body)
    .filter((frame) => frame !== now && frame >= 0 && frame < poses.frames)
    .filter((frame) => length(minus(at(frame), here)) > APART * size)
    .sort((a, b) => Math.abs(a - now) - Math.abs(b - now))
    .slice(0, MOST)
    .map((frame): Handle => {
      const place = at(frame);
      // The press goes to the key's frame; only there the body can be pulled.
      let pulled: Handle | undefined;
      return {
        id: `pose:${name}@${frame}`,
        selects: [],
        layers: [],
        kind: "keyed",
        name: `${name} at frame ${frame}`,
        does: "drag its key on the trail: the body follows",
        place,
        times: [frame / fps, frame / fps],
        over: "view",
        follow: (to) => {
          pulled ??= store.posing.grasp(body, name, place);
          pulled?.follow?.(to);
        },
        settled: (to) => pulled?.settled?.(to) ?? Promise.resolve(),
        edit: () => ({ do: "nothing" }) as never,
      };
    });
}
