// An arrow that reads at any distance: a shaft and a head of the same width on the screen, over everything.
import * as THREE from "three";

const SHAFT = new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0);
const HEAD = new THREE.ConeGeometry(1, 1, 14).translate(0, -0.5, 0);
const UP = new THREE.Vector3(0, 1, 0);

export class Arrow {
  readonly group = new THREE.Group();
  private readonly material: THREE.MeshBasicMaterial;
  private readonly shaft: THREE.Mesh;
  private readonly head: THREE.Mesh;
  private length = 0;

  constructor(color: string) {
    this.material = new THREE.MeshBasicMaterial({ color, transparent: true, opacity: 0.9, depthTest: false });
    this.shaft = new THREE.Mesh(SHAFT, this.material);
    this.head = new THREE.Mesh(HEAD, this.material);
    for (const part of [this.shaft, this.head]) part.renderOrder = 3;
    this.group.add(this.shaft, this.head);
    this.group.visible = false;
  }

  /** From a place by a vector; nothing where it has no length. */
  set(from: THREE.Vector3, along: THREE.Vector3): void {
    this.length = along.length();
    this.group.visible = this.length > 1e-4;
    if (!this.group.visible) return;
    this.group.position.copy(from);
    this.group.quaternion.setFromUnitVectors(UP, along.clone().divideScalar(this.length));
    this.head.position.y = this.length;
  }

  /** Hardly there: what it shows cannot be so. */
  faint(so: boolean): void {
    this.material.opacity = so ? 0.5 : 0.9;
  }

  /** `pixel`: metres that a pixel covers here. */
  sized(pixel: number): void {
    const head = Math.min(13 * pixel, 0.6 * this.length);
    const wide = Math.min(1.4 * pixel, 0.1 * this.length);
    this.shaft.scale.set(wide, Math.max(this.length - 0.9 * head, 1e-6), wide);
    this.head.scale.set(0.42 * head, head, 0.42 * head);
  }
}
