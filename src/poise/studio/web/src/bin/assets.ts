// What is in the bin: the project's clips with their facts, files that were looked into, what waits for a
// decision. Everything that comes in is added; nothing is ever replaced.
import { signal } from "@preact/signals";
import { add, freeName, group, put } from "../commands.ts";
import { starts } from "../editors.tsx";
import type { Layer } from "../layer.ts";
import type { AnyCommand, ClipEntry, ClipFacts, Inspected, Pairing, Preview, Strip } from "../messages.ts";
import { type Cards, optionFor, takes } from "../operations.ts";
import type { Store } from "../store.ts";
import { tidy } from "../time/entry.ts";
import { placedStrips } from "../time/strips.ts";

/** What the left column shows. */
export const column = signal<"layers" | "bin">("layers");
/** Files with several animations, to be chosen from. */
export const opened = signal<Inspected[]>([]);
/** A clip that is about to be given to who is on the stage. */
export const pending = signal<{ clip: string; pairing: Pairing } | undefined>(undefined);

export const entriesOf = (store: Store): Record<string, ClipEntry> =>
  (store.state.value?.document["clips"] ?? {}) as Record<string, ClipEntry>;

/** A name that no clip has yet. */
export function freeClip(store: Store, wanted: string, also: readonly string[] = []): string {
  const taken = new Set([...Object.keys(entriesOf(store)), ...also]);
  for (let k = 1; ; k++) {
    const name = k === 1 ? wanted : `${wanted} ${k}`;
    if (!taken.has(name)) return name;
  }
}

