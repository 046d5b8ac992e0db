// How loose: a tension for the whole body and for limbs or joints, keyed or not.
import { useState } from "preact/hooks";
import { put } from "../commands.ts";
import type { EditorProps } from "../editors.tsx";
import type { Layer, Tension } from "../layer.ts";
import type { TensionKey } from "../messages.ts";
import { Icon } from "../shell/icon.tsx";
import type { Store } from "../store.ts";
import { idOf } from "../time/address.ts";
import { Field, Slider } from "./fields.tsx";
import { byPart, frequency, PRESETS } from "./frequency.ts";

type Write = (tension: unknown) => unknown;

export function TensionEditor({ store, layer, option }: EditorProps) {
  const [suggested, setSuggested] = useState<number | undefined>(undefined);
  const tension = (layer[option.name] ?? option.default) as Tension;
  const keys = Array.isArray(tension) ? tension : undefined;
  const set = (value: unknown) => store.edit(put(layer.name, option.name, value));
  const suggest = () =>
    void store
      .ask("window", { layer: layer.name })
      .then((v) => setSuggested((v as number | null) ?? undefined));
  return (
    <>
      {keys ? (
        <Keys store={store} layer={layer} path={option.name} keys={keys} />
      ) : (
        <Parts store={store} layer={layer.name} tension={tension} path={option.name} write={(t) => t} />
      )}
      <div class="buttons">
        <button
          title="a tension that changes over time"
          onClick={() => set(keyed(tension, store.player.time.value))}
        >
          Key at this frame
        </button>
        {keys && <button onClick={() => set(keys[0]!.tension)}>Constant</button>}
        <button title="suggest a window from the springs" onClick={suggest}>
          Suggest a window
        </button>
        {suggested !== undefined && (
          <button onClick={() => store.edit(put(layer.name, "window", Number(suggested.toFixed(3))))}>
            Use {suggested.toFixed(3)} s
          </button>
        )}
      </div>
    </>
  );
}

/** The tension as keys, with one at a time; one that was not keyed is so from the start on. */
export function keyed(tension: Tension, time: number): TensionKey[] {
  const keys = Array.isArray(tension) ? tension : [{ time: 0, tension }];
  if (keys.some((k) => Math.abs(k.time - time) < 1e-6)) return keys;
  const before = keys.findLast((k) => k.time <= time) ?? keys[0]!;
  return [...keys, { time: Number(time.toFixed(6)), tension: before.tension }].sort(
    (a, b) => a.time - b.time,
  );
}

function Keys({
  store,
  layer,
  path,
  keys,
}: {
  store: Store;
  layer: Layer;
  path: string;
  keys: TensionKey[];
}) {
  const chosen = [...store.selected.value].find((id) => id.startsWith(idOf(layer.name, `${path}/`)));
  const index = chosen ? Number(chosen.split("/").at(-1)) : nearest(keys, store.player.time.value);
  const now = keys[index] ?? keys[0]!;
  return (
    <>
      <Field label="key">
        <select
          aria-label="tension key"
          value={index}
          onChange={(e) => {
            store.selected.value = new Set([idOf(layer.name, `${path}/${e.currentTarget.value}`)]);
            store.player.seek(Math.round(keys[Number(e.currentTarget.value)]!.time * store.fps.value));
          }}
        >
          {keys.map((k, i) => (
            <option value={i}>{`${k.time.toFixed(2)} s: ${frequency(k.tension)} Hz`}</option>
          ))}
        </select>
      </Field>
      <Parts
        store={store}
        layer={layer.name}
        tension={now.tension}
        path={path}
        write={(t) => keys.map((k, i) => (i === index ? { ...k, tension: t } : k))}
      />
    </>
  );
}

const nearest = (keys: TensionKey[], time: number): number =>
  keys.reduce((best, k, i) => (Math.abs(k.time - time) < Math.abs(keys[best]!.time - time) ? i : best), 0);

/** A slider for the whole body and one for each limb or joint that differs. */
function Parts({
  store,
  layer,
  tension,
  path,
  write,
}: {
  store: Store;
  layer: string;
  tension: unknown;
  path: string;
  write: Write;
}) {
  const parts = byPart(tension);
  const words = store.vocabulary.value;
  const limbs = words.limbs ?? [];
  const joints = words.joints ?? store.figure.value?.bodies.map((b) => b.name) ?? [];
  const changed = (part: string, value: unknown) =>
    part === "*" && Object.keys(parts).length === 1
      ? value
      : { "*": parts["*"] ?? "relaxed", ...parts, [part]: value };
  const set = (part: string, value: unknown) => store.edit(put(layer, path, write(changed(part, value))));
  const without = (part: string) =>
    store.edit(
      put(layer, path, write(Object.fromEntries(Object.entries(parts).filter(([p]) => p !== part)))),
    );
  return (
    <>
      {Object.entries(parts).map(([part, value]) => (
        <div class="part" data-tension={part} key={part}>
          <div class="part-head">
            <b>{part === "*" ? "whole body" : part}</b>
            <select
              aria-label={`${part === "*" ? "whole body" : part} preset`}
              value={typeof value === "string" ? value : ""}
              onChange={(e) => e.currentTarget.value && set(part, e.currentTarget.value)}
            >
              {typeof value !== "string" && <option value="">by hertz</option>}
              {Object.keys(PRESETS).map((p) => (
                <option value={p}>{p}</option>
              ))}
            </select>
            {part !== "*" && (
              <button
                class="small"
                title={`${part} like the rest again`}
                aria-label={`${part} like the rest again`}
                onClick={() => without(part)}
              >
                <Icon name="remove" />
              </button>
            )}
          </div>
          <Slider
            store={store}
            layer={layer}
            path={path}
            label=""
            name={part === "*" ? "whole body" : part}
            value={frequency(value)}
            low={0.5}
            high={20}
            ratio
            unit="Hz"
            as={(v) => write(changed(part, v))}
          />
        </div>
      ))}
      <Field label="another part">
        <select
          aria-label="another part"
          value=""
          onChange={(e) => e.currentTarget.value && set(e.currentTarget.value, "loose")}
        >
          <option value="">choose…</option>
          <optgroup label="limbs">
            {limbs
              .filter((p) => !(p in parts))
              .map((p) => (
                <option value={p}>{p}</option>
              ))}
          </optgroup>
          <optgroup label="joints">
            {joints
              .filter((p) => !(p in parts))
              .map((p) => (
                <option value={p}>{p}</option>
              ))}
          </optgroup>
        </select>
      </Field>
    </>
  );
}
