// Handles of constraints: points, centre of mass, velocities, orientations.
import { put } from "../commands.ts";
import type { Constrained } from "../layer.ts";
import type { Use } from "../operations.ts";
import { idOf } from "../time/address.ts";
import type { Entry } from "../time/entry.ts";
import { type Handle, minus, type Place, plus, type Surroundings } from "./handle.ts";
import { axisHandles, isTurn } from "./turning.ts";

/** Velocities are drawn as the way made in this time [s]. */
export const GLANCE = 0.1;

export function constraintHandles(use: Use, around: Surroundings): Handle[] {
  const layer: Constrained = use.layer;
  return (layer.constraints ?? []).flatMap((entry, k) =>
    entry["intervals"] || entry["muted"] === true ? [] : ofConstraint(use, entry, k, around),
  );
}

/** From when to when something holds [s]. */
export function timesOf(when: Entry | undefined): [number, number] {
  if (typeof when?.["at"] === "number") return [when["at"], when["at"]];
  if (typeof when?.["from"] === "number") return [when["from"], when["to"]];
  return [0, Infinity];
}

function ofConstraint({ layer, card }: Use, entry: Entry, k: number, around: Surroundings): Handle[] {
  const path = `constraints/${k}`;
  const id = idOf(layer.name, path);
  const handle = (entry["handle"] ?? {}) as Entry;
  const times = timesOf(entry["when"]);
  const base = {
    id,
    selects: [id],
    layers: [layer.name],
    name: String(entry["name"] || nameOf(handle)),
    times,
  };
  const target = (entry["target"] ?? {}) as Entry;
  const write = (at: string) => (value: unknown, within: string) =>
    put(layer.name, `${path}/target/${at}`, value, within);
  if (handle["kind"] === "body_orientation" && isTurn(target["value"]) && !entry["rate"]) {
    const centre = around.point(handle["body"], times[0]);
    return centre ? axisHandles(base, centre, target["value"], around.size, write("value")) : [];
  }
  const now = whereIs(handle, times[0], around);
  const axes = typeof handle["axes"] === "string" ? handle["axes"] : "xyz";
  if (now === "elsewhere") return [];
  const kind = handle["kind"] === "centre_of_mass" ? "centre" : card.dynamic ? "target" : "pin";
  const does =
    kind === "target" ? "move the target; the motion arrives there" : "move it; the whole motion follows";
  const values: [string, unknown, [number, number]][] = target["values"]
    ? (target["values"] as unknown[]).map((v, i) => [
        `values/${i}`,
        v,
        [target["times"][i], target["times"][i]],
      ])
    : [["value", target["value"], times]];
  return values.flatMap(([at, value, when]): Handle[] => {
    const numbers = Array.isArray(value)
      ? value
      : typeof value === "number" && axes.length === 1
        ? [value]
        : [];
    if (numbers.length !== axes.length || numbers.some((v) => typeof v !== "number")) return [];
    if (entry["rate"]) {
      if (!now) return [];
      const tip = plus(now, spread([0, 0, 0], axes, numbers), GLANCE);
      return [
        {
          ...base,
          kind: "velocity",
          does: "change how fast, and which way",
          place: tip,
          from: now,
          over: "view",
          edit: (p, within) =>
            write(at)(
              gathered(
                minus(p, now).map((v) => v / GLANCE),
                axes,
              ),
              within,
            ),
        },
      ];
    }
    if (axes.length < 3 && !now) return [];
    const place = spread(now ?? [0, 0, 0], axes, numbers);
    return [
      {
        ...base,
        id: at === "value" ? id : `${id}:${at}`,
        times: when,
        kind,
        does,
        place,
        over: "view",
        settle: (p) => spread(place, axes, gathered(p, axes)),
        edit: (p, within) => write(at)(gathered(p, axes), within),
      },
    ];
  });
}

const nameOf = (handle: Entry): string =>
  String(
    typeof handle["point"] === "string"
      ? handle["point"]
      : (handle["body"] ?? handle["attachment"] ?? handle["kind"] ?? "constraint"),
  );

/** The present place of what is constrained; undefined where it is not known,
 * "elsewhere" where it has none. */
function whereIs(handle: Entry, time: number, around: Surroundings): Place | undefined | "elsewhere" {
  if (handle["kind"] === "centre_of_mass") return around.centre(time);
  if (handle["kind"] === "attachment_point") return undefined; // where it has swung to only the solver knows
  if (handle["kind"] !== "point_position") return "elsewhere";
  return typeof handle["point"] === "string" ? around.point(handle["point"], time) : undefined;
}

/** Numbers of some axes put into a place, and taken out again. */
const spread = (place: Place, axes: string, numbers: readonly number[]): Place => {
  const found: Place = [...place];
  [...axes].forEach((axis, i) => {
    found["xyz".indexOf(axis)] = numbers[i]!;
  });
  return found;
};
const gathered = (place: readonly number[], axes: string): number[] =>
  [...axes].map((axis) => place["xyz".indexOf(axis)]!);
