// Handles of obstacles: one moves it, one on its corner or about it makes it larger; where it moves, one for each key.
import * as THREE from "three";
import { put } from "../commands.ts";
import type { AnyLayer } from "../messages.ts";
import { length, minus, type Handle, type Place } from "./handle.ts";
import { obstaclesOf, turned, type Standing } from "./obstacles.ts";

const LEAST = 0.01; // [m]
const ALWAYS: [number, number] = [0, Infinity];

export function obstacleHandles(layer: AnyLayer): Handle[] {
  return obstaclesOf([{ ...layer, solo: false }]).flatMap((standing) => [...movers(standing), ...(standing.entry.path?.length ? [] : [sizer(standing)])]);
}

function movers({ id, layer, path, entry }: Standing): Handle[] {
  const base = { layers: [layer], kind: "obstacle" as const, over: "view" as const };
  const move = (field: string) => (place: Place, within: string) => put(layer, `${path}/${field}`, round(place), within);
  const keys = entry.path ?? [];
  if (!keys.length) return [{ ...base, id, selects: [id], name: entry.name, does: "move it; the motion runs into it", place: entry.position ?? [0, 0, 0], times: ALWAYS, edit: move("position") }];
  return keys.map((key, k) => ({ ...base, id: `${id}/path/${k}`, selects: [`${id}/path/${k}`], name: entry.name, does: `move it where it is at ${key.time.toFixed(2)} s`, place: key.position, times: [key.time, key.time] as [number, number], edit: move(`path/${k}/position`), ...(k ? { from: keys[k - 1]!.position } : {}) }));
}

function sizer({ id, layer, path, entry }: Standing): Handle {
  const centre = entry.position ?? [0, 0, 0];
  const base = { id: `${id}:size`, selects: [id], layers: [layer], kind: "size" as const, name: entry.name, does: "make it larger or smaller", times: ALWAYS, over: "view" as const };
  if (!entry.half) {
    const radius = entry.radius ?? 0.1;
    return { ...base, place: [centre[0] + radius, centre[1], centre[2]], ring: { centre, radius }, edit: (place, within) => put(layer, `${path}/radius`, round([Math.max(length(minus(place, centre)), LEAST)])[0], within) };
  }
  const way = turned(entry.turn);
  const back = way.clone().invert();
  const halves = (place: Place): Place => new THREE.Vector3(...minus(place, centre)).applyQuaternion(back).toArray().map((v) => Math.max(Math.abs(v), LEAST)) as Place;
  const corner = (half: Place): Place => new THREE.Vector3(...half).applyQuaternion(way).add(new THREE.Vector3(...centre)).toArray() as Place;
  return { ...base, place: corner(entry.half), settle: (place) => corner(halves(place)), edit: (place, within) => put(layer, `${path}/half`, round(halves(place)), within) };
}

/** Tenths of a millimetre are enough for something to run into. */
const round = (numbers: readonly number[]): number[] => numbers.map((v) => Number(v.toFixed(4)));
