// Surfaces of the project's world and of layers, drawn from the document itself:
// they are where they are put at once, solved or not.
import * as THREE from "three";
import { put } from "../commands.ts";
import { GROUND, type Layer, type Loose, type Surface, surfacesIn } from "../layer.ts";
import type { AnyCommand } from "../messages.ts";
import type { Store } from "../store.ts";
import { idOf } from "../time/address.ts";
import { placeAt } from "../time/surface_track.ts";
import { ready, worldId, worldSurfaces, writing } from "../world.ts";
import { solid } from "./prop_mesh.ts";

export interface Standing {
  id: string;
  entry: Surface;
  /** Layers that it edits. */
  layers: string[];
  /** What dragging it does, in words. */
  does: string;
  /** The command that sets one of its values. */
  write: (path: string, value: unknown, within: string) => AnyCommand;
  /** What has to be made in the document before it is moved; undefined: it cannot be said yet. */
  before?: () => AnyCommand[] | undefined;
}

/** Kinds that are drawn and sized by hand. */
const DRAWN = new Set(["box", "ball", "bar", "cylinder", "stairs", GROUND]);

/** Those that are in the way of somebody: of layers that act, and not muted themselves. */
export function solidsOf(layers: readonly Layer[]): Standing[] {
  const solo = layers.some((l) => l.solo);
  return layers.flatMap((layer: Loose) => {
    if (layer.muted || (solo && !layer.solo)) return [];
    return surfacesIn(layer).flatMap((entry, k) => {
      const path = `world/surfaces/${k}`;
      if (entry.muted || !DRAWN.has(entry.shape.kind)) return [];
      return [
        {
          id: idOf(layer.name, path),
          entry,
          layers: [layer.name],
          does: "move it; the motion runs into it",
          write: (field: string, value: unknown, within: string) =>
            put(layer.name, `${path}/${field}`, value, within),
        },
      ];
    });
  });
}

/** Those of the project's world. */
export function worldSolids(store: Store): Standing[] {
  return worldSurfaces(store).flatMap((entry, k) =>
    entry.muted || !DRAWN.has(entry.shape.kind) || entry["carried"]
      ? []
      : [
          {
            id: worldId(k),
            entry,
            layers: [],
            does: "move it; what stands on it goes along",
            write: (field: string, value: unknown, within: string) => writing(entry, field, value, within),
            before: () => ready(store, entry.name),
          },
        ],
  );
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
/** Half of the piece of endless ground that is drawn [m]. */
const PIECE = 3;

const sizes = (shape: Surface["shape"], names: readonly [string, number][]): number[] =>
  names.map(([name, usual]) => (typeof shape[name] === "number" ? (shape[name] as number) : usual));

/** The sizes of kinds by their fields, with what they are where nothing is said. */
export const stairsOf = (shape: Surface["shape"]): [number, number, number, number] =>
  sizes(shape, [
    ["steps", 3],
    ["rise", 0.17],
    ["run", 0.29],
    ["width", 1],
  ]) as [number, number, number, number];
export const barOf = (shape: Surface["shape"]): [number, number] =>
  sizes(shape, [
    ["length", 2],
    ["radius", 0.02],
  ]) as [number, number];
export const cylinderOf = (shape: Surface["shape"]): [number, number] =>
  sizes(shape, [
    ["radius", 0.3],
    ["height", 0.8],
  ]) as [number, number];
export const groundOf = (shape: Surface["shape"]): { height: number; slope: [number, number] } => ({
  height: (shape["height"] as number | undefined) ?? 0,
  slope: (shape["slope"] as [number, number] | undefined) ?? [0, 0],
});
export const halfOf = (shape: Surface["shape"]): [number, number, number] => shape.half ?? [0.5, 0.5, 0.5];
export const radiusOf = (shape: Surface["shape"]): number => shape.radius ?? 0.12;

/** A kind's triangles in its own frame. */
export function geometry({ shape }: Pick<Surface, "shape">): THREE.BufferGeometry {
  switch (shape.kind) {
    case "box":
      return solid({ solid: "box", size: halfOf(shape) });
    case "ball":
      return solid({ solid: "sphere", size: [radiusOf(shape), 0, 0] });
    case "bar": {
      const [long, radius] = barOf(shape);
      return new THREE.CapsuleGeometry(radius, long, 8, 20).rotateZ(Math.PI / 2);
    }
    case "cylinder": {
      const [radius, height] = cylinderOf(shape);
      return solid({ solid: "cylinder", size: [radius, height / 2, 0] });
    }
    case "stairs":
      return stairs(...stairsOf(shape));
    default:
      return sheet(groundOf(shape));
  }
}

/** Steps that climb along x from the origin, their middle at y = 0. */
function stairs(steps: number, rise: number, run: number, width: number): THREE.BufferGeometry {
  const side = new THREE.Shape();
  side.moveTo(0, 0);
  for (let k = 0; k < steps; k++) side.lineTo(k * run, (k + 1) * rise).lineTo((k + 1) * run, (k + 1) * rise);
  side.lineTo(steps * run, 0);
  return new THREE.ExtrudeGeometry(side, { depth: width, bevelEnabled: false })
    .rotateX(Math.PI / 2)
    .translate(0, width / 2, 0);
}

/** A piece of the ground about the origin. */
function sheet({ height, slope: [sx, sy] }: ReturnType<typeof groundOf>): THREE.BufferGeometry {
  const made = new THREE.PlaneGeometry(2 * PIECE, 2 * PIECE);
  const place = made.getAttribute("position") as THREE.BufferAttribute;
  for (let k = 0; k < place.count; k++) place.setZ(k, height + sx * place.getX(k) + sy * place.getY(k));
  made.computeVertexNormals();
  return made;
}

/** Whether a surface is level ground, which the stage itself shows. */
export const isLevel = ({ shape, turn }: Surface): boolean =>
  shape.kind === GROUND && !groundOf(shape).slope.some(Boolean) && !turn?.some(Boolean);

/** One of them on the stage: to be seen through, so that it hides nobody. */
export class SolidMesh {
  readonly mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  private readonly edges: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial> | undefined;

  constructor(private readonly standing: Standing) {
    const { entry } = standing;
    const shape = geometry(entry);
    this.mesh = new THREE.Mesh(
      shape,
      new THREE.MeshStandardMaterial({
        color: COLOUR,
        roughness: 0.8,
        transparent: true,
        opacity: entry.shape.kind === GROUND ? 0.25 : entry.shape.kind === "bar" ? 0.95 : 0.5,
        depthWrite: entry.shape.kind !== GROUND,
        side: entry.shape.kind === GROUND ? THREE.DoubleSide : THREE.FrontSide,
      }),
    );
    this.mesh.receiveShadow = true;
    this.mesh.castShadow = entry.shape.kind !== GROUND;
    this.mesh.name = `surface ${entry.name}`;
    this.mesh.visible = !isLevel(entry);
    this.mesh.quaternion.copy(turned(entry.turn));
    if (!["box", "stairs", GROUND].includes(entry.shape.kind)) return;
    this.edges = new THREE.LineSegments(
      new THREE.EdgesGeometry(shape),
      new THREE.LineBasicMaterial({ color: COLOUR }),
    );
    this.mesh.add(this.edges);
  }

  at(time: number, lift: number, shown = true): void {
    const [x, y, z] = placeAt(this.standing.entry, time);
    this.mesh.position.set(x, y, z + lift);
    this.mesh.visible = shown && !isLevel(this.standing.entry);
  }

  dispose(): void {
    for (const part of [this.mesh, this.edges]) {
      part?.geometry.dispose();
      part?.material.dispose();
    }
  }
}
