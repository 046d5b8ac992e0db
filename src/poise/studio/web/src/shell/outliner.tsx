// The outliner: layers from the last to the first (as they cover one another), then the figure's bodies.
import { useState } from "preact/hooks";
import { colourOf } from "../colours.ts";
import { add, freeName, group } from "../commands.ts";
import type { Layer } from "../layer.ts";
import { inShort, titled } from "../operations.ts";
import { Typed } from "../panels/typed.tsx";
import { together, tool } from "../pose/posing.ts";
import { isPicked, named, pickAll, picked, setsOf } from "../pose/sets.ts";
import { beside, toggleBeside, workOn } from "../stage/companions.ts";
import { uncovered } from "../stage/handles.ts";
import type { Store } from "../store.ts";
import type { Report } from "../time/lane_context.ts";
import { type Addable, addable } from "./addable.ts";
import { Icon } from "./icon.tsx";

export function Outliner({ store }: { store: Store }) {
  const [adding, setAdding] = useState(false);
  const layers = store.layers.value;
  return (
    <aside
      class="outliner"
      data-part="outliner"
      aria-label="layers and bodies"
      onKeyDown={(e) => {
        if (!adding || e.key !== "Escape") return;
        e.stopPropagation();
        setAdding(false);
      }}
    >
      <h2>
        Layers
        <button
          class="small"
          aria-expanded={adding}
          aria-label="add a layer"
          title="add a layer"
          onClick={() => setAdding(!adding)}
        >
          {adding ? "✕" : "+ add"}
        </button>
      </h2>
      {adding && <Adding store={store} onDone={() => setAdding(false)} />}
      {layers.length === 0 && (
        <p class="hint padded">No layers yet. Add one, or drop a BVH, GLB or MJCF file on the window.</p>
      )}
      <ol class="layers">
        {layers
          .map((layer, k) => ({ layer, k }))
          .reverse()
          .map(({ layer, k }) => (
            <Row key={layer.name} store={store} layer={layer} at={k} count={layers.length} />
          ))}
      </ol>
      <h2 class="name" title={store.figure.value?.name ?? ""}>
        {store.figure.value?.name ?? "Figure"}
      </h2>
      <Sets store={store} />
      <ol class="bodies">
        {store.figure.value?.bodies.map((body, i) => (
          <li>
            <button
              class={store.body.value === i || together.value.has(i) ? "chosen" : ""}
              aria-pressed={store.body.value === i || together.value.has(i)}
              title="Ctrl-click, Shift-click: select several; rings turn them together"
              style={{ paddingLeft: `${8 + 10 * depth(store, i)}px` }}
              onClick={(e) => pick(store, i, e)}
            >
              {body.name}
            </button>
          </li>
        ))}
      </ol>
    </aside>
  );
}

/** While posing: limbs, and sets that somebody named, picked by one click. */
function Sets({ store }: { store: Store }) {
  const [naming, setNaming] = useState(false);
  if (tool.value !== "pose") return null;
  const bodies = picked(store);
  const keep = (name: string) => {
    if (name.trim())
      named.value = { ...named.value, [name.trim()]: bodies.map((b) => store.pointOf(b) ?? "") };
  };
  return (
    <div class="sets" role="toolbar" aria-label="sets of bodies">
      {setsOf(store.figure.value).map((set) => {
        const chosen = isPicked(store, set);
        return (
          <button
            key={set.name}
            aria-pressed={chosen}
            title={set.own ? "Alt-click: delete the set" : "select them all (L)"}
            onClick={(e) => {
              if (set.own && e.altKey) {
                const { [set.name]: _gone, ...rest } = named.value;
                named.value = rest;
              } else pickAll(store, chosen ? [] : set.bodies);
            }}
          >
            {set.name}
          </button>
        );
      })}
      {naming ? (
        <Typed
          class="word"
          aria-label="name of the set"
          shown=""
          finish={keep}
          onLeft={() => setNaming(false)}
        />
      ) : (
        bodies.length > 1 && (
          <button title="name these bodies as a set" aria-label="name a set" onClick={() => setNaming(true)}>
            +
          </button>
        )
      )}
    </div>
  );
}

