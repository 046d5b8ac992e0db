// Constraints of a layer: what, where, when; numbers to type, and what became of each. Foot plants too.
import { group, insert, put, remove, takeOut } from "../commands.ts";
import type { EditorProps } from "../editors.tsx";
import type { Constrained } from "../layer.ts";
import type { AnyCommand } from "../messages.ts";
import { isPinning } from "../operations.ts";
import { sharing, timed, typed } from "../stage/shared.ts";
import type { Store } from "../store.ts";
import { idOf } from "../time/address.ts";
import { renamed } from "../time/document_edits.ts";
import { type Entry as Data, spanOf } from "../time/entry.ts";
import { inWords, type Outcome, outcomeOf, reportOf, stateOf } from "../time/lane_context.ts";
import { EntryHead } from "./entry_head.tsx";
import { Field, Numeric, Triple, Word } from "./fields.tsx";

const SHARED = "its position and time are shared and change together; rename it to move it alone";

export function ConstraintsEditor({ store, layer: given, card }: EditorProps) {
  const layer: Constrained = given;
  const entries = layer.constraints ?? [];
  const outcomes = reportOf(store.lanes.value, layer.name)?.outcomes ?? [];
  const found = layer.plants === false ? undefined : store.plants.value[layer.name];
  const loose = (found?.plants ?? []).filter((p) => p.number < 0);
  return (
    <>
      {entries.length === 0 && (
        <p class="hint">
          {card.dynamic
            ? "Select a body on the stage and choose Hit this."
            : isPinning(card)
              ? "Drag a hand or a foot on the stage, or select a body and press I."
              : "Select a body on the stage and press I."}
        </p>
      )}
      {entries.map((entry, k) => (
        <Entry
          key={k}
          store={store}
          layer={layer}
          lasts={!card.dynamic}
          path={`constraints/${k}`}
          entry={entry}
          outcome={outcomeOf(outcomes, String(entry["name"] ?? ""))}
        />
      ))}
      {loose.length > 0 && (
        <>
          <p class="hint">Feet found in the motion: {loose.map((p) => p.name).join(", ")}.</p>
          {found?.command && (
            <button onClick={() => store.edit(found.command as unknown as AnyCommand)}>
              Make them editable
            </button>
          )}
        </>
      )}
    </>
  );
}

function Entry({
  store,
  layer,
  lasts,
  path,
  entry,
  outcome,
}: {
  store: Store;
  layer: Constrained;
  /** Whether it may hold for a while, and give way to others. */
  lasts: boolean;
  path: string;
  entry: Data;
  outcome: Outcome | undefined;
}) {
  const name = layer.name;
  const id = idOf(name, path);
  const value: unknown = entry["target"]?.value;
  const when = entry["when"] as { at?: number; from?: number; to?: number } | undefined;
  const chosen = store.selected.value.has(id);
  const title = String(entry["name"] ?? entry["handle"]?.point ?? "constraint");
  const span = spanOf(entry);
  const put_ = (field: string, next: unknown) => store.edit(put(name, `${path}/${field}`, next));
  const type = (field: string, next: number[]) => store.edit(typed(store, name, path, field, next));
  const hold = (next: unknown) => store.edit(timed(store, name, path, next));
  const others = chosen ? sharing(store, id).flatMap((at) => (at.layer === name ? [] : [at.layer])) : [];
  const pick = () => {
    store.selected.value = new Set([id]);
    if (span) store.player.seek(Math.round(span.first * store.fps.value));
  };
  return (
    <div class={`entry ${chosen ? "chosen" : ""} ${entry["muted"] ? "muted" : ""}`} data-entry={id}>
      <EntryHead
        what={title}
        muted={entry["muted"] === true}
        onMute={() => (entry["muted"] ? store.edit(remove(name, `${path}/muted`)) : put_("muted", true))}
        onCopy={() => store.edit(insert(name, path, renamed(layer, "constraints", entry)))}
        onDelete={() => store.edit(group("delete", takeOut(layer, store.cards.value, [path])))}
      >
        <button
          class="entry-name"
          aria-expanded={chosen}
          onClick={pick}
          title={`${title}: select it and go there`}
        >
          {title}
        </button>
      </EntryHead>
      {outcome && !entry["muted"] && (
        <p class={`outcome ${stateOf(outcome)}`}>
          {outcome.met ? "✓ met" : `${outcome.waits ? "◐" : "✗"} ${inWords(outcome)}`}
          {outcome.reason && !outcome.met ? `: ${outcome.reason}` : ""}
        </p>
      )}
      {chosen && (
        <>
          {others.length > 0 && (
            <p class="hint" title={SHARED}>
              also in {others.join(", ")}
            </p>
          )}
          <Word label="name" value={title} onSet={(v) => put_("name", v)} />
          {triple(value) && (
            <Triple
              label={entry["rate"] ? "velocity [m/s]" : "place [m]"}
              value={value}
              onSet={(v) => type("target/value", v)}
            />
          )}
          {triple(entry["place"]) && (
            <Triple label="x, y, turn" value={entry["place"]} onSet={(v) => type("place", v)} />
          )}
          {when?.at !== undefined && (
            <Field label="at [s]">
              <Numeric label="time" value={when.at} onSet={(v) => hold({ at: v })} />
              <button
                class="small"
                title="to this frame"
                onClick={() => hold({ at: Number(store.player.time.value.toFixed(6)) })}
              >
                here
              </button>
            </Field>
          )}
          {when?.from !== undefined && (
            <Field label="from, to [s]">
              <Numeric label="from" value={when.from} onSet={(v) => hold({ from: v, to: when.to })} />
              <Numeric label="to" value={when.to ?? 0} onSet={(v) => hold({ from: when.from, to: v })} />
            </Field>
          )}
          {entry["when"] && !when?.from && when?.at !== undefined && lasts && (
            <button onClick={() => put_("when", { from: when.at, to: Number((when.at! + 0.3).toFixed(6)) })}>
              Hold it for a while
            </button>
          )}
          {entry["target"] && lasts && (
            <Field label="priority">
              <Numeric
                label="priority"
                value={entry["priority"] ?? 0}
                onSet={(v) => put_("priority", Math.round(v))}
              />
              <small>0 is strongest</small>
            </Field>
          )}
        </>
      )}
    </div>
  );
}

const triple = (value: unknown): value is [number, number, number] =>
  Array.isArray(value) && value.length === 3 && value.every((v) => typeof v === "number");
