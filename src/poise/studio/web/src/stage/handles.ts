// What can be grabbed on the stage: places that the document's constraints name. Ids are paths: layer/constraints/3.
import * as THREE from "three";
import type { AnyLayer } from "../messages.ts";

export interface Handle {
  id: string;
  layer: string;
  /** Where the place stands in the layer. */
  path: string;
  place: [number, number, number];
  /** What is written into the document for a place on the stage. */
  value: (place: [number, number, number]) => unknown;
  /** Dragged over the floor, or in the plane that faces the camera. */
  over: "floor" | "view";
  kind: "target" | "pin" | "plant";
  name: string;
  /** Time [s] at which it holds, or the interval. */
  times: [number, number];
}

export function handlesOf(layers: readonly AnyLayer[]): Handle[] {
  return layers.flatMap((layer) => {
    if ((layer.kind !== "targets" && layer.kind !== "adaptation") || layer.muted) return [];
    return (layer.constraints ?? []).flatMap((c, k): Handle[] => {
      const base = { id: `${layer.name}/constraints/${k}`, layer: layer.name, name: c["name"] ?? "" };
      if (c["intervals"]) {
        const spans = Object.values(c["intervals"] as Record<string, { from: number; to: number }>);
        if (!triple(c["place"])) return [];
        const [x, y, yaw] = c["place"]; // a footprint lies at (x, y) and is turned by yaw
        return [{ ...base, path: `constraints/${k}/place`, place: [x, y, c["height"] ?? 0], value: (p) => [p[0], p[1], yaw], over: "floor", kind: "plant", times: [Math.min(...spans.map((s) => s.from)), Math.max(...spans.map((s) => s.to))] }];
      }
      const value = c["target"]?.value;
      if (c["handle"]?.kind !== "point_position" || c["rate"] || !triple(value)) return [];
      const when = c["when"] as { at?: number; from?: number; to?: number };
      return [{ ...base, path: `constraints/${k}/target/value`, place: value, value: (p) => p, over: "view", kind: layer.kind === "targets" ? "target" : "pin", times: [when.at ?? when.from ?? 0, when.at ?? when.to ?? 0] }];
    });
  });
}

const triple = (value: unknown): value is [number, number, number] => Array.isArray(value) && value.length === 3 && value.every((v) => typeof v === "number");

const LOOKS = { target: "#e2413b", pin: "#2b8a57", plant: "#2b6cb0" } as const;

/** Marks on the stage for handles; brighter where they hold now, ringed where selected. */
export class Marks {
  readonly group = new THREE.Group();
  private readonly ball = new THREE.SphereGeometry(1, 24, 16);
  private shown: { handle: Handle; mesh: THREE.Mesh<THREE.SphereGeometry, THREE.MeshBasicMaterial> }[] = [];

  update(handles: readonly Handle[], time: number, lift: number, selected: ReadonlySet<string>, slack: number): void {
    while (this.shown.length > handles.length) this.group.remove(this.shown.pop()!.mesh);
    handles.forEach((handle, k) => {
      let item = this.shown[k];
      if (!item) {
        const mesh = new THREE.Mesh(this.ball, new THREE.MeshBasicMaterial({ transparent: true, depthTest: false }));
        mesh.renderOrder = 5;
        this.group.add(mesh);
        this.shown.push((item = { handle, mesh }));
      }
      item.handle = handle;
      const now = time >= handle.times[0] - slack && time <= handle.times[1] + slack;
      const chosen = selected.has(handle.id);
      item.mesh.position.set(handle.place[0], handle.place[1], handle.place[2] + lift);
      item.mesh.scale.setScalar(chosen ? 0.042 : 0.032);
      item.mesh.material.color.set(LOOKS[handle.kind]);
      item.mesh.material.opacity = now ? 0.95 : 0.4;
    });
  }

  /** The handle nearest to a pixel, within reach of the pointer. */
  near(x: number, y: number, camera: THREE.Camera, box: DOMRect, reach = 14): Handle | undefined {
    let best: Handle | undefined;
    let least = reach;
    const at = new THREE.Vector3();
    for (const { handle, mesh } of this.shown) {
      at.copy(mesh.position).project(camera);
      if (at.z > 1) continue;
      const away = Math.hypot(box.left + (0.5 + 0.5 * at.x) * box.width - x, box.top + (0.5 - 0.5 * at.y) * box.height - y);
      if (away < least) [best, least] = [handle, away];
    }
    return best;
  }

  /** Shows a handle elsewhere at once, before any solution comes back. */
  move(id: string, place: THREE.Vector3): void {
    this.shown.find((s) => s.handle.id === id)?.mesh.position.copy(place);
  }
}
