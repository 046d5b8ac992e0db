// Grabbing the character itself: a body, or its centre of mass. What is dragged becomes a constraint at this
// frame, where the document has one that fits: a pin of key-frames, a target where the motion is loose, else
// an adaptation.
import * as THREE from "three";
import { adapted, appended, insert, type Placed, pointAt, put, softAt, targeted } from "../commands.ts";
import { type Keyframed, own } from "../layer.ts";
import type { AnyCommand, FigurePacket } from "../messages.ts";
import { cardOf, isLoose, isPinning } from "../operations.ts";
import type { Store } from "../store.ts";
import { idOf } from "../time/address.ts";
import { type Handle, minus, type Place } from "./handle.ts";
import { included, localRoot } from "./local_root.ts";
import { STRIDE } from "./poses.ts";
import { onSphere, type Turn, turned } from "./turning.ts";

/** The named point of a body nearest to where it was touched; its joint where it has none near. */
export function pointNear(figure: FigurePacket, body: number, at: Place): string {
  const own = figure.bodies[body]!.name;
  const found = (figure.places ?? [])
    .filter((p) => p.body === body)
    .map((p) => ({ name: p.name, away: Math.hypot(...minus(p.position, at)) }));
  const joint = Math.hypot(...at);
  const best = found.sort((a, b) => a.away - b.away)[0];
  return best && best.away < joint ? best.name : own;
}

/** Drag a point of a body, or turn the body. `touched` in the body's frame, `point`:
 * where a named point is now. */
export function graspBody(
  store: Store,
  body: number,
  touched: Place,
  where: Place,
  turn: Turn,
  point: (name: string, time: number) => Place | undefined,
  turning: boolean,
): Handle | undefined {
  const figure = store.figure.value;
  if (!figure) return undefined;
  const time = Math.round(store.player.frame.value) / store.fps.value;
  const own = figure.bodies[body]!.name;
  if (turning) {
    const centre = point(own, time)!;
    const way = minus(where, centre);
    const constraint = {
      name: `${own} turned at ${time.toFixed(2)} s`,
      handle: { kind: "body_orientation", body: own },
      target: { value: [...turn] },
      when: { at: time },
    };
    return made(
      store,
      body,
      own,
      where,
      time,
      `turn ${own}: ${meaning(store, body)}`,
      [constraint],
      (placed, within, p, axis) =>
        put(placed.layer, `${placed.path}/target/value`, turned(turn, way, minus(p, centre), axis), within),
      {
        from: centre,
        settle: (p) => onSphere(p, centre, Math.hypot(...way)),
      },
    );
  }
  const name = pointNear(figure, body, touched);
  const place = point(name, time);
  if (!place) return undefined;
  return made(
    store,
    body,
    name,
    place,
    time,
    `drag ${name}: ${meaning(store, body)}`,
    pointAt(name, place, time),
    (placed, within, p) =>
      put(
        placed.layer,
        `${placed.path}/${placed.path.startsWith("keyframes") ? "to" : "target/value"}`,
        p,
        within,
      ),
  );
}

/** Drag a body by its joint, as where it is picked by name: nobody touched it. */
export function graspJoint(
  store: Store,
  body: number,
  point: (name: string, time: number) => Place | undefined,
): Handle | undefined {
  const name = store.pointOf(body);
  const place = name && point(name, Math.round(store.player.frame.value) / store.fps.value);
  return place ? graspBody(store, body, [0, 0, 0], place, [1, 0, 0, 0], point, false) : undefined;
}

/** Put a body's joint somewhere at this frame, by numbers: what dragging it there does, in one edit. */
export function place(store: Store, body: number, at: Place): void {
  const name = store.pointOf(body);
  if (!name) return;
  const time = Math.round(store.player.frame.value) / store.fps.value;
  const placed = landing(store, body, name, at, time, pointAt(name, at, time));
  if (!placed) return;
  store.edit(placed.command);
  store.layer.value = placed.layer;
  store.selected.value = new Set([idOf(placed.layer, placed.path)]);
}

/** Drag a point of something soft: the joints that carry it move so that it gets there. */
export function graspSoft(
  store: Store,
  soft: { layer?: string; name: string; body: number; rest: Place },
  place: Place,
): Handle | undefined {
  const layer = store.layers.value.find((l) => l.name === soft.layer);
  const bone = store.figure.value?.bodies[soft.body]?.name;
  if (!layer || !bone) return undefined;
  const time = Math.round(store.player.frame.value) / store.fps.value;
  const constraint = softAt(soft.name, bone, soft.rest, place, time);
  return made(
    store,
    soft.body,
    soft.name,
    place,
    time,
    `drag ${soft.name}: the wearer moves so that this point gets there`,
    [constraint],
    (placed, within, p) => put(placed.layer, `${placed.path}/target/value`, p, within),
    {},
    () => appended("reach", layer, [constraint]),
  );
}

/** Drag the centre of mass. */
export function graspCentre(store: Store, place: Place): Handle {
  const time = Math.round(store.player.frame.value) / store.fps.value;
  const constraint = {
    name: `centre of mass at ${time.toFixed(2)} s`,
    handle: { kind: "centre_of_mass", axes: "xyz" },
    target: { value: [...place] },
    when: { at: time },
  };
  return made(
    store,
    -1,
    "centre of mass",
    place,
    time,
    "drag the centre of mass: the whole motion follows",
    [constraint],
    (placed, within, p) => put(placed.layer, `${placed.path}/target/value`, p, within),
  );
}

