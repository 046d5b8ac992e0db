// Something soft on a bone: its shape at every frame, carried by the bone's place.
import * as THREE from "three";
import type { Soft } from "../store.ts";
import { STRIDE } from "./poses.ts";

const ONE = new THREE.Vector3(1, 1, 1);

/** The vertex that as modelled is nearest to a place on the bone; -1 where nothing can be told. */
export function nearestVertex({ rest }: Pick<Soft, "rest">, place: readonly number[]): number {
  let [best, least] = [-1, Infinity];
  for (let v = 0; 3 * v < rest.length; v++) {
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

  constructor(private readonly soft: Soft) {
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

  /** The vertex of what a ray meets first, and how far away; nothing where it cannot be brought anywhere. */
  pick(ray: THREE.Raycaster): { vertex: number; away: number } | undefined {
    if (!this.soft.rest.length) return undefined;
    this.mesh.updateMatrixWorld();
    this.mesh.geometry.computeBoundingSphere(); // where it is now
    const [hit] = ray.intersectObject(this.mesh, false);
    if (!hit?.face) return undefined;
    const near = [hit.face.a, hit.face.b, hit.face.c].map((vertex) => ({
      vertex,
      gap: this.vertex(vertex).distanceTo(hit.point),
    }));
    return { vertex: near.sort((a, b) => a.gap - b.gap)[0]!.vertex, away: hit.distance };
  }

  /** Where a vertex is on the stage. */
  vertex(number: number): THREE.Vector3 {
    return new THREE.Vector3().fromBufferAttribute(this.position, number).applyMatrix4(this.mesh.matrix);
  }

  /** What it is, and where a vertex of it is when it rests on its bone. */
  about(number: number): { header: Soft["header"]; rest: [number, number, number] } {
    const [x, y, z] = this.soft.rest.slice(3 * number, 3 * number + 3);
    return { header: this.soft.header, rest: [x!, y!, z!] };
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}
