// Others of the project beside who is on the stage: the motion of a layer that another one hides, with who
// performs it, at the same time. They are looked at and not touched.
import { effect, signal } from "@preact/signals";
import * as THREE from "three";
import { group } from "../commands.ts";
import { starts } from "../editors.tsx";
import type { AnyCommand, Beside } from "../messages.ts";
import { floats, unpack } from "../packet.ts";
import type { Store } from "../store.ts";
import { type BodyShape, bodyShapes } from "./body_shapes.ts";
import { bounds } from "./bounds.ts";
import { Figure, Looks, type LooksHeader } from "./figure.ts";
import { Poses, STRIDE } from "./poses.ts";

/** Layers whose motion is seen beside the result. */
export const beside = signal<ReadonlySet<string>>(new Set());

export function toggleBeside(layer: string): void {
  const next = new Set(beside.value);
  if (!next.delete(layer)) next.add(layer);
  beside.value = next;
}

/** Work on a hidden motion: all layers above go below it, in one step; what was seen is beside it then. */
export function workOn(store: Store, name: string): void {
  const command = toFront(store, name);
  if (!command) {
    store.note("layers name what they begin with: reorder them by hand", "problem");
    return;
  }
  const next = new Set(beside.value);
  next.delete(name);
  next.add(store.layers.value.at(-1)!.name);
  beside.value = next;
  store.edit(command);
  store.layer.value = name;
}

/** The command for it; undefined where layers name what they begin with: their order means something else. */
function toFront(store: Store, name: string): AnyCommand | undefined {
  const [layers, cards] = [store.layers.value, store.cards.value];
  const at = layers.findIndex((l) => l.name === name);
  if (at < 0 || layers.some((l) => l.input)) return undefined;
  const begins = (k: number) => starts(cards, layers[k]!);
  let [first, last] = [at, at];
  while (first > 0 && !begins(first)) first--;
  while (last + 1 < layers.length && !begins(last + 1)) last++;
  if (last === layers.length - 1) return undefined;
  // Those above go below it one by one: at each step every layer has one that it can act on.
  const moves = layers
    .slice(last + 1)
    .map((l, k): AnyCommand => ({ do: "move-layer", layer: l.name, to: first + k }));
  return group(`work on ${name}`, moves);
}

interface Seen extends LooksHeader {
  fps: number;
  lift: number;
}

interface Companion {
  mark: string;
  figure: Figure;
  poses: Poses;
  header: Seen;
  shapes: BodyShape[];
  now: Float32Array;
}

export class Companions {
  readonly group = new THREE.Group();
  private readonly known = new Map<string, Companion>();
  private readonly stop: () => void;

  /** `changed`: there is something new to be drawn. */
  constructor(
    private readonly store: Store,
    private readonly changed: () => void,
  ) {
    this.group.name = "others";
    this.stop = effect(() => {
      void beside.value;
      const made = store.solved.value;
      const wanted = this.wanted();
      for (const [name, { figure }] of this.known)
        if (!wanted.has(name)) {
          this.group.remove(figure.mesh);
          figure.dispose();
          this.known.delete(name);
        }
      changed();
      if (!made || made.live) return;
      for (const name of wanted) void this.ask(name);
    });
  }

  /** Where they are at a frame of the result. */
  at(frame: number): void {
    const time = frame / this.store.fps.peek();
    const floor = this.store.lift.peek();
    for (const { figure, poses, header, now } of this.known.values()) {
      const own = Math.min(time * header.fps, poses.frames - 1);
      poses.sample(own, now);
      for (let k = 2; k < now.length; k += STRIDE) now[k]! += floor - header.lift;
      figure.pose(now, poses.morphs(own));
      figure.mesh.userData["place"] = [now[0], now[1], now[2]]; // for tests of the page
    }
  }

  /** A box made to hold them too. */
  within(box: THREE.Box3): void {
    for (const { poses, shapes, now } of this.known.values())
      box.union(bounds(new Poses(now, 1, poses.bodies), shapes));
  }

  dispose(): void {
    this.stop();
    for (const { figure } of this.known.values()) figure.dispose();
    this.known.clear();
  }

  /** Layers whose motion is to be seen; nobody stands beside himself. */
  private wanted(): ReadonlySet<string> {
    const hidden = this.store.layers.peek().slice(0, -1);
    return new Set(hidden.map((l) => l.name).filter((name) => beside.peek().has(name)));
  }

  private async ask(layer: string): Promise<void> {
    const before = this.known.get(layer);
    const about = { layer, mark: before?.mark ?? "" };
    const told = (await this.store.ask("beside", about, true)) as Beside | undefined;
    if (!told?.packed || !this.wanted().has(layer)) return;
    const packet = unpack<Seen>(await opened(told.packed));
    if (!this.wanted().has(layer)) return;
    const old = this.known.get(layer);
    if (old) {
      this.group.remove(old.figure.mesh);
      old.figure.dispose();
    }
    const { header } = packet;
    const poses = new Poses(
      floats(packet, "poses"),
      packet.arrays["poses"]!.shape[0]!,
      header.bodies.length,
      packet.arrays["morphs"] ? floats(packet, "morphs") : undefined,
    );
    const looks = new Looks(packet);
    const figure = new Figure(looks);
    const now = new Float32Array(header.bodies.length * STRIDE);
    this.known.set(layer, { mark: told.mark, figure, poses, header, shapes: bodyShapes(looks), now });
    this.group.add(figure.mesh);
    this.at(this.store.player.frame.peek());
    this.changed();
  }
}

/** What was compressed and written in base64, as bytes. */
async function opened(text: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
