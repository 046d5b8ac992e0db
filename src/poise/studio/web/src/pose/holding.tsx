// Holding points, in the inspector: buttons for the picked body at this frame, and the list of a layer.
import { put, remove } from "../commands.ts";
import type { EditorProps } from "../editors.tsx";
import type { HeldPoint } from "../messages.ts";
import { EntryHead } from "../panels/entry_head.tsx";
import { EntryName } from "../panels/entry_name.tsx";
import { Field, Numeric, Tick } from "../panels/fields.tsx";
import type { Store } from "../store.ts";
import { idOf } from "../time/address.ts";
import { change, hold, holding, holds, letGo, release } from "./held_points.ts";
import { now } from "./keys.ts";

/** Whether the picked body is held here, and where that begins and ends. */
export function Hold({ store, point }: { store: Store; point: string }) {
  const number = holds(store, point);
  if (number < 0)
    return (
      <button title="keep it in place from this frame on (Shift+P)" onClick={() => hold(store, point)}>
        Hold from here
      </button>
    );
  const held = holding(store)!.held[number]!;
  const [first, last] = held.at.map((t) => Math.round(t * store.fps.value));
  const time = now(store);
  return (
    <>
      <button
        title={`held at frames ${first} to ${last}; let go at this one (Shift+P)`}
        disabled={Math.round(time * store.fps.value) === first}
        onClick={() => letGo(store, number)}
      >
        Hold until here
      </button>
      <button
        title="held only from this frame on"
        disabled={Math.round(time * store.fps.value) === first}
        onClick={() => change(store, number, { at: [time, held.at[1]] })}
      >
        Hold from here
      </button>
      <button title="not held any more" onClick={() => release(store, number)}>
        Do not hold
      </button>
    </>
  );
}

/** What a layer holds, one a line. */
export function HeldEditor({ store, layer, option }: EditorProps) {
  const all = (layer[option.name] as HeldPoint[] | undefined) ?? [];
  if (!all.length)
    return <p class="hint">Nothing is held: choose Pose, pick a foot or a hand, and press Shift+P.</p>;
  return (
    <>
      {all.map((held, k) => {
        const id = idOf(layer.name, `${option.name}/${k}`);
        const path = `${option.name}/${k}`;
        const [first, last] = held.at.map((t) => Math.round(t * store.fps.value));
        const set = (field: string, value: unknown) => store.edit(put(layer.name, `${path}/${field}`, value));
        return (
          <div
            class={`entry ${store.selected.value.has(id) ? "chosen" : ""} ${held.muted ? "muted" : ""}`}
            data-entry={id}
            key={`${held.point} ${k}`}
          >
            <EntryHead
              what={`${held.point} held from ${first}`}
              muted={held.muted === true}
              onMute={() =>
                held.muted ? store.edit(remove(layer.name, `${path}/muted`)) : set("muted", true)
              }
              onDelete={() =>
                store.edit(
                  put(
                    layer.name,
                    option.name,
                    all.filter((_, i) => i !== k),
                  ),
                )
              }
            >
              <EntryName store={store} id={id} title={`${held.point}: ${first} to ${last}`} />
            </EntryHead>
            {store.selected.value.has(id) && (
              <>
                <Field label="from, to [s]">
                  <Numeric
                    label="held from"
                    value={held.at[0]}
                    onSet={(v) => set("at", [Math.min(v, held.at[1]), held.at[1]])}
                  />
                  <Numeric
                    label="held to"
                    value={held.at[1]}
                    onSet={(v) => set("at", [held.at[0], Math.max(v, held.at[0])])}
                  />
                </Field>
                <Field label="fade [s]">
                  <Numeric label="fade" value={held.fade ?? 0.1} onSet={(v) => set("fade", Math.max(v, 0))} />
                </Field>
                <Tick label="with its direction" value={held.turn === true} onSet={(v) => set("turn", v)} />
              </>
            )}
          </div>
        );
      })}
    </>
  );
}
