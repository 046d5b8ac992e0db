// What can be reached with the pointer on the stage, and what is known of where things are.
import * as THREE from "three";
import { type FacePoints, graspFace } from "../pose/face_drag.ts";
import { tool } from "../pose/posing.ts";
import { resting } from "../pose/touch.ts";
import type { Bench } from "../shell/actions.ts";
import type { Store } from "../store.ts";
import { reportOf } from "../time/lane_context.ts";
import { type BodyShape, pickBody } from "./body_shapes.ts";
import type { BoneLines } from "./bone_lines.ts";
import type { Figure } from "./figure.ts";
import { graspBody, graspCentre, graspJoint, graspSoft, inBody, pointNear, turnAt } from "./grasp.ts";
import type { Handle, Place, Surroundings } from "./handle.ts";
import type { Marks } from "./marks.ts";
import type { Reach } from "./pointers.ts";
import { STRIDE } from "./poses.ts";
import { nearestVertex, type SoftMesh } from "./soft_mesh.ts";
import type { Stage } from "./stage.ts";

/** Places of a face within so many pixels of the pointer are meant. */
const FACE_REACH = 10;

/** Who is on the stage: the result, and the motion below it. */
export interface Cast {
  solid: Figure;
  outline: Figure;
  bones: BoneLines;
  shapes: BodyShape[];
  face: FacePoints | undefined;
  now: Float32Array;
  below: Float32Array;
}

/** A point of what is worn, where a ray meets that before the body. */
function softUnder(
  store: Store,
  worn: readonly SoftMesh[],
  ray: THREE.Raycaster,
  body: THREE.Vector3 | undefined,
): Handle | undefined {
  const before = body ? body.distanceTo(ray.ray.origin) : Infinity;
  for (const mesh of worn) {
    const found = mesh.pick(ray);
    if (!found || found.away > before) continue;
    const { header, rest } = mesh.about(found.vertex);
    const at = mesh.vertex(found.vertex);
    const place: Place = [at.x, at.y, at.z - store.lift.value];
    return graspSoft(store, { ...header, rest }, place);
  }
  return undefined;
}

/** While posing, a named point of a body is pulled. */
function pulling(store: Store, stage: Stage, { now }: Cast, body: number, point: string): Handle | undefined {
  const own = store.figure.value?.places?.find((p) => p.name === point)?.position as Place | undefined;
  const k = body * STRIDE;
  const place = new THREE.Vector3(...(own ?? [0, 0, 0]))
    .applyQuaternion(new THREE.Quaternion().fromArray(now, k + 3))
    .add(new THREE.Vector3().fromArray(now, k));
  const pulled = store.posing.grasp(body, point, [place.x, place.y, place.z - store.lift.value]);
  return pulled && resting(store, pulled, body, own ?? [0, 0, 0], (at) => stage.perPixel(at));
}

/** The place of a face that a ray meets. */
function faceAt(store: Store, stage: Stage, { face, now }: Cast, ray: THREE.Ray) {
  const poses = store.posed.value ?? store.result.value;
  if (!face || !poses) return undefined;
  const weights = poses.morphs(Math.round(store.player.frame.value));
  const point = face.near(ray, (at) => FACE_REACH * stage.perPixel(at), now, weights);
  return point && graspFace(store, point, weights);
}

