// How the stage is looked at: freely and in perspective, or along an axis as plans are drawn, without
// perspective. A plan is seen from so far away that it has none, so that rays, sizes on the screen and the
// controls stay the same; turning the view leaves it again.
import * as THREE from "three";
import type { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

/** Fields of view [deg]: of a camera in the room, and of one so far away that depth is nearly without effect
 * (5 m nearer is 1 % larger). */
const NEAR = 35;
const FAR = 0.25;
/** A plan whose view is turned by more is none any more [rad]. */
const TURNED = 0.005;
/** A view that is less steep sees the floor from its edge. */
const LEVEL = 0.02;

export class Lens {
  /** Where a plan is seen from; undefined: in perspective. */
  private plan: THREE.Vector3 | undefined;
  /** Where the room was last seen from. */
  private before = new THREE.Vector3(0.55, -0.85, 0.3).normalize();
  /** Called when turning the view has left the plan. */
  left: () => void = () => undefined;

  constructor(
    private readonly camera: THREE.PerspectiveCamera,
    private readonly controls: OrbitControls,
  ) {
    controls.addEventListener("change", () => this.turned());
  }

  get flat(): boolean {
    return this.plan !== undefined;
  }

  /** Whether the floor is seen from its edge: it would cover half of the picture. */
  get level(): boolean {
    return this.plan !== undefined && Math.abs(this.plan.z) < LEVEL;
  }

  /** From the target to the camera. */
  way(): THREE.Vector3 {
    return this.camera.position.clone().sub(this.controls.target).normalize();
  }

  /** As a plan, from that direction; or in perspective, as before it. What is seen stays as large. */
  look(plan: THREE.Vector3 | undefined): void {
    if (!plan && !this.plan) return;
    if (!this.plan) this.before = this.way();
    this.plan = plan?.clone().normalize();
    this.stand(plan?.clone().normalize() ?? this.before, plan ? FAR : NEAR);
  }

  /** Everything goes along, as far in the picture as before. */
  shift(by: THREE.Vector3): void {
    this.camera.position.add(by);
    this.controls.target.add(by);
    this.controls.update();
  }

  /** Planes that cut off what is too near or too far: depth is told apart best where they are close. */
  depth(unit: number): void {
    const away = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = this.flat ? 0.3 * away : away / 300;
    this.camera.far = 100 * Math.max(away, unit);
    this.camera.updateProjectionMatrix();
  }

  private turned(): void {
    if (!this.plan || this.way().angleTo(this.plan) < TURNED) return;
    this.plan = undefined;
    this.stand(this.way(), NEAR);
    this.left();
  }

  private stand(way: THREE.Vector3, fov: number): void {
    const { camera, controls } = this;
    const half = (angle: number) => Math.tan((0.5 * Math.PI * angle) / 180);
    const away = (camera.position.distanceTo(controls.target) * half(camera.fov)) / half(fov);
    camera.fov = fov;
    camera.position.copy(controls.target).addScaledVector(way, away);
    camera.updateProjectionMatrix();
    controls.update();
  }
}
