// The tool that poses: a body is turned by rings about its joint, in the browser; or pulled, with the rest of
// the body following by the poser. What is touched is keyed at this frame, one step of undo each.
import { computed, effect, signal, untracked } from "@preact/signals";
import * as THREE from "three";
import { Held } from "../held.ts";
import type { PulledPacket } from "../messages.ts";
import { remembered } from "../shell/remembered.ts";
import { type Handle, minus, type Place, plus } from "../stage/handle.ts";
import { included, localRoot } from "../stage/local_root.ts";
import { STRIDE } from "../stage/poses.ts";
import { angleAbout } from "../stage/turning.ts";
import type { Store } from "../store.ts";
import { driftOf, type Flight, flightNear, flightOf, hull } from "./aids.ts";
import { heldHandles, holds, pointsHeld } from "./held_points.ts";
import { keyed, posedLayer } from "./keys.ts";
import { margin, type Places, Skeleton } from "./skeleton.ts";
import { trailKeys } from "./trail_keys.ts";
import { aside, viewRing } from "./view_ring.ts";

/** What a drag on the stage does: it sets targets of the motion, or poses this frame. */
export const tool = signal<"target" | "pose">("target");
export const axes = remembered<"local" | "parent" | "world">("axes", "local");
/** Whether what is touched is keyed at once; else the pose waits for Key or Drop. */
export const autoKey = remembered("autokey", true);
/** Whether the centre of mass stays where it is while something is pulled. */
export const balanced = remembered("balanced", false);
/** What was let go may be answered so much later [ms]: a poser that has just begun loads its code first. */
const PATIENCE = 30_000;
/** Whether trails are shown, and with them the keys on the picked body's. */
export const trailed = signal(true);
/** Points that stay, beside feet that stand. */
export const pins = signal(new Set<string>());
/** Bodies that turn with the picked one, each about its own joint by the same angle. */
export const together = signal<ReadonlySet<number>>(new Set());
/** A flight that begins or ends so near is the one that is posed for [s]. */
const NEAR = 0.15;
/** How large rings are, by the size of the character; the one that faces the camera is outside the others. */
const RING = 0.12;
const VIEW = 1.25;
/** A joint that a pull turned by less is left alone [rad, m]. */
const TOUCHED = 1e-4;

/** A pose that is seen before the server has it: of which frame, and what of it is to be keyed. */
export interface Pending {
  frame: number;
  places: Float64Array;
  joints: Record<string, number[]>;
}

