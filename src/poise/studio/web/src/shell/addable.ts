// Layers that can be added, each with what it needs to begin with. Where it goes is its kind's matter:
// what is worn stays last.
import type { AnyCommand, AnyLayer } from "../messages.ts";
import type { Store } from "../store.ts";

export interface Addable {
  kind: AnyLayer["kind"];
  title: string;
  about: string;
  make: (name: string) => { layer: Record<string, unknown>; before?: AnyCommand; at?: number };
}

export function addable(store: Store): Addable[] {
  const layers = store.layers.value;
  const worn = layers.findIndex((l) => l.kind === "attachment");
  const top = worn < 0 ? {} : { at: worn };
  // What changes the motion before it is loosened goes under the loosening.
  const loose = layers.findIndex((l) => l.kind === "kinodynamics");
  const under = loose < 0 ? top : { at: loose };
  const clips = Object.keys((store.state.value?.document["clips"] ?? {}) as object);
  const bundled = store.vocabulary.value.clips?.[0] ?? "punch";
  const source = clips[0] ?? bundled;
  const motion = layers.length > 0;
  const clip = clips.length
    ? {}
    : { before: { do: "put-clip" as const, name: source, clip: { bundled: source } } };
  const starting: Addable[] = [
    {
      kind: "source",
      title: "Clip",
      about: "a clip as it is",
      make: (name) => ({ layer: { kind: "source", name, clip: source }, ...clip }),
    },
    {
      kind: "synthesis",
      title: "Synthesis",
      about: "motion made from a few partial keys",
      make: (name) => ({
        layer: { kind: "synthesis", name, scene: store.vocabulary.value.scenes?.[0] ?? "side jump" },
      }),
    },
    {
      kind: "beat",
      title: "Performance",
      about: "poses reached on the beat, simulated",
      make: (name) => ({
        layer: { kind: "beat", name, script: store.vocabulary.value.scripts?.at(-1) ?? "ymca" },
      }),
    },
  ];
  const changing: Addable[] = [
    {
      kind: "adaptation",
      title: "Adapt",
      about: "the least change that meets constraints",
      make: (name) => ({ layer: { kind: "adaptation", name }, ...under }),
    },
    {
      kind: "tracks",
      title: "Key-frames",
      about: "pins, centre of mass, inertia, spins",
      make: (name) => ({ layer: { kind: "tracks", name, tracks: { pins: [] } }, ...under }),
    },
    {
      kind: "kinodynamics",
      title: "Loosen",
      about: "weight and follow-through on every frame",
      make: (name) => ({ layer: { kind: "kinodynamics", name, tension: "relaxed" }, ...top }),
    },
    {
      kind: "beat",
      title: "Disturb",
      about: "simulate, be hit, and still arrive on time",
      make: (name) => ({ layer: { kind: "beat", name, follow: true }, ...top }),
    },
    {
      kind: "retarget",
      title: "Retarget",
      about: "give it to another character",
      make: (name) => ({ layer: { kind: "retarget", name, onto: source }, ...clip, ...under }),
    },
    {
      kind: "attachment",
      title: "Wear",
      about: "something soft that sways: a hat",
      make: (name) => ({
        layer: { kind: "attachment", name, to: store.vocabulary.value.roles?.["head"] ?? "Head" },
      }),
    },
  ];
  return motion ? [...changing, ...starting] : starting;
}
