// What gestures and keys on the time line mean for the document. Everything here is one command:
// one step of undo.
import { group, insert, put, remove, takeOut } from "../commands.ts";
import { Held } from "../held.ts";
import type { Layer, Scripted } from "../layer.ts";
import type { AnyCommand, PoseEdit, Strip } from "../messages.ts";
import { frequency } from "../panels/frequency.ts";
import { quaternion } from "../pose/turns.ts";
import { cameraAddress, eraseCameras, keyCamera, moveCameras, stretchCut } from "../shots.ts";
import type { Store } from "../store.ts";
import { addressOf, idOf, placeOf, read } from "./address.ts";
import { eraseContacts, moveContact, stretchContact } from "./contact_edits.ts";
import { contactNumber } from "./contact_lanes.ts";
import { type Entry, later, stretched } from "./entry.ts";
import { fixTiming } from "./fixing.ts";
import type { Edits, Moving, Rise } from "./gesture.ts";
import { insertEntry } from "./insertion.ts";
import { bent, drawnAs, isTangent } from "./joint_lanes.ts";
import { beatTimes, keysMoved, keyTimes } from "./script_lanes.ts";
import { movedStrip, type PlacedStrip, placedStrips, retimed, trimmed } from "./strips.ts";

interface Found {
  id: string;
  layer: Layer;
  path: string;
  entry: Entry;
}

/** The entries that ids stand for; ids of what is gone, or of no entry, are left out. */
export function entriesOf(layers: readonly Layer[], ids: Iterable<string>): Found[] {
  return [...ids].flatMap((id) => {
    const { layer: name, path } = addressOf(id);
    const layer = layers.find((l) => l.name === name);
    const entry = layer && path ? read(layer, path) : undefined;
    return layer && entry !== null && typeof entry === "object"
      ? [{ id, layer, path, entry: entry as Entry }]
      : [];
  });
}

export function documentEdits(store: Store): Edits {
  const found = (ids: Iterable<string>) => entriesOf(store.layers.value, ids);
  return {
    move(ids, copy) {
      const touching = ids.map(contactNumber).find((n) => n !== undefined);
      if (touching !== undefined) return moveContact(store, touching);
      if (ids.some(cameraAddress)) return moveCameras(store, ids);
      const tangent = ids.find(isTangent);
      if (tangent) return bending(store, tangent);
      // As they are now: wherever the drag goes, it is counted from here.
      const entries = found(ids);
      const moves = (seconds: number, rise?: Rise) => [
        ...scriptMoves(store, entries, seconds),
        ...entries.flatMap((e) => (inScript(e) ? [] : moved(store, e, seconds, rise))),
      ];
      return copy
        ? copying(store, entries)
        : following(store, "move keys", (frames: number, rise?: Rise) =>
            moves(frames / store.fps.value, rise),
          );
    },
    resize(segment, edge, alt) {
      const touching = contactNumber(segment);
      if (touching !== undefined) return stretchContact(store, touching, edge);
      const cut = cameraAddress(segment)?.cut;
      if (cut !== undefined) return stretchCut(store, cut, edge);
      const [entry] = found([segment]);
      const strip = entry && stripOf(store, entry);
      if (entry && strip) {
        const changed = alt ? retimed : trimmed;
        return following(store, alt ? "play faster or slower" : "play another part", (frame: number) => [
          put(entry.layer.name, entry.path, changed(strip, edge, frame / store.fps.value, store.facts.value)),
        ]);
      }
      const ends = entry && store.ends.value(entry.layer.name);
      return following(store, "stretch", (frame: number) =>
        entry ? stretches(entry, ends!, edge, frame / store.fps.value) : [],
      );
    },
    insert(lane, frame) {
      const camera = cameraAddress(lane.list)?.name;
      if (camera !== undefined) return keyCamera(store, camera, frame);
      const layer = store.layers.value.find((l) => l.name === lane.layer);
      if (!layer) return;
      if (!lane.list) return store.note(`${lane.label}: no keys can be put in here`);
      void insertEntry(store, layer, lane.list, frame / store.fps.value);
    },
    fix(segment) {
      const { layer } = addressOf(segment);
      store.layer.value = layer;
      void fixTiming(store, layer);
    },
    open(segment) {
      if (contactNumber(segment) !== undefined || cameraAddress(segment)) {
        store.selected.value = new Set([segment]);
        return;
      }
      const { layer } = addressOf(segment);
      store.layer.value = layer;
      store.selected.value = new Set([segment]);
    },
  };
}

