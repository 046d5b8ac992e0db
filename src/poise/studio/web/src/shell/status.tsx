// The status line: what is being computed, what was said last, whether everything is saved.
import type { Solved } from "../messages.ts";
import type { Bench } from "./actions.ts";
import { counted } from "./outliner.tsx";

/** Whether every layer has met everything, also what it need not. */
const allMet = ({ met, reports }: Solved): boolean => met && Object.values(reports as Record<string, { met?: boolean }>).every((r) => r.met !== false);

export function Status({ bench }: { bench: Bench }) {
  const { store } = bench;
  const work = store.progress.value;
  const last = store.messages.value.at(-1);
  const state = store.state.value;
  const hints = Object.values(store.hints.value).reduce((sum, n) => sum + n, 0);
  return (
    <footer class="status" data-part="status">
      {work && (
        <span class="work">
          {work.what} <progress value={work.part} max={1} /> {Math.round(100 * work.part)} %
          <button class="small" onClick={() => store.connection.say({ say: "cancel" })}>Cancel</button>
        </span>
      )}
      <span class={last?.kind === "problem" ? "wrong" : ""} role={last?.kind === "problem" ? "alert" : "status"} title={last?.text ?? ""}>
        {last?.kind === "problem" ? "✗ " : ""}
        {last?.text ?? ""}
      </span>
      {last && (
        <button class="small" title="dismiss" onClick={() => (store.messages.value = [])}>✕</button>
      )}
      <span class="grow" />
      <span>{!store.layers.value.length ? "" : !store.current.value ? "solving…" : store.solved.value?.live ? "a quick answer: exact when you let go" : store.solved.value ? (allMet(store.solved.value) ? <span class="fine">✓ all met{hints ? <span class="wrong"> · {counted(hints)}</span> : ""}</span> : <span class="wrong">✗ something was missed</span>) : ""}</span>
      <span>{state?.path ? (state.modified ? "unsaved changes are in the journal" : "saved") : "not saved yet"}</span>
      <button class="small" title="all keys" onClick={() => (bench.dialog.value = "keys")}>? keys</button>
    </footer>
  );
}
