// What carries the motion, in the inspector: surfaces that are in question, and the selected contact.
import type { GivenContact } from "../messages.ts";
import type { Store } from "../store.ts";
import { confirmSurface, eraseContacts, setContact } from "../time/contact_edits.ts";
import { contactId, contactNumber, contactsOf } from "../time/contact_lanes.ts";
import { Field, Section } from "./fields.tsx";

export function ContactsPanel({ store }: { store: Store }) {
  const carried = store.carried.value;
  const asked = carried?.surfaces.filter((s) => s.asked) ?? [];
  const number = [...store.selected.value].map(contactNumber).find((n) => n !== undefined);
  const contact = number === undefined ? undefined : contactsOf(carried, store.owned.value)[number];
  if (!carried || (!asked.length && !contact)) return null;
  return (
    <Section title={asked.length ? `? Contacts: ${asked.length} to confirm` : "Contacts"}>
      {asked.map((surface) => (
        <div class="buttons" data-surface={surface.name}>
          <span class="asked">Is there a {surface.label.replace("? ", " of ")}?</span>
          <button class="first" disabled={!carried.clip} onClick={() => confirmSurface(store, surface.name)}>
            It is there
          </button>
        </div>
      ))}
      {contact && <One store={store} number={number!} contact={contact} />}
    </Section>
  );
}

function One({ store, number, contact }: { store: Store; number: number; contact: GivenContact }) {
  const carried = store.carried.value!;
  const manners = Object.keys(carried.colours).filter((m) => m !== "gap");
  const free = !contact.locked && carried.clip !== "";
  return (
    <div class="entry chosen" data-contact={number}>
      <p>
        {contact.part} on {contact.surface || "an unseen support"}, frames {contact.start} to {contact.end}
        {contact.source === "found" ? " (found)" : ""}
      </p>
      <Field label="manner">
        <select
          value={contact.manner ?? "stands"}
          disabled={!free}
          onChange={(e) => setContact(store, number, { manner: e.currentTarget.value })}
        >
          {manners.map((m) => (
            <option value={m}>{m}</option>
          ))}
        </select>
      </Field>
      <div class="buttons">
        <button
          disabled={!carried.clip}
          onClick={() => setContact(store, number, { locked: !contact.locked })}
        >
          {contact.locked ? "Unlock" : "Lock"}
        </button>
        <button disabled={!free} onClick={() => eraseContacts(store, [contactId(number)])}>
          Delete
        </button>
      </div>
    </div>
  );
}
