// Handles of key-frame tracks: pins, keys of the centre of mass with take-off velocities,
// apexes and ends of their templates, and the ring that says how widely the mass is spread.
import { put } from "../commands.ts";
import { type Keyframed, type Layer, own } from "../layer.ts";
import type { AnyCommand } from "../messages.ts";
import type { Use } from "../operations.ts";
import { idOf } from "../time/address.ts";
import { type Entry, spanOf } from "../time/entry.ts";
import { inOrder, single } from "../time/keyframe_lanes.ts";
import { GLANCE } from "./constraint_handles.ts";
import { type Handle, isPlace, length, minus, type Place, plus, type Surroundings } from "./handle.ts";
import { axisHandles, isTurn } from "./turning.ts";

const GRAVITY = 9.81;
const list = (value: unknown): Entry[] => (Array.isArray(value) ? (value as Entry[]) : []);

export function keyframeHandles(use: Use, around: Surroundings): Handle[] {
  const layer: Keyframed = use.layer;
  const tracks = own(layer.keyframes) ?? {};
  return [
    ...list(tracks["pins"]).flatMap((pin, k) =>
      pin["muted"] === true ? [] : pinHandles(layer, pin, k, around),
    ),
    ...(tracks["path"] && tracks["path_muted"] !== true ? pathHandles(layer, tracks["path"] as Entry) : []),
    ...(tracks["inertia"] && tracks["inertia"]["muted"] !== true
      ? ringHandles(layer, tracks["inertia"] as Entry, around)
      : []),
  ];
}

function pinHandles(layer: Layer, pin: Entry, k: number, around: Surroundings): Handle[] {
  const path = `keyframes/pins/${k}`;
  const about = (pin["handle"] ?? { kind: "point_position", point: pin["point"] }) as Entry;
  const point = about["point"] ?? about["body"];
  const name = String(pin["name"] ?? point ?? `pin ${k}`);
  const span = spanOf(pin);
  const whole: [number, number] = span ? [span.first, span.last] : [0, Infinity];
  // One place, places by time, or a track of targets; where none is told it is where the pose has it.
  const stops: { at: string; value: unknown; times: [number, number]; id: string }[] = pin["targets"]
    ? list(pin["targets"]).map((t, i) => ({
        at: `targets/${i}/value`,
        value: t["value"],
        times: [t["time"], t["time"]],
        id: `targets/${i}`,
      }))
    : typeof pin["to"] === "object" && pin["to"] !== null && !Array.isArray(pin["to"])
      ? Object.entries(pin["to"] as Record<string, unknown>).map(([time, value]) => ({
          at: `to/${time}`,
          value,
          times: [Number(time), Number(time)],
          id: "",
        }))
      : [{ at: "to", value: pin["to"], times: whole, id: "" }];
  return stops.flatMap(({ at, value, times, id: own }): Handle[] => {
    const id = idOf(layer.name, own ? `${path}/${own}` : path);
    const base = {
      id: at === "to" || own ? id : `${id}:${at}`,
      selects: [id],
      layers: [layer.name],
      name,
      times,
    };
    const write = (v: unknown, within: string) => put(layer.name, `${path}/${at}`, v, within);
    if (about["kind"] === "body_orientation") {
      const centre = around.point(String(point), times[0]);
      return centre && isTurn(value) ? axisHandles(base, centre, value, around.size, write) : [];
    }
    if (about["kind"] !== "point_position" || (about["axes"] ?? "xyz") !== "xyz") return [];
    const place = isPlace(value)
      ? value
      : typeof point === "string"
        ? around.point(point, times[0])
        : undefined;
    return place
      ? [{ ...base, kind: "pin", does: "move the pin; the poses follow", place, over: "view", edit: write }]
      : [];
  });
}

