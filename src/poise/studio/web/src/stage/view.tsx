// The stage in the studio: the result solid, the reference as wire, overlays, handles to grab; at the player's frame.
import { computed, effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import * as THREE from "three";
import type { Bench } from "../shell/actions.ts";
import type { Store } from "../store.ts";
import { around, bounds } from "./bounds.ts";
import { Drag } from "./drag.ts";
import { Figure } from "./figure.ts";
import { handlesOf, Marks } from "./handles.ts";
import { ghostFrames, Overlays } from "./overlays.ts";
import { STRIDE } from "./poses.ts";
import { SoftMesh } from "./soft_mesh.ts";
import { Stage } from "./stage.ts";

export interface ViewHandle {
  frame: () => void;
  cancel: () => boolean;
}

export function View({ store, bench }: { store: Store; bench: Bench & { view: ViewHandle } }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => set(canvas.current!, store, bench), [store]);
  return (
    <div class="stage" data-part="stage">
      <canvas ref={canvas} tabIndex={0} aria-label="stage: drag to turn, wheel to come closer, click a body to pick it" />
    </div>
  );
}

/** Puts everything on the stage; returns how to clear it. */
function set(canvas: HTMLCanvasElement, store: Store, bench: Bench & { view: ViewHandle }): () => void {
  const stage = new Stage(canvas);
  const overlays = new Overlays();
  const marks = new Marks();
  stage.scene.add(overlays.group, marks.group);
  let solid: Figure | undefined;
  let wire: Figure | undefined;
  let worn: SoftMesh[] = [];
  let framed = false;
  let now = new Float32Array();
  const handles = computed(() => handlesOf(store.layers.value));
  const keys = computed(() => bench.lanes.value.flatMap((lane) => lane.keys.map((key) => key.frame)));
  const drag = new Drag(store, stage, marks, (x, y) => solid?.pick(stage.ray(x, y)));

  const stops = [
    effect(() => stage.theme(bench.theme.value)),
    effect(() => {
      const looks = store.looks.value;
      for (const old of [solid, wire]) if (old) (stage.scene.remove(old.mesh), old.dispose());
      overlays.figure(looks);
      if (!looks) return;
      solid = new Figure(looks);
      wire = new Figure(looks, "wire");
      now = new Float32Array(looks.bodies.length * STRIDE);
      framed = false;
      stage.scene.add(solid.mesh, wire.mesh);
    }),
    effect(() => {
      for (const old of worn) (stage.scene.remove(old.mesh), old.dispose());
      worn = store.soft.value.map((soft) => new SoftMesh(soft));
      for (const mesh of worn) stage.scene.add(mesh.mesh);
    }),
    effect(() => overlays.paths(store.physics.value, store.result.value, store.body.value)),
    effect(() => {
      const frame = store.player.frame.value;
      const result = store.result.value;
      const reference = store.reference.value;
      const shown = bench.shown.value;
      void store.soft.value;
      if (!solid || !wire || !result) return;
      solid.pose(result.sample(frame, now));
      for (const mesh of worn) mesh.at(frame, now);
      wire.mesh.visible = reference !== undefined && shown.wire;
      if (wire.mesh.visible) wire.pose(reference!.sample(frame, now));
      overlays.at(frame, store.physics.value, result, shown, store.body.value, ghostFrames(frame, result.frames, keys.value));
      if (!drag.active) marks.update(handles.value, frame / store.fps.value, store.lift.value, store.selected.value, 0.5 / store.fps.value);
      if (!framed) stage.frame(bounds(result), new THREE.Vector3(0.55, -0.85, 0.3));
      framed = true;
      stage.draw();
    }),
    pointers(stage, drag, store),
  ];
  bench.view.frame = () => {
    const result = store.result.value;
    if (result) stage.frame(store.body.value >= 0 ? around(result, store.body.value, store.player.frame.value) : bounds(result));
  };
  bench.view.cancel = () => drag.cancel();
  return () => {
    for (const stop of stops) stop();
    stage.dispose();
  };
}

function pointers(stage: Stage, drag: Drag, store: Store): () => void {
  const { canvas, controls } = stage;
  const down = (event: PointerEvent) => {
    if (event.button !== 0 || event.altKey) return;
    if (drag.down(event.clientX, event.clientY)) {
      controls.enabled = false;
      canvas.setPointerCapture(event.pointerId);
    } else store.body.value = -1;
  };
  const move = (event: PointerEvent) => drag.active && drag.move(event.clientX, event.clientY);
  const up = () => {
    drag.up();
    controls.enabled = true;
  };
  // Before the camera's own listeners, so that what is grabbed is not also turned around.
  canvas.addEventListener("pointerdown", down, { capture: true });
  canvas.addEventListener("pointermove", move);
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  return () => {
    canvas.removeEventListener("pointerdown", down, { capture: true });
    canvas.removeEventListener("pointermove", move);
    canvas.removeEventListener("pointerup", up);
    canvas.removeEventListener("pointercancel", up);
  };
}
