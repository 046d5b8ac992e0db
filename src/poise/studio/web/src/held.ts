// One drag of anything: the document is edited as it goes on, letting go makes one step of undo of it,
// Escape none.
import { gesture } from "./commands.ts";
import type { AnyCommand } from "./messages.ts";
import type { Store } from "./store.ts";

export class Held {
  readonly within: string;
  private edited = false;

  constructor(
    private readonly store: Store,
    what: string,
  ) {
    this.within = gesture(what);
  }

  /** Where it is by now; of those that the solver has no time for only the newest counts. */
  edit(command: AnyCommand): void {
    this.edited = true;
    this.store.edit(this.named(command), true);
  }

  /** What the rest of the drag stands on: not through the queue, where only the newest survives. */
  begin(command: AnyCommand): void {
    this.edited = true;
    this.store.connection.say({
      say: "do",
      live: true,
      command: this.named(command) as unknown as Record<string, unknown>,
    });
  }

  drop(): void {
    if (this.edited) this.store.connection.seal();
    this.edited = false;
  }

  /** As if it had never begun, and what could be redone can be still;
   * where all of it was refused, nothing is undone. */
  cancel(): void {
    if (this.edited) this.store.connection.abandon(this.within);
    this.edited = false;
  }

  private named(command: AnyCommand): AnyCommand {
    return { ...command, gesture: this.within } as AnyCommand;
  }
}
