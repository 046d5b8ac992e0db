// The first minute: five things to try, each ticked off when it has been done.
import { useEffect, useState } from "preact/hooks";
import type { Bench } from "./actions.ts";

interface Step {
  text: string;
  done: (bench: Bench) => boolean;
}

const STEPS: Step[] = [
  { text: "Press Space: the motion plays. Drag in the ruler to scrub.", done: ({ store }) => store.player.frame.value > 3 },
  { text: "Add a Loosen layer (+ in Layers): limbs get weight and trail behind.", done: ({ store }) => store.layers.value.some((l) => l.kind === "kinodynamics") },
  { text: "Choose drunk as its tension, or drag the slider. The wire is what was keyed.", done: ({ store }) => store.layers.value.some((l) => l.kind === "kinodynamics" && l.tension !== undefined && l.tension !== "relaxed") },
  { text: "Click a hand on the stage, go to the frame of the blow, and choose Hit this: it arrives, however loose.", done: ({ store }) => store.layers.value.some((l) => l.kind === "targets") },
  { text: "Drag the red target. Everything follows. Ctrl+Z takes it back.", done: ({ store }) => (store.state.value?.undoable ?? 0) > 4 },
];

export function Guide({ bench, onClose }: { bench: Bench; onClose: () => void }) {
  const [reached, setReached] = useState<boolean[]>(STEPS.map(() => false));
  useEffect(() => {
    const look = setInterval(() => setReached((old) => STEPS.map((s, k) => old[k]! || s.done(bench))), 300);
    return () => clearInterval(look);
  }, []);
  const next = reached.indexOf(false);
  return (
    <div class="guide" role="note" data-part="guide">
      <b>The first minute</b>
      <ol>
        {STEPS.map((s, k) => (
          <li class={reached[k] ? "done" : k === next ? "next" : ""}>
            {reached[k] ? "✓ " : ""}
            {s.text}
          </li>
        ))}
      </ol>
      <button onClick={onClose}>{next < 0 ? "Done" : "Close"}</button>
    </div>
  );
}
