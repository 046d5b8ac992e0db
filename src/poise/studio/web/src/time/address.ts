// Where something stands in the document. Ids in the time line are addresses in one string: layer/path.
import type { Layer } from "../layer.ts";

export interface Address {
  layer: string;
  path: string;
}

const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
const plain = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");

export const idOf = (layer: string, path: string): string => `${escaped(layer)}/${path}`;

export function addressOf(id: string): Address {
  const slash = id.indexOf("/");
  return slash < 0
    ? { layer: plain(id), path: "" }
    : { layer: plain(id.slice(0, slash)), path: id.slice(slash + 1) };
}

/** The value at a path of a layer; undefined where nothing stands. */
export function read(layer: Layer, path: string): unknown {
  if (!path) return layer;
  return path
    .split("/")
    .reduce<unknown>(
      (value, part) => (value as Record<string, unknown> | null | undefined)?.[plain(part)],
      layer,
    );
}

/** The list that an entry stands in, and its number there; undefined for what is not in a list. */
export function placeOf(path: string): { list: string; index: number } | undefined {
  const cut = path.lastIndexOf("/");
  const index = path.slice(cut + 1);
  return cut > 0 && /^\d+$/.test(index) ? { list: path.slice(0, cut), index: Number(index) } : undefined;
}

/** The list without the numbers of what holds it, so that lists of the same sort can be told:
 * keyframes/pins/∗/gains. */
export const sortOf = (list: string): string => list.replace(/\/\d+(?=\/|$)/g, "/*");