export class Posing {
  readonly skeleton = computed(() => {
    const figure = this.store.figure.value;
    return figure?.joints?.length ? new Skeleton(figure) : undefined;
  });
  readonly pending = signal<Pending | undefined>(undefined);
  /** The flight that this frame is in or next to. */
  readonly flight = computed(() => (tool.value === "pose" ? flightHere(this.store, this) : undefined));
  /** How far what is pulled is from where it is pulled to [m]. */
  readonly off = signal(0);
  /** How long the last answers of the poser took [ms]. */
  readonly delays: number[] = [];
  private session = 0;
  private seq = 0;
  private asked = new Map<number, number>();
  private heard: ((packet: PulledPacket, places: Float32Array) => void) | undefined;
  /** A pull that was let go and is not answered in full yet. */
  private settling: { drop: () => void; cancel: () => void } | undefined;
  private late: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly store: Store) {}

  /** The poser gets ready before anybody waits for it. */
  ready(): void {
    this.store.connection.say({ say: "grab", session: ++this.session });
  }

  /** The pose of the present frame: pending, or of the layer that is edited. */
  places(): Float64Array | undefined {
    const { store } = this;
    const frame = Math.round(store.player.frame.value);
    const held = this.pending.value;
    if (held && held.frame === frame) return held.places;
    const poses = store.posed.value;
    if (!poses) return undefined;
    return Float64Array.from(poses.sample(frame, new Float32Array(poses.bodies * STRIDE)));
  }

  /** What the picked body can be grabbed by: rings about its joint, and of a free one its place. */
  handles(body: number, size: number): Handle[] {
    const mover = this.mover(body);
    return [
      ...this.rings(body, size),
      ...(mover ? [mover] : []),
      ...heldHandles(this.store),
      ...(trailed.value ? trailKeys(this.store, body, size) : []),
    ];
  }

  /** Takes a free body, and all that hangs from it, elsewhere as it is. */
  private mover(body: number): Handle | undefined {
    const skeleton = this.skeleton.value;
    const places = this.places();
    if (!skeleton || !places || skeleton.joints[body]?.kind !== "free") return undefined;
    const lift = this.store.lift.value;
    const k = body * STRIDE;
    const place: Place = [places[k]!, places[k + 1]!, places[k + 2]! - lift];
    return {
      id: `pose:${skeleton.name(body)}:move`,
      selects: [],
      layers: [],
      kind: "move",
      name: skeleton.name(body),
      does: "move the whole figure, pose unchanged",
      place,
      times: [-Infinity, Infinity],
      over: "view",
      follow: (to) => this.shift(places, body, minus(to, place)),
      edit: () => ({ do: "nothing" }) as never,
    };
  }

  /** Move a free body, and all that hangs from it: seen at once, and what is to be keyed. */
  shift(places: Places, body: number, by: Place): void {
    const skeleton = this.skeleton.value!;
    const moved = skeleton.moved(places, body, by);
    this.touched(moved, { [skeleton.name(body)]: skeleton.value(moved, body, this.store.lift.value) });
  }

  /** A pose of this frame that is seen before the server has it; some of its joints were touched. */
  private touched(places: Float64Array, joints: Record<string, number[]>): void {
    const frame = Math.round(this.store.player.frame.value);
    const before = this.pending.value;
    this.pending.value = {
      frame,
      places,
      joints: { ...(before?.frame === frame ? before.joints : {}), ...joints },
    };
  }

  /** Rings about the joint of the picked body. */
  rings(body: number, size: number): Handle[] {
    const skeleton = this.skeleton.value;
    const places = this.places();
    if (!skeleton || !places || body < 0 || !skeleton.turns(body)) return [];
    const { store } = this;
    const lift = store.lift.value;
    const k = body * STRIDE;
    const centre: Place = [places[k]!, places[k + 1]!, places[k + 2]! - lift];
    const name = skeleton.name(body);
    const radius = RING * size;
    const hinge = skeleton.joints[body]!.kind === "hinge";
    const room = skeleton.room(places, body, lift);
    // Parents stand before their children: what hangs from what is turned turns in its new frame.
    const all = [...new Set([...together.value, body])]
      .filter((k) => skeleton.turns(k))
      .sort((a, b) => a - b);
    const roll = (turn: THREE.QuaternionTuple) => this.spin(places, all, new THREE.Quaternion(...turn));
    const rings = skeleton.axes(places, body, axes.value).map((axis, n) => {
      const side = aside(axis);
      const place = plus(centre, side, radius);
      return {
        id: `pose:${name}:${"xyz"[n]}`,
        selects: [],
        layers: [],
        kind: "spin",
        name,
        does: hinge
          ? `turn: it is a hinge${bounded(room)}`
          : `turn about its ${axes.value} ${"xyz"[n]}${inCompany(all.length - 1)}`,
        place,
        times: [-Infinity, Infinity],
        over: "view",
        ring: { centre, radius, axis, ...(room ? { room: { from: side, back: room[0], on: room[1] } } : {}) },
        follow: (to) => {
          const angle = angleAbout(axis, minus(place, centre), minus(to, centre));
          this.turn(places, all, n, angle);
        },
        edit: () => ({ do: "nothing" }) as never,
        ...(hinge ? {} : { roll }),
      } satisfies Handle;
    });
    if (hinge) return rings;
    const seen = `turn as it is seen${inCompany(all.length - 1)}; R: freely`;
    return [...rings, viewRing(name, seen, centre, VIEW * radius, roll)];
  }

  /** Turn bodies by the same rotation of the world, each about its own joint; hinges stay as they are. */
  spin(places: Places, bodies: readonly number[], by: THREE.Quaternion): void {
    const skeleton = this.skeleton.value!;
    const able = bodies.filter((body) => skeleton.joints[body]!.kind !== "hinge");
    let turned: Float64Array = Float64Array.from(places);
    for (const body of able) turned = skeleton.turned(turned, body, by);
    const joints = able.map((body) => [
      skeleton.name(body),
      skeleton.value(turned, body, this.store.lift.value),
    ]);
    this.touched(turned, Object.fromEntries(joints));
  }

  /** Turn bodies by an angle about the same of their axes, from the root outwards, each within its limits:
   * seen at once, and what is to be keyed. */
  turn(places: Places, bodies: readonly number[], axis: number, angle: number): void {
    const skeleton = this.skeleton.value!;
    const lift = this.store.lift.value;
    let turned: Float64Array = Float64Array.from(places);
    for (const body of bodies) {
      const all = skeleton.axes(turned, body, axes.value);
      const about = new THREE.Vector3(...(all[axis] ?? all[0]!));
      const room = skeleton.room(turned, body, lift);
      const by = room && !past.value ? within(angle, room) : angle;
      turned = skeleton.turned(turned, body, new THREE.Quaternion().setFromAxisAngle(about, by));
    }
    const joints = bodies.map((body) => [skeleton.name(body), skeleton.value(turned, body, lift)]);
    this.touched(turned, Object.fromEntries(joints));
  }

  /** Pull a point of the body: the poser answers, and what it moved is keyed. */
  grasp(body: number, point: string, place: Place): Handle | undefined {
    const skeleton = this.skeleton.value;
    const places = this.places();
    if (!skeleton || !places) return undefined;
    const { store } = this;
    // What is held in the document goes where its hold goes: that is stronger than any key.
    const number = holds(store, point);
    const own = heldHandles(store).find((h) => h.id.endsWith(`/${number}`));
    if (own) return own;
    const lift = store.lift.value;
    const frame = Math.round(store.player.frame.value); // wherever the playhead goes meanwhile
    const start = skeleton.configuration(places, lift);
    const root = localRoot.value;
    const held = [...new Set([...skeleton.standing(places), ...pins.value, ...pointsHeld(store)])].filter(
      (p) => p !== point,
    );
    const loose = root >= 0 ? included(skeleton.parents, root, body) : undefined;
    let session = 0;
    const follow = (to: Place) => {
      if (!session) {
        session = ++this.session;
        store.connection.say({
          say: "grab",
          session,
          q: start,
          point,
          pins: held,
          root: root >= 0 ? skeleton.name(root) : "",
          balanced: balanced.value,
        });
        this.heard = (packet, poses) => {
          if (packet.session === session) this.moved(packet, poses, start, loose, frame);
        };
      }
      this.asked.set(++this.seq, performance.now());
      store.connection.say({ say: "pull", session, seq: this.seq, place: to });
    };
    return {
      id: `pose:${point}`,
      selects: [],
      layers: [],
      kind: "body",
      name: point,
      does: `pull it: the body follows, ${held.length ? `${held.length} points stay` : "nothing is held"}`,
      place,
      times: [-Infinity, Infinity],
      over: "view",
      follow,
      settled: (to) => (session ? this.final(session, to) : Promise.resolve()),
      edit: () => ({ do: "nothing" }) as never,
    };
  }

  /** What the poser said. */
  pulled(packet: PulledPacket, places: Float32Array): void {
    const asked = this.asked.get(packet.seq);
    if (asked !== undefined) {
      this.delays.push(performance.now() - asked);
      for (const seq of [...this.asked.keys()]) if (seq <= packet.seq) this.asked.delete(seq);
    }
    this.off.value = packet.off;
    this.heard?.(packet, places);
  }

  /** As if nothing had been touched. */
  drop(): void {
    this.pending.value = undefined;
    this.heard = undefined;
    this.off.value = 0;
  }

  /** Key what was touched. */
  key(within = ""): void {
    const { store } = this;
    const held = this.pending.value;
    if (!held || !Object.keys(held.joints).length) return;
    const made = keyed(store, held.frame / store.fps.value, held.joints, {}, within);
    if (!made) return;
    store.edit(made.command);
    store.layer.value = made.layer;
  }

  /** A drag of this tool: what is seen is keyed as it goes, where that is wanted. */
  held(): { drop: () => void; cancel: () => void } {
    const { store } = this;
    const held = new Held(store, "pose");
    let begun = false;
    const edit = () => {
      const pose = this.pending.peek();
      if (!pose || !autoKey.peek() || !Object.keys(pose.joints).length) return;
      const made = keyed(store, pose.frame / store.fps.peek(), pose.joints);
      if (!made) return;
      // A new layer is made once; as soon as the server has it, its keys are set.
      if (made.command.do === "set") held.edit(made.command);
      else if (!begun) held.begin(made.command);
      begun = true;
    };
    const stop = effect(() => {
      void this.pending.value;
      untracked(edit);
    });
    const end = () => {
      edit();
      held.drop();
      const there = posedLayer(store);
      if (there && begun) store.layer.value = there.layer.name;
    };
    return {
      drop: () => {
        stop();
        if (!begun || posedLayer(store)) end();
        else {
          const wait = effect(() => {
            if (!store.layers.value.length || !posedLayer(store)) return;
            queueMicrotask(() => {
              wait();
              if (this.settling === waiting) this.settling = undefined;
              if (!taken) end();
            });
          });
          // Until then it can be taken back like what waits for its answer.
          let taken = false;
          const waiting = {
            drop: () => undefined,
            cancel: () => {
              taken = true;
              wait();
              held.cancel();
              this.drop();
            },
          };
          this.settling = waiting;
        }
      },
      cancel: () => {
        stop();
        held.cancel();
        this.drop();
      },
    };
  }

  /** What was let go is keyed when it has been answered in full. Until then it can be taken back; and who
   * does something else with the pose goes on from what is seen. */
  async settle(answered: Promise<void>, posed: { drop: () => void; cancel: () => void }): Promise<void> {
    this.settling = posed;
    await answered;
    if (this.settling === posed) this.finish();
  }

  /** What was let go is keyed as it is seen. */
  finish(): void {
    this.settled()?.drop();
  }

  /** As if it had never been pulled; false where nothing is settling. */
  takeBack(): boolean {
    const posed = this.settled();
    posed?.cancel();
    return posed !== undefined;
  }

  private settled(): typeof this.settling {
    const posed = this.settling;
    this.settling = undefined;
    clearTimeout(this.late);
    return posed;
  }

  /** The last pull, in full. */
  private final(session: number, place: Place): Promise<void> {
    return new Promise((resolve) => {
      const seq = ++this.seq;
      const before = this.heard;
      this.late = setTimeout(() => {
        this.store.note("the pose was not pulled: no answer from the solver; try again", "problem");
        resolve();
      }, PATIENCE);
      this.heard = (packet, poses) => {
        before?.(packet, poses);
        if (packet.seq !== seq) return;
        this.heard = undefined;
        resolve();
      };
      this.store.connection.say({ say: "pull", session, seq, place, final: true });
    });
  }

  private moved(
    packet: PulledPacket,
    poses: Float32Array,
    start: readonly number[],
    loose: readonly boolean[] | undefined,
    frame: number,
  ): void {
    const skeleton = this.skeleton.value;
    if (!skeleton) return;
    const places = Float64Array.from(poses);
    for (let k = 2; k < places.length; k += STRIDE) places[k] = places[k]! + this.store.lift.value;
    const joints = Object.fromEntries(
      skeleton.joints.flatMap((joint, body) => {
        const value = packet.q.slice(joint.start, joint.start + joint.size);
        const was = start.slice(joint.start, joint.start + joint.size);
        const touched = joint.size > 0 && away(value, was) > TOUCHED && (loose?.[body] ?? true);
        return touched ? [[skeleton.name(body), value]] : [];
      }),
    );
    this.pending.value = { frame, places, joints };
  }
}

