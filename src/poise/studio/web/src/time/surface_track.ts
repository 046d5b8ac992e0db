// The way of a surface that moves.
import type { Surface, TrackKey } from "../layer.ts";

type Place = [number, number, number];

/** The keys of its track; none where it stands, or where a file gave it a track of many samples. */
export const keysOf = ({ track }: Pick<Surface, "track">): TrackKey[] => (Array.isArray(track) ? track : []);

/** Where a surface is at a time [s]: straight between its keys, held before and after, as Python has it. */
export function placeAt(surface: Pick<Surface, "place" | "track">, time: number): Place {
  const own = surface.place ?? [0, 0, 0];
  const keys = [...keysOf(surface)].sort((a, b) => a.time - b.time);
  if (!keys.length) return own;
  const shifted = (place: Place) => place.map((v, i) => v + own[i]!) as Place;
  const after = keys.findIndex((k) => k.time > time);
  if (after === 0) return shifted(keys[0]!.place);
  if (after < 0) return shifted(keys.at(-1)!.place);
  const [a, b] = [keys[after - 1]!, keys[after]!];
  const share = (time - a.time) / (b.time - a.time);
  return shifted(a.place.map((v, i) => v + share * (b.place[i]! - v)) as Place);
}
