// Handles of surfaces, of the project's world and of layers: one moves it, one on its corner, end or rim
// makes it larger, three rings turn it while it is selected; where it moves, one for each key.
import * as THREE from "three";
import { group } from "../commands.ts";
import { GROUND } from "../layer.ts";
import type { Use } from "../operations.ts";
import type { Store } from "../store.ts";
import { keysOf } from "../time/surface_track.ts";
import { type Handle, length, minus, type Place } from "./handle.ts";
import {
  barOf,
  cylinderOf,
  groundOf,
  halfOf,
  radiusOf,
  type Standing,
  solidsOf,
  stairsOf,
  turned,
  worldSolids,
} from "./surfaces.ts";
import { angleAbout } from "./turning.ts";

const LEAST = 0.01; // [m]
const ALWAYS: [number, number] = [0, Infinity];

export function surfaceHandles({ layer }: Use): Handle[] {
  return solidsOf([{ ...layer, solo: false }]).flatMap(handlesOf);
}

/** Of the project's world. */
export function worldHandles(store: Store): Handle[] {
  return worldSolids(store).flatMap((standing) =>
    handlesOf(standing).map((h) => prepared(h, standing, store)),
  );
}

function handlesOf(standing: Standing): Handle[] {
  return [
    ...movers(standing),
    ...(keysOf(standing.entry).length ? [] : sizers(standing)),
    ...spinners(standing),
  ];
}

/** What stands on it goes along: for that something may have to be in the document first. */
function prepared(handle: Handle, { before, entry }: Standing, store: Store): Handle {
  if (!before) return handle;
  const wanted = before();
  if (wanted && !wanted.length) return handle;
  return {
    ...handle,
    begin: (within) => {
      const commands = before();
      if (!commands) {
        store.note(`Poise is finding what stands on ${entry.name}: drag it in a moment`);
        return undefined;
      }
      return { command: { ...group("what stands on it", commands), gesture: within } as never, handle };
    },
  };
}

