// Strips of a track by numbers: which clip, when, which part of it, how fast, how it comes in, where it is.
import { insert, put, remove } from "../commands.ts";
import type { EditorProps } from "../editors.tsx";
import type { Strip } from "../messages.ts";
import { Icon } from "../shell/icon.tsx";
import { idOf } from "../time/address.ts";
import { tidy } from "../time/entry.ts";
import { type PlacedStrip, partOf, placedStrips, split } from "../time/strips.ts";
import { clipsOf } from "./clip.tsx";
import { EntryName } from "./entry_name.tsx";
import { Choice, Field, Numeric, Perhaps, Slider, Tick } from "./fields.tsx";

export function StripsEditor({ store, layer, option }: EditorProps) {
  const strips = (layer[option.name] as Strip[] | undefined) ?? [];
  const facts = store.facts.value;
  const placed = placedStrips(strips, facts);
  const motions = clipsOf(store)
    .map(([name]) => name)
    .filter((name) => facts[name]?.kind !== "character");
  const end = Math.max(0, ...placed.map((p) => p.last));
  return (
    <>
      {placed.map((each, k) => (
        <OneStrip
          key={k}
          store={store}
          layer={layer.name}
          path={`${option.name}/${k}`}
          each={each}
          clips={motions}
          alone={strips.length === 1}
        />
      ))}
      <Field label="add">
        <select
          aria-label="clip to add"
          value=""
          onChange={(e) => {
            const clip = e.currentTarget.value;
            e.currentTarget.value = "";
            if (clip)
              store.edit(
                insert(layer.name, `${option.name}/${strips.length}`, {
                  clip,
                  at: tidy(Math.max(0, end - 0.2)),
                }),
              );
          }}
        >
          <option value="">a clip of the bin…</option>
          {motions.map((name) => (
            <option value={name}>{name}</option>
          ))}
        </select>
      </Field>
    </>
  );
}

function OneStrip({
  store,
  layer,
  path,
  each,
  clips,
  alone,
}: {
  store: EditorProps["store"];
  layer: string;
  path: string;
  each: PlacedStrip;
  clips: readonly string[];
  alone: boolean;
}) {
  const { strip, first, last } = each;
  const facts = store.facts.value;
  const id = idOf(layer, path);
  const chosen = store.selected.value.has(id);
  const fps = store.fps.value;
  const [low, high] = partOf(strip, facts);
  const set = (changes: Partial<Strip>) => store.edit(put(layer, path, { ...strip, ...changes }));
  const whole = (time: number) => tidy(Math.max(time, 0));
  const cut = () => {
    const parts = split(each, store.player.time.value, facts);
    if (!parts) return store.note("move the playhead into the strip to split it there");
    const at = Number(path.slice(path.lastIndexOf("/") + 1));
    const list = path.slice(0, path.lastIndexOf("/"));
    store.edit({
      do: "group",
      label: `split ${strip.clip}`,
      commands: [put(layer, path, parts[0]), insert(layer, `${list}/${at + 1}`, parts[1])],
    });
  };
  return (
    <div class={`entry ${chosen ? "chosen" : ""}`} data-strip={path}>
      <div class="entry-head">
        <EntryName
          store={store}
          id={id}
          title={`${strip.clip} · ${Math.round(first * fps)}–${Math.round(last * fps)}`}
          hint={`plays from ${first.toFixed(2)} s to ${last.toFixed(2)} s`}
        />
        <button
          class="small"
          title={alone ? "a track has at least one strip" : "remove"}
          aria-label={`remove ${strip.clip}`}
          disabled={alone}
          onClick={() => store.edit(remove(layer, path))}
        >
          <Icon name="remove" />
        </button>
      </div>
      {chosen && (
        <>
          <Choice
            label="from clip"
            value={strip.clip}
            options={[...new Set([strip.clip, ...clips])]}
            onSet={(v) => set({ clip: v })}
          />
          <Field label="starts at">
            <Numeric
              label="starts at [s]"
              value={Number(first.toFixed(4))}
              onSet={(v) => set({ at: whole(v) })}
            />
            <small>s</small>
          </Field>
          <Field label="part">
            <Numeric
              label="from [s]"
              value={Number(low.toFixed(4))}
              onSet={(v) => set({ trim: [v, Math.max(high, v + 0.01)] })}
            />
            <small>to</small>
            <Numeric
              label="to [s]"
              value={Number(high.toFixed(4))}
              onSet={(v) => set({ trim: [Math.min(low, v - 0.01), v] })}
            />
            {strip.trim && (
              <button
                class="small"
                title="the whole clip"
                aria-label="the whole clip"
                onClick={() => set({ trim: null })}
              >
                ↺
              </button>
            )}
          </Field>
          <Slider
            store={store}
            layer={layer}
            path={`${path}/speed`}
            label="speed"
            value={strip.speed ?? 1}
            low={0.25}
            high={4}
            step={0.01}
            ratio
            free
            unit="×"
          />
          <Field label="rounds">
            <Numeric
              label="rounds"
              value={strip.loop ?? 1}
              onSet={(v) => set({ loop: Math.max(1, Math.round(v)) })}
            />
            <small>{facts[strip.clip]?.loop ? "a loop" : "no loop: closed"}</small>
          </Field>
          <Perhaps
            label="blend in"
            value={strip.blend ?? undefined}
            usual="as they overlap"
            unit="s"
            onSet={(v) => (v === undefined ? set({ blend: null }) : set({ blend: Math.max(v, 0) }))}
          />
          <Choice
            label="place"
            value={strip.place ?? "goes on"}
            options={["goes on", "as filmed"]}
            onSet={(v) => set({ place: v as "goes on" | "as filmed" })}
          />
          <Tick label="left ⇄ right" value={!!strip.mirror} onSet={(v) => set({ mirror: v })} />
          <div class="buttons">
            <button title="split at the playhead" onClick={cut}>
              ✂ Split here
            </button>
          </div>
        </>
      )}
    </div>
  );
}
