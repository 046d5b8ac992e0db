// The status line: what is being computed, what was said last, how the motion stands,
// whether everything is saved.
import type { Solved } from "../messages.ts";
import type { Store } from "../store.ts";
import type { Bench } from "./actions.ts";
import { counted } from "./outliner.tsx";

/** Whether every layer has met everything, also what it need not;
 * undefined where there is nothing to meet. */
export function allMet({ met, reports }: Pick<Solved, "met" | "reports">): boolean | undefined {
  const all = Object.values(reports as Record<string, { met?: boolean; outcomes?: unknown[] }>);
  if (!met || all.some((r) => r.met === false)) return false;
  return all.some((r) => r.outcomes?.length) ? true : undefined;
}

export function Status({ bench }: { bench: Bench }) {
  const { store } = bench;
  const work = store.progress.value;
  const last = store.messages.value.at(-1);
  const state = store.state.value;
  return (
    <footer class="status" data-part="status">
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
      {store.layers.value.length > 0 && (
        <span data-making={store.making.value}>
          <Motion store={store} />
        </span>
      )}
      <span>
        {state?.path ? (state.modified ? "unsaved changes are in the journal" : "saved") : "not saved yet"}
      </span>
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

/** How the motion on the stage stands to the document. */
function Motion({ store }: { store: Store }) {
  switch (store.making.value) {
    case "solving":
      return "solving…";
    case "quick":
      return "a quick answer: exact when you let go";
    case "refining":
      return "making it exact…";
    case "failed":
      return <span class="wrong">✗ not solved</span>;
    case "stopped":
      return (
        <>
          stopped{" "}
          <button class="small" title="solve it after all" onClick={() => store.goOn()}>
            Go on
          </button>
        </>
      );
    case "exact": {
      const met = allMet(store.solved.value!);
      const hints = Object.values(store.hints.value).reduce((sum, n) => sum + n, 0);
      return (
        <>
          {met === false ? (
            <span class="wrong">✗ something was missed</span>
          ) : (
            met && <span class="fine">✓ all met</span>
          )}
          {met !== false && hints > 0 && (
            <span class="wrong">
              {met ? " · " : ""}
              {counted(hints)}
            </span>
          )}
        </>
      );
    }
  }
}
