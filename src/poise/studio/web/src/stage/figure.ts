// A character on the stage: one mesh bound to its bodies, posed by setting the bodies' places directly.
import * as THREE from "three";
import { floats, type Packet } from "../packet.ts";
import { STRIDE } from "./poses.ts";

export interface LooksHeader {
  name: string;
  bodies: { name: string; parent: number }[];
  morphs: string[];
}

export type Style = "solid" | "wire" | "ghost";

const ONE = new THREE.Vector3(1, 1, 1);
const place = new THREE.Vector3();
const turn = new THREE.Quaternion();

export class Looks {
  readonly geometry: THREE.BufferGeometry;
  readonly inverses: THREE.Matrix4[];
  readonly bodies: LooksHeader["bodies"];
  readonly morphs: string[];

  constructor(packet: Packet<LooksHeader>) {
    this.bodies = packet.header.bodies;
    this.morphs = packet.header.morphs;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(floats(packet, "position"), 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(floats(packet, "normal"), 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(linear(packet.arrays["colour"]!.values as Uint8Array), 3));
    geometry.setAttribute("skinIndex", new THREE.BufferAttribute(packet.arrays["joints"]!.values as Uint16Array, 4));
    geometry.setAttribute("skinWeight", new THREE.BufferAttribute(floats(packet, "weights"), 4));
    geometry.setIndex(new THREE.BufferAttribute(packet.arrays["index"]!.values as Uint32Array, 1));
    if (this.morphs.length) {
      const count = geometry.getAttribute("position").count;
      geometry.morphTargetsRelative = true;
      geometry.morphAttributes.position = this.morphs.map((_, k) => {
        const dense = new Float32Array(3 * count);
        const at = packet.arrays[`morph${k}.at`]!.values;
        const by = floats(packet, `morph${k}.by`);
        at.forEach((vertex, i) => dense.set(by.subarray(3 * i, 3 * i + 3), 3 * vertex));
        return new THREE.BufferAttribute(dense, 3);
      });
    }
    this.geometry = geometry;
    const bind = floats(packet, "bind");
    // Rows in Python, columns in three.js.
    this.inverses = this.bodies.map((_, i) => new THREE.Matrix4().fromArray(bind, 16 * i).transpose());
  }
}

export class Figure {
  readonly mesh: THREE.SkinnedMesh;
  private readonly bones: THREE.Bone[];

  constructor(
    readonly looks: Looks,
    style: Style = "solid",
    tint?: THREE.ColorRepresentation,
    opacity = 1,
  ) {
    this.bones = looks.bodies.map(() => new THREE.Bone());
    this.mesh = new THREE.SkinnedMesh(looks.geometry, material(style, tint, opacity));
    this.mesh.bindMode = THREE.DetachedBindMode;
    this.mesh.bind(new THREE.Skeleton(this.bones, looks.inverses), new THREE.Matrix4());
    this.mesh.frustumCulled = false; // bounds would have to follow the pose
    this.mesh.castShadow = style === "solid";
    this.mesh.receiveShadow = style === "solid";
    this.mesh.renderOrder = style === "solid" ? 0 : 1;
  }

  /** Put every body where a sampled pose (bodies × 7) says. */
  pose(places: Float32Array, morphs?: Float32Array): void {
    for (let i = 0; i < this.bones.length; i++) {
      const k = i * STRIDE;
      place.fromArray(places, k);
      turn.fromArray(places, k + 3);
      this.bones[i]!.matrixWorld.compose(place, turn, ONE);
    }
    this.mesh.skeleton.update();
    if (morphs && this.mesh.morphTargetInfluences) morphs.forEach((w, k) => (this.mesh.morphTargetInfluences![k] = w));
  }

  /** Which body a ray hits first, and where; undefined if none. */
  pick(ray: THREE.Raycaster): { body: number; at: THREE.Vector3 } | undefined {
    this.mesh.computeBoundingSphere(); // poses move it
    const hit = ray.intersectObject(this.mesh, false)[0];
    if (!hit?.face) return undefined;
    const joints = this.looks.geometry.getAttribute("skinIndex");
    const weights = this.looks.geometry.getAttribute("skinWeight");
    let best = 0;
    for (let k = 1; k < 4; k++) if (weights.getComponent(hit.face.a, k) > weights.getComponent(hit.face.a, best)) best = k;
    return { body: joints.getComponent(hit.face.a, best), at: hit.point };
  }

  dispose(): void {
    this.mesh.skeleton.dispose();
    (this.mesh.material as THREE.Material).dispose();
  }
}

function material(style: Style, tint: THREE.ColorRepresentation | undefined, opacity: number): THREE.Material {
  if (style === "wire") {
    return new THREE.MeshBasicMaterial({ color: tint ?? "#4c8bf5", wireframe: true, transparent: true, opacity: 0.22 * opacity, depthWrite: false });
  }
  if (style === "ghost") {
    return new THREE.MeshLambertMaterial({ color: tint ?? "#7fa4d8", transparent: true, opacity: 0.28 * opacity, depthWrite: false });
  }
  return new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.55, metalness: 0.0, ...(tint === undefined ? {} : { color: tint }) });
}

/** Vertex colours are linear light in three.js, sRGB in the packet. */
function linear(bytes: Uint8Array): Float32Array {
  const table = Float32Array.from({ length: 256 }, (_, i) => (i / 255 <= 0.04045 ? i / 255 / 12.92 : ((i / 255 + 0.055) / 1.055) ** 2.4));
  return Float32Array.from(bytes, (b) => table[b]!);
}
