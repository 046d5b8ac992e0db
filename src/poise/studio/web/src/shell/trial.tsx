// A fix on trial: what was changed, the motion before it as a ghost, and two buttons.
import type { Store } from "../store.ts";
import { keep, swap, takeBack } from "../time/fixing.ts";

export function Trial({ store }: { store: Store }) {
  const trial = store.trial.value;
  if (!trial) return null;
  return (
    <div class="trial" role="status" data-part="trial">
      <span>
        Preview: {trial.title}. The wire is how it {trial.swapped ? "would be" : "was"}.
      </span>
      <button aria-pressed={trial.swapped} title="show the motion before" onClick={() => swap(store)}>
        Before
      </button>
      <button class="first" onClick={() => keep(store)}>
        Keep
      </button>
      <button onClick={() => takeBack(store)}>Take back</button>
    </div>
  );
}
