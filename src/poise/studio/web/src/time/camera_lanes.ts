// The project's cameras in the time line: which is seen when, and a lane of keys for each.
import type { Cut, FilmCamera } from "../messages.ts";
import { cameraId, cutId, keyId } from "../shots.ts";
import { cameraOn } from "../stage/shots.ts";
import { type Lane, lane } from "./lane.ts";

const HOME = "@cameras";
const COLOUR = "#5b6472";

export function cameraLanes(
  cameras: Readonly<Record<string, FilmCamera>>,
  cuts: readonly Cut[],
  fps: number,
  frames: number,
  folded: ReadonlySet<string>,
): Lane[] {
  const names = Object.keys(cameras);
  if (!names.length) return [];
  const last = frames - 1;
  const starts = cuts.map((cut) => (cut.time ?? 0) * fps);
  const segments = cuts.map((cut, k) => ({
    id: cutId(k),
    first: k ? starts[k]! : Math.min(starts[0]!, 0),
    last: starts[k + 1] ?? Math.max(last, starts[k]!),
    label: cut.camera,
    state: "plain" as const,
    draggable: true,
  }));
  const whole = {
    id: `${HOME}!`,
    first: 0,
    last,
    label: cameraOn(cameras, cuts, 0) ?? "",
    state: "plain" as const,
    hint: "seen all the time: there is no cut",
  };
  const head = lane(HOME, "", "cameras", COLOUR, {
    folds: true,
    foldsAs: HOME,
    segments: segments.length ? segments : [whole],
  });
  if (folded.has(HOME)) return [head];
  const rows = names.map((name) =>
    lane(`${HOME}:${name}`, "", name, COLOUR, {
      depth: 1,
      list: cameraId(name),
      keys: cameras[name]!.keys.map((key, k) => ({
        id: keyId(name, k),
        frame: (key.time ?? 0) * fps,
        shape: "diamond" as const,
        title: `camera ${name} at ${(key.time ?? 0).toFixed(2)} s`,
      })),
    }),
  );
  return [head, ...rows];
}
