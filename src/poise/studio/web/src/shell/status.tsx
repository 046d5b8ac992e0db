// The status line: how the motion stands to the document and what to do about it, what was said last,
// whether everything is saved.
import { headline, type Next } from "../standing.ts";
import type { Store } from "../store.ts";
import type { Bench } from "./actions.ts";
import { counted } from "./outliner.tsx";

export function Status({ bench }: { bench: Bench }) {
  const { store } = bench;
  const work = store.asked.value;
  // What failed is said beside the state, once.
  const { bypassed = {}, layer: failed } = store.shown.value.standing;
  const last = store.messages.value
    .filter((m) => !(m.kind === "problem" && m.layer && (m.layer in bypassed || m.layer === failed)))
    .at(-1);
  return (
    <footer class="status" data-part="status">
      <Stands store={store} />
      {work && (
        <span class="work">
          {work.what} <progress value={work.part} max={1} /> {Math.round(100 * work.part)} %
          <button class="small" onClick={() => store.connection.say({ say: "cancel" })}>
            Cancel
          </button>
        </span>
      )}
      <span
        class={last?.kind === "problem" ? "wrong" : ""}
        role={last?.kind === "problem" ? "alert" : "status"}
        title={last?.text ?? ""}
      >
        {last?.kind === "problem" ? "✗ " : ""}
        {last?.text ?? ""}
      </span>
      {last && (
        <button
          class="small"
          title="dismiss"
          onClick={() => {
            store.messages.value = [];
          }}
        >
          ✕
        </button>
      )}
      <span class="grow" />
      <Saved store={store} />
      <button
        class="small"
        title="all keys"
        onClick={() => {
          bench.dialog.value = "keys";
        }}
      >
        ? keys
      </button>
    </footer>
  );
}

/** How the motion on the stage stands to the document, in one place, with what can be done next. */
function Stands({ store }: { store: Store }) {
  const shown = store.shown.value;
  if (!store.layers.value.length && shown.state !== "offline") return null;
  const { mark, tone, text, part, next } = headline(shown, store.fps.value);
  const hints = Object.values(store.hints.value).reduce((sum, n) => sum + n, 0);
  return (
    <span class={`stands ${tone}`} data-state={shown.state} role="status" title={text}>
      <b>{mark}</b> <span class="cut">{text}</span>
      {part !== undefined && <progress value={part} max={1} aria-label="progress" />}
      {shown.state === "exact" && hints > 0 && <span class="wrong"> · {counted(hints)}</span>}
      {next.map((each) => (
        <button class="small" onClick={() => act(store, each)}>
          {each.label}
        </button>
      ))}
    </span>
  );
}

function act(store: Store, { does, layer, time }: Next): void {
  if (does === "cancel") store.connection.say({ say: "cancel" });
  else if (does === "solve") store.goOn();
  else if (does === "seek") store.player.seek(Math.round((time ?? 0) * store.fps.value));
  else if (layer) store.layer.value = layer;
}

function Saved({ store }: { store: Store }) {
  const state = store.state.value;
  if (!state) return null;
  return (
    <span>
      {state.path ? (state.modified ? "unsaved changes are in the journal" : "saved") : "not saved yet"}
    </span>
  );
}
