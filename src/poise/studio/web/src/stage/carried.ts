// What carries a motion, on the stage: surfaces, discs where patches touch, forces as arrows.
// What was only found is purple, seen through and dashed; what is given or confirmed is solid.
import * as THREE from "three";
import type { Carried, SeenSurface } from "../messages.ts";
import { Arrow } from "./arrow.ts";

export const ASKED = "#7b4bb3";
const GIVEN = "#a3acb9";
/** Of all surfaces, kept: shaders are built once, however often surfaces are found anew. */
const LOOKS = {
  asked: {
    face: new THREE.MeshStandardMaterial({
      color: ASKED,
      roughness: 0.85,
      side: THREE.DoubleSide,
      transparent: true,
      opacity: 0.28,
      depthWrite: false,
    }),
    edge: new THREE.LineDashedMaterial({ color: ASKED, dashSize: 0.05, gapSize: 0.04 }),
  },
  given: {
    face: new THREE.MeshStandardMaterial({ color: GIVEN, roughness: 0.85, side: THREE.DoubleSide }),
    edge: new THREE.LineBasicMaterial({ color: "#66707e" }),
  },
};
const KEPT = new Set<unknown>([LOOKS.asked, LOOKS.given].flatMap(({ face, edge }) => [face, edge]));
/** Forces between samples further apart than this many frames are not known. */
const APART = 12;

export class CarriedView {
  readonly group = new THREE.Group();
  private carried: Carried | undefined;
  private others: ReadonlySet<string> = new Set();
  private readonly surfaces = new THREE.Group();
  private readonly discs: THREE.Mesh<THREE.CircleGeometry, THREE.MeshBasicMaterial>[] = [];
  private arrows: Arrow[] = [];

  constructor() {
    this.group.add(this.surfaces);
  }

  /** `others`: surfaces that somebody else draws. */
  set(carried: Carried | undefined, others: ReadonlySet<string> = new Set()): void {
    const same = others.size === this.others.size && [...others].every((name) => this.others.has(name));
    if (carried === this.carried && same) return;
    this.carried = carried;
    this.others = others;
    for (const old of [...this.surfaces.children]) {
      this.surfaces.remove(old);
      old.traverse(disposed);
    }
    for (const surface of carried?.surfaces ?? []) this.surfaces.add(surfaceMesh(surface));
    for (const { group } of this.arrows) this.group.remove(group);
    this.arrows = (carried?.pushes ?? []).map((push) => new Arrow(push.colour));
    for (const { group } of this.arrows) this.group.add(group);
  }

  /** `lift`: by how much the stage lifts the motion [m]. */
  at(frame: number, lift: number, shown: { world: boolean; forces: boolean }): void {
    this.group.position.z = lift;
    this.surfaces.visible = shown.world;
    this.surfaces.children.forEach((mesh, k) => {
      const { moves, name } = this.carried!.surfaces[k]!;
      mesh.visible = !this.others.has(name);
      if (!moves.length) return;
      const at = 7 * Math.min(Math.max(Math.round(frame), 0), moves.length / 7 - 1);
      mesh.position.fromArray(moves, at);
      mesh.quaternion.fromArray(moves, at + 3);
    });
    const touching = shown.world ? touchesAt(this.carried, frame) : [];
    while (this.discs.length < touching.length) this.discs.push(this.disc());
    this.discs.forEach((disc, k) => {
      const touch = touching[k];
      disc.visible = touch !== undefined;
      if (!touch) return;
      disc.position.set(...touch.place);
      disc.position.z += 0.004;
      disc.scale.setScalar(this.carried!.disc);
      disc.material.color.set(touch.colour);
    });
    this.arrows.forEach((arrow, k) => {
      const push = shown.forces ? pushAt(this.carried!.pushes[k]!, frame) : undefined;
      if (!push) arrow.group.visible = false;
      else
        arrow.set(
          new THREE.Vector3(...push.place),
          new THREE.Vector3(...push.force).multiplyScalar(this.carried!.weight),
        );
    });
  }

