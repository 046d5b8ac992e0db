// When an entry of the document is: its time or its interval [s], read, moved and stretched.
// Every method writes times a little differently; here they are one.

/** What the document leaves free: constraints, keys, scenes and scripts. Methods know what is in them. */
// biome-ignore lint/suspicious/noExplicitAny: the one door for such data; elsewhere types are said.
export type Entry = Record<string, any>;

export interface Span {
  first: number;
  last: number;
}

const number = (value: unknown): value is number => typeof value === "number";
const pair = (value: unknown): value is [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every(number);

/** From when to when; both the same for what is at one time;
 * undefined for what is always, or nowhere in time. */
export function spanOf(entry: Entry): Span | undefined {
  const when = entry["when"] as Entry | undefined;
  if (number(when?.["at"])) return { first: when["at"], last: when["at"] };
  if (number(when?.["from"]) && number(when["to"])) return { first: when["from"], last: when["to"] };
  if (number(entry["time"])) return { first: entry["time"], last: entry["time"] };
  if (number(entry["start"]) && number(entry["end"])) return { first: entry["start"], last: entry["end"] };
  if (pair(entry["at"])) return { first: entry["at"][0], last: entry["at"][1] };
  if (number(entry["at"])) return { first: entry["at"], last: entry["at"] };
  const inner = [
    ...each(entry["targets"]),
    ...each(entry["gains"]),
    ...Object.values((entry["intervals"] ?? {}) as Record<string, Entry>),
  ]
    .map((e) => spanOf("from" in e ? { when: e } : e))
    .filter((s) => s !== undefined);
  return inner.length
    ? { first: Math.min(...inner.map((s) => s.first)), last: Math.max(...inner.map((s) => s.last)) }
    : undefined;
}

/** The same, later. */
export function later(entry: Entry, by: number): Entry {
  const when = entry["when"] as Entry | undefined;
  if (number(when?.["at"])) return { ...entry, when: { ...when, at: tidy(when["at"] + by) } };
  if (number(when?.["from"]))
    return { ...entry, when: { ...when, from: tidy(when["from"] + by), to: tidy(when["to"] + by) } };
  if (number(entry["time"])) return { ...entry, time: tidy(entry["time"] + by) };
  if (number(entry["start"]))
    return { ...entry, start: tidy(entry["start"] + by), end: tidy(entry["end"] + by) };
  if (pair(entry["at"])) return { ...entry, at: entry["at"].map((t) => tidy(t + by)) };
  if (number(entry["at"])) return { ...entry, at: tidy(entry["at"] + by) };
  const found: Entry = { ...entry };
  for (const name of ["targets", "gains"])
    if (Array.isArray(entry[name])) found[name] = each(entry[name]).map((key) => later(key, by));
  if (entry["intervals"])
    found["intervals"] = Object.fromEntries(
      Object.entries(entry["intervals"] as Record<string, Entry>).map(([point, when_]) => [
        point,
        number(when_["from"])
          ? { ...when_, from: tidy(when_["from"] + by), to: tidy(when_["to"] + by) }
          : when_,
      ]),
    );
  return found;
}

/** With one end of its interval elsewhere; never turned around. Undefined where it has no interval. */
export function stretched(entry: Entry, edge: "first" | "last", time: number): Entry | undefined {
  const span = spanOf(entry);
  if (!span || span.first === span.last) return undefined;
  const first = tidy(edge === "first" ? Math.min(time, span.last - LEAST) : span.first);
  const last = tidy(edge === "last" ? Math.max(time, span.first + LEAST) : span.last);
  const when = entry["when"] as Entry | undefined;
  if (number(when?.["from"])) return { ...entry, when: { ...when, from: first, to: last } };
  if (number(entry["start"])) return { ...entry, start: first, end: last };
  if (pair(entry["at"])) return { ...entry, at: [first, last] };
  const clock = (t: number) => tidy(first + ((t - span.first) * (last - first)) / (span.last - span.first));
  const found: Entry = { ...entry };
  for (const name of ["targets", "gains"])
    if (Array.isArray(entry[name]))
      found[name] = each(entry[name]).map((key) => ({ ...key, time: clock(key["time"]) }));
  if (entry["intervals"])
    found["intervals"] = Object.fromEntries(
      Object.entries(entry["intervals"] as Record<string, Entry>).map(([point, when_]) => [
        point,
        number(when_["from"]) ? { ...when_, from: clock(when_["from"]), to: clock(when_["to"]) } : when_,
      ]),
    );
  return found;
}

const LEAST = 1e-3; // [s]

/** Nanoseconds are enough: 0.1 + 0.2 is written 0.3. */
export const tidy = (time: number): number => Number(time.toFixed(9));

const each = (list: unknown): Entry[] => (Array.isArray(list) ? (list as Entry[]) : []);