function made(
  store: Store,
  body: number,
  name: string,
  place: Place,
  time: number,
  does: string,
  constraints: Record<string, unknown>[],
  write: (placed: Placed, within: string, p: Place, axis: Parameters<Handle["edit"]>[2]) => AnyCommand,
  more: Partial<Handle> = {},
  land: () => Placed | undefined = () => landing(store, body, name, place, time, constraints),
): Handle {
  const base: Handle = {
    id: `${body}:${name}`,
    selects: [],
    layers: [],
    kind: "body",
    name,
    does,
    place,
    times: [time, time],
    over: "view",
    edit: () => ({ do: "group", commands: [] }),
    ...more,
  };
  return {
    ...base,
    begin: (within) => {
      const placed = land();
      if (!placed) return undefined;
      const id = idOf(placed.layer, placed.path);
      return {
        command: { ...placed.command, gesture: within },
        handle: {
          ...base,
          id,
          selects: [id],
          layers: [placed.layer],
          kind: more.from ? "axis" : "pin",
          edit: (p, w, axis) => write(placed, w, p, axis),
        },
      };
    },
  };
}

/** Where the constraint goes. */
function landing(
  store: Store,
  body: number,
  name: string,
  place: Place,
  time: number,
  constraints: Record<string, unknown>[],
): Placed | undefined {
  const layers = store.layers.value;
  const cards = store.cards.value;
  const chosen = chosenKeys(store);
  const about = body >= 0 ? localJoints(store, body) : undefined;
  if (about) return adapted(layers, cards, [...constraints, ...about.held(time)], about.joints);
  const kind = (constraints[0]!["handle"] as { kind: string }).kind;
  if (chosen && kind === "point_position") {
    const pins = own(chosen.keyframes)!["pins"] as unknown[] | undefined;
    const pin = { point: name, at: [time, time], to: [...place], fade: 0.2 };
    return {
      command: pins
        ? insert(chosen.name, `keyframes/pins/${pins.length}`, pin)
        : put(chosen.name, "keyframes/pins", [pin]),
      layer: chosen.name,
      path: `keyframes/pins/${pins?.length ?? 0}`,
    };
  }
  return kind !== "centre_of_mass" && targets(store)
    ? targeted(layers, cards, constraints)
    : adapted(layers, cards, constraints);
}

/** The chosen layer, where it is one of key-frames. */
function chosenKeys(store: Store): Keyframed | undefined {
  const chosen: Keyframed | undefined = store.layers.value.find((l) => l.name === store.layer.value);
  return own(chosen?.keyframes) && chosen;
}

/** Loose motions take targets, unless what is being worked on changes the motion as a whole. */
function targets(store: Store): boolean {
  const layers = store.layers.value;
  const cards = store.cards.value;
  const chosen = layers.find((l) => l.name === store.layer.value);
  return (
    layers.some((l) => isLoose(cardOf(cards, l)) && !l.muted) && !(chosen && isPinning(cardOf(cards, chosen)))
  );
}

/** The joints that a local root lets move, and what holds the root where they reach to the actual one;
 * undefined: all may. */
function localJoints(
  store: Store,
  body: number,
): { joints: string[]; held: (time: number) => Record<string, unknown>[] } | undefined {
  const bodies = store.figure.value!.bodies;
  const root = localRoot.value;
  const result = store.result.value;
  if (root < 0 || root === body || root >= bodies.length || !result) return undefined;
  const free = included(
    bodies.map((b) => b.parent),
    root,
    body,
  );
  const held = (time: number): Record<string, unknown>[] => {
    const place = store.placeOf(root, time);
    if (free[root] || !place) return [];
    const own = bodies[root]!.name;
    const k = (Math.round(time * store.fps.value) * bodies.length + root) * STRIDE;
    const turn = {
      name: `${own} keeps its heading`,
      handle: { kind: "body_orientation", body: own },
      target: { value: turnAt(result.values, k + 3) },
      when: { at: time },
    };
    return [...pointAt(own, place, time), turn];
  };
  return { joints: bodies.filter((_, i) => free[i]).map((b) => b.name), held };
}

function meaning(store: Store, body: number): string {
  const root = store.figure.value?.bodies[localRoot.value]?.name;
  if (root && localRoot.value !== body) return `only what moves about ${root} changes`;
  if (chosenKeys(store)) return "a pin of the key-frames";
  return targets(store) ? "a target that the loose motion hits" : "the whole motion is adapted";
}

/** A quaternion of a sampled pose (x y z w) as the document has it. */
export const turnAt = (places: Float32Array, k: number): Turn => [
  places[k + 3]!,
  places[k]!,
  places[k + 1]!,
  places[k + 2]!,
];

/** A place on the stage in the frame of a body at k of a sampled pose. */
export function inBody(places: Float32Array, k: number, at: THREE.Vector3): Place {
  const local = at
    .clone()
    .sub(new THREE.Vector3().fromArray(places, k))
    .applyQuaternion(new THREE.Quaternion().fromArray(places, k + 3).invert());
  return [local.x, local.y, local.z];
}
