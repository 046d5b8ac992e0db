// Boxes and balls in the worlds of layers, drawn from the document itself:
// they are where they are put at once, solved or not.
import * as THREE from "three";
import { type Layer, type Loose, type Surface, surfacesIn } from "../layer.ts";
import { idOf } from "../time/address.ts";
import { placeAt } from "../time/surface_track.ts";
import { solid } from "./prop_mesh.ts";

export interface Standing {
  id: string;
  layer: string;
  /** Where it stands in the layer. */
  path: string;
  entry: Surface;
}

/** Kinds that are sized by hand. */
const SOLIDS = { box: true, ball: true };

/** Those that are in the way of somebody: of layers that act, and not muted themselves. */
export function solidsOf(layers: readonly Layer[]): Standing[] {
  const solo = layers.some((l) => l.solo);
  return layers.flatMap((layer: Loose) => {
    if (layer.muted || (solo && !layer.solo)) return [];
    return surfacesIn(layer).flatMap((entry, k) => {
      const path = `world/surfaces/${k}`;
      const drawn = !entry.muted && (entry.shape.half || entry.shape.radius) && entry.shape.kind in SOLIDS;
      return drawn ? [{ id: idOf(layer.name, path), layer: layer.name, path, entry }] : [];
    });
  });
}

/** A rotation vector as three.js has turns. */
export function turned(turn: readonly number[] = [0, 0, 0]): THREE.Quaternion {
  const axis = new THREE.Vector3(turn[0], turn[1], turn[2]);
  const angle = axis.length();
  return new THREE.Quaternion().setFromAxisAngle(
    angle > 0 ? axis.divideScalar(angle) : axis.set(0, 0, 1),
    angle,
  );
}

const COLOUR = "#8a7a5c";

/** One of them on the stage: to be seen through, so that it hides nobody. */
export class SolidMesh {
  readonly mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  private readonly edges: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial> | undefined;

  constructor(private readonly standing: Standing) {
    const { half, radius } = standing.entry.shape;
    const shape = half
      ? solid({ solid: "box", size: half })
      : solid({ solid: "sphere", size: [radius ?? 0.1, 0, 0] });
    this.mesh = new THREE.Mesh(
      shape,
      new THREE.MeshStandardMaterial({ color: COLOUR, roughness: 0.8, transparent: true, opacity: 0.5 }),
    );
    this.mesh.receiveShadow = this.mesh.castShadow = true;
    this.mesh.name = `surface ${standing.entry.name}`;
    this.mesh.quaternion.copy(turned(standing.entry.turn));
    if (!half) return;
    this.edges = new THREE.LineSegments(
      new THREE.EdgesGeometry(shape),
      new THREE.LineBasicMaterial({ color: COLOUR }),
    );
    this.mesh.add(this.edges);
  }

  at(time: number, lift: number): void {
    const [x, y, z] = placeAt(this.standing.entry, time);
    this.mesh.position.set(x, y, z + lift);
  }

  dispose(): void {
    for (const part of [this.mesh, this.edges]) {
      part?.geometry.dispose();
      part?.material.dispose();
    }
  }
}