/** What can be reached with the pointer: handles first, then the centre of mass, then bodies. */
export function reachOf(
  store: Store,
  stage: Stage,
  marks: Marks,
  bench: Bench,
  cast: () => Cast | undefined,
  worn: () => readonly SoftMesh[],
  around: () => Surroundings,
  hovered: { value: number },
  picked: () => boolean,
): Reach {
  return {
    grab: (x, y, finger, turning) => {
      const handle = marks.near(x, y, finger ? 26 : 13);
      if (handle) return { handle, body: store.body.value };
      const centre =
        bench.shown.value.com && tool.value !== "pose"
          ? around().centre(store.player.frame.value / store.fps.value)
          : undefined;
      const seen =
        centre && stage.onScreen(new THREE.Vector3(centre[0], centre[1], centre[2] + store.lift.value));
      if (centre && seen && Math.hypot(seen.x - x, seen.y - y) < (finger ? 18 : 8))
        return { handle: graspCentre(store, centre), body: -1 };
      const now = cast();
      const ray = stage.ray(x, y);
      const hit = now && pickBody(now.shapes, now.now, ray.ray);
      const soft = tool.value === "pose" || turning ? undefined : softUnder(store, worn(), ray, hit?.at);
      if (soft) return { handle: soft, body: -1 };
      const touched =
        now && tool.value === "pose" && !turning ? faceAt(store, stage, now, ray.ray) : undefined;
      if (touched) return { handle: touched, body: hit?.body ?? -1 };
      if (!now || !hit) return undefined;
      const k = hit.body * STRIDE;
      if (tool.value === "pose") {
        const point = pointNear(store.figure.value!, hit.body, inBody(now.now, k, hit.at));
        return { handle: pulling(store, stage, now, hit.body, point), body: hit.body };
      }
      const where: Place = [hit.at.x, hit.at.y, hit.at.z - store.lift.value];
      return {
        handle: graspBody(
          store,
          hit.body,
          inBody(now.now, k, hit.at),
          where,
          turnAt(now.now, k + 3),
          around().point,
          turning,
        ),
        body: hit.body,
      };
    },
    selected: () => {
      const chosen = () => marks.shown().find((m) => m.chosen)?.handle;
      const body = () => {
        const [now, own] = [cast(), store.body.value];
        if (tool.value !== "pose") return graspJoint(store, own, around().point);
        const point = store.pointOf(own);
        return now && point ? pulling(store, stage, now, own, point) : undefined;
      };
      return picked() ? (body() ?? chosen()) : (chosen() ?? body());
    },
    hover: (found) => {
      const id = found?.handle?.kind === "body" ? "" : (found?.handle?.id ?? "");
      const body = found && !id ? found.body : -1;
      if (marks.hovered === id && hovered.value === body) return;
      marks.hovered = id;
      hovered.value = body;
      stage.draw();
    },
  };
}

/** Where points, bodies and the centre of mass are at any time, as the document has places. */
export function surroundingsOf(store: Store, size: number): Surroundings {
  const figure = store.figure.value;
  const result = store.result.value;
  const physics = store.physics.value;
  const lift = store.lift.value;
  const fps = store.fps.value;
  const offsets = new Map((figure?.places ?? []).map((p) => [p.name, p]));
  const bodies = new Map((figure?.bodies ?? []).map((b, i) => [b.name, i]));
  const frameOf = (time: number, frames: number) => Math.min(Math.max(Math.round(time * fps), 0), frames - 1);
  return {
    size,
    whole: ((result?.frames ?? 1) - 1) / fps,
    point: (name, time) => {
      const named = offsets.get(name);
      const body = named?.body ?? bodies.get(name);
      if (body === undefined || !result) return undefined;
      const k = (frameOf(time, result.frames) * result.bodies + body) * STRIDE;
      const at = new THREE.Vector3(...(named?.position ?? [0, 0, 0])).applyQuaternion(
        new THREE.Quaternion().fromArray(result.values, k + 3),
      );
      return [result.values[k]! + at.x, result.values[k + 1]! + at.y, result.values[k + 2]! + at.z - lift];
    },
    worn: (name, rest, time) => {
      const soft = store.soft.value.find((s) => s.header.name === name);
      const vertex = soft ? nearestVertex(soft, rest) : -1;
      if (!soft || vertex < 0 || !result) return undefined;
      const frame = frameOf(time, Math.min(result.frames, soft.frames));
      const k = (frame * result.bodies + soft.header.body) * STRIDE;
      const at = new THREE.Vector3()
        .fromArray(soft.shape, frame * soft.rest.length + 3 * vertex)
        .applyQuaternion(new THREE.Quaternion().fromArray(result.values, k + 3))
        .add(new THREE.Vector3().fromArray(result.values, k));
      return [at.x, at.y, at.z - lift];
    },
    headings: (layer) =>
      ((reportOf(store.lanes.value, layer)?.details?.["segments"] ?? []) as { heading?: number }[]).map(
        (s) => s.heading ?? 0,
      ),
    centre: (time) => {
      if (!physics?.com.length) return undefined;
      const k = 3 * frameOf(time, physics.com.length / 3);
      return [physics.com[k]!, physics.com[k + 1]!, physics.com[k + 2]! - lift];
    },
  };
}
