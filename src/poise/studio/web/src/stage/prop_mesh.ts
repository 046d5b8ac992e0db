// Something in the scene that is not the character: a thrown ball, a weight.
// Solids as Poise has them, long axis along z.
import * as THREE from "three";
import type { PropPacket } from "../messages.ts";
import { STRIDE } from "./poses.ts";

/** A solid and where it is at every frame; not numbers where it is not there. */
export interface Prop {
  header: PropPacket;
  places: Float32Array; // (frames × 7)
}

export class PropMesh {
  readonly mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  private readonly turn = new THREE.Quaternion();

  constructor(private readonly prop: Prop) {
    this.mesh = new THREE.Mesh(
      solid(prop.header),
      new THREE.MeshStandardMaterial({ color: "#b5533c", roughness: 0.6 }),
    );
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.name = prop.header.name;
  }

  /** Between two frames it goes straight. */
  at(frame: number): void {
    const { places } = this.prop;
    const last = places.length / STRIDE - 1;
    const low = Math.min(Math.max(Math.floor(frame), 0), last);
    const high = Math.min(low + 1, last);
    this.mesh.visible = !Number.isNaN(places[low * STRIDE]!);
    if (!this.mesh.visible) return;
    const share = Number.isNaN(places[high * STRIDE]!) ? 0 : Math.min(Math.max(frame - low, 0), 1);
    const [a, b] = [low * STRIDE, high * STRIDE];
    this.mesh.position.set(
      mix(places, a, b, share),
      mix(places, a + 1, b + 1, share),
      mix(places, a + 2, b + 2, share),
    );
    this.mesh.quaternion.fromArray(places, a + 3).slerp(this.turn.fromArray(places, b + 3), share);
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}

const mix = (v: Float32Array, a: number, b: number, share: number): number => v[a]! + share * (v[b]! - v[a]!);

export function solid({ solid, size: [x, y, z] }: Pick<PropPacket, "solid" | "size">): THREE.BufferGeometry {
  switch (solid) {
    case "box":
      return new THREE.BoxGeometry(2 * x, 2 * y, 2 * z);
    case "capsule": // three.js has the long axis along y
      return new THREE.CapsuleGeometry(x, 2 * y, 8, 24).rotateX(Math.PI / 2);
    case "cylinder":
      return new THREE.CylinderGeometry(x, x, 2 * y, 32).rotateX(Math.PI / 2);
    case "ellipsoid":
      return new THREE.SphereGeometry(1, 32, 20).scale(x, y, z);
    default:
      return new THREE.SphereGeometry(x, 32, 20);
  }
}