/** A drag that the document follows, solved as it goes. */
function following<T extends unknown[]>(
  store: Store,
  label: string,
  commands: (...where: T) => AnyCommand[],
): { to: (...where: T) => void; drop: () => void; cancel: () => void } {
  const held = new Held(store, label);
  let last = "";
  return {
    to(...where) {
      const made = commands(...where);
      const now = JSON.stringify(made);
      if (!made.length || now === last) return;
      last = now;
      held.edit(made.length === 1 ? made[0]! : group(label, made));
    },
    drop: () => held.drop(),
    cancel: () => held.cancel(),
  };
}

/** Copies are made where they are let go. */
function copying(store: Store, entries: Found[]): Moving {
  let frames = 0;
  return {
    to: (now) => {
      frames = now;
    },
    drop: () => frames && duplicate(store, entries, frames / store.fps.value),
    cancel: () => undefined,
  };
}

/** A strip of a track, in its time. */
function stripOf(store: Store, { layer, path }: Found): PlacedStrip | undefined {
  const place = placeOf(path);
  if (place?.list !== "strips") return undefined;
  return placedStrips((layer["strips"] as Strip[] | undefined) ?? [], store.facts.value)[place.index];
}

function moved(store: Store, found: Found, seconds: number, rise?: Rise): AnyCommand[] {
  const { layer, path, entry } = found;
  const strip = stripOf(store, found);
  if (strip) return [put(layer.name, path, movedStrip(strip, seconds))];
  // They follow one another.
  if (path.startsWith("scene/segments/") && placeOf(path)?.list === "scene/segments") return [];
  const next = later(entry, seconds);
  if (rise?.field.startsWith("joint:"))
    return [put(layer.name, path, turnedKey(next as unknown as PoseEdit, rise))];
  return [put(layer.name, path, rise?.by ? raised(next, rise, path) : next)];
}

/** A key of poses with a component of a joint's turn changed [°]; one that does not have the joint is only
 * moved in time. */
function turnedKey(edit: PoseEdit, { field, by }: Rise): PoseEdit {
  const [, joint, component] = field.split(":") as [string, string, string];
  const value = edit.joints[joint];
  if (!value?.length || !by) return edit;
  const shown = drawnAs(value).map((v, i) => (i === Number(component) ? v + by : v));
  const next =
    value.length === 1 ? [(shown[0]! * Math.PI) / 180] : [...value.slice(0, -4), ...quaternion(shown)];
  return { ...edit, joints: { ...edit.joints, [joint]: next } };
}

/** The end of a tangent, dragged up and down. */
function bending(store: Store, id: string): Moving {
  const [key = ""] = id.split("@");
  const [found] = entriesOf(store.layers.value, [key]);
  return following(store, "tangent", (_frames: number, rise?: Rise) =>
    found && rise
      ? [put(found.layer.name, found.path, bent(found.entry as unknown as PoseEdit, rise.field, rise.by))]
      : [],
  );
}

/** With a number of the entry changed; one that is written as a list of one stays so. */
function raised(entry: Entry, rise: Rise, path: string): Entry {
  if (path.startsWith("tension/")) return { ...entry, tension: pitched(entry["tension"], rise.by) };
  const gain = /\/gains\/\d+$/.test(path);
  const change = (value: unknown, parts: string[]): unknown => {
    if (parts.length) {
      const holder = (Array.isArray(value) ? [...value] : { ...(value as Entry) }) as Entry;
      holder[parts[0]!] = change(holder[parts[0]!], parts.slice(1));
      return holder;
    }
    if (Array.isArray(value)) return value.length === 1 ? [change(value[0], [])] : value;
    if (typeof value !== "number") return value;
    return Number((gain ? Math.min(Math.max(value + rise.by, 0), 1) : value + rise.by).toFixed(6));
  };
  return change(entry, rise.field.split("/")) as Entry;
}

/** A tension some octaves higher; of its parts, the whole body's. */
function pitched(tension: unknown, octaves: number): unknown {
  const higher = (t: unknown) => Number(Math.min(Math.max(frequency(t) * 2 ** octaves, 0.3), 30).toFixed(2));
  if (typeof tension === "object" && tension !== null) return { ...tension, "*": higher(tension) };
  return higher(tension);
}

const inScript = (e: { path: string }): boolean => e.path.startsWith("script/keys/");

/** Keys of a script hang together (one after another, or on beats): the whole list is written anew. */
function scriptMoves(store: Store, entries: Found[], seconds: number): AnyCommand[] {
  // The layers as they were when the drag began.
  return [...new Set(entries.filter(inScript).map((e) => e.layer))].flatMap((layer) => {
    const own = entries.filter((e) => inScript(e) && e.layer === layer);
    const script = (layer as Scripted).script as Entry;
    const which = new Set(own.map((e) => placeOf(e.path)!.index));
    return [
      put(
        layer.name,
        "script/keys",
        keysMoved(script, beatTimes(script, store.music.value[layer.name]?.beats), which, seconds),
      ),
    ];
  });
}

