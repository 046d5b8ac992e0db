// Edits that the server has not answered: sent and not acknowledged, or made while it was away.
// None is swallowed: each is sent again, or its maker is told that it was not made.
import type { Do } from "./messages.ts";

/** So many may wait; more are refused. */
export const MOST = 100;

export interface Waiting {
  edit: Do;
  /** Whether it was sent to a server that may have made it. */
  sent: boolean;
}

export class WaitingEdits {
  private list: Waiting[] = [];

  get count(): number {
    return this.list.length;
  }

  /** Names of those that a server may have made, in order: it is asked which. */
  get unsure(): string[] {
    return this.list.filter((w) => w.sent).map((w) => w.edit.edit ?? "");
  }

  /** Take an edit; false where too many wait. Of a drag only the newest of each value is kept. */
  put(edit: Do, sent: boolean): boolean {
    if (!sent) {
      const at = this.list.findIndex((w) => !w.sent && replaces(edit, w.edit));
      if (at >= 0) this.list.splice(at, 1);
      else if (this.list.length >= MOST) return false;
    }
    this.list.push({ edit, sent });
    return true;
  }

  /** One was made, or refused with a word. */
  answered(number: number): void {
    this.list = this.list.filter((w) => w.edit.number !== number);
  }

  /** What to send to a server that has made some of the unsure ones (their places); a new one each time. */
  again(done: readonly number[]): Do[] {
    const made = new Set(this.unsure.filter((_, k) => done.includes(k)));
    this.list = this.list.filter((w) => !made.has(w.edit.edit ?? "")).map((w) => ({ ...w, sent: true }));
    return this.list.map((w) => w.edit);
  }
}

/** Whether one edit of a drag takes the place of another: the same value, set once more. */
function replaces(one: Do, other: Do): boolean {
  const [a, b] = [one.command, other.command];
  const same = (key: string) => a[key] === b[key];
  return a["do"] === "set" && !!a["gesture"] && ["do", "gesture", "layer", "path"].every(same);
}
