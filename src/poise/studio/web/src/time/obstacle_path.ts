// The way of an obstacle that moves.
import type { Obstacle } from "../messages.ts";

type Place = [number, number, number];

/** Where an obstacle is at a time [s]: straight between its keys, held before and after, as Python has it. */
export function placeAt(
  { position = [0, 0, 0], path = [] }: Pick<Obstacle, "position" | "path">,
  time: number,
): Place {
  if (!path.length) return position;
  const keys = [...path].sort((a, b) => a.time - b.time);
  const after = keys.findIndex((k) => k.time > time);
  if (after === 0) return keys[0]!.position;
  if (after < 0) return keys.at(-1)!.position;
  const [a, b] = [keys[after - 1]!, keys[after]!];
  const share = (time - a.time) / (b.time - a.time);
  return a.position.map((v, i) => v + share * (b.position[i]! - v)) as Place;
}
