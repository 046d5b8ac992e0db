// How the stage is looked at: freely and in perspective, or along an axis as plans are drawn, without
// perspective; or through a camera of the project. A plan is seen from so far away that it has none, so that
// rays, sizes on the screen and the controls stay the same; turning the view leaves it again, as it leaves a
// camera.
import * as THREE from "three";
import type { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Stood } from "./shots.ts";

/** Fields of view [deg]: of a camera in the room, and of one so far away that depth is nearly without effect
 * (5 m nearer is 1 % larger). */
const NEAR = 35;
const FAR = 0.25;
/** A plan whose view is turned by more is none any more [rad]. */
const TURNED = 0.005;
/** A view that is less steep sees the floor from its edge. */
const LEVEL = 0.02;
/** A smaller field of view has no perspective to speak of [deg]. */
const FLAT = 1;
/** One's own view moved by more of its distance is no camera's any more. */
const MOVED = 1e-4;

export class Lens {
  /** Where a plan is seen from; undefined: in perspective. */
  private plan: THREE.Vector3 | undefined;
  /** Where the room was last seen from. */
  private before = new THREE.Vector3(0.55, -0.85, 0.3).normalize();
  /** Where the camera stands that is looked through, and how one looked oneself before. */
  private placed: { now: Stood; before: Stood; steepest: number } | undefined;
  /** Called when turning the view has left the plan, or the camera that was looked through. */
  left: () => void = () => undefined;

  constructor(
    private readonly camera: THREE.PerspectiveCamera,
    private readonly controls: OrbitControls,
  ) {
    controls.addEventListener("change", () => this.turned());
  }

  get flat(): boolean {
    return this.plan !== undefined || this.camera.fov < FLAT;
  }

  /** Whether the floor is seen from its edge: it would cover half of the picture. */
  get level(): boolean {
    return this.flat && Math.abs(this.way().z) < LEVEL;
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

  /** How the stage is looked at: what a camera would have to be like. */
  stands(): Stood {
    return { eye: this.camera.position.clone(), target: this.controls.target.clone(), fov: this.camera.fov };
  }

  /** Through a camera, wherever it goes; or as before it. */
  through(camera: Stood | undefined): void {
    const { placed } = this;
    if (camera) {
      this.look(undefined);
      const steepest = placed?.steepest ?? this.controls.maxPolarAngle;
      this.placed = { now: camera, before: placed?.before ?? this.stands(), steepest };
      this.controls.maxPolarAngle = Math.PI; // a camera may look up from the floor
      this.take(camera);
    } else if (placed) {
      this.leave();
      this.take(placed.before);
    }
  }

  private leave(): void {
    if (this.placed) this.controls.maxPolarAngle = this.placed.steepest;
    this.placed = undefined;
  }

  private take({ eye, target, fov }: Stood): void {
    const { camera, controls } = this;
    camera.position.copy(eye);
    controls.target.copy(target);
    camera.fov = fov;
    camera.updateProjectionMatrix();
    controls.update();
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
    if (this.placed) {
      const { eye, target } = this.placed.now;
      const most = MOVED * eye.distanceTo(target);
      const { camera, controls } = this;
      if (camera.position.distanceTo(eye) < most && controls.target.distanceTo(target) < most) return;
      this.leave();
      this.stand(this.way(), NEAR);
      this.left();
      return;
    }
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
