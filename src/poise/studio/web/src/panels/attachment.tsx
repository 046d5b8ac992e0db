// Something soft that is worn: what, on which bone, and how soft.
import { put } from "../commands.ts";
import type { AttachmentLayer } from "../messages.ts";
import type { Store } from "../store.ts";
import { Choice, Section, Slider, Triple } from "./fields.tsx";
import { Options, usualKnown, usualOf } from "./options.tsx";

export function AttachmentPanel({ store, layer }: { store: Store; layer: AttachmentLayer }) {
  const clips = Object.keys((store.state.value?.document["clips"] ?? {}) as object);
  const bones = store.figure.value?.bodies.map((b) => b.name) ?? [];
  const usual = (field: string) => usualOf(store, "attachment", field);
  const known = usualKnown(store);
  const to = layer.to ?? (known ? String(usual("to") ?? "") : undefined);
  const hat = (layer.mesh ?? "hat") === "hat";
  const offset =
    layer.offset ??
    (hat && !known
      ? undefined
      : ((hat ? (usual("offset") as number[] | undefined) : undefined) ?? [0, 0, 0]));
  const young = layer.young ?? (usual("young") as number | undefined);
  const window = typeof layer.window === "number" ? "seconds" : (layer.window ?? "auto");
  return (
    <>
      <Section title="Worn">
        <Choice
          label="mesh"
          value={layer.mesh ?? "hat"}
          options={["hat", ...clips]}
          onSet={(v) => store.edit(put(layer.name, "mesh", v))}
        />
        <Choice label="on" value={to} options={bones} onSet={(v) => store.edit(put(layer.name, "to", v))} />
        <Triple label="offset [m]" value={offset} onSet={(v) => store.edit(put(layer.name, "offset", v))} />
        <Options
          store={store}
          layer={layer}
          list={[
            { path: "scale", label: "scale", kind: "number" },
            { path: "frame", label: "fits", kind: "choice", options: ["bone", "world"] },
          ]}
        />
      </Section>
      <Section title="Softness">
        {(young !== undefined || !known) && (
          <Slider
            store={store}
            layer={layer.name}
            path="young"
            label="stiffness"
            value={young}
            low={500}
            high={1000000}
            step={10}
            ratio
            unit="Pa"
          />
        )}
        <Options
          store={store}
          layer={layer}
          list={[
            { path: "density", label: "density", kind: "number", unit: "kg/m³" },
            { path: "damping", label: "damping", kind: "number" },
            { path: "poisson", label: "Poisson's ratio", kind: "number" },
            { path: "gravity", label: "gravity", kind: "choice", options: ["on", "off", "compensated"] },
            { path: "hold", label: "held within", kind: "number", usual: "as it fits", unit: "m" },
            { path: "cells", label: "cells", kind: "number" },
            { path: "modes", label: "modes", kind: "number" },
            { path: "large", label: "large motions", kind: "tick" },
          ]}
        />
        <Choice
          label="window"
          value={window}
          options={["auto", "adaptive", "seconds"]}
          onSet={(v) => store.edit(put(layer.name, "window", v === "seconds" ? 0.5 : v))}
        />
        {typeof layer.window === "number" && (
          <Slider
            store={store}
            layer={layer.name}
            path="window"
            label="seconds"
            value={layer.window}
            low={0.05}
            high={2}
            unit="s"
          />
        )}
      </Section>
    </>
  );
}
