// The project's cameras as the document has them, what the stage looks through, and the edits of them.
import { signal } from "@preact/signals";
import { freeName } from "./commands.ts";
import { Held } from "./held.ts";
import type { AnyCommand, CameraKey, Cut, FilmCamera } from "./messages.ts";
import { CUTS, cameraOn, type Stood, stood, type Way, wayOfBody } from "./stage/shots.ts";
import type { Store } from "./store.ts";
import { tidy } from "./time/entry.ts";
import type { Moving, Stretching } from "./time/gesture.ts";

const HOME = "@cameras";
/** What the stage looks through: a camera of the project by name, its cuts, or none: one's own view. */
export const through = signal("");
/** How the stage is looked at now, as a key of a camera; set by the stage. */
export const asSeen: { now: () => Omit<CameraKey, "time"> } = {
  now: () => ({ eye: [3, -3, 1.5], target: [0, 0, 0.9] }),
};

export const camerasOf = (store: Store): Readonly<Record<string, FilmCamera>> =>
  (store.state.value?.document["cameras"] as Record<string, FilmCamera> | undefined) ?? {};

export const cutsOf = (store: Store): readonly Cut[] =>
  (store.state.value?.document["cuts"] as Cut[] | undefined) ?? [];

/** Ids of what stands in the time line and in the panel. */
export const cameraId = (name: string): string => `${HOME}/${encodeURIComponent(name)}`;
export const keyId = (name: string, number: number): string => `${cameraId(name)}/${number}`;
export const cutId = (number: number): string => `${HOME}#${number}`;

export interface CameraAddress {
  /** A camera, and a key of it; or a cut. */
  name?: string;
  key?: number;
  cut?: number;
}

/** What an id stands for; undefined for what is of no camera. */
export function cameraAddress(id: string): CameraAddress | undefined {
  if (id.startsWith(`${HOME}#`)) return { cut: Number(id.slice(HOME.length + 1)) };
  if (!id.startsWith(`${HOME}/`)) return undefined;
  const [name = "", key] = id.slice(HOME.length + 1).split("/");
  return { name: decodeURIComponent(name), ...(key === undefined ? {} : { key: Number(key) }) };
}

/** Where the camera stands that the stage looks through at a time [s], as the stage has it: lifted.
 * Undefined where that is nobody's, or the camera is gone. */
export function seenThrough(store: Store, time: number): Stood | undefined {
  if (!through.value) return undefined;
  const cameras = camerasOf(store);
  const name = through.value === CUTS ? cameraOn(cameras, cutsOf(store), time) : through.value;
  const camera = name === undefined ? undefined : cameras[name];
  if (!camera) return undefined;
  const found = stood(camera, time, wayFor(store, camera));
  const lift = store.lift.value;
  found.eye.z += lift;
  found.target.z += lift;
  return found;
}

function wayFor(store: Store, { follow }: FilmCamera): Way | undefined {
  const poses = store.result.value;
  const body = store.figure.value?.bodies.findIndex((b) => b.name === follow) ?? -1;
  return follow && poses ? wayOfBody(poses, body, store.fps.value) : undefined;
}

const put = (name: string, camera: FilmCamera): AnyCommand => ({ do: "put-camera", name, camera });

/** The frame that is shown, as a time [s]. */
const here = (store: Store): number => tidy(Math.round(store.player.frame.value) / store.fps.value);

const byTime = <T extends { time?: number }>(listed: readonly T[]): T[] =>
  [...listed].sort((a, b) => (a.time ?? 0) - (b.time ?? 0));

/** A camera that stands where the stage is looked at from; it is looked through at once. */
export function addCamera(store: Store, wanted = "camera"): void {
  const taken = [...Object.keys(camerasOf(store)), CUTS].map((name) => ({ name, do: "" }));
  const name = freeName(taken as never, wanted);
  store.edit(put(name, { keys: [{ time: here(store), ...asSeen.now() }] }));
  store.selected.value = new Set([cameraId(name)]);
}

/** A key of a camera, as the stage is seen now, at the frame that is shown. */
export function keyCamera(store: Store, name: string, frame?: number): void {
  const camera = camerasOf(store)[name];
  if (!camera) return;
  const time = frame === undefined ? here(store) : tidy(frame / store.fps.value);
  const others = camera.keys.filter((key) => (key.time ?? 0) !== time);
  store.edit(put(name, { ...camera, keys: byTime([...others, { time, ...asSeen.now() }]) }));
}

/** A camera with some of it changed. */
export function setCamera(store: Store, name: string, changes: Partial<FilmCamera>): void {
  const camera = camerasOf(store)[name];
  if (camera) store.edit(put(name, { ...camera, ...changes }));
}

