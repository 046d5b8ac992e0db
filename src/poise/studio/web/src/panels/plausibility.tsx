// Whether the motion could be real: findings in words and as small plots, each of which leads to its frame;
// and Fix.
import { useMemo, useState } from "preact/hooks";
import type { AnyCommand, Ground } from "../messages.ts";
import type { Store } from "../store.ts";
import { attempt } from "../time/fixing.ts";
import { Section } from "./fields.tsx";
import { type Line, Plot } from "./plot.tsx";

interface Finding {
  kind: string;
  start: number;
  end: number;
  where: string;
  words: string;
  score: number;
  serious: boolean;
}

interface Checked {
  plausible: boolean;
  score: number;
  verdict: string;
  findings: Finding[];
  curve: number[];
  notes: string[];
}

export function PlausibilityPanel({ store }: { store: Store }) {
  const [report, setReport] = useState<
    { checked: Checked; ground: Ground | undefined; revision: number } | undefined
  >(undefined);
  const [busy, setBusy] = useState("");
  const now = store.state.value?.revision ?? 0;
  const check = async () => {
    setBusy("checking…");
    const [checked, ground] = await Promise.all([store.ask("check"), store.ask("physics", {}, true)]);
    setBusy("");
    if (checked)
      setReport({ checked: checked as Checked, ground: ground as Ground | undefined, revision: now });
    store.checked.value = checked ? now : store.checked.value;
  };
  const mend = async (asked: Promise<unknown>) => {
    setBusy("looking for a fix…");
    const found = (await asked) as { command?: AnyCommand | null; words?: string } | undefined;
    setBusy("");
    if (found?.command) attempt(store, found.words ?? "repaired", found.command);
    else if (found) store.note(found.words ?? "nothing that can be repaired was found");
  };
  const checked = report?.checked;
  return (
    <Section title={checked ? `${checked.plausible ? "✓" : "✗"} Plausibility` : "Plausibility"}>
      <div class="buttons">
        <button class="first" disabled={!!busy} onClick={() => void check()}>
          {busy || "Check"}
        </button>
        {checked && (!checked.plausible || checked.findings.length > 0) && (
          <button disabled={!!busy} onClick={() => void mend(store.ask("fix"))}>
            Fix: preview
          </button>
        )}
        {checked && (
          <button
            disabled={!!busy}
            title="the smallest change after which contact forces carry the motion"
            onClick={() => void mend(store.ask("ground"))}
          >
            Ground: preview
          </button>
        )}
      </div>
      {checked && (
        <>
          <p class={checked.plausible ? "fine" : "wrong"}>
            {checked.plausible ? "✓ " : "✗ "}
            {checked.verdict.replace(/^[^:]*: /, "")}
            {report!.revision !== now && <span class="hint"> (of an earlier motion: check again)</span>}
          </p>
          <Plots store={store} checked={checked} ground={report!.ground} />
          <ul class="findings">
            {checked.findings.slice(0, 12).map((f) => (
              <li>
                <button
                  title={`frames ${f.start} to ${f.end}`}
                  onClick={() => {
                    store.player.playing.value = false;
                    store.player.seek(Math.round((f.start + f.end) / 2));
                  }}
                >
                  <span class={f.serious ? "wrong" : "hint"}>{f.serious ? "✗" : "·"}</span> {f.words}{" "}
                  <small>
                    frame {f.start}
                    {f.end > f.start ? `–${f.end}` : ""}
                  </small>
                </button>
              </li>
            ))}
          </ul>
          {checked.findings.length > 12 && <p class="hint">and {checked.findings.length - 12} more</p>}
          {checked.notes.map((n) => (
            <p class="hint">{n}</p>
          ))}
        </>
      )}
    </Section>
  );
}

function Plots({ store, checked, ground }: { store: Store; checked: Checked; ground: Ground | undefined }) {
  const com = store.physics.value?.com;
  // Each by itself: what did not change is not built anew under somebody's pointer.
  const score = useMemo(
    (): Line[] => [{ label: "score", values: checked.curve, colour: "#c94f7c" }],
    [checked],
  );
  const push = useMemo(
    (): Line[] =>
      ground?.force.length
        ? [{ label: "push", values: ground.force.map((f) => f[2] / (ground.weight || 1)), colour: "#3f8fd6" }]
        : [],
    [ground],
  );
  const height = useMemo(
    (): Line[] =>
      com?.length
        ? [
            {
              label: "height",
              values: Array.from({ length: com.length / 3 }, (_, f) => com[3 * f + 2]!),
              colour: "#4a9c5d",
            },
          ]
        : [],
    [com],
  );
  return (
    <>
      <Plot title="Plausibility" unit="1 is real" lines={score} player={store.player} low={0} high={1.05} />
      {push.length > 0 && (
        <Plot title="Push of the ground" unit="weights" lines={push} player={store.player} />
      )}
      {height.length > 0 && (
        <Plot title="Height of the centre of mass" unit="m" lines={height} player={store.player} />
      )}
    </>
  );
}