/** With one end elsewhere; `ends` are those of a scene's segments [s]. */
function stretches(
  { layer, path, entry }: Found,
  ends: number[],
  edge: "first" | "last",
  time: number,
): AnyCommand[] {
  if (path.startsWith("scene/segments/"))
    return lengthened(layer, placeOf(path)!.index - (edge === "first" ? 1 : 0), ends, time);
  const next = stretched(entry, edge, time);
  return next ? [put(layer.name, path, next)] : [];
}

/** A stance or flight of another length: it ends at a time. */
function lengthened(layer: Layer, index: number, ends: number[], time: number): AnyCommand[] {
  const path = `scene/segments/${index}`;
  if (index < 0 || typeof (read(layer, path) as Entry)["duration"] !== "number") return [];
  const start = index ? (ends[index - 1] ?? 0) : 0;
  return [put(layer.name, `${path}/duration`, Number(Math.max(time - start, 0.05).toFixed(6)))];
}

/** Entries once more in their own lists, later by some time; the copies are selected. */
export function duplicate(store: Store, entries: Found[], seconds: number): void {
  const added = new Map<string, number>();
  const ids: string[] = [];
  const commands = entries.flatMap(({ layer, path, entry }) => {
    const place = placeOf(path);
    if (!place) return [];
    const whole = idOf(layer.name, place.list);
    const at = (read(layer, place.list) as unknown[]).length + (added.get(whole) ?? 0);
    added.set(whole, (added.get(whole) ?? 0) + 1);
    ids.push(`${whole}/${at}`);
    const copied = inScript({ path })
      ? scriptKeyAt(store, layer as Scripted, place.index, seconds)
      : later(entry, seconds);
    return [insert(layer.name, `${place.list}/${at}`, renamed(layer, place.list, copied))];
  });
  if (!commands.length) return;
  store.edit(group("copy keys", commands));
  store.selected.value = new Set(ids);
}

function scriptKeyAt(store: Store, layer: Scripted, index: number, seconds: number): Entry {
  const script = layer.script as Entry;
  const time = keyTimes(script, beatTimes(script, store.music.value[layer.name]?.beats))[index]! + seconds;
  const entry = (script["keys"] as unknown[])[index];
  const {
    after: _after,
    beat: _beat,
    ...rest
  } = (Array.isArray(entry) ? { pose: entry[0] } : entry) as Entry;
  return { ...rest, at: Number(time.toFixed(6)) };
}

/** Constraints are told apart by their names: a copy gets one of its own. */
export function renamed(layer: Layer, list: string, entry: Entry): Entry {
  if (list !== "constraints" || !entry["name"]) return entry;
  const taken = new Set((read(layer, list) as Entry[] | undefined)?.map((e) => e["name"]));
  const stem = String(entry["name"]).replace(/ \(\d+\)$/, "");
  for (let k = 2; ; k++) if (!taken.has(`${stem} (${k})`)) return { ...entry, name: `${stem} (${k})` };
}

/** Takes entries out, the last of each list first, so that the numbers of the others stay right. */
export function erase(store: Store, ids: Iterable<string>): boolean {
  if (eraseContacts(store, ids) || eraseCameras(store, ids)) return true;
  const entries = entriesOf(store.layers.value, ids).filter((e) => placeOf(e.path));
  if (!entries.length) return false;
  // Deeper lists first: a key of a pin goes before the pin itself.
  entries.sort(
    (a, b) =>
      b.path.split("/").length - a.path.split("/").length || placeOf(b.path)!.index - placeOf(a.path)!.index,
  );
  const owners = [...new Set(entries.map((e) => e.layer))];
  store.edit(
    group(
      "delete",
      owners.flatMap((layer) =>
        takeOut(
          layer,
          store.cards.value,
          entries.filter((e) => e.layer === layer).map((e) => e.path),
        ),
      ),
    ),
  );
  store.selected.value = new Set();
  return true;
}

const MUTABLE =
  /^(constraints|held|keyframes\/(poses|pins|path\/keys|inertia\/keys|pins\/\d+\/(gains|targets)))\/\d+$/;

/** Mutes the entries, or unmutes them where all are muted. */
export function mute(store: Store, ids: Iterable<string>): boolean {
  const entries = entriesOf(store.layers.value, ids);
  const able = entries.filter((e) => MUTABLE.test(e.path));
  if (entries.length && !able.length)
    store.note("these cannot be muted one by one: mute their layer, or delete them");
  if (!able.length) return entries.length > 0;
  const all = able.every((e) => e.entry["muted"] === true);
  store.edit(
    group(
      all ? "unmute" : "mute",
      able.map(({ layer, path }) =>
        all ? remove(layer.name, `${path}/muted`) : put(layer.name, `${path}/muted`, true),
      ),
    ),
  );
  return true;
}
