// A kept pose as a small picture: its bones, seen from before it and a little from the side. Drawn from the
// pose itself by whoever is on the stage, so it costs nothing to keep and always shows who would strike it.
import { useMemo } from "preact/hooks";
import * as THREE from "three";
import { STRIDE } from "../stage/poses.ts";
import type { Skeleton } from "./skeleton.ts";

type Joints = Readonly<Record<string, readonly number[]>>;

export interface Bone {
  from: [number, number];
  to: [number, number];
  /** How thick, of the picture. */
  width: number;
}

/** From how far aside it is looked at [rad]. */
const ASIDE = 0.6;
/** How much of the picture is left around, and how thick bones of light and of heavy bodies are. */
const [ROOM, THIN, THICK] = [0.12, 0.035, 0.11];

/** Bones in a square from 0 to 1, down as pictures go, the farthest first; none of who cannot be placed. */
export function bones(skeleton: Skeleton, joints: Joints): Bone[] {
  const q = skeleton.joints.flatMap(({ kind, size }, body) => {
    const value = joints[skeleton.name(body)];
    if (value?.length === size) return [...value];
    const still = { ball: [1, 0, 0, 0], free: [0, 0, 0, 1, 0, 0, 0] }[kind as "ball" | "free"];
    return still ?? Array<number>(size).fill(0);
  });
  const places = skeleton.placed(q);
  if (!places) return [];
  const at = (body: number) => new THREE.Vector3().fromArray(places, body * STRIDE);
  const right = new THREE.Vector3(0, 1, 0); // of the picture: the left of who looks at us
  for (const limb of ["thigh", "upper arm", "foreleg"]) {
    const sides = ["left", "right"].map((side) =>
      skeleton.joints.findIndex((j) => j.limb === limb && j.side === side),
    );
    if (sides.some((body) => body < 0)) continue;
    const across = at(sides[0]!).sub(at(sides[1]!)).setZ(0);
    if (across.lengthSq() < 1e-9) continue;
    right.copy(across).normalize();
    break;
  }
  right.applyAxisAngle(new THREE.Vector3(0, 0, 1), ASIDE);
  const away = new THREE.Vector3().crossVectors(new THREE.Vector3(0, 0, 1), right);
  const heaviest = Math.max(...skeleton.joints.map((j) => j.mass), 1e-9);
  const parents = skeleton.parents;
  const seen = (p: THREE.Vector3): [number, number] => [p.dot(right), -p.z];
  const made = skeleton.joints.flatMap(({ mass, centre }, body) => {
    const up = parents[body]!;
    const width = THIN + (THICK - THIN) * Math.sqrt(Math.min(1, (mass || 0) / heaviest));
    const bone = (from: THREE.Vector3, to: THREE.Vector3) =>
      from.distanceTo(to) < 1e-6
        ? []
        : [{ from: seen(from), to: seen(to), width, depth: from.clone().add(to).dot(away) }];
    // What ends a limb has its mass half-way to its tip.
    const turn = new THREE.Quaternion().fromArray(places, body * STRIDE + 3);
    const tip = at(body).addScaledVector(new THREE.Vector3(...centre).applyQuaternion(turn), 2);
    return [
      ...(up < 0 ? [] : bone(at(up), at(body))),
      ...(parents.includes(body) ? [] : bone(at(body), tip)),
    ];
  });
  const all = made.flatMap(({ from, to }) => [from, to]);
  const [low, high] = [Math.min, Math.max].map((of) => [0, 1].map((k) => of(...all.map((p) => p[k]!)))) as [
    [number, number],
    [number, number],
  ];
  const size = Math.max(high[0] - low[0], high[1] - low[1], 1e-9) / (1 - 2 * ROOM);
  const fitted = ([x, y]: [number, number]): [number, number] => [
    0.5 + (x - 0.5 * (low[0] + high[0])) / size,
    0.5 + (y - 0.5 * (low[1] + high[1])) / size,
  ];
  return made
    .sort((a, b) => b.depth - a.depth)
    .map(({ from, to, width }) => ({ from: fitted(from), to: fitted(to), width }));
}

export function PosePicture({ skeleton, joints }: { skeleton: Skeleton; joints: Joints }) {
  const drawn = useMemo(() => bones(skeleton, joints), [skeleton, joints]);
  return (
    <svg class="pose-picture" viewBox="0 0 1 1" aria-hidden="true">
      {drawn.map(({ from, to, width }, k) => (
        <line key={k} x1={from[0]} y1={from[1]} x2={to[0]} y2={to[1]} stroke-width={width} />
      ))}
    </svg>
  );
}