function movers({ id, layers, entry, does, write }: Standing): Handle[] {
  const base = { layers, kind: "surface" as const, over: "view" as const };
  if (entry.shape.kind === GROUND) {
    const { height } = groundOf(entry.shape);
    const at: Place = [entry.place?.[0] ?? 0, entry.place?.[1] ?? 0, (entry.place?.[2] ?? 0) + height];
    return [
      {
        ...base,
        id,
        selects: [id],
        name: entry.name,
        does: "raise or lower it",
        place: at,
        times: ALWAYS,
        over: "height",
        edit: (place, within) => write("shape/height", round([height + place[2] - at[2]])[0], within),
      },
    ];
  }
  const move = (field: string) => (place: Place, within: string) => write(field, round(place), within);
  const keys = keysOf(entry);
  if (!keys.length)
    return [
      {
        ...base,
        id,
        selects: [id],
        name: entry.name,
        does,
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

/** Where a size is grabbed in the surface's own frame, and what follows from where that is put. */
interface Corner {
  name: string;
  does: string;
  at: Place;
  /** Where it can be, of places in the surface's own frame. */
  settle: (own: Place) => Place;
  fields: (own: Place) => [string, unknown];
}

function sizers(standing: Standing): Handle[] {
  const { id, layers, entry, write } = standing;
  const centre = entry.place ?? [0, 0, 0];
  const base = { selects: [id], layers, kind: "size" as const, name: entry.name, times: ALWAYS };
  if (entry.shape.kind === "ball") {
    const radius = radiusOf(entry.shape);
    return [
      {
        ...base,
        id: `${id}:size`,
        does: "make it larger or smaller",
        over: "view",
        place: [centre[0] + radius, centre[1], centre[2]],
        ring: { centre, radius },
        edit: (place, within) =>
          write("shape/radius", round([Math.max(length(minus(place, centre)), LEAST)])[0], within),
      },
    ];
  }
  const way = turned(entry.turn);
  const back = way.clone().invert();
  const own = (place: Place): Place =>
    new THREE.Vector3(...minus(place, centre)).applyQuaternion(back).toArray() as Place;
  const world = (place: Place): Place =>
    new THREE.Vector3(...place)
      .applyQuaternion(way)
      .add(new THREE.Vector3(...centre))
      .toArray() as Place;
  return corners(entry.shape).map((corner) => ({
    ...base,
    id: `${id}:${corner.name}`,
    does: corner.does,
    over: "view" as const,
    ...(entry.shape.kind === GROUND ? { chosen: true } : {}),
    place: world(corner.at),
    settle: (place: Place) => world(corner.settle(own(place))),
    edit: (place: Place, within: string) => {
      const [field, value] = corner.fields(corner.settle(own(place)));
      return write(field, value, within);
    },
  }));
}

function corners(shape: Standing["entry"]["shape"]): Corner[] {
  const least = (v: number) => Math.max(Math.abs(v), LEAST);
  const larger = "make it larger or smaller";
  switch (shape.kind) {
    case "box": {
      const settle = (p: Place) => p.map(least) as Place;
      return [
        { name: "size", does: larger, at: halfOf(shape), settle, fields: (p) => ["shape/half", round(p)] },
      ];
    }
    case "bar": {
      const [long] = barOf(shape);
      return [
        {
          name: "size",
          does: "make it longer or shorter",
          at: [long / 2, 0, 0],
          settle: (p) => [least(p[0]), 0, 0],
          fields: (p) => ["shape/length", round([2 * p[0]])[0]],
        },
      ];
    }
    case "cylinder": {
      const [radius, height] = cylinderOf(shape);
      return [
        {
          name: "size",
          does: larger,
          at: [radius, 0, height / 2],
          settle: (p) => [least(Math.hypot(p[0], p[1])), 0, least(p[2])],
          fields: (p) => ["shape", { ...shape, radius: round([p[0]])[0], height: round([2 * p[2]])[0] }],
        },
      ];
    }
    case "stairs": {
      const [steps, rise, run, width] = stairsOf(shape);
      return [
        {
          name: "size",
          does: "steeper, longer, wider: all of its steps",
          at: [steps * run, width / 2, steps * rise],
          settle: (p) => [steps * least(p[0] / steps), least(p[1]), steps * least(p[2] / steps)],
          fields: ([x, y, z]) => {
            const [r, w, h] = round([x / steps, 2 * y, z / steps]);
            return ["shape", { ...shape, run: r, width: w, rise: h }];
          },
        },
      ];
    }
    default: {
      const { height, slope } = groundOf(shape);
      return ([0, 1] as const).map((k) => ({
        name: `slope-${"xy"[k]}`,
        does: `tilt it along ${"xy"[k]}`,
        at: (k === 0 ? [1, 0, height + slope[0]] : [0, 1, height + slope[1]]) as Place,
        settle: (p: Place): Place => (k === 0 ? [1, 0, p[2]] : [0, 1, p[2]]),
        fields: (p: Place): [string, unknown] => [
          "shape/slope",
          round(slope.map((v, i) => (i === k ? p[2] - height : v))),
        ],
      }));
    }
  }
}

/** A ring about each axis of what has sides; about each of its keys where it moves,
 * for it is turned the same everywhere. */
function spinners({ id, layers, entry, write }: Standing): Handle[] {
  const { kind } = entry.shape;
  if (kind === "ball" || kind === GROUND) return [];
  const keys = keysOf(entry);
  const stops = keys.length
    ? keys.map((key, k) => ({
        at: `${id}/track/${k}`,
        centre: key.place,
        times: [key.time, key.time] as [number, number],
      }))
    : [{ at: id, centre: entry.place ?? ([0, 0, 0] as Place), times: ALWAYS }];
  const start = turned(entry.turn);
  const radius = kind === "box" ? 1.15 * length(halfOf(entry.shape)) : 0.5;
  const own = (k: number) => new THREE.Vector3().setComponent(k, 1).applyQuaternion(start);
  return stops.flatMap(({ at, centre, times }) =>
    (["x", "y", "z"] as const).map((name, k): Handle => {
      const axis = own(k);
      const place = own((k + 1) % 3)
        .multiplyScalar(radius)
        .add(new THREE.Vector3(...centre))
        .toArray() as Place;
      const edit = (to: Place, within: string) =>
        write(
          "turn",
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
        layers,
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
