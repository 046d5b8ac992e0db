// The server is told which frame is looked at: of a long motion what is about it is made first. It hears of
// it when it has something to make: whoever only looks around says nothing.
import type { Store } from "../store.ts";

/** Of shorter motions all is made at once. */
const LONG = 600;

export function looking(store: Store): () => void {
  let said: { at: number; to: object | undefined } | undefined;
  store.connection.making = () => {
    const at = Math.round(store.player.frame.peek());
    const to = store.connection.there;
    if (!to || store.player.frames.peek() <= LONG || (said?.at === at && said.to === to)) return;
    said = { at, to };
    store.connection.say({ say: "look", frame: at });
  };
  return () => {
    store.connection.making = () => undefined;
  };
}
