// Handles of boxes and balls in a layer's world: one moves it, one on its corner or about it makes it larger,
// three rings turn it while it is selected; where it moves, one for each key.
import * as THREE from "three";
import { put } from "../commands.ts";
import type { Use } from "../operations.ts";
import { keysOf } from "../time/surface_track.ts";
import { type Handle, length, minus, type Place } from "./handle.ts";
import { type Standing, solidsOf, turned } from "./surfaces.ts";
import { angleAbout } from "./turning.ts";

const LEAST = 0.01; // [m]
const ALWAYS: [number, number] = [0, Infinity];

export function surfaceHandles({ layer }: Use): Handle[] {
  return solidsOf([{ ...layer, solo: false }]).flatMap((standing) => [
    ...movers(standing),
    ...(keysOf(standing.entry).length ? [] : [sizer(standing)]),
    ...spinners(standing),
  ]);
}

function movers({ id, layer, path, entry }: Standing): Handle[] {
  const base = { layers: [layer], kind: "surface" as const, over: "view" as const };
  const move = (field: string) => (place: Place, within: string) =>
    put(layer, `${path}/${field}`, round(place), within);
  const keys = keysOf(entry);
  if (!keys.length)
    return [
      {
        ...base,
        id,
        selects: [id],
        name: entry.name,
        does: "move it; the motion runs into it",
        place: entry.place ?? [0, 0, 0],
        times: ALWAYS,
        edit: move("place"),
      },
    ];
  return keys.map((key, k) => ({
    ...base,
    id: `${id}/track/${k}`,
    selects: [`${id}/track/${k}`],
    name: entry.name,
    does: `move it where it is at ${key.time.toFixed(2)} s`,
    place: key.place,
    times: [key.time, key.time] as [number, number],
    edit: move(`track/${k}/place`),
    ...(k ? { from: keys[k - 1]!.place } : {}),
  }));
}

function sizer({ id, layer, path, entry }: Standing): Handle {
  const centre = entry.place ?? [0, 0, 0];
  const base = {
    id: `${id}:size`,
    selects: [id],
    layers: [layer],
    kind: "size" as const,
    name: entry.name,
    does: "make it larger or smaller",
    times: ALWAYS,
    over: "view" as const,
  };
  const { half } = entry.shape;
  if (!half) {
    const radius = entry.shape.radius ?? 0.1;
    return {
      ...base,
      place: [centre[0] + radius, centre[1], centre[2]],
      ring: { centre, radius },
      edit: (place, within) =>
        put(layer, `${path}/shape/radius`, round([Math.max(length(minus(place, centre)), LEAST)])[0], within),
    };
  }
  const way = turned(entry.turn);
  const back = way.clone().invert();
  const halves = (place: Place): Place =>
    new THREE.Vector3(...minus(place, centre))
      .applyQuaternion(back)
      .toArray()
      .map((v) => Math.max(Math.abs(v), LEAST)) as Place;
  const corner = (edges: Place): Place =>
    new THREE.Vector3(...edges)
      .applyQuaternion(way)
      .add(new THREE.Vector3(...centre))
      .toArray() as Place;
  return {
    ...base,
    place: corner(half),
    settle: (place) => corner(halves(place)),
    edit: (place, within) => put(layer, `${path}/shape/half`, round(halves(place)), within),
  };
}

/** A ring about each axis of a box; about each of its keys where it moves,
 * for it is turned the same everywhere. */
function spinners({ id, layer, path, entry }: Standing): Handle[] {
  const { half } = entry.shape;
  if (!half) return [];
  const keys = keysOf(entry);
  const stops = keys.length
    ? keys.map((key, k) => ({
        at: `${id}/track/${k}`,
        centre: key.place,
        times: [key.time, key.time] as [number, number],
      }))
    : [{ at: id, centre: entry.place ?? ([0, 0, 0] as Place), times: ALWAYS }];
  const start = turned(entry.turn);
  const radius = 1.15 * length(half);
  const own = (k: number) => new THREE.Vector3().setComponent(k, 1).applyQuaternion(start);
  return stops.flatMap(({ at, centre, times }) =>
    (["x", "y", "z"] as const).map((name, k): Handle => {
      const axis = own(k);
      const place = own((k + 1) % 3)
        .multiplyScalar(radius)
        .add(new THREE.Vector3(...centre))
        .toArray() as Place;
      const edit = (to: Place, within: string) =>
        put(
          layer,
          `${path}/turn`,
          rotation(
            new THREE.Quaternion()
              .setFromAxisAngle(
                axis,
                angleAbout(axis.toArray() as Place, minus(place, centre), minus(to, centre)),
              )
              .multiply(start),
          ),
          within,
        );
      return {
        id: `${at}:spin-${name}`,
        selects: [at],
        layers: [layer],
        kind: "spin",
        name: `${entry.name} about ${name}`,
        does: "turn it",
        chosen: true,
        place,
        ring: { centre, radius, axis: axis.toArray() as Place },
        times,
        over: "view",
        edit,
      };
    }),
  );
}

/** A turn as a rotation vector [rad], the short way. */
function rotation(turn: THREE.Quaternion): number[] {
  const { x, y, z, w } = turn.w < 0 ? new THREE.Quaternion(-turn.x, -turn.y, -turn.z, -turn.w) : turn;
  const sine = Math.hypot(x, y, z);
  const scale = sine > 1e-9 ? (2 * Math.atan2(sine, w)) / sine : 2;
  return [x, y, z].map((v) => Number((scale * v).toFixed(6)));
}

/** Tenths of a millimetre are enough for something to run into. */
const round = (numbers: readonly number[]): number[] => numbers.map((v) => Number(v.toFixed(4)));