function Adding({ store, onDone }: { store: Store; onDone: () => void }) {
  const found = addable(store);
  const parts: [string, Addable[]][] = [
    ["On this motion", found.filter((a) => !a.starts)],
    ["A new motion", found.filter((a) => a.starts)],
  ];
  const put = ({ card, options, before, at }: Addable) => {
    const name = freeName(store.layers.value, card.name);
    const added = add({ do: card.name, name, ...options }, at);
    store.edit(before ? group(`add ${card.name}`, [before, added]) : added);
    store.layer.value = name;
    onDone();
  };
  return (
    <div class="menu-list adding">
      {parts
        .filter(([, list]) => list.length)
        .map(([title, list]) => (
          <section aria-label={title}>
            {parts.every(([, each]) => each.length) && <h3>{title}</h3>}
            <ul>
              {list.map((a) => (
                <li>
                  <button data-adds={a.card.name} title={a.card.words} onClick={() => put(a)}>
                    <span class="swatch" style={{ background: colourOf(a.card.name) }} />{" "}
                    {titled(a.card.name)}
                    <small>{inShort(a.card)}</small>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
    </div>
  );
}

/** What is known of a layer's requests on the motion that is seen. */
const MARKS = { fine: "✓", wrong: "✗", plain: "◐" };
const WORDS = {
  fine: "all met",
  wrong: "a request was missed: see the report",
  plain: "measured in full when you let go",
};

let dragged = "";

export const counted = (hints: number): string => (hints === 1 ? "a hint" : `${hints} hints`);

function Row({ store, layer, at, count }: { store: Store; layer: Layer; at: number; count: number }) {
  const [renaming, setRenaming] = useState(false);
  const [over, setOver] = useState(false);
  const report = store.reports.value[layer.name] as Report | undefined;
  const missed = report?.outcomes?.some((o) => !o.met && !o.waits);
  const tone = missed ? "wrong" : report?.waits ? "plain" : report?.met ? "fine" : "wrong";
  const trouble = store.troubled.value[layer.name];
  const current = store.current.value;
  const cover = coverOf(store, at);
  const hints = store.hints.value[layer.name] ?? 0;
  const set = (path: string, value: unknown) => store.edit({ do: "set", layer: layer.name, path, value });
  const chosen = store.layer.value === layer.name;
  const rename = (name: string) => {
    if (!name.trim() || name === layer.name) return;
    store.edit({ do: "rename-layer", layer: layer.name, name: name.trim() });
    store.layer.value = name.trim();
  };
  const drop = (event: DragEvent) => {
    setOver(false);
    if (!dragged || dragged === layer.name) return;
    event.preventDefault();
    store.edit({ do: "move-layer", layer: dragged, to: at });
    dragged = "";
  };
  const double = () => {
    const copy = { ...layer, name: freeName(store.layers.value, layer.name) };
    store.edit(add(copy, at + 1));
    store.layer.value = copy.name;
  };
  return (
    <li
      class={`layer ${chosen ? "chosen" : ""} ${layer.muted || cover ? "muted" : ""} ${over ? "over" : ""}`}
      data-layer={layer.name}
      draggable={!renaming}
      onDragStart={(e) => {
        dragged = layer.name;
        e.dataTransfer?.setData("text/plain", layer.name);
      }}
      onDragOver={(e) => {
        if (!dragged) return;
        e.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDragEnd={() => {
        dragged = "";
      }}
      onDrop={drop}
    >
      <div class="layer-row">
        {renaming ? (
          <Typed
            class="rename"
            aria-label="name of the layer"
            shown={layer.name}
            finish={rename}
            onLeft={() => setRenaming(false)}
          />
        ) : (
          <button
            class="layer-name"
            aria-current={chosen}
            title={`${layer.name} (${layer.do}): double-click to rename, drag to reorder`}
            onClick={() => {
              store.layer.value = layer.name;
            }}
            onDblClick={() => setRenaming(true)}
          >
            <span class="swatch" style={{ background: colourOf(layer.do) }} />
            <span class="cut">{layer.name}</span>
            {cover && !beside.value.has(layer.name) && (
              <small title={`${cover} starts a new motion: mute it to see this one alone`}>hidden</small>
            )}
            {trouble ? (
              <span class="wrong" title={trouble}>
                ✗
              </span>
            ) : (
              report && (
                <span
                  class={`${tone} ${current ? "" : "past"}`}
                  title={`${WORDS[tone]}${current ? "" : ", before the last edit"}`}
                >
                  {MARKS[tone]}
                </span>
              )
            )}
            {hints > 0 && (
              <span class="wrong" title={`${counted(hints)}: see the layer, or the time line`}>
                !
              </span>
            )}
          </button>
        )}
        {cover && (
          <button
            class="small"
            aria-pressed={beside.value.has(layer.name)}
            aria-label={`show ${layer.name} beside`}
            title="show this motion and its figure beside the result"
            onClick={() => toggleBeside(layer.name)}
          >
            +1
          </button>
        )}
        {cover && beside.value.has(layer.name) && (
          <button
            class="small"
            aria-label={`work on ${layer.name}`}
            title="work on this motion; the result is shown beside it"
            onClick={() => workOn(store, layer.name)}
          >
            ⇄
          </button>
        )}
        <button
          class="small"
          aria-pressed={!!layer.muted}
          aria-label={`mute ${layer.name}`}
          title={layer.muted ? "unmute" : "mute"}
          onClick={() => set("muted", !layer.muted)}
        >
          M
        </button>
        <button
          class="small"
          aria-pressed={!!layer.solo}
          aria-label={`solo ${layer.name}`}
          title="solo"
          onClick={() => set("solo", !layer.solo)}
        >
          S
        </button>
      </div>
      {chosen && (
        <div class="layer-tools" role="toolbar" aria-label={`menu of ${layer.name}`}>
          <button
            class="small"
            title="later: move it up"
            aria-label="later"
            disabled={at === count - 1}
            onClick={() => store.edit({ do: "move-layer", layer: layer.name, to: at + 1 })}
          >
            <Icon name="up" />
          </button>
          <button
            class="small"
            title="earlier: move it down"
            aria-label="earlier"
            disabled={at === 0}
            onClick={() => store.edit({ do: "move-layer", layer: layer.name, to: at - 1 })}
          >
            <Icon name="down" />
          </button>
          <button class="small" title="rename" aria-label="rename" onClick={() => setRenaming(true)}>
            <Icon name="rename" />
          </button>
          <button class="small" title="duplicate" aria-label="duplicate" onClick={double}>
            <Icon name="copy" />
          </button>
          <span class="grow" />
          <button
            class="small"
            title="delete this layer"
            aria-label="delete this layer"
            onClick={() => store.edit({ do: "remove-layer", layer: layer.name })}
          >
            <Icon name="remove" />
          </button>
        </div>
      )}
      {trouble && (
        <p class="trouble wrong" role="alert" title={trouble}>
          {trouble}
        </p>
      )}
    </li>
  );
}

/** The layer above that makes a motion of its own, so that nothing of this one is seen. */
function coverOf(store: Store, at: number): string | undefined {
  const layers = store.layers.value;
  if (layers[at]!.muted || layers.some((l) => l.solo)) return undefined;
  const output = String(store.state.value?.document["output"] ?? "");
  const seen = uncovered(layers, store.cards.value, output);
  return seen.includes(layers[at]!) ? undefined : seen[0]?.name;
}

/** A click picks one body; with Ctrl or Shift, others with it, one or all in between. */
function pick(
  store: Store,
  body: number,
  event: { ctrlKey: boolean; metaKey: boolean; shiftKey: boolean },
): void {
  const now = store.body.value;
  const more = event.ctrlKey || event.metaKey || event.shiftKey;
  if (!more || now < 0) {
    together.value = new Set();
    store.body.value = now === body ? -1 : body;
    return;
  }
  const next = new Set(together.value).add(now);
  if (event.shiftKey) for (let k = Math.min(now, body); k <= Math.max(now, body); k++) next.add(k);
  else if (!next.delete(body)) next.add(body);
  together.value = next;
}

function depth(store: Store, body: number): number {
  const bodies = store.figure.value!.bodies;
  let count = 0;
  for (let i = bodies[body]!.parent; i >= 0; i = bodies[i]!.parent) count++;
  return Math.min(count, 6);
}
