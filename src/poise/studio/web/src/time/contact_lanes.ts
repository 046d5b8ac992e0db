// What carries the motion, in the time line: a lane for every part of the body that touches something.
import type { Carried, ClipContacts, GivenContact } from "../messages.ts";
import { type Lane, lane, type Segment } from "./lane.ts";

const HOME = "@contacts";
const COLOUR = "#2b8a57";

export const contactId = (number: number): string => `${HOME}/${number}`;

/** The number of the contact that an id stands for; undefined for what is none. */
export function contactNumber(id: string): number | undefined {
  return id.startsWith(`${HOME}/`) ? Number(id.slice(HOME.length + 1)) : undefined;
}

/** Contacts as the document has them, at once; else as they were found. */
export function contactsOf(carried: Carried | undefined, owned?: ClipContacts): readonly GivenContact[] {
  if (owned) return owned.contacts ?? [];
  return (carried?.contacts ?? []).map(
    (c) => ({ ...c, source: c.found ? "found" : "given" }) as GivenContact,
  );
}

export function contactLanes(
  carried: Carried | undefined,
  owned: ClipContacts | undefined,
  folded: ReadonlySet<string>,
): Lane[] {
  const contacts = contactsOf(carried, owned);
  if (!carried || !contacts.length) return [];
  const asked = new Set(carried.surfaces.filter((s) => s.asked).map((s) => s.name));
  const parts = [...new Set(contacts.map((c) => c.part))];
  const head = lane(HOME, "", "contacts", COLOUR, { folds: true, foldsAs: HOME });
  if (folded.has(HOME)) return [head];
  const rows = parts.map((part) =>
    lane(`${HOME}#${part}`, "", part, COLOUR, {
      depth: 1,
      segments: contacts.flatMap((c, k) => (c.part === part ? [segmentOf(c, k, carried, asked)] : [])),
    }),
  );
  return [head, ...rows];
}

function segmentOf(
  contact: GivenContact,
  number: number,
  carried: Carried,
  asked: ReadonlySet<string>,
): Segment {
  const hovers = (contact.gap ?? 0) > 0;
  const unsure = !contact.surface || asked.has(contact.surface);
  const manner = contact.manner ?? "stands";
  const where = contact.surface || "something unseen";
  const words = [
    unsure ? `is there ${contact.surface ? `a ${contact.surface}` : "something"}?` : "",
    hovers ? `gap of ${(100 * contact.gap!).toFixed(0)} cm` : "",
    contact.locked ? "locked" : "",
  ].filter(Boolean);
  return {
    id: contactId(number),
    first: contact.start,
    last: contact.end,
    label: `${contact.locked ? "🔒 " : ""}${manner} · ${where}${unsure ? "?" : ""}`,
    state: "plain",
    colour: hovers ? carried.colours["gap"]! : (carried.colours[manner] ?? COLOUR),
    dashed: unsure,
    draggable: !contact.locked && carried.clip !== "",
    ...(words.length ? { hint: words.join(", ") } : {}),
  };
}
