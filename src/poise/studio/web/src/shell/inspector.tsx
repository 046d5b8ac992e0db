// The inspector: what can be done with the picked body, the settings of the chosen layer, what it reports,
// plausibility.
import { useEffect, useRef } from "preact/hooks";
import { hit, pointAt, reach } from "../commands.ts";
import { CamerasPanel } from "../panels/cameras.tsx";
import { ContactsPanel } from "../panels/contacts.tsx";
import { Section, Triple } from "../panels/fields.tsx";
import { LayerHead } from "../panels/layer_head.tsx";
import { OperationPanel } from "../panels/operation.tsx";
import { PlausibilityPanel } from "../panels/plausibility.tsx";
import { ReportPanel } from "../panels/report.tsx";
import { WorldPanel } from "../panels/world.tsx";
import { PosePanel } from "../pose/panel.tsx";
import { tool } from "../pose/posing.ts";
import { place as putAt } from "../stage/grasp.ts";
import type { Store } from "../store.ts";

export function Inspector({ store }: { store: Store }) {
  const layer = store.layers.value.find((l) => l.name === store.layer.value);
  const panel = useRef<HTMLElement>(null);
  // What was chosen elsewhere, on the stage or in the time line, is brought into view:
  // once, as soon as it is there.
  const shown = useRef("");
  const selected = [...store.selected.value].join();
  useEffect(() => {
    const entry = selected !== shown.current && panel.current?.querySelector(".entry.chosen");
    if (!entry) return;
    entry.scrollIntoView({ block: "nearest" });
    shown.current = selected;
  });
  return (
    <aside ref={panel} class="inspector" data-part="inspector" aria-label="inspector">
      <PosePanel store={store} />
      {tool.value !== "pose" && <Picked store={store} />}
      {layer && (
        <div key={layer.name}>
          <LayerHead store={store} layer={layer} />
          <ReportPanel store={store} layer={layer} />
          <OperationPanel store={store} layer={layer} />
        </div>
      )}
      <WorldPanel store={store} />
      <ContactsPanel store={store} />
      <CamerasPanel store={store} />
      {store.layers.value.length > 0 && (
        <PlausibilityPanel key={store.state.value?.project ?? 0} store={store} />
      )}
    </aside>
  );
}

/** The picked body: where it is at this frame, and making a target of it. */
function Picked({ store }: { store: Store }) {
  const time = store.player.time.value;
  const frame = Math.round(store.player.frame.value);
  const place = store.placeOf(store.body.value, time);
  const name = store.pointOf(store.body.value);
  if (!place || !name) return null;
  const at = frame / store.fps.value;
  const before = store.placeOf(store.body.value, at - 1 / store.fps.value)!;
  const after = store.placeOf(store.body.value, at + 1 / store.fps.value)!;
  const velocity = after.map((v, i) => Number((((v - before[i]!) * store.fps.value) / 2).toFixed(3)));
  return (
    <Section title={`${name} at frame ${frame}`}>
      <Triple
        label="at [m]"
        value={place}
        onSet={(to) => putAt(store, store.body.value, to as [number, number, number])}
      />
      <p class="hint">moves {velocity.map((v) => v.toFixed(2)).join(", ")} m/s</p>
      <div class="buttons">
        <button
          class="first"
          title="make the loose motion pass through here at this frame"
          onClick={() => hit(store, pointAt(name, place, at))}
        >
          Hit this
        </button>
        <button
          title="… with the velocity it has now"
          onClick={() => hit(store, pointAt(name, place, at, velocity))}
        >
          with velocity
        </button>
        <button
          title="… and come to rest there"
          onClick={() => hit(store, pointAt(name, place, at, [0, 0, 0]))}
        >
          and stop
        </button>
        <button title="hit the current pose of the whole body" onClick={() => void poseTarget(store, at)}>
          this pose
        </button>
        <button
          title="change the whole motion as little as possible"
          onClick={() => reach(store, pointAt(name, place, at))}
        >
          Pin by adapting
        </button>
      </div>
    </Section>
  );
}

/** The whole pose at a time as a target; the server knows its numbers. */
async function poseTarget(store: Store, time: number): Promise<void> {
  const found = (await store.ask("pose", { time })) as { constraint?: Record<string, unknown> } | undefined;
  if (found?.constraint) hit(store, [found.constraint]);
}
