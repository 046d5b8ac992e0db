// Handles as they are seen: signs that keep their size on the screen, footprints on the floor, rings, lines
// to what they belong to. Brighter where they hold now, larger under the pointer, ringed where selected.
import * as THREE from "three";
import type { Handle } from "./handle.ts";
import { sign } from "./signs.ts";
import type { Stage } from "./stage.ts";

interface Mark {
  handle: Handle;
  group: THREE.Group;
  sprite: THREE.Sprite | undefined;
  line: THREE.Line | undefined;
  ring: THREE.LineLoop | undefined;
  print: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial> | undefined;
  /** The part of a ring that a joint's limits leave. */
  room: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial> | undefined;
}

const COLOURS: Record<Handle["kind"], string> = {
  target: "#e2413b",
  pin: "#2b8a57",
  plant: "#2b6cb0",
  turn: "#2b6cb0",
  centre: "#d69a00",
  velocity: "#3d9a5d",
  apex: "#a14fc0",
  ring: "#d69a00",
  axis: "#8a5a2b",
  body: "#2b6cb0",
  surface: "#7a6640",
  size: "#7a6640",
  spin: "#8a5a2b",
  move: "#2b6cb0",
  keyed: "#1f4f8f",
};
const SIZE = 22; // [px]

export class Marks {
  readonly group = new THREE.Group();
  hovered = "";
  private readonly marks = new Map<string, Mark>();
  private selected: ReadonlySet<string> = new Set();
  private time = 0;
  private slack = 0;
  private lift = 0;

  constructor(private readonly stage: Stage) {
    stage.onDraw(() => this.size());
  }

  update(
    handles: readonly Handle[],
    time: number,
    lift: number,
    selected: ReadonlySet<string>,
    slack: number,
  ): void {
    Object.assign(this, { time, lift, selected, slack });
    const wanted = handles.filter((h) => !h.chosen || h.selects.some((id) => selected.has(id)));
    const known = new Set(wanted.map((h) => h.id));
    for (const [id, mark] of this.marks) if (!known.has(id)) this.remove(mark);
    for (const handle of wanted) this.show(handle);
  }

  /** Puts a mark where its handle is. */
  show(handle: Handle): void {
    const known = this.marks.get(handle.id);
    const same = known?.handle.kind === handle.kind && known.handle.print?.length === handle.print?.length;
    if (known && same && known.handle.ring?.room?.back === handle.ring?.room?.back) known.handle = handle;
    else {
      if (known) this.remove(known);
      const made = this.made(handle);
      made.group.name = handle.id;
      this.marks.set(handle.id, made);
      this.group.add(made.group);
    }
    this.place(this.marks.get(handle.id)!);
  }

  /** Whether it holds at the time that is shown. */
  now(handle: Handle): boolean {
    return this.time >= handle.times[0] - this.slack && this.time <= handle.times[1] + this.slack;
  }

  /** Shown handles: what is chosen first, then what holds now. */
  shown(): { handle: Handle; at: THREE.Vector3; now: boolean; chosen: boolean }[] {
    return [...this.marks.values()]
      .filter((m) => m.handle.kind !== "body")
      .map(({ handle }) => ({
        handle,
        at: this.position(handle),
        now: this.now(handle),
        chosen: handle.selects.some((id) => this.selected.has(id)),
      }));
  }

  /** The handle nearest to a pixel, within reach of the pointer; what holds now goes before what does not. */
  near(x: number, y: number, reach: number): Handle | undefined {
    let best: Handle | undefined;
    let least = reach;
    for (const { handle, at, now } of this.shown()) {
      const seen = this.stage.onScreen(at);
      if (!seen) continue;
      let away = Math.hypot(seen.x - x, seen.y - y);
      if (handle.ring?.axis) away = this.fromRing(handle.ring, x, y);
      else if (handle.ring) {
        const centre = this.stage.onScreen(this.lifted(handle.ring.centre));
        if (centre)
          away = Math.abs(
            Math.hypot(centre.x - x, centre.y - y) -
              handle.ring.radius / this.stage.perPixel(this.lifted(handle.ring.centre)),
          );
      }
      if (!now) away += 4;
      if (away < least) [best, least] = [handle, away];
    }
    return best;
  }

