// Something soft on a bone: its shape at every frame, carried by the bone's place.
import * as THREE from "three";
import type { Soft } from "../store.ts";
import { STRIDE } from "./poses.ts";

const ONE = new THREE.Vector3(1, 1, 1);

/** The vertex that as modelled is nearest to a place on the bone; -1 where nothing can be told. */
export function nearestVertex({ rest }: Pick<Soft, "rest">, place: readonly number[]): number {
  let [best, least] = [-1, Infinity];
  for (let v = 0; rest && 3 * v < rest.length; v++) {
    const away = Math.hypot(...place.map((x, i) => x - rest[3 * v + i]!));
    if (away < least) [best, least] = [v, away];
  }
  return best;
}

export class SoftMesh {
  readonly mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  private readonly position: THREE.BufferAttribute;
  private readonly place = new THREE.Vector3();
  private readonly turn = new THREE.Quaternion();

  constructor(readonly soft: Soft) {
    const geometry = new THREE.BufferGeometry();
    this.position = new THREE.BufferAttribute(new Float32Array(soft.shape.length / soft.frames), 3);
    geometry.setAttribute("position", this.position);
    geometry.setIndex(new THREE.BufferAttribute(soft.index, 1));
    const color = new THREE.Color().setRGB(...soft.header.colour, THREE.LinearSRGBColorSpace);
    this.mesh = new THREE.Mesh(
      geometry,
      new THREE.MeshStandardMaterial({ color, roughness: 0.8, side: THREE.DoubleSide }),
    );
    this.mesh.matrixAutoUpdate = false;
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
  }

  /** The shape of the nearest frames mixed, on a pose (bodies × 7). */
  at(frame: number, places: Float32Array): void {
    const { shape, frames, header } = this.soft;
    const out = this.position.array as Float32Array;
    const size = out.length;
    const low = Math.min(Math.max(Math.floor(frame), 0), frames - 1);
    const high = Math.min(low + 1, frames - 1);
    const share = Math.min(Math.max(frame - low, 0), 1);
    for (let k = 0; k < size; k++)
      out[k] = (1 - share) * shape[low * size + k]! + share * shape[high * size + k]!;
    this.position.needsUpdate = true;
    this.mesh.geometry.computeBoundingBox();
    this.mesh.geometry.computeVertexNormals();
    const at = header.body * STRIDE;
    this.mesh.matrix.compose(this.place.fromArray(places, at), this.turn.fromArray(places, at + 3), ONE);
    this.mesh.matrixWorldNeedsUpdate = true;
  }

  /** The vertex that a ray meets first, where that is, and how far away; of what cannot hit, none. */
  touched(ray: THREE.Ray): { vertex: number; at: THREE.Vector3; away: number } | undefined {
    if (!this.soft.rest) return undefined;
    const { mesh } = this;
    mesh.matrixWorld.copy(mesh.matrix);
    mesh.geometry.computeBoundingSphere();
    const found = new THREE.Raycaster(ray.origin, ray.direction).intersectObject(mesh, false)[0];
    if (!found?.face) return undefined;
    const corner = new THREE.Vector3();
    const place = (v: number) => corner.fromBufferAttribute(this.position, v).applyMatrix4(mesh.matrix);
    const { a, b, c } = found.face;
    const apart = [a, b, c].map((v) => place(v).distanceTo(found.point));
    const vertex = [a, b, c][apart.indexOf(Math.min(...apart))]!;
    return { vertex, at: place(vertex).clone(), away: found.distance };
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}
