// The outliner: layers from the last to the first (as they cover one another), then the figure's bodies.
import { useState } from "preact/hooks";
import { freeName } from "../commands.ts";
import type { AnyLayer } from "../messages.ts";
import type { Store } from "../store.ts";
import { COLOURS } from "../time/document_lanes.ts";

const ADDABLE: { kind: AnyLayer["kind"]; title: string; about: string; layer: (name: string) => Record<string, unknown> }[] = [
  { kind: "adaptation", title: "Adapt", about: "change the whole motion as little as possible to meet constraints", layer: (name) => ({ kind: "adaptation", name }) },
  { kind: "tracks", title: "Key-frames", about: "pins, centre of mass, inertia, spins", layer: (name) => ({ kind: "tracks", name, tracks: { pins: [] } }) },
  { kind: "kinodynamics", title: "Loosen", about: "weight and follow-through on every frame", layer: (name) => ({ kind: "kinodynamics", name, tension: "relaxed" }) },
  { kind: "beat", title: "On the beat", about: "simulate, and still arrive on time", layer: (name) => ({ kind: "beat", name, follow: true }) },
];

export function Outliner({ store }: { store: Store }) {
  const [adding, setAdding] = useState(false);
  const layers = store.layers.value;
  return (
    <aside class="outliner" data-part="outliner">
      <h2>
        Layers
        <button class="small" aria-expanded={adding} title="add a layer" onClick={() => setAdding(!adding)}>
          +
        </button>
      </h2>
      {adding && (
        <ul class="menu-list">
          {ADDABLE.map((a) => (
            <li>
              <button
                title={a.about}
                onClick={() => {
                  const name = freeName(layers, a.title.toLowerCase());
                  store.edit({ do: "add-layer", layer: a.layer(name) as unknown as AnyLayer });
                  store.layer.value = name;
                  setAdding(false);
                }}
              >
                <span class="swatch" style={{ background: COLOURS[a.kind] ?? "" }} /> {a.title}
                <small>{a.about}</small>
              </button>
            </li>
          ))}
        </ul>
      )}
      <ol class="layers">
        {layers
          .map((layer, k) => ({ layer, k }))
          .reverse()
          .map(({ layer, k }) => (
            <Row store={store} layer={layer} at={k} count={layers.length} />
          ))}
      </ol>
      <h2>{store.figure.value?.name ?? "Figure"}</h2>
      <ol class="bodies">
        {store.figure.value?.bodies.map((body, i) => (
          <li>
            <button class={store.body.value === i ? "chosen" : ""} style={{ paddingLeft: `${8 + 10 * depth(store, i)}px` }} onClick={() => (store.body.value = i)}>
              {body.name}
            </button>
          </li>
        ))}
      </ol>
    </aside>
  );
}

function Row({ store, layer, at, count }: { store: Store; layer: AnyLayer; at: number; count: number }) {
  const report = store.solved.value?.reports[layer.name] as { met?: boolean } | undefined;
  const set = (path: string, value: unknown) => store.edit({ do: "set", layer: layer.name, path, value });
  const chosen = store.layer.value === layer.name;
  return (
    <li class={`layer ${chosen ? "chosen" : ""} ${layer.muted ? "muted" : ""}`} data-layer={layer.name}>
      <button class="layer-name" onClick={() => (store.layer.value = layer.name)}>
        <span class="swatch" style={{ background: COLOURS[layer.kind] ?? "" }} />
        {layer.name}
        {report && <span class={report.met ? "fine" : "wrong"} title={report.met ? "all met" : "something was missed: see the report"}>{report.met ? " ✓" : " ✗"}</span>}
      </button>
      <button class="small" aria-pressed={!!layer.muted} title={layer.muted ? "unmute" : "mute"} onClick={() => set("muted", !layer.muted)}>M</button>
      <button class="small" aria-pressed={!!layer.solo} title="solo" onClick={() => set("solo", !layer.solo)}>S</button>
      {chosen && (
        <>
          <button class="small" title="later" disabled={at === count - 1} onClick={() => store.edit({ do: "move-layer", layer: layer.name, to: at + 1 })}>↑</button>
          <button class="small" title="earlier" disabled={at === 0} onClick={() => store.edit({ do: "move-layer", layer: layer.name, to: at - 1 })}>↓</button>
          <button class="small" title="delete this layer" onClick={() => store.edit({ do: "remove-layer", layer: layer.name })}>✕</button>
        </>
      )}
    </li>
  );
}

function depth(store: Store, body: number): number {
  const bodies = store.figure.value!.bodies;
  let count = 0;
  for (let i = bodies[body]!.parent; i >= 0; i = bodies[i]!.parent) count++;
  return Math.min(count, 6);
}
