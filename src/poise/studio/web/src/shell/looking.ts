// The server is told which frame is looked at: of a long motion what is about it is made first.
import { effect } from "@preact/signals";
import type { Store } from "../store.ts";

/** So long nothing more is said after something was [ms]. */
const REST = 100;
/** Of shorter motions all is made at once. */
const LONG = 600;

export function looking(store: Store): () => void {
  let said = -1;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const say = () => {
    timer = undefined;
    const frame = Math.round(store.player.frame.peek());
    if (frame === said || store.connection.live.peek() !== "open") return;
    said = frame;
    store.connection.say({ say: "look", frame });
  };
  const stop = effect(() => {
    void store.player.frame.value;
    if (store.connection.live.value !== "open")
      said = -1; // whoever comes back says it anew
    else if (store.player.frames.value > LONG) timer ??= setTimeout(say, REST);
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}