/** How the pose of this frame stands: over its feet or not. */
export function standsAt(
  store: Store,
  posing: Posing,
): { margin: number | undefined; centre: Place; polygon: readonly (readonly number[])[] } | undefined {
  const skeleton = posing.skeleton.value;
  const places = posing.places();
  const centre = skeleton && places && skeleton.centre(places);
  if (!centre) return undefined;
  const frame = Math.round(store.player.frame.value);
  const known = store.physics.value?.header.support[frame] ?? [];
  // While something is posed, its own feet say what it stands on; what was found is of the pose before.
  const own = posing.pending.value?.frame === frame ? hull(skeleton.soles(places)) : [];
  const polygon = own.length > 2 ? own : known;
  return { margin: margin(centre, polygon), centre, polygon };
}

/** The flight that this frame is in or next to, with what is posed but not solved in it. */
export function flightHere(store: Store, posing: Posing): Airborne | undefined {
  const physics = store.physics.value;
  const fps = store.fps.value;
  const frame = Math.round(store.player.frame.value);
  const near = flightNear(store.carried.value?.flights ?? [], frame, Math.round(NEAR * fps));
  if (!near || !physics?.com.length) return undefined;
  let com: ArrayLike<number> = physics.com;
  const pending = posing.pending.value;
  const skeleton = posing.skeleton.value;
  const centre = pending && skeleton?.centre(pending.places);
  if (pending && centre && 3 * pending.frame + 2 < com.length) {
    const changed = Float32Array.from(physics.com);
    changed.set(centre, 3 * pending.frame);
    com = changed;
  }
  const flight = flightOf(com, near[0], near[1], fps);
  return flight && { flight, drift: driftOf(physics.spin, physics.inertia, near[0], near[1]) };
}

export interface Airborne {
  flight: Flight;
  drift: { share: number; mean: number } | undefined;
}

/** Whether joints may be turned beyond their limits, as long as Alt is down. */
export const past = signal(false);
if (typeof addEventListener === "function") {
  const alt = (event: KeyboardEvent) => {
    if (event.key === "Alt") past.value = event.type === "keydown";
  };
  addEventListener("keydown", alt);
  addEventListener("keyup", alt);
}

const within = (angle: number, [low, high]: readonly [number, number]): number =>
  Math.min(Math.max(angle, Math.min(low, 0)), Math.max(high, 0));

const inCompany = (others: number): string =>
  others ? `, with ${others} ${others === 1 ? "other" : "others"}` : "";

const bounded = (room: readonly [number, number] | undefined): string =>
  room ? `, ${room.map((v) => Math.round((v * 180) / Math.PI)).join("° … +")}° left; Alt goes beyond` : "";

/** Coordinates of a joint as numbers apart: a quaternion and its opposite are the same turn. */
function away(a: readonly number[], b: readonly number[]): number {
  const far = (sign: number) => Math.max(...a.map((v, k) => Math.abs(v - sign * b[k]!)));
  return a.length === 4 ? Math.min(far(1), far(-1)) : far(1);
}
