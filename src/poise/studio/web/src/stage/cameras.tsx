// Cameras of the stage: plans from the front, the side and above, and one that goes along with the figure.
import { signal } from "@preact/signals";
import * as THREE from "three";
import type { FigurePacket } from "../messages.ts";
import { remembered } from "../shell/remembered.ts";
import { camerasOf, through } from "../shots.ts";
import type { Store } from "../store.ts";
import { type Poses, STRIDE } from "./poses.ts";
import { CUTS } from "./shots.ts";

export const PLANS = ["front", "back", "right", "left", "top"] as const;
/** Along an axis of the world, from either side. */
export type Axial = `${"+" | "-"}${"x" | "y" | "z"}`;
export type Plan = (typeof PLANS)[number];
export type Camera = "free" | Plan | Axial;
export const camera = signal<Camera>("free");
/** Whether the camera goes along. */
export const along = remembered("along", false);

/** What the same key shows when it is pressed again. */
const OTHER: Partial<Record<Camera, Camera>> = { front: "back", back: "front", right: "left", left: "right" };
/** Who faces an axis so nearly is looked at along it: places have round numbers there [rad]. */
const NEARLY = (20 * Math.PI) / 180;
/** A path counts as a way to go from so many sizes of the figure on, as for films. */
const GOES = 0.6;
/** Where somebody is, is smoothed over so long [s]: hips sway. */
const SMOOTH = 0.5;

/** Choose a view; chosen again, it is seen from its other side. */
export function choose(view: Camera): void {
  look(camera.value === view && !through.value ? (OTHER[view] ?? view) : view);
}

/** One's own view, not that of a camera of the project. */
export function look(view: Camera): void {
  through.value = "";
  camera.value = view;
}

/** Which way the motion goes or, where it goes nowhere, the figure faces [rad about z from +x]. */
export function facing(poses: Poses, figure: FigurePacket | undefined, size: number): number {
  const at = (frame: number, body: number): THREE.Vector2 =>
    new THREE.Vector2().fromArray(poses.values, (frame * poses.bodies + body) * STRIDE);
  const path = at(poses.frames - 1, 0).sub(at(0, 0));
  if (path.length() > GOES * size) return snapped(path.angle());
  const joints = figure?.joints ?? [];
  for (const limb of ["thigh", "upper arm", "foreleg"]) {
    const [left, right] = ["left", "right"].map((side) =>
      joints.findIndex((j) => j.limb === limb && j.side === side),
    ) as [number, number];
    if (left < 0 || right < 0) continue;
    const across = at(0, left).sub(at(0, right));
    if (across.length() > 1e-6) return snapped(across.angle() - 0.5 * Math.PI);
  }
  return 0;
}

const snapped = (angle: number): number => {
  const axis = 0.5 * Math.PI * Math.round(angle / (0.5 * Math.PI));
  return Math.abs(angle - axis) < NEARLY ? axis : angle;
};

/** Where a plan is seen from: who goes to the right of the picture is seen from the right side and above. */
export function wayOf(view: Exclude<Camera, "free">, heading: number): THREE.Vector3 {
  if (view.length === 2) {
    const way = new THREE.Vector3().setComponent("xyz".indexOf(view[1]!), view[0] === "+" ? 1 : -1);
    return way.z ? way.setX(0).setY(-1e-5).normalize() : way; // x to the right, as maps have it
  }
  const plan = view as Plan;
  const turned = { front: 0, back: Math.PI, right: -0.5 * Math.PI, left: 0.5 * Math.PI, top: -0.5 * Math.PI };
  const steep = plan === "top" ? 0.5 * Math.PI - 1e-5 : 0;
  const azimuth = heading + turned[plan];
  return new THREE.Vector3(
    Math.cos(azimuth) * Math.cos(steep),
    Math.sin(azimuth) * Math.cos(steep),
    Math.sin(steep),
  );
}

/** Where a body of the figure is on the floor about a frame, without its sway. */
export function middle(poses: Poses, frame: number, fps: number, body = 0): THREE.Vector3 {
  const half = Math.max(1, Math.round(0.5 * SMOOTH * fps));
  const found = new THREE.Vector3();
  const last = poses.frames - 1;
  for (let k = -half; k <= half; k++) {
    // Each end is gone beyond as it was come to: a mean of fewer frames would jerk there.
    const inside = (f: number): THREE.Vector3 => {
      const low = Math.min(Math.max(Math.floor(f), 0), last);
      const share = Math.min(Math.max(f - low, 0), 1);
      const a = new THREE.Vector3().fromArray(poses.values, (low * poses.bodies + body) * STRIDE);
      const next = Math.min(low + 1, last);
      const b = new THREE.Vector3().fromArray(poses.values, (next * poses.bodies + body) * STRIDE);
      return a.lerp(b, share).setZ(0);
    };
    const f = frame + k;
    const end = Math.min(Math.max(f, 0), last);
    const place = inside(end);
    if (end !== f) place.multiplyScalar(2).sub(inside(Math.min(Math.max(2 * end - f, 0), last)));
    found.add(place);
  }
  return found.divideScalar(2 * half + 1);
}

/** The buttons over the stage. */
export function Cameras({ store }: { store: Store }) {
  const now = camera.value;
  const own = Object.keys(camerasOf(store));
  const on = (shown: readonly Camera[]) => shown.includes(now) && !through.value;
  const button = (view: Camera, name: string, shown: readonly Camera[], title: string) => (
    <button aria-pressed={on(shown)} title={title} onClick={() => choose(view)}>
      {on(shown) && now !== view ? `${now[0]!.toUpperCase()}${now.slice(1)}` : name}
    </button>
  );
  return (
    <div class="cameras" data-part="cameras">
      <fieldset class="tabs" aria-label="camera">
        {button("free", "Persp", ["free"], "in perspective; drag to turn (0)")}
        {button("front", "Front", ["front", "back"], "from the front; again: from the back (1)")}
        {button("right", "Side", ["right", "left"], "from the right; again: from the left (3)")}
        {button("top", "Top", ["top"], "from above (7)")}
      </fieldset>
      {own.length > 0 && (
        <select
          aria-label="look through"
          title="look through a camera of the project, or as its cuts say (N)"
          value={through.value}
          onChange={(e) => {
            through.value = e.currentTarget.value;
          }}
        >
          <option value="">own view</option>
          <option value={CUTS}>cuts</option>
          {own.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
      <button
        aria-pressed={along.value}
        title="camera follows the figure (V)"
        onClick={() => {
          along.value = !along.value;
        }}
      >
        Follow
      </button>
    </div>
  );
}
