// The first minute: five things to try, each ticked off when it has been done.
import { useEffect, useState } from "preact/hooks";
import type { Bench } from "./actions.ts";

interface Step {
  text: string;
  /** Given the layers as they were when the guide opened. */
  done: (bench: Bench, start: string) => boolean;
}

/** What the first minute is about: the drunken boxer, who opens by default;
 * for any other project, the same by other names. */
const STEPS: Step[] = [
  {
    text: "Press Space: the motion plays. Drag in the ruler to scrub.",
    done: ({ store }) => store.player.frame.value > 3,
  },
  {
    text:
      "Select the “hit” layer and drag Whole body: looser, or tenser. " + "The wireframe shows your keys.",
    done: ({ store }, start) => changed(store, start, "tension"),
  },
  {
    text: "Go to frame 51 and drag the red target: the fist still hits it, however drunk.",
    done: ({ store }, start) => changed(store, start, "constraints"),
  },
  {
    text: "Mute the hat (M in Layers). Ctrl+Z takes anything back.",
    done: ({ store }, start) => changed(store, start, "muted"),
  },
  {
    text: "Press Check below Plausibility: could a real body do this? Click a plot to see where.",
    done: ({ store }) => store.checked.value >= 0,
  },
];

/** Whether a field of some layer is no longer what it was. */
function changed(store: Bench["store"], start: string, field: string): boolean {
  const before = JSON.parse(start || "[]") as Record<string, unknown>[];
  return store.layers.value.some((l) =>
    before.some((b) => b["name"] === l.name && JSON.stringify(b[field]) !== JSON.stringify(l[field])),
  );
}

export function Guide({ bench, onClose }: { bench: Bench; onClose: () => void }) {
  const [reached, setReached] = useState<boolean[]>(STEPS.map(() => false));
  useEffect(() => {
    let start = "";
    const look = setInterval(() => {
      if (!start && bench.store.layers.value.length) start = JSON.stringify(bench.store.layers.value);
      setReached((old) => STEPS.map((s, k) => old[k]! || s.done(bench, start)));
    }, 300);
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