function pathHandles(layer: Layer, path: Entry): Handle[] {
  const keys = list(path["keys"]);
  const order = inOrder(keys);
  const gravity = typeof path["gravity"] === "number" ? path["gravity"] : GRAVITY;
  const played = playedPlaces(keys, order, gravity);
  return order.flatMap((k, n): Handle[] => {
    const key = keys[k]!;
    const place = played[n]!;
    const before = n ? keys[order[n - 1]!]! : undefined;
    const at = `keyframes/path/keys/${k}`;
    const id = idOf(layer.name, at);
    const base = {
      selects: [id],
      layers: [layer.name],
      times: [key["time"], key["time"]] as [number, number],
      over: "view" as const,
    };
    const kind = key["template"]?.kind;
    const found: Handle[] = [];
    if (before?.["template"]?.kind === "projectile_2") {
      // It lands where it lands: to land elsewhere it has to take off otherwise.
      const start = played[n - 1]!;
      const span = key["time"] - before["time"];
      const take = `keyframes/path/keys/${order[n - 1]!}/velocity`;
      found.push({
        ...base,
        id,
        kind: "centre",
        name: "landing",
        does: "land elsewhere: the take-off changes",
        place,
        edit: (p, within) => put(layer.name, take, takeOff(start, p, span, gravity), within),
      });
    } else
      found.push({
        ...base,
        id,
        kind: "centre",
        name: `centre of mass at ${Number(key["time"].toFixed(2))} s`,
        does: "move the centre of mass; the poses follow",
        place,
        edit: (p, within) => put(layer.name, `${at}/position`, p, within),
      });
    if (
      isPlace(key["velocity"]) &&
      (kind === undefined || kind === "hermite" || kind === "projectile_2" || kind === "pendulum")
    ) {
      found.push({
        ...base,
        id: `${id}:velocity`,
        kind: "velocity",
        name: "velocity",
        does: "change how fast, and which way",
        place: plus(place, key["velocity"], GLANCE),
        from: place,
        edit: (p, within) =>
          put(
            layer.name,
            `${at}/velocity`,
            minus(p, place).map((v) => v / GLANCE),
            within,
          ),
      });
    }
    const next = order[n + 1] === undefined ? undefined : keys[order[n + 1]!]!;
    if (kind === "projectile_3" && next) {
      const end = played[n + 1]!;
      const height = key["template"].height as number;
      const least = Math.max(place[2], end[2]) + 0.01;
      const top: Place = [0.5 * (place[0] + end[0]), 0.5 * (place[1] + end[1]), height];
      found.push({
        ...base,
        id: `${id}:apex`,
        kind: "apex",
        name: `apex ${height.toFixed(2)} m`,
        does: "jump higher or lower",
        place: top,
        over: "height",
        times: [key["time"], next["time"]],
        settle: (p) => [top[0], top[1], Math.max(p[2], least)],
        edit: (p, within) => put(layer.name, `${at}/template/height`, Math.max(p[2], least), within),
      });
    }
    return found;
  });
}

/** Where keys are as they play: a projectile that is given its take-off puts its end where it lands. */
export function playedPlaces(keys: readonly Entry[], order: readonly number[], gravity: number): Place[] {
  const places: Place[] = [];
  order.forEach((k, n) => {
    const before = n ? keys[order[n - 1]!]! : undefined;
    const velocity: unknown = before?.["velocity"];
    if (before?.["template"]?.kind === "projectile_2" && isPlace(velocity)) {
      const span = keys[k]!["time"] - before["time"];
      places.push(plus(plus(places[n - 1]!, velocity, span), [0, 0, -0.5 * gravity * span * span]));
    } else places.push(keys[k]!["position"] as Place);
  });
  return places;
}

/** The velocity with which free flight is at a place after a time. */
export function takeOff(start: Place, end: Place, span: number, gravity: number): Place {
  const way = minus(end, start);
  return [way[0] / span, way[1] / span, way[2] / span + 0.5 * gravity * span];
}

/** Only a radius of gyration is a length about the centre of mass; other measures are typed. */
function ringHandles(layer: Layer, inertia: Entry, around: Surroundings): Handle[] {
  if ((inertia["measure"] ?? "gyration") !== "gyration") return [];
  return list(inertia["keys"]).flatMap((key, k): Handle[] => {
    const radius = single(key["value"]);
    const centre = around.centre(key["time"]);
    if (radius === undefined || !centre || key["muted"] === true) return [];
    const at = `keyframes/inertia/keys/${k}`;
    const id = idOf(layer.name, at);
    const value = (r: number): unknown => (Array.isArray(key["value"]) ? [r] : r);
    const edit = (p: Place, within: string): AnyCommand =>
      put(layer.name, `${at}/value`, value(Math.max(length(minus(p, centre)), 0.02 * around.size)), within);
    return [
      {
        id,
        selects: [id],
        layers: [layer.name],
        kind: "ring",
        name: `spread ${radius.toFixed(2)} m`,
        does: "tuck or stretch",
        place: plus(centre, [radius, 0, 0]),
        ring: { centre, radius },
        times: [key["time"], key["time"]],
        over: "view",
        edit,
      },
    ];
  });
}