export const stemOf = (file: string): string => file.replace(/^.*\//, "").replace(/\.[^.]*$/, "");

const previews = new Map<string, Promise<Preview | undefined>>();

/** A few poses of a clip, or of an animation of a file; asked once. */
export function previewOf(store: Store, about: Record<string, unknown>): Promise<Preview | undefined> {
  const name = about["clip"];
  const entry = typeof name === "string" ? entriesOf(store)[name] : undefined;
  const key = JSON.stringify([store.state.value?.project, about, entry]);
  let known = previews.get(key);
  if (!known) {
    known = store.ask("preview", about, true) as Promise<Preview | undefined>;
    previews.set(key, known);
    if (previews.size > 300) previews.delete(previews.keys().next().value!);
  }
  return known;
}

/** Look into a file of the workspace and add what it holds; `onStage`: it was dropped on who is there. */
export async function takeIn(store: Store, file: string, onStage = false): Promise<void> {
  const found = (await store.ask("inspect", { file })) as Inspected | undefined;
  if (!found?.entry) return;
  if (found.kind === "world") {
    store.edit(
      group(
        `surfaces of ${file}`,
        (found.surfaces ?? []).map((surface): AnyCommand => ({ do: "put-surface", surface })),
      ),
    );
    store.note(`${found.surfaces?.length} surfaces of ${file} were added`);
    return;
  }
  column.value = "bin";
  if (found.animations.length > 1) {
    opened.value = [found, ...opened.value.filter((each) => each.file !== found.file)];
    if (store.layers.value.length) {
      store.note(`${file} has ${found.animations.length} animations: choose in the bin which to add`);
      return;
    }
  }
  const known = Object.entries(entriesOf(store)).find(([, e]) => sameEntry(e, found.entry!));
  const name = known?.[0] ?? freeClip(store, stemOf(found.file));
  const added: AnyCommand[] = known ? [] : [{ do: "put-clip", name, clip: found.entry }];
  if (!store.layers.value.length) {
    const layer = loading(store, name);
    if (layer) added.push(add(layer));
  }
  if (added.length) store.edit(added.length === 1 ? added[0]! : group(`add ${name}`, added));
  if (!store.layers.value.length) return;
  store.note(known ? `${name} is already in the bin` : `${name} was added to the bin`);
  if (onStage && found.facts?.kind === "motion") await propose(store, name);
}

const sameEntry = (a: ClipEntry, b: ClipEntry): boolean =>
  a.file === b.file && JSON.stringify(a.read ?? {}) === JSON.stringify(b.read ?? {});

/** Animations of a file become clips of the project, one step of undo. */
export function take(store: Store, file: Inspected, numbers: readonly number[]): void {
  const names: string[] = [];
  const commands = numbers.map((animation): AnyCommand => {
    const wanted = file.animations[animation]!.name || `${stemOf(file.file)} ${animation}`;
    const name = freeClip(store, wanted, names);
    names.push(name);
    return { do: "put-clip", name, clip: { ...file.entry!, read: { ...file.entry!.read, animation } } };
  });
  if (!commands.length) return;
  store.edit(commands.length === 1 ? commands[0]! : group(`take ${commands.length} animations`, commands));
  store.note(`took ${names.join(", ")}`);
}

/** The animations of a file that the project has already. */
export function taken(store: Store, file: Inspected): Set<number> {
  const own = Object.values(entriesOf(store)).filter((e) => e.file === file.entry?.file);
  return new Set(
    own.flatMap((e) => (typeof e.read?.["animation"] === "number" ? [e.read["animation"]] : [])),
  );
}

const cardWith = (cards: Cards, editor: string) => cards.find((card) => takes(card, editor));

/** A layer that starts with a clip as it is. */
export function loading(store: Store, clip: string): Layer | undefined {
  const card = store.cards.value.find((c) => c.input === "never" && optionFor(c, "clip")?.required);
  const option = optionFor(card, "clip");
  return card && option
    ? { do: card.name, name: freeName(store.layers.value, clip), [option.name]: clip }
    : undefined;
}

/** The layer that strips go into: the chosen one, else the last that has any. */
export function track(store: Store): { layer: Layer; option: string } | undefined {
  const option = optionFor(cardWith(store.cards.value, "strips"), "strips")?.name;
  const all = store.layers.value.filter((l) => option && Array.isArray(l[option]));
  const layer = all.find((l) => l.name === store.layer.value) ?? all.at(-1);
  return layer && option ? { layer, option } : undefined;
}

/** How long a new strip overlaps the one before it, where both are long enough [s]. */
const OVERLAP = 0.2;

/** Play a clip on the track: after what is there, or at a time; a first one makes the track. */
export function addStrip(store: Store, clip: string, at?: number): void {
  const card = cardWith(store.cards.value, "strips");
  const option = optionFor(card, "strips");
  if (!card || !option) return;
  const there = track(store);
  const bundled: AnyCommand[] = entriesOf(store)[clip]
    ? []
    : [{ do: "put-clip", name: clip, clip: { bundled: clip } }];
  if (there) {
    const strips = (there.layer[there.option] as Strip[]) ?? [];
    const placed = placedStrips(strips, store.facts.value);
    const end = Math.max(0, ...placed.map((p) => p.last));
    const seconds = store.facts.value[clip]?.seconds ?? 0;
    const last = placed.at(-1);
    const over = last ? Math.min(OVERLAP, (last.last - last.first) / 3, seconds / 3) : 0;
    const wanted = tidy(Math.max(0, at ?? end - over));
    const strip: Strip = { clip, at: wanted };
    const put_: AnyCommand = {
      do: "insert",
      layer: there.layer.name,
      path: `${there.option}/${strips.length}`,
      value: strip,
    };
    store.edit(bundled.length ? group(`add ${clip}`, [...bundled, put_]) : put_);
    store.layer.value = there.layer.name;
    return;
  }
  // What is on the stage comes first, where it is one clip as it is.
  const below = store.layers.value.at(-1);
  const plain =
    below && starts(store.cards.value, below) ? optionFor(cardOfLayer(store, below), "clip") : undefined;
  const first = plain ? String(below![plain.name]) : undefined;
  const strips: Strip[] = [];
  if (first && entriesOf(store)[first] && first !== clip) {
    strips.push({ clip: first, at: 0 });
    const seconds = store.facts.value[first]?.seconds ?? 0;
    strips.push({ clip, at: tidy(at ?? Math.max(0, seconds - Math.min(OVERLAP, seconds / 3))) });
  } else strips.push({ clip, at: 0 });
  const name = freeName(store.layers.value, "track");
  store.edit(group(`track of ${clip}`, [...bundled, add({ do: card.name, name, [option.name]: strips })]));
  store.layer.value = name;
}

const cardOfLayer = (store: Store, layer: Layer) => store.cards.value.find((c) => c.name === layer.do);

/** Before a clip is given to who is on the stage, which joint becomes which is shown. */
export async function propose(store: Store, clip: string, map: Record<string, string> = {}): Promise<void> {
  const pairing = (await store.ask("pairing", { clip, map })) as Pairing | undefined;
  if (!pairing) return;
  if (pairing.same) {
    store.note(`${clip} is already for this figure: play it as it is`);
    return;
  }
  pending.value = { clip, pairing };
}

/** The clip as a take of its own, given to who is on the stage. */
export function retarget(store: Store, clip: string, pairing: Pairing, map: Record<string, string>): void {
  const card = cardWith(store.cards.value, "joint_map");
  const onto = card && optionFor(card, "clip");
  const joints = card && optionFor(card, "joint_map");
  const start = loading(store, clip);
  if (!card || !onto || !joints || !start) return;
  const known = entriesOf(store)[pairing.onto];
  const name = freeName([...store.layers.value, start], `${clip} on ${pairing.target}`);
  store.edit(
    group(`${clip} onto ${pairing.target}`, [
      ...(known ? [] : [{ do: "put-clip", name: pairing.onto, clip: pairing.entry } as AnyCommand]),
      add(start),
      add({
        do: card.name,
        name,
        [onto.name]: pairing.onto,
        ...(Object.keys(map).length ? { [joints.name]: map } : {}),
      }),
    ]),
  );
  store.layer.value = name;
}

/** Whether anything in the document uses a clip. */
export const used = (store: Store, clip: string): boolean =>
  store.layers.value.some((l) => JSON.stringify(l).includes(JSON.stringify(clip)));

export const setStrip = (layer: string, path: string, strip: Strip): AnyCommand => put(layer, path, strip);

export const isMotion = (facts: ClipFacts): boolean => facts.kind !== "character";
