// The stage in the studio: the result solid, the reference as wire, both at the player's frame.
import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import * as THREE from "three";
import type { Bench } from "../shell/actions.ts";
import type { Store } from "../store.ts";
import { Figure } from "./figure.ts";
import { STRIDE } from "./poses.ts";
import { Stage } from "./stage.ts";

export interface ViewHandle {
  frame: () => void;
  cancel: () => boolean;
}

export function View({ store, bench }: { store: Store; bench: Bench & { view: ViewHandle } }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const stage = new Stage(canvas.current!);
    let solid: Figure | undefined;
    let wire: Figure | undefined;
    let framed = false;
    const places = () => new Float32Array((store.figure.peek()?.bodies.length ?? 0) * STRIDE);
    let now = places();
    const stops = [
      effect(() => stage.theme(bench.theme.value)),
      effect(() => {
        const looks = store.looks.value;
        for (const old of [solid, wire]) if (old) (stage.scene.remove(old.mesh), old.dispose());
        if (!looks) return;
        solid = new Figure(looks);
        wire = new Figure(looks, "wire");
        now = places();
        framed = false;
        stage.scene.add(solid.mesh, wire.mesh);
      }),
      effect(() => {
        const frame = store.player.frame.value;
        const result = store.result.value;
        const reference = store.reference.value;
        if (!solid || !wire || !result) return;
        solid.pose(result.sample(frame, now));
        wire.mesh.visible = reference !== undefined && bench.shown.value.wire;
        if (reference) wire.pose(reference.sample(frame, now));
        if (!framed) {
          const box = new THREE.Box3();
          const at = new THREE.Vector3();
          for (let k = 0; k < result.values.length; k += STRIDE) box.expandByPoint(at.fromArray(result.values, k));
          stage.frame(box.expandByScalar(0.12), new THREE.Vector3(0.55, -0.85, 0.35));
          framed = true;
        }
        stage.draw();
      }),
    ];
    return () => {
      for (const stop of stops) stop();
      stage.dispose();
    };
  }, [store]);
  return (
    <div class="stage" data-part="stage">
      <canvas ref={canvas} aria-label="stage: drag to turn, wheel to come closer" />
    </div>
  );
}
