// Whatever recording the document is played to sounds with the time line.
import { computed, effect, signal } from "@preact/signals";
import type { Store } from "../store.ts";
import { soundtrack } from "../time/soundtrack.ts";
import { Recording } from "../time/speaker.ts";
import { remembered } from "./remembered.ts";

/** Whether recordings are heard. */
export const audible = remembered("sound", true);
/** What is heard; for tests of the page too. */
export const heard = signal<{ file: string; seconds: number } | undefined>(undefined);

export function hearing(store: Store): () => void {
  let context: AudioContext | undefined;
  let end: (() => void) | undefined;
  // As text, so that nothing is read again while it stays the same.
  const wanted = computed(() => {
    const layer = store.layers.value.find((l) => !l.muted && store.music.value[l.name]?.high.length);
    const music = layer && store.music.value[layer.name]!;
    return music ? JSON.stringify([layer.name, music.file, music.seconds]) : "";
  });
  const watch = effect(() => {
    const chosen = wanted.value;
    end?.();
    end = heard.value = undefined;
    if (!chosen) return;
    const [layer, file] = JSON.parse(chosen) as [string, string];
    void bytesOf(layer)
      .then((bytes) => {
        context ??= new AudioContext();
        return Recording.read(context, bytes);
      })
      .then((recording) => {
        if (wanted.peek() !== chosen) return;
        end = soundtrack(store.player, recording, audible);
        heard.value = { file, seconds: recording.seconds };
      })
      .catch((problem: Error) =>
        store.note(`${file} cannot be played: ${problem.message}`, "problem", layer),
      );
  });
  return () => {
    watch();
    end?.();
    void context?.close();
  };
}

async function bytesOf(layer: string): Promise<ArrayBuffer> {
  const answer = await fetch(`/sound/${encodeURIComponent(layer)}`);
  if (!answer.ok) throw new Error(`the studio answered ${answer.status}`);
  return answer.arrayBuffer();
}
