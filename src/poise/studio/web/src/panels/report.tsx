// What a layer reports: each outcome in words, with its time to jump to, and warnings.
import type { Layer } from "../layer.ts";
import type { Store } from "../store.ts";
import { amount, inWords, reportOf, stateOf } from "../time/lane_context.ts";
import { Section } from "./fields.tsx";

export function ReportPanel({ store, layer }: { store: Store; layer: Layer }) {
  const report = reportOf(store.lanes.value, layer.name);
  const trouble = store.troubled.value[layer.name];
  const outcomes = report?.outcomes ?? [];
  const warnings = report?.warnings ?? [];
  if (!trouble && !outcomes.length && !warnings.length) return null;
  const missed = outcomes.filter((o) => !o.met && !o.waits).length;
  const waiting = outcomes.filter((o) => o.waits).length;
  const title = trouble
    ? "✗ Problem"
    : missed
      ? `✗ Report: ${missed} of ${outcomes.length} missed`
      : waiting
        ? `◐ Report: ${waiting} of ${outcomes.length} measured when you let go`
        : outcomes.length
          ? `✓ Report: ${outcomes.length > 1 ? `all ${outcomes.length} met` : "met"}`
          : "Report";
  return (
    <Section title={title} open={!!trouble || missed > 0}>
      {trouble && (
        <p class="wrong" role="alert">
          {trouble}
        </p>
      )}
      <ul class="findings">
        {[...outcomes]
          .sort((a, b) => Number(a.met) - Number(b.met))
          .map((o) => (
            <li>
              <button
                title={o.reason ?? ""}
                onClick={() =>
                  typeof o.worst_time === "number" &&
                  store.player.seek(Math.round(o.worst_time * store.fps.value))
                }
              >
                <span class={stateOf(o)}>{o.waits ? "◐" : o.met ? "✓" : "✗"}</span> {o.name}: {inWords(o)}
                {o.met && o.error !== null && o.error !== undefined ? (
                  <small> (off by {amount(o.error, o.unit)})</small>
                ) : null}
                {o.reason && !o.met ? <small> {o.reason}</small> : null}
              </button>
            </li>
          ))}
        {warnings.map((w) => (
          <li class="hint">! {w}</li>
        ))}
      </ul>
      {report?.message && (
        <p class="hint">
          {report.message}
          {report.seconds ? ` · ${(1000 * report.seconds).toFixed(0)} ms` : ""}
        </p>
      )}
    </Section>
  );
}