  /** Arrows keep their width on the screen. */
  sized(perPixel: (place: THREE.Vector3) => number): void {
    for (const arrow of this.arrows)
      if (arrow.group.visible) arrow.sized(perPixel(arrow.group.getWorldPosition(new THREE.Vector3())));
  }

  /** Names of surfaces and where they are on the stage. */
  names(): { text: string; at: THREE.Vector3; asked: boolean }[] {
    if (!this.surfaces.visible) return [];
    return (this.carried?.surfaces ?? []).flatMap((s, k) => {
      if (this.others.has(s.name)) return []; // its handle bears its name
      const mesh = this.surfaces.children[k]!;
      const at = topOf(s).applyQuaternion(mesh.quaternion).add(mesh.position).add(this.group.position);
      return [{ text: s.label, at, asked: s.asked }];
    });
  }

  dispose(): void {
    this.group.traverse(disposed);
  }

  private disc(): THREE.Mesh<THREE.CircleGeometry, THREE.MeshBasicMaterial> {
    const made = new THREE.Mesh(
      new THREE.CircleGeometry(1, 24),
      new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.85, depthTest: false }),
    );
    made.renderOrder = 2;
    this.group.add(made);
    return made;
  }
}

/** Discs of a frame: where, and their colour. */
export function touchesAt(
  carried: Carried | undefined,
  frame: number,
): { place: [number, number, number]; colour: string }[] {
  const near = Math.round(frame);
  return (carried?.touches ?? []).flatMap(({ start, places, colour }) => {
    const k = 3 * (near - start);
    return k >= 0 && k < places.length
      ? [{ place: [places[k]!, places[k + 1]!, places[k + 2]!], colour }]
      : [];
  });
}

type Vector = [number, number, number];

/** A force between the frames that it is known in. */
export function pushAt(
  push: Carried["pushes"][number],
  frame: number,
): { place: Vector; force: Vector } | undefined {
  const after = push.frames.findIndex((f) => f >= frame);
  const high = after < 0 ? push.frames.length - 1 : after;
  const low = Math.max(push.frames[high]! <= frame ? high : high - 1, 0);
  const [a, b] = [push.frames[low], push.frames[high]];
  if (a === undefined || b === undefined || b - a > APART) return undefined;
  if (frame < a - 0.5 * APART || frame > b + 0.5 * APART) return undefined;
  const share = b > a ? Math.min(Math.max((frame - a) / (b - a), 0), 1) : 0;
  const mix = (v: readonly number[]) =>
    [0, 1, 2].map((i) => v[3 * low + i]! + share * (v[3 * high + i]! - v[3 * low + i]!)) as Vector;
  return { place: mix(push.places), force: mix(push.forces) };
}

function surfaceMesh(surface: SeenSurface): THREE.Mesh {
  const shape = new THREE.BufferGeometry();
  shape.setAttribute("position", new THREE.Float32BufferAttribute(surface.vertices, 3));
  shape.setIndex(surface.faces);
  shape.computeVertexNormals();
  const look = surface.asked ? LOOKS.asked : LOOKS.given;
  const mesh = new THREE.Mesh(shape, look.face);
  mesh.name = `surface ${surface.name}`;
  mesh.receiveShadow = !surface.asked;
  mesh.castShadow = !surface.asked;
  if (surface.edges.length) {
    const lines = new THREE.BufferGeometry();
    lines.setAttribute("position", new THREE.Float32BufferAttribute(surface.edges, 3));
    const edges = new THREE.LineSegments(lines, look.edge);
    if (surface.asked) edges.computeLineDistances();
    mesh.add(edges);
  }
  return mesh;
}

/** The middle of a surface's upper side. */
function topOf({ vertices }: SeenSurface): THREE.Vector3 {
  const box = new THREE.Box3().setFromArray(vertices);
  const middle = box.getCenter(new THREE.Vector3());
  return new THREE.Vector3(middle.x, middle.y, box.max.z);
}

function disposed(part: THREE.Object3D): void {
  const { geometry, material } = part as Partial<THREE.Mesh>;
  geometry?.dispose();
  if (!KEPT.has(material)) (material as THREE.Material | undefined)?.dispose();
}
