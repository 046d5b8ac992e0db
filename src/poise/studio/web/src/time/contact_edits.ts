// Edits of contacts: commands of the project. What was found is kept first, then it is the user's.
import { effect } from "@preact/signals";
import { group } from "../commands.ts";
import { Held } from "../held.ts";
import type { AnyCommand, GivenContact } from "../messages.ts";
import type { Store } from "../store.ts";
import { taking } from "../world.ts";
import { contactNumber, contactsOf } from "./contact_lanes.ts";
import type { Moving, Stretching } from "./gesture.ts";

/** What must be done before contacts can be edited: nothing where the document has them. */
function kept(store: Store): AnyCommand[] {
  const command = store.owned.value ? null : store.carried.value?.command;
  return command ? [command as unknown as AnyCommand] : [];
}

/** What was told is of a document that kept contacts, and this one does not: it was undone just now. */
const stale = (store: Store): boolean => !store.owned.value && store.carried.value?.owned === true;

/** Whether contacts can be edited; why not is said. */
function editable(store: Store): boolean {
  if (stale(store)) {
    store.note("contacts are being found anew: try again in a moment", "problem");
    return false;
  }
  if (store.carried.value?.clip) return true;
  store.note("these contacts cannot be kept: layers change the number of frames, or nothing is loaded");
  return false;
}

const contact = (store: Store, number: number): GivenContact | undefined =>
  contactsOf(store.carried.value, store.owned.value)[number];

const set = (store: Store, number: number, values: Record<string, unknown>): AnyCommand => ({
  do: "set-contact",
  clip: store.carried.value!.clip,
  contact: number,
  values,
});

/** One step of undo. */
function edit(store: Store, label: string, commands: AnyCommand[]): void {
  const all = [...kept(store), ...commands];
  store.edit(all.length === 1 ? all[0]! : group(label, all));
}

export function setContact(store: Store, number: number, values: Record<string, unknown>): void {
  if (editable(store)) edit(store, "contact", [set(store, number, values)]);
}

/** The end of a contact is dragged. */
export function stretchContact(store: Store, number: number, edge: "first" | "last"): Stretching {
  const before = contact(store, number);
  return following(store, "stretch contact", (frame) =>
    before
      ? edge === "first"
        ? { start: Math.min(frame, before.end) }
        : { end: Math.max(frame, before.start) }
      : undefined,
  )(number);
}

/** Contacts are dragged to another time. */
export function moveContact(store: Store, number: number): Moving {
  const before = contact(store, number);
  return following(store, "move contact", (frames) =>
    before ? { start: before.start + frames, end: before.end + frames } : undefined,
  )(number);
}

function following(store: Store, label: string, values: (to: number) => Record<string, unknown> | undefined) {
  return (number: number) => {
    const held = new Held(store, label);
    let begun = false;
    let last: number | undefined;
    return {
      to(where: number) {
        const now = values(where);
        if (!now || where === last || stale(store) || !editable(store)) return;
        last = where;
        if (!begun) for (const command of kept(store)) held.begin(command);
        begun = true;
        held.edit(set(store, number, now));
      },
      drop: () => held.drop(),
      cancel: () => held.cancel(),
    };
  };
}

/** Takes contacts out, the last first, so that the numbers of the others stay right. */
export function eraseContacts(store: Store, ids: Iterable<string>): boolean {
  const numbers = [...ids].flatMap((id) => contactNumber(id) ?? []);
  if (!numbers.length) return false;
  if (!editable(store)) return true;
  const { clip } = store.carried.value!;
  edit(
    store,
    "delete contacts",
    numbers.sort((a, b) => b - a).map((k): AnyCommand => ({ do: "remove-contact", clip, contact: k })),
  );
  store.selected.value = new Set();
  return true;
}

/** A surface that was found is there; clicked too early, it is confirmed once it has been found anew. */
export function confirmSurface(store: Store, surface: string): void {
  if (stale(store)) {
    const known = effect(() => {
      if (!stale(store)) queueMicrotask(then);
    });
    const then = () => {
      known();
      if (store.carried.value?.surfaces.some((s) => s.name === surface && s.asked))
        confirmSurface(store, surface);
    };
    return;
  }
  if (!editable(store)) return;
  edit(store, `confirm ${surface}`, [
    { do: "confirm-surface", clip: store.carried.value!.clip, surface },
    ...taking(store, surface),
  ]);
}