  /** How far a pixel is from a ring as it is seen [px]. */
  private fromRing(ring: NonNullable<Handle["ring"]>, x: number, y: number): number {
    const [centre, turn] = [this.lifted(ring.centre), about(ring.axis!)];
    const seen = ROUND.map((p) =>
      this.stage.onScreen(p.clone().multiplyScalar(ring.radius).applyQuaternion(turn).add(centre)),
    );
    return Math.min(
      ...seen.map((a, k) => (a ? toSegment(x, y, a, seen[(k + 1) % seen.length] ?? a) : Infinity)),
    );
  }

  private lifted([x, y, z]: readonly [number, number, number]): THREE.Vector3 {
    return new THREE.Vector3(x, y, z + this.lift);
  }

  /** Of a ring: its rightmost place. */
  private position(handle: Handle): THREE.Vector3 {
    if (!handle.ring || handle.ring.axis) return this.lifted(handle.place);
    const right = new THREE.Vector3().setFromMatrixColumn(this.stage.camera.matrixWorld, 0);
    return this.lifted(handle.ring.centre).addScaledVector(right, handle.ring.radius);
  }

  private made(handle: Handle): Mark {
    const group = new THREE.Group();
    const mark: Mark = {
      handle,
      group,
      sprite: undefined,
      line: undefined,
      ring: undefined,
      print: undefined,
      room: undefined,
    };
    if (handle.kind === "body") return mark;
    const color =
      handle.kind === "axis" || handle.kind === "spin" ? axisColour(handle.id) : COLOURS[handle.kind];
    if (handle.from)
      mark.line = new THREE.Line(
        new THREE.BufferGeometry(),
        new THREE.LineBasicMaterial({ color, transparent: true, depthTest: false }),
      );
    if (handle.ring) mark.ring = circle(color);
    if (handle.ring?.room) mark.room = sector(handle.ring.room, color);
    if (handle.print) mark.print = footprint(handle.print.length, color, handle.print.found);
    mark.sprite = new THREE.Sprite(
      new THREE.SpriteMaterial({ map: sign(handle.kind, color), depthTest: false, transparent: true }),
    );
    for (const part of [mark.line, mark.ring, mark.room, mark.print, mark.sprite]) if (part) group.add(part);
    group.traverse((part) => {
      part.renderOrder = 6;
      part.frustumCulled = false;
    });
    return mark;
  }

  private place({ handle, sprite, line, ring, room, print }: Mark): void {
    const at = this.position(handle);
    sprite?.position.copy(at);
    if (line && handle.from) line.geometry.setFromPoints([this.lifted(handle.from), at]);
    if (ring && handle.ring) {
      ring.position.copy(this.lifted(handle.ring.centre));
      ring.scale.setScalar(handle.ring.radius);
      if (handle.ring.axis) ring.quaternion.copy(about(handle.ring.axis));
    }
    if (room && handle.ring?.room && handle.ring.axis) {
      room.position.copy(this.lifted(handle.ring.centre));
      room.scale.setScalar(handle.ring.radius);
      const [x, z] = [handle.ring.room.from, handle.ring.axis].map((v) => new THREE.Vector3(...v)) as [
        THREE.Vector3,
        THREE.Vector3,
      ];
      room.quaternion.setFromRotationMatrix(
        new THREE.Matrix4().makeBasis(x, new THREE.Vector3().crossVectors(z, x), z),
      );
    }
    if (print && handle.print) {
      print.position.copy(at).add(new THREE.Vector3(0, 0, 0.004));
      print.rotation.z = handle.print.yaw;
    }
  }

