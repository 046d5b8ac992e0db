// The arc that the centre of mass has to follow in the air: a line, with a dot each tenth of a second.
import * as THREE from "three";
import type { Flight } from "../pose/aids.ts";

const COLOURS = { fine: "#2b8a57", wrong: "#c0392b" };
const EVERY = 0.1; // [s]

export class FlightArc {
  readonly group = new THREE.Group();
  private readonly line = new THREE.Line(
    new THREE.BufferGeometry(),
    new THREE.LineBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 }),
  );
  private readonly dots = new THREE.Points(
    new THREE.BufferGeometry(),
    new THREE.PointsMaterial({ size: 7, sizeAttenuation: false, depthTest: false, transparent: true }),
  );
  private shown: Flight | undefined;

  constructor() {
    this.group.name = "flight arc";
    this.group.visible = false;
    this.line.frustumCulled = this.dots.frustumCulled = false;
    this.line.renderOrder = this.dots.renderOrder = 4;
    this.group.add(this.line, this.dots);
  }

  set(flight: Flight | undefined): void {
    this.group.visible = flight !== undefined;
    if (!flight || flight === this.shown) return;
    this.shown = flight;
    const places = flight.arc.map((p) => new THREE.Vector3(...p));
    const step = Math.max(1, Math.round((EVERY / flight.seconds) * (places.length - 1)));
    this.line.geometry.dispose();
    this.line.geometry = new THREE.BufferGeometry().setFromPoints(places);
    this.dots.geometry.dispose();
    this.dots.geometry = new THREE.BufferGeometry().setFromPoints(places.filter((_, k) => k % step === 0));
    const colour = flight.fine ? COLOURS.fine : COLOURS.wrong;
    this.line.material.color.set(colour);
    this.dots.material.color.set(colour);
  }

  dispose(): void {
    for (const part of [this.line, this.dots]) {
      part.geometry.dispose();
      part.material.dispose();
    }
  }
}
