// The socket to the server: reconnects by itself, and during a drag has one edit in flight and one waiting,
// the newest.
import { signal } from "@preact/signals";
import type { Do, Said, Told } from "./messages.ts";
import { MOST, WaitingEdits } from "./waiting.ts";

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

/** What is refused at once while there is no server, in words. */
const AWAY: Partial<Record<Said["say"], string>> = {
  save: "not saved",
  open: "not opened",
  export: "not exported",
  recover: "not done",
  undo: "not undone",
  redo: "not redone",
  ask: "not answered",
};

/** What has the motion made anew. */
const MAKES: ReadonlySet<Said["say"]> = new Set(["do", "seal", "undo", "redo"]);

export class Connection {
  readonly live = signal<Live>("connecting");
  /** Whether something is dragged here: edits were made that are not sealed or taken back yet. */
  readonly held = signal(false);
  /** How many edits the server has not answered while it is away. */
  readonly waiting = signal(0);
  private socket: WebSocket | undefined;
  private wait = 250;
  private readonly latest = new Latest();
  private readonly edits = new WaitingEdits();
  /** What was said and is not answered yet, by its number. */
  private readonly asked = new Map<number, Said["say"]>();
  private count = 0;
  /** No other tab has this name: with a number it is the name of an edit. */
  private readonly tab = [...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(36)).join("-");
  /** Whether the server has said which edits it knows; until then new ones wait. */
  private known = false;
  private recovering = false;

  constructor(
    private readonly address: string,
    private readonly told: (message: Told) => void,
    private readonly packet: (bytes: ArrayBuffer) => void,
    private readonly refused: (text: string, number: number) => void = () => undefined,
  ) {
    this.open();
  }

  /** Called before something is said after which the motion is made anew. */
  making: () => void = () => undefined;

  /** Who hears what is said now: another one after each reconnection; undefined while nobody does. */
  get there(): object | undefined {
    return this.socket?.readyState === WebSocket.OPEN ? this.socket : undefined;
  }

  /** Whether an edit of a drag has not been answered yet. */
  get awaits(): boolean {
    return this.latest.busy;
  }

  /** A number that no other message has. */
  next(): number {
    return ++this.count;
  }

  say(message: Said): void {
    if (MAKES.has(message.say)) this.making();
    if (message.say === "do") this.held.value = message.live === true;
    else if (message.say === "seal" || message.say === "undo") this.held.value = false;
    const there = this.there !== undefined;
    if (message.say === "do") {
      const number = this.next();
      const edit = { ...message, number, edit: `${this.tab}:${number}` };
      const sent = there && this.known;
      if (!this.edits.put(edit, sent))
        this.refused(`not done: ${MOST} edits are already waiting for the studio`, 0);
      else if (sent) this.send(edit);
      else this.counted();
    } else if (there) this.expected(message);
    else if (this.live.value === "connecting") this.early.push(message);
    else if (message.say in AWAY)
      this.refused(`${AWAY[message.say]}: the studio is offline`, message.number ?? 0);
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

  private early: Said[] = []; // before the server was there for the first time

  /** Send what is answered, or its maker is told that it was not. */
  private expected(message: Said): void {
    if (!(message.say in AWAY)) {
      this.send(message);
      return;
    }
    const number = message.number || this.next();
    this.asked.set(number, message.say);
    this.send({ ...message, number });
  }

  private send(message: Said): void {
    this.socket?.send(JSON.stringify(message));
  }

  private counted(): void {
    this.waiting.value = this.live.value === "open" && this.known ? 0 : this.edits.count;
  }

  private open(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.live.value = "open";
      this.wait = 250;
      this.send({ say: "hello", waiting: this.edits.unsure });
      for (const message of this.early.splice(0)) this.expected(message);
    };
    socket.onmessage = (event) => {
      if (typeof event.data !== "string") return this.packet(event.data);
      const message = JSON.parse(event.data) as Told;
      this.hear(message);
      this.told(message);
    };
    socket.onclose = () => {
      this.live.value = "lost";
      this.known = false;
      this.latest.flush();
      this.counted();
      const lost = [...this.asked];
      this.asked.clear();
      for (const [number, say] of lost)
        this.refused(`${AWAY[say]}, or not seen to be: the connection to the studio was lost`, number);
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, 5000);
    };
    this.socket = socket;
  }

  private hear(message: Told): void {
    if ("number" in message && message.number) this.asked.delete(message.number);
    // Also what makes an answer to the last edit needless: another motion, a stop, another solver.
    if (message.told === "solved" || message.told === "problem" || message.told === "notice")
      this.latest.answered();
    if ((message.told === "state" || message.told === "problem") && message.number)
      this.edits.answered(message.number);
    if (message.told === "state") {
      this.recovering = !!message.recovery;
      if (this.done && !this.recovering) this.goOn();
    }
    if (message.told === "welcome") {
      this.done = message.done ?? [];
      if (!this.recovering) this.goOn();
    }
  }

  /** Places of edits that the server knows, until what is left of a crash has been decided on. */
  private done: readonly number[] | undefined;

  /** What waits is made now; the server answers each, or says why not. */
  private goOn(): void {
    const again = this.edits.again(this.done ?? []);
    this.done = undefined;
    this.known = true;
    for (const edit of again) this.send({ ...edit, live: false });
    if (again.length && !this.held.value) this.send({ say: "seal" });
    this.counted();
  }
}