  /** Before every picture: signs keep their size, rings face the camera. */
  private size(): void {
    for (const mark of this.marks.values()) {
      const { handle, sprite, line, ring, print } = mark;
      if (!sprite) continue;
      const now = this.now(handle) || handle.kind === "keyed"; // each is of another frame
      const chosen = handle.selects.some((id) => this.selected.has(id));
      const over = handle.id === this.hovered;
      if (handle.ring) this.place(mark);
      const small =
        handle.kind === "plant" ||
        handle.kind === "turn" ||
        handle.kind === "axis" ||
        handle.kind === "ring" ||
        handle.kind === "size" ||
        handle.kind === "spin"
          ? 0.72
          : 1;
      sprite.scale.setScalar(
        SIZE * small * (over ? 1.35 : chosen ? 1.2 : now ? 1 : 0.8) * this.stage.perPixel(sprite.position),
      );
      const strength = over || chosen || now ? 1 : 0.4;
      sprite.material.opacity = strength;
      for (const part of [line, ring])
        if (part) (part.material as THREE.LineBasicMaterial).opacity = 0.8 * strength;
      if (!handle.ring?.axis) ring?.quaternion.copy(this.stage.camera.quaternion);
      if (print) print.material.opacity = (over || chosen ? 0.75 : 0.5) * (now ? 1 : 0.35);
    }
  }

  private remove({ handle, group }: Mark): void {
    this.group.remove(group);
    this.marks.delete(handle.id);
    group.traverse((part) => {
      const { geometry, material } = part as Partial<THREE.Mesh>;
      if (!(part instanceof THREE.Sprite)) geometry?.dispose(); // sprites share theirs
      (material as THREE.Material | undefined)?.dispose();
    });
  }
}

const axisColour = (id: string): string =>
  ({ x: "#d5433f", y: "#3a9a4a", z: "#3a6fd0" })[id.at(-1) as "x" | "y" | "z"] ?? "#8a5a2b";

/** A unit circle about z, and the turn that lays it about another axis. */
const ROUND = Array.from(
  { length: 72 },
  (_, k) => new THREE.Vector3(Math.cos((2 * Math.PI * k) / 72), Math.sin((2 * Math.PI * k) / 72), 0),
);
const about = (axis: readonly number[]): THREE.Quaternion =>
  new THREE.Quaternion().setFromUnitVectors(
    new THREE.Vector3(0, 0, 1),
    new THREE.Vector3(axis[0], axis[1], axis[2]),
  );

/** From a pixel to a line between two others [px]. */
function toSegment(x: number, y: number, a: { x: number; y: number }, b: { x: number; y: number }): number {
  const [ux, uy] = [b.x - a.x, b.y - a.y];
  const share = Math.min(Math.max(((x - a.x) * ux + (y - a.y) * uy) / (ux * ux + uy * uy || 1), 0), 1);
  return Math.hypot(x - a.x - share * ux, y - a.y - share * uy);
}

function circle(color: string): THREE.LineLoop {
  return new THREE.LineLoop(
    new THREE.BufferGeometry().setFromPoints(ROUND),
    new THREE.LineBasicMaterial({ color, transparent: true, depthTest: false }),
  );
}

/** A part of a ring about z, from x on. */
function sector(
  { back, on }: { back: number; on: number },
  color: string,
): THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial> {
  return new THREE.Mesh(
    new THREE.RingGeometry(0.86, 1, 48, 1, back, on - back),
    new THREE.MeshBasicMaterial({
      color,
      transparent: true,
      opacity: 0.35,
      depthTest: false,
      side: THREE.DoubleSide,
    }),
  );
}

/** A sole: heel at the origin, toes ahead; an outline only where it is not in the document yet. */
function footprint(
  length: number,
  color: string,
  found: boolean,
): THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial> {
  const shape = new THREE.Shape();
  const [heel, ball] = [0.24 * length, 0.34 * length];
  shape.moveTo(-heel, 0);
  shape.bezierCurveTo(-heel, 1.3 * heel, 0.5 * length, 0.8 * heel, length, ball);
  shape.bezierCurveTo(1.45 * length, 1.2 * ball, 1.45 * length, -1.2 * ball, length, -ball);
  shape.bezierCurveTo(0.5 * length, -0.8 * heel, -heel, -1.3 * heel, -heel, 0);
  if (found) {
    const hole = new THREE.Path(
      shape
        .getPoints(12)
        .map((p) => new THREE.Vector2(0.55 * length + 0.86 * (p.x - 0.55 * length), 0.8 * p.y)),
    );
    shape.holes.push(hole);
  }
  return new THREE.Mesh(
    new THREE.ShapeGeometry(shape),
    new THREE.MeshBasicMaterial({ color, transparent: true, depthWrite: false, side: THREE.DoubleSide }),
  );
}
