// Whether the motion could be real: findings in words, each with its frame to jump to.
import { useState } from "preact/hooks";
import type { Store } from "../store.ts";
import { Section } from "./fields.tsx";

interface Finding {
  text?: string;
  message?: string;
  kind?: string;
  frame?: number;
  time?: number;
  severity?: string;
}

export function PlausibilityPanel({ store }: { store: Store }) {
  const [report, setReport] = useState<{ plausible?: boolean; findings?: Finding[] } | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const check = () => {
    setBusy(true);
    void store.ask("check").then((value) => {
      setReport(value as typeof report);
      setBusy(false);
    });
  };
  return (
    <Section title="Plausibility">
      <button disabled={busy} onClick={check}>
        {busy ? "checking…" : "Check"}
      </button>
      {report && <p class={report.plausible ? "fine" : "wrong"}>{report.plausible ? "✓ plausible" : "✗ implausible"}</p>}
      <ul class="findings">
        {report?.findings?.map((f) => (
          <li>
            <button onClick={() => f.time !== undefined && store.player.seek(f.time * store.fps.value)}>{f.text ?? f.message ?? f.kind}</button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
