// Above the stage: what a drag does, about which axes bodies turn, what is keyed; and how a pose stands.
import type { Store } from "../store.ts";
import { TURNING } from "./aids.ts";
import { autoKey, axes, balanced, standsAt, tool } from "./posing.ts";
import { shiftHips } from "./shift_hips.ts";

export function Tools({ store }: { store: Store }) {
  if (!store.figure.value) return null;
  const posing = tool.value === "pose";
  return (
    <div class="tools" data-part="tools">
      <fieldset class="tabs" aria-label="drag mode">
        <button
          aria-pressed={!posing}
          title="dragging makes a target"
          onClick={() => {
            tool.value = "target";
          }}
        >
          Target
        </button>
        <button
          aria-pressed={posing}
          title="dragging poses this frame"
          disabled={!store.posing.skeleton.value}
          onClick={() => choosePose(store)}
        >
          Pose
        </button>
      </fieldset>
      {posing && (
        <>
          <fieldset class="tabs" aria-label="axes of rings">
            {(["local", "parent", "world"] as const).map((each) => (
              <button
                aria-pressed={axes.value === each}
                onClick={() => {
                  axes.value = each;
                }}
              >
                {each}
              </button>
            ))}
          </fieldset>
          <button
            aria-pressed={autoKey.value}
            title="key what you touch at this frame"
            onClick={() => {
              autoKey.value = !autoKey.value;
            }}
          >
            ● Auto-key
          </button>
          <button
            aria-pressed={balanced.value}
            title="hold the centre of mass in place while you pull"
            onClick={() => {
              balanced.value = !balanced.value;
            }}
          >
            Keep balance
          </button>
          <Waits store={store} />
          <Stands store={store} />
          <Flies store={store} />
        </>
      )}
    </div>
  );
}

export function choosePose(store: Store): void {
  if (tool.value === "pose" || !store.posing.skeleton.value) return;
  tool.value = "pose";
  store.posing.ready();
}

/** A pose that is not keyed yet. */
function Waits({ store }: { store: Store }) {
  const { posing } = store;
  const held = posing.pending.value;
  if (!held || autoKey.value) return null;
  return (
    <span class="waits">
      pose at {held.frame} is not keyed
      <button
        class="first"
        onClick={() => {
          posing.key();
          posing.drop();
        }}
      >
        Key
      </button>
      <button onClick={() => posing.drop()}>Drop</button>
    </span>
  );
}

/** Whether the pose is over its feet. */
function Stands({ store }: { store: Store }) {
  const found = standsAt(store, store.posing);
  if (!found || found.margin === undefined) return null;
  const cm = Math.round(1000 * found.margin) / 10;
  return (
    <>
      <span class={cm >= 0 ? "fine" : "wrong"} data-margin={found.margin}>
        {cm >= 0 ? "✓" : "✗"} balance {cm >= 0 ? "+" : "−"}
        {Math.abs(cm)} cm
      </span>
      {cm < 0 && (
        <button
          title="bring the centre of mass over the feet: the hips move, feet that stand stay"
          onClick={() => void shiftHips(store)}
        >
          Shift hips
        </button>
      )}
    </>
  );
}

/** Whether the flight here is one: by gravity alone, with the momentum that it began with. */
function Flies({ store }: { store: Store }) {
  const air = store.posing.flight.value;
  if (!air) return null;
  const { flight, drift } = air;
  const gravity = flight.gravity === undefined ? "" : `, gravity ${flight.gravity.toFixed(1)}`;
  const off = flight.off > 0.005 ? `, off by ${(100 * flight.off).toFixed(0)} cm at ${flight.worst}` : "";
  return (
    <>
      <span
        class={flight.fine ? "fine" : "wrong"}
        data-flight={`${flight.first} ${flight.last}`}
        title="path of the centre of mass in the air: height and fall"
      >
        {flight.fine ? "✓" : "✗"} arc {flight.first}–{flight.last}: apex {flight.apex.toFixed(2)} m,{" "}
        {flight.seconds.toFixed(2)} s{gravity}
        {off}
      </span>
      {drift && (
        <span
          class={drift.share <= TURNING ? "fine" : "wrong"}
          data-drift={drift.share}
          title="angular momentum cannot change in the air"
        >
          {drift.share <= TURNING ? "✓" : "⚠"} H {drift.mean.toFixed(1)} kg m²/s, changes by{" "}
          {Math.round(100 * drift.share)} %
        </span>
      )}
    </>
  );
}
