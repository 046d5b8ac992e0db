// The socket to the server: reconnects by itself, and during a drag has one edit in flight and one waiting,
// the newest.
import { signal } from "@preact/signals";
import type { Do, Said, Told } from "./messages.ts";

export type Live = "connecting" | "open" | "lost";

export interface Wire {
  send(text: string): void;
  close(): void;
}

/** Edits of a drag: the next one leaves when the last one's answer has come;
 * in between only the newest is kept. */
export class Latest {
  busy = false;
  private next: (() => void) | undefined;

  send(go: () => void): void {
    if (this.busy) this.next = go;
    else {
      this.busy = true;
      go();
    }
  }

  answered(): void {
    const go = this.next;
    this.next = undefined;
    if (go) go();
    else this.busy = false;
  }

  /** The drag ends: what waits is sent at once, so that nothing is lost. */
  flush(): void {
    this.next?.();
    this.forget();
  }

  /** The drag is taken back: what waits is of no use any more. */
  forget(): void {
    this.next = undefined;
    this.busy = false;
  }
}

export class Connection {
  readonly live = signal<Live>("connecting");
  /** Whether something is dragged here: edits were made that are not sealed or taken back yet. */
  readonly held = signal(false);
  private socket: WebSocket | undefined;
  private wait = 250;
  private readonly latest = new Latest();
  private unsent: string[] = [];

  constructor(
    private readonly address: string,
    private readonly told: (message: Told) => void,
    private readonly packet: (bytes: ArrayBuffer) => void,
  ) {
    this.open();
  }

  /** Whether an edit of a drag has not been answered yet. */
  get awaits(): boolean {
    return this.latest.busy;
  }

  say(message: Said): void {
    if (message.say === "do") this.held.value = message.live === true;
    else if (message.say === "seal" || message.say === "undo") this.held.value = false;
    const text = JSON.stringify(message);
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
    else this.unsent.push(text);
  }

  /** An edit while something is dragged. */
  drag(edit: Omit<Do, "say" | "live">): void {
    this.latest.send(() => this.say({ say: "do", live: true, ...edit }));
  }

  /** The drag's last edit has been made: solve in full, one step of undo. */
  seal(): void {
    this.latest.flush();
    this.say({ say: "seal" });
  }

  /** What was edited within a drag is to be as if it had never begun. */
  abandon(gesture: string): void {
    this.latest.forget();
    this.say({ say: "undo", gesture });
  }

  private open(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.live.value = "open";
      this.wait = 250;
      const waiting = this.unsent;
      this.unsent = [];
      for (const text of waiting) socket.send(text);
    };
    socket.onmessage = (event) => {
      if (typeof event.data !== "string") return this.packet(event.data);
      const message = JSON.parse(event.data) as Told;
      // Also what makes an answer to the last edit needless: another motion, a stop, another solver.
      if (message.told === "solved" || message.told === "problem" || message.told === "notice")
        this.latest.answered();
      this.told(message);
    };
    socket.onclose = () => {
      this.live.value = "lost";
      this.latest.flush();
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, 5000);
    };
    this.socket = socket;
  }
}
