// What is in the way of a loosened motion: surfaces of its own, placed and sized by numbers here,
// or dragged on the stage.
import { group, insert, put, remove } from "../commands.ts";
import type { EditorProps } from "../editors.tsx";
import { type Loose, type Surface, surfacesIn } from "../layer.ts";
import type { Store } from "../store.ts";
import { idOf } from "../time/address.ts";
import { tidy } from "../time/entry.ts";
import { contactsOf } from "../time/lane_context.ts";
import { keysOf, placeAt } from "../time/surface_track.ts";
import { EntryHead } from "./entry_head.tsx";
import { EntryName } from "./entry_name.tsx";
import { Slider, Triple, Word } from "./fields.tsx";
import { PlainField } from "./option.tsx";
import { ShapeFields } from "./shape_fields.tsx";

export function SurfacesEditor(props: EditorProps) {
  const { store } = props;
  const layer: Loose = props.layer;
  const entries = surfacesIn(layer);
  const contacts = contactsOf(store.lanes.value, layer);
  const add = (what: "box" | "ball") => {
    const entry = placed(store, what, entries);
    const beside = typeof layer.world === "string" ? { beside: layer.world } : layer.world;
    store.edit(
      entries.length
        ? insert(layer.name, `world/surfaces/${entries.length}`, entry)
        : put(layer.name, "world", { ...beside, surfaces: [entry] }),
    );
    store.selected.value = new Set([idOf(layer.name, `world/surfaces/${entries.length}`)]);
  };
  return (
    <>
      <p class="hint">
        Solids that the loose body collides with, in addition to the project's world. Select a body first to
        place the new solid there.
      </p>
      {(typeof layer.world === "string" || !layer.world) && <PlainField {...props} />}
      <div class="buttons">
        <button onClick={() => add("box")}>+ Box</button>
        <button onClick={() => add("ball")}>+ Ball</button>
      </div>
      {entries.map((entry, k) => (
        <Solid key={k} store={store} layer={layer} path={`world/surfaces/${k}`} entry={entry} />
      ))}
      {entries.length > 0 && (
        <ul class="findings">
          {contacts.map((c) => (
            <li>
              <button
                title="go to the first contact"
                onClick={() => {
                  store.player.playing.value = false;
                  store.player.seek(Math.round(c.start * store.fps.value));
                }}
              >
                {c.body} on {c.surface}{" "}
                <small>
                  {c.start.toFixed(2)}–{c.end.toFixed(2)} s
                </small>
              </button>
            </li>
          ))}
          {!contacts.length && store.current.value && <li class="hint">Nothing touches.</li>}
        </ul>
      )}
    </>
  );
}

function Solid({ store, layer, path, entry }: { store: Store; layer: Loose; path: string; entry: Surface }) {
  const id = idOf(layer.name, path);
  const chosen = [...store.selected.value].some((s) => s === id || s.startsWith(`${id}/`));
  const put_ = (field: string, value: unknown) => store.edit(put(layer.name, `${path}/${field}`, value));
  const time = store.player.time.value;
  const keys = keysOf(entry);
  const key = () => {
    const at = tidy(time);
    const now = { time: at, place: placeAt(entry, at) };
    const there = keys.findIndex((k) => Math.abs(k.time - at) < 0.5 / store.fps.value);
    if (there < 0)
      store.edit(
        keys.length
          ? insert(layer.name, `${path}/track/${keys.length}`, now)
          : group("key its place", [
              put(layer.name, `${path}/track`, [now]),
              put(layer.name, `${path}/place`, [0, 0, 0]),
            ]),
      );
    store.selected.value = new Set([`${id}/track/${there < 0 ? keys.length : there}`]);
  };
  const stand = () =>
    store.edit(
      group("stand still", [
        put(layer.name, `${path}/place`, placeAt(entry, time)),
        remove(layer.name, `${path}/track`),
      ]),
    );
  return (
    <div class={`entry ${chosen ? "chosen" : ""} ${entry.muted ? "muted" : ""}`} data-entry={id}>
      <EntryHead
        what={entry.name}
        muted={entry.muted === true}
        onMute={() => (entry.muted ? store.edit(remove(layer.name, `${path}/muted`)) : put_("muted", true))}
        onCopy={() =>
          store.edit(insert(layer.name, path, { ...entry, name: named(entry.name, surfacesIn(layer)) }))
        }
        onDelete={() => store.edit(remove(layer.name, path))}
      >
        <EntryName store={store} id={id} title={entry.name} hint={`${entry.name}: select it`} />
      </EntryHead>
      {chosen && (
        <>
          <Word label="name" value={entry.name} onSet={(v) => put_("name", v)} />
          {keys.length === 0 && (
            <Triple label="place [m]" value={entry.place ?? [0, 0, 0]} onSet={(v) => put_("place", v)} />
          )}
          <ShapeFields entry={entry} onSet={put_} />
          <Slider
            store={store}
            layer={layer.name}
            path={`${path}/friction`}
            label="friction"
            value={entry.friction ?? 0.9}
            low={0}
            high={2}
          />
          <Slider
            store={store}
            layer={layer.name}
            path={`${path}/bounce`}
            label="bounce"
            value={entry.bounce ?? 0.1}
            low={0.02}
            high={0.95}
          />
          {keys.length > 0 && (
            <p class="hint">
              It moves: {keys.length === 1 ? "one key" : `${keys.length} keys`} in the time line.
            </p>
          )}
          <div class="buttons">
            <button title="key its position at this frame; two keys make it move" onClick={key}>
              Key its place here
            </button>
            {keys.length > 0 && <button onClick={stand}>Stand still here</button>}
          </div>
        </>
      )}
    </div>
  );
}

/** Where the picked body is now, else in front of the character at the height of its centre of mass. */
function placed(store: Store, what: "box" | "ball", others: readonly Surface[]): Surface {
  const time = store.player.time.value;
  const com = store.physics.value?.com;
  const frame = Math.min(Math.max(Math.round(store.player.frame.value), 0), (com?.length ?? 3) / 3 - 1);
  const ahead: [number, number, number] = com?.length
    ? [com[3 * frame]! + 0.6, com[3 * frame + 1]!, com[3 * frame + 2]! - store.lift.value]
    : [0.6, 0, 1];
  const place = (store.placeOf(store.body.value, time) ?? ahead).map((v) => Number(v.toFixed(3))) as [
    number,
    number,
    number,
  ];
  return {
    name: named(what, others),
    shape: what === "box" ? { kind: "box", half: [0.1, 0.2, 0.2] } : { kind: "ball", radius: 0.12 },
    place,
  };
}

function named(wanted: string, others: readonly Surface[]): string {
  const stem = wanted.replace(/ \d+$/, "");
  for (let k = 1; ; k++) {
    const name = k === 1 ? stem : `${stem} ${k}`;
    if (!others.some((o) => o.name === name)) return name;
  }
}
