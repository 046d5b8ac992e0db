// The inspector: the settings of the chosen layer, what it reports, and what can be done with the picked body.
import { hit, pointAt, reach } from "../commands.ts";
import { ConstraintsPanel } from "../panels/constraints.tsx";
import { Section } from "../panels/fields.tsx";
import { KinodynamicsPanel } from "../panels/kinodynamics.tsx";
import { PlausibilityPanel } from "../panels/plausibility.tsx";
import { STRIDE } from "../stage/poses.ts";
import type { Store } from "../store.ts";

export function Inspector({ store }: { store: Store }) {
  const layer = store.layers.value.find((l) => l.name === store.layer.value);
  return (
    <aside class="inspector" data-part="inspector">
      <Picked store={store} />
      {layer && <h2>{layer.name}</h2>}
      {layer?.kind === "kinodynamics" && <KinodynamicsPanel store={store} layer={layer} />}
      {(layer?.kind === "targets" || layer?.kind === "adaptation") && <ConstraintsPanel store={store} layer={layer} />}
      <PlausibilityPanel store={store} />
    </aside>
  );
}

/** The picked body: where it is at this frame, and making a target of it. */
function Picked({ store }: { store: Store }) {
  const body = store.body.value;
  const bodies = store.figure.value?.bodies;
  const result = store.result.value;
  if (body < 0 || !bodies?.[body] || !result) return null;
  const frame = Math.round(store.player.frame.value);
  const k = (Math.min(frame, result.frames - 1) * bodies.length + body) * STRIDE;
  const place = [...result.values.subarray(k, k + 3)];
  place[2]! -= store.lift.value;
  const name = bodies[body]!.name;
  const time = frame / store.fps.value;
  return (
    <Section title={`${name} at frame ${frame}`}>
      <p class="hint">{place.map((v) => v.toFixed(3)).join(", ")} m</p>
      <div class="buttons">
        <button onClick={() => hit(store, pointAt(name, place, time))}>Hit this</button>
        <button onClick={() => hit(store, pointAt(name, place, time, [0, 0, 0]))}>… and stop there</button>
        <button onClick={() => reach(store, pointAt(name, place, time))}>Pin by adapting</button>
      </div>
    </Section>
  );
}
