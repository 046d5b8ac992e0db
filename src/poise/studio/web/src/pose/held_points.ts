// Points held in the document: a foot or a hand that stays in place over a range of frames. They are stronger
// than keys of joints, hold while something else is pulled, and are moved by their sign on the stage.
import * as THREE from "three";
import { add, beforeLoose, freeName, put } from "../commands.ts";
import type { Layer } from "../layer.ts";
import type { AnyCommand, HeldPoint } from "../messages.ts";
import { cardOf, optionFor } from "../operations.ts";
import type { Handle, Place } from "../stage/handle.ts";
import { STRIDE } from "../stage/poses.ts";
import type { Store } from "../store.ts";
import { idOf } from "../time/address.ts";
import { tidy } from "../time/entry.ts";
import { now, posedLayer } from "./keys.ts";

/** The editor of options that hold them. */
export const HELD = "held";
/** How long a point is held at first [s]: its end is where the next frame is that lets it go. */
const FIRST = 0.5;
/** Times nearer than this are one [s]. */
const SAME = 1e-4;

export interface Holding {
  layer: Layer;
  option: string;
  held: readonly HeldPoint[];
}

/** What is held in the layer that is posed. */
export function holding(store: Store): Holding | undefined {
  const layer = posedLayer(store)?.layer;
  const option = layer && optionFor(cardOf(store.cards.value, layer), HELD)?.name;
  return option ? { layer, option, held: (layer[option] as HeldPoint[] | undefined) ?? [] } : undefined;
}

const within = (held: HeldPoint, time: number): boolean =>
  held.muted !== true && held.at[0] - SAME <= time && time <= held.at[1] + SAME;

/** Numbers of what is held at this frame. */
export function heldHere(store: Store): number[] {
  const time = now(store);
  return (holding(store)?.held ?? []).flatMap((held, k) => (within(held, time) ? [k] : []));
}

/** Points that are held at this frame. */
export const pointsHeld = (store: Store): string[] =>
  heldHere(store).map((k) => holding(store)!.held[k]!.point);

/** The body that a point is on; -1 where there is none of that name. */
export function bodyOf(store: Store, point: string): number {
  const { places = [], bodies = [] } = store.figure.value ?? {};
  return places.find((p) => p.name === point)?.body ?? bodies.findIndex((b) => b.name === point);
}

/** Where a point is in the pose of this frame, as the document has places. */
export function placeOf(store: Store, point: string): Place | undefined {
  const places = store.posing.places();
  const body = bodyOf(store, point);
  if (!places || body < 0) return undefined;
  const own = store.figure.value?.places?.find((p) => p.name === point)?.position ?? [0, 0, 0];
  const k = body * STRIDE;
  const at = new THREE.Vector3(own[0], own[1], own[2])
    .applyQuaternion(
      new THREE.Quaternion(places[k + 3]!, places[k + 4]!, places[k + 5]!, places[k + 6]!).normalize(),
    )
    .add(new THREE.Vector3(places[k]!, places[k + 1]!, places[k + 2]! - store.lift.value));
  return at.toArray().map((v) => Number(v.toFixed(6))) as Place;
}

/** A point held where it is, from a time on; a foot with its direction. */
export function heldFrom(store: Store, point: string, time: number): HeldPoint | undefined {
  const to = placeOf(store, point);
  if (!to) return undefined;
  const last = (store.player.frames.value - 1) / store.fps.value;
  const foot = store.posing.skeleton.value?.joints[bodyOf(store, point)]?.limb === "foot";
  const later = (holding(store)?.held ?? []).filter((h) => h.point === point && h.at[0] > time + SAME);
  const end = Math.min(last, time + FIRST, ...later.map((h) => h.at[0]));
  return { point, at: [tidy(time), tidy(Math.max(end, time))], to, ...(foot ? { turn: true } : {}) };
}

/** Hold a point from this frame on. */
export function hold(store: Store, point: string): void {
  const made = heldFrom(store, point, now(store));
  if (!made) return;
  const there = holding(store);
  if (there) {
    write(store, [...there.held, made]);
    return;
  }
  const cards = store.cards.value;
  const card = cards.find((c) => c.layer && optionFor(c, HELD));
  if (!card) return;
  const name = freeName(store.layers.value, "poses");
  store.edit(
    add(
      { do: card.name, name, [optionFor(card, HELD)!.name]: [made] },
      beforeLoose(store.layers.value, cards),
    ),
  );
  store.layer.value = name;
}

/** The number of what holds a point, or its body, at this frame; -1 where nothing does. */
export function holds(store: Store, point: string): number {
  const body = bodyOf(store, point);
  return heldHere(store).find((k) => bodyOf(store, holding(store)!.held[k]!.point) === body) ?? -1;
}

/** It is let go at this frame, or was never held where this is its first. */
export function letGo(store: Store, number: number): void {
  const { held } = holding(store)!;
  const time = now(store);
  if (Math.abs(held[number]!.at[0] - time) < SAME) release(store, number);
  else change(store, number, { at: [held[number]!.at[0], tidy(time)] });
}

/** Not held any more. */
export function release(store: Store, number: number): void {
  write(
    store,
    holding(store)!.held.filter((_, k) => k !== number),
  );
}

export function change(store: Store, number: number, changes: Partial<HeldPoint>): void {
  write(
    store,
    holding(store)!.held.map((each, k) => (k === number ? { ...each, ...changes } : each)),
  );
}

/** Held from this frame on, or let go at it. */
export function toggleHeld(store: Store, point: string): void {
  const number = holds(store, point);
  if (number < 0) hold(store, point);
  else letGo(store, number);
}

function write(store: Store, held: readonly HeldPoint[]): void {
  const there = holding(store);
  if (there) store.edit(put(there.layer.name, there.option, held));
}

/** What holds at this frame can be taken elsewhere: the body follows, at all of its frames. */
export function heldHandles(store: Store): Handle[] {
  const there = holding(store);
  if (!there) return [];
  return heldHere(store).flatMap((k): Handle[] => {
    const held = there.held[k]!;
    const place = (held.to as Place | null | undefined) ?? placeOf(store, held.point);
    if (!place) return [];
    const id = idOf(there.layer.name, `${there.option}/${k}`);
    const frames = held.at.map((t) => Math.round(t * store.fps.value));
    return [
      {
        id,
        selects: [id],
        layers: [there.layer.name],
        kind: "pin",
        name: `${held.point} held`,
        does: `move where it is held, at frames ${frames[0]} to ${frames[1]}`,
        place,
        times: held.at as [number, number],
        over: "view",
        edit: (to, gesture): AnyCommand => put(there.layer.name, `${there.option}/${k}/to`, to, gesture),
      },
    ];
  });
}
