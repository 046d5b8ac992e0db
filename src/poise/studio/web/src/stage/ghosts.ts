// The figure at other times. What is behind is warm, what is to come cool, and both fade with distance in
// time. The result is filled, the motion below it drawn as bones, as they are at the current frame. Ghosts
// are drawn before everything that is there now, so that a motion in place is not tinted by its own past.
import * as THREE from "three";
import type { BodyShape } from "./body_shapes.ts";
import { BoneLines } from "./bone_lines.ts";
import { Figure, type Looks } from "./figure.ts";
import { differs, type Poses, STRIDE } from "./poses.ts";

export const GHOSTS = 8;
export const PAST = "#d9773f";
export const FUTURE = "#3f8fd9";
/** What is left of the farthest ones. */
const FAINT = 0.3;

/** A number beside a ghost. */
export interface Dated {
  frame: number;
  at: THREE.Vector3;
}

interface Ghost {
  result: Figure;
  below: BoneLines;
}

export class Ghosts {
  readonly group = new THREE.Group();
  /** Those that are shown, the nearest in time first. */
  dated: Dated[] = [];
  private ghosts: Ghost[] = [];
  private readonly places = { result: new Float32Array(), below: new Float32Array() };

  figure(looks: Looks | undefined, shapes: readonly BodyShape[] = []): void {
    for (const { result, below } of this.ghosts) {
      this.group.remove(result.mesh, below.group);
      result.dispose();
      below.dispose();
    }
    this.ghosts = looks
      ? Array.from({ length: GHOSTS }, () => ({
          result: new Figure(looks, "ghost"),
          below: new BoneLines(looks, shapes, FUTURE, "ghost"),
        }))
      : [];
    for (const { result, below } of this.ghosts) this.group.add(result.mesh, below.group);
    const size = (looks?.bodies.length ?? 0) * STRIDE;
    this.places.result = new Float32Array(size);
    this.places.below = new Float32Array(size);
  }

  /** The motion below, where one is given, is shown where it is elsewhere by more than `by` [m]. */
  at(
    now: number,
    frames: readonly number[],
    result: Poses | undefined,
    below: Poses | undefined,
    by: number,
  ): void {
    const wanted = frames
      .filter((f) => result && f >= 0 && f < result.frames)
      .sort((a, b) => Math.abs(a - now) - Math.abs(b - now));
    this.dated = [];
    this.ghosts.forEach((ghost, k) => {
      const frame = wanted[k];
      ghost.result.mesh.visible = frame !== undefined;
      ghost.below.group.visible = false;
      if (frame === undefined || !result) return;
      const { colour, strength } = tone(frame, now, wanted);
      const places = result.sample(frame, this.places.result);
      ghost.result.tint(colour, strength);
      ghost.result.pose(places, result.morphs(frame));
      this.dated.push({ frame, at: top(places) });
      if (!below || below.bodies !== result.bodies || frame >= below.frames) return;
      const other = below.sample(frame, this.places.below);
      ghost.below.group.visible = differs(places, other, by);
      if (!ghost.below.group.visible) return;
      ghost.below.tint(colour, strength);
      ghost.below.pose(other);
    });
  }
}

/** The colour of a time and how strong it is there: full next to now, faint at the farthest. */
export function tone(
  frame: number,
  now: number,
  frames: readonly number[],
): { colour: string; strength: number } {
  const near = Math.min(...frames.map((f) => Math.abs(f - now)));
  const far = Math.max(...frames.map((f) => Math.abs(f - now)));
  const share = far > near ? (Math.abs(frame - now) - near) / (far - near) : 0;
  return { colour: frame < now ? PAST : FUTURE, strength: 1 - (1 - FAINT) * share };
}

/** Frames for ghosts: the keys nearest to the current frame, or every few frames on both sides. */
export function ghostFrames(frame: number, frames: number, keys: readonly number[]): number[] {
  const near = Math.round(frame);
  const chosen = [...new Set(keys.map(Math.round))].filter((k) => k !== near);
  if (chosen.length) return chosen.sort((a, b) => Math.abs(a - near) - Math.abs(b - near)).slice(0, GHOSTS);
  const step = Math.max(6, Math.round(Math.min(frames, 240) / 14));
  const around: number[] = [];
  for (let k = 1; around.length < GHOSTS && k <= GHOSTS; k++) around.push(near - k * step, near + k * step);
  return around.filter((f) => f >= 0 && f < frames).slice(0, GHOSTS);
}

/** Above the highest joint. */
function top(places: Float32Array): THREE.Vector3 {
  const found = new THREE.Vector3(0, 0, -Infinity);
  for (let k = 0; k < places.length; k += STRIDE) if (places[k + 2]! > found.z) found.fromArray(places, k);
  return found;
}
