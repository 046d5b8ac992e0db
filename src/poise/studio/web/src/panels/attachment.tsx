// Something soft that is worn: what, on which bone, and how soft.
import { put } from "../commands.ts";
import type { AttachmentLayer } from "../messages.ts";
import type { Store } from "../store.ts";
import { Choice, Section, Slider, Triple } from "./fields.tsx";
import { Options } from "./options.tsx";

export function AttachmentPanel({ store, layer }: { store: Store; layer: AttachmentLayer }) {
  const clips = Object.keys((store.state.value?.document["clips"] ?? {}) as object);
  const bones = store.figure.value?.bodies.map((b) => b.name) ?? ["Head"];
  const window = typeof layer.window === "number" ? "seconds" : (layer.window ?? "auto");
  return (
    <>
      <Section title="Worn">
        <Choice label="mesh" value={layer.mesh ?? "hat"} options={["hat", ...clips]} onSet={(v) => store.edit(put(layer.name, "mesh", v))} />
        <Choice label="on" value={layer.to ?? "Head"} options={bones} onSet={(v) => store.edit(put(layer.name, "to", v))} />
        <Triple label="offset [m]" value={layer.offset ?? [0, 0, 0]} onSet={(v) => store.edit(put(layer.name, "offset", v))} />
        <Options store={store} layer={layer} list={[{ path: "scale", label: "scale", kind: "number", usual: "1" }, { path: "frame", label: "fits", kind: "choice", usual: "bone", options: ["bone", "world"] }]} />
      </Section>
      <Section title="Softness">
        <Slider store={store} layer={layer.name} path="young" label="stiffness" value={layer.young ?? 20000} low={500} high={1000000} step={10} ratio unit="Pa" />
        <Options
          store={store}
          layer={layer}
          list={[
            { path: "density", label: "density", kind: "number", usual: "default", unit: "kg/m³" },
            { path: "damping", label: "damping", kind: "number", usual: "default" },
            { path: "poisson", label: "Poisson's ratio", kind: "number", usual: "default" },
            { path: "gravity", label: "gravity", kind: "choice", usual: "compensated", options: ["on", "off", "compensated"] },
            { path: "hold", label: "held within", kind: "number", usual: "default", unit: "m" },
            { path: "cells", label: "cells", kind: "number", usual: "default" },
            { path: "modes", label: "modes", kind: "number", usual: "default" },
            { path: "large", label: "large motions", kind: "tick", usual: false },
          ]}
        />
        <Choice label="window" value={window} options={["auto", "adaptive", "seconds"]} onSet={(v) => store.edit(put(layer.name, "window", v === "seconds" ? 0.5 : v))} />
        {typeof layer.window === "number" && <Slider store={store} layer={layer.name} path="window" label="seconds" value={layer.window} low={0.05} high={2} unit="s" />}
      </Section>
    </>
  );
}
