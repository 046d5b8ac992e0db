// The left column: the layers of the motion, or the bin that they are made of.
import { column } from "../bin/assets.ts";
import { Bin } from "../bin/panel.tsx";
import type { Store } from "../store.ts";
import { Outliner } from "./outliner.tsx";

export function Left({ store }: { store: Store }) {
  const count = Object.keys((store.state.value?.document["clips"] ?? {}) as object).length;
  const tab = (name: "layers" | "bin", title: string) => (
    <button
      class="small"
      role="tab"
      aria-selected={column.value === name}
      onClick={() => {
        column.value = name;
      }}
    >
      {title}
    </button>
  );
  return (
    <div class="left">
      <div class="left-tabs" role="tablist" aria-label="left column">
        {tab("layers", "Layers")}
        {tab("bin", `Bin · ${count}`)}
      </div>
      {column.value === "bin" ? <Bin store={store} /> : <Outliner store={store} />}
    </div>
  );
}