export function renameCamera(store: Store, camera: string, name: string): void {
  store.edit({ do: "rename-camera", camera, name });
  if (through.value === camera) through.value = name;
  store.selected.value = new Set([cameraId(name)]);
}

export function dropCamera(store: Store, name: string): void {
  store.edit({ do: "drop-camera", name });
  if (through.value === name) through.value = "";
}

/** From the frame that is shown on, a camera is seen; the stage shows the cuts. */
export function cutTo(store: Store, camera: string): void {
  const time = here(store);
  const others = cutsOf(store).filter((cut) => (cut.time ?? 0) !== time);
  // The first cut is also seen before its time: what was seen there stays.
  const before = cameraOn(camerasOf(store), others, 0);
  const first =
    others.length || time === 0 || !before || before === camera ? [] : [{ time: 0, camera: before }];
  store.edit({ do: "set-cuts", cuts: byTime([...first, ...others, { time, camera }]) });
  through.value = CUTS;
}

/** A cut to another camera. */
export function recut(store: Store, number: number, camera: string): void {
  const cuts = cutsOf(store).map((cut, k) => (k === number ? { ...cut, camera } : cut));
  store.edit({ do: "set-cuts", cuts });
}

/** Takes out keys, cuts and cameras; a camera that has lost all of its keys goes with them. */
export function eraseCameras(store: Store, ids: Iterable<string>): boolean {
  const found = [...ids].flatMap((id) => cameraAddress(id) ?? []);
  if (!found.length) return false;
  const commands: AnyCommand[] = [];
  const cuts = new Set(found.flatMap((each) => each.cut ?? []));
  if (cuts.size) commands.push({ do: "set-cuts", cuts: cutsOf(store).filter((_, k) => !cuts.has(k)) });
  for (const [name, camera] of Object.entries(camerasOf(store))) {
    const own = found.filter((each) => each.name === name);
    const keys = new Set(own.flatMap((each) => each.key ?? []));
    const left = camera.keys.filter((_, k) => !keys.has(k));
    if (own.some((each) => each.key === undefined) || (keys.size && !left.length))
      commands.push({ do: "drop-camera", name });
    else if (keys.size) commands.push(put(name, { ...camera, keys: left }));
  }
  if (commands.length) store.edit(commands.length === 1 ? commands[0]! : { do: "group", commands });
  store.selected.value = new Set();
  return true;
}

/** Keys of cameras and cuts are dragged to another time: none beyond its neighbour, none before the start. */
export function moveCameras(store: Store, ids: readonly string[]): Moving {
  const found = ids.flatMap((id) => cameraAddress(id) ?? []);
  const cameras = camerasOf(store);
  const cuts = cutsOf(store);
  const moved = new Set(found.flatMap((each) => each.cut ?? []));
  const names = [...new Set(found.flatMap((each) => (each.key === undefined ? [] : (each.name ?? []))))];
  return following(store, (frames) => {
    const by = frames / store.fps.value;
    const changed: AnyCommand[] = names.flatMap((name) => {
      const own = new Set(found.flatMap((each) => (each.name === name ? (each.key ?? []) : [])));
      const keys = later(cameras[name]!.keys, own, by);
      return keys ? [put(name, { ...cameras[name]!, keys })] : [];
    });
    const shifted = moved.size ? later(cuts, moved, by) : undefined;
    return [...changed, ...(shifted ? [{ do: "set-cuts", cuts: shifted } as AnyCommand] : [])];
  });
}

/** The beginning of what is seen through a camera is dragged, or its end: the next cut. */
export function stretchCut(store: Store, number: number, edge: "first" | "last"): Stretching {
  const cuts = cutsOf(store);
  const own = edge === "first" ? number : number + 1;
  const cut = cuts[own];
  return following(store, (frame) => {
    const next = cut && later(cuts, new Set([own]), frame / store.fps.value - (cut.time ?? 0));
    return next ? [{ do: "set-cuts", cuts: next }] : [];
  });
}

/** Some of a list later; undefined where two would be at the same time, or one before the start. */
function later<T extends { time?: number }>(
  listed: readonly T[],
  some: ReadonlySet<number>,
  by: number,
): T[] | undefined {
  const next = listed.map((each, k) => (some.has(k) ? { ...each, time: tidy((each.time ?? 0) + by) } : each));
  const times = next.map((each) => each.time ?? 0);
  return times.some((t) => t < 0) || new Set(times).size < times.length ? undefined : byTime(next);
}

function following(store: Store, commands: (to: number) => AnyCommand[]) {
  const held = new Held(store, "move cameras");
  let last: number | undefined;
  return {
    to(where: number) {
      if (where === last) return;
      last = where;
      const made = commands(where);
      if (made.length) held.edit(made.length === 1 ? made[0]! : { do: "group", commands: made });
    },
    drop: () => held.drop(),
    cancel: () => held.cancel(),
  };
}
