// Words on the stage: names beside handles, and in a corner what a press would do.
import type * as THREE from "three";
import type { Dated } from "./ghosts.ts";
import type { Marks } from "./marks.ts";
import type { Stage } from "./stage.ts";

const MOST = 8;
/** About as wide as a letter with its share of the padding [px]. */
const LETTER = 7;
const LOOK = `
  position:absolute;left:0;top:0;pointer-events:none;white-space:nowrap;font:11px/1.5 system-ui,sans-serif;
  padding:0 5px;border-radius:4px;background:color-mix(in srgb, var(--raised) 82%, transparent);
  color:var(--ink);`;
const HINT = `${LOOK}
  top:auto;left:8px;bottom:8px;color:var(--quiet);max-width:calc(100% - 16px);
  overflow:hidden;text-overflow:ellipsis`;

export class Labels {
  private readonly home: HTMLElement;
  private readonly hint: HTMLElement;
  private readonly pool: HTMLElement[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly marks: Marks,
    /** Ghosts, which have the number of their frame. */
    private readonly dated: () => readonly Dated[] = () => [],
  ) {
    const parent = stage.canvas.parentElement!;
    this.home = document.createElement("div");
    this.home.style.cssText = "position:absolute;inset:0;overflow:hidden;pointer-events:none";
    this.home.dataset["part"] = "labels";
    this.hint = document.createElement("div");
    this.hint.style.cssText = HINT;
    this.hint.dataset["part"] = "stage-hint";
    this.hint.setAttribute("aria-live", "polite");
    this.home.append(this.hint);
    parent.append(this.home);
    stage.onDraw(() => this.draw());
  }

  /** What would happen, or does. */
  say(words: string): void {
    if (this.hint.textContent !== words) this.hint.textContent = words;
    this.hint.style.display = words ? "" : "none";
  }

  dispose(): void {
    this.home.remove();
  }

  private draw(): void {
    const { hovered } = this.marks;
    // Footprints and axes speak for themselves until they are pointed at.
    const quiet = new Set(["plant", "turn", "axis", "spin"]);
    const wanted = this.marks
      .shown()
      .filter(
        (m) =>
          m.handle.id === hovered || (m.chosen && !m.handle.chosen) || (m.now && !quiet.has(m.handle.kind)),
      );
    wanted.sort(
      (a, b) =>
        Number(b.handle.id === hovered) - Number(a.handle.id === hovered) ||
        Number(b.chosen) - Number(a.chosen),
    );
    const box = this.stage.canvas.getBoundingClientRect();
    const taken: { x: number; y: number }[] = [];
    const words = new Set<string>();
    let used = 0;
    const put = (name: string, at: THREE.Vector3, apart: number, right: number, down: number) => {
      const seen = this.stage.onScreen(at);
      if (
        !seen ||
        words.has(name) ||
        taken.some((t) => Math.abs(t.x - seen.x) < apart && Math.abs(t.y - seen.y) < 16)
      )
        return;
      words.add(name);
      taken.push(seen);
      this.pool[used] ??= this.made();
      const label = this.pool[used++]!;
      if (label.textContent !== name) label.textContent = name;
      label.style.display = "";
      // Where it would be cut off on the right it goes to the left of what it names.
      const over = seen.x - box.left + right + LETTER * name.length > box.width;
      const x = Math.round(seen.x - box.left + (over ? -right : right));
      const y = Math.round(seen.y - box.top + down);
      label.style.transform = `translate(${x}px, ${y}px)${over ? " translateX(-100%)" : ""}`;
    };
    for (const { handle, at } of wanted.slice(0, MOST)) put(handle.name, at, 90, 15, -9);
    for (const { frame, at } of this.dated()) put(String(frame), at, 34, -12, -46);
    for (const label of this.pool.slice(used)) label.style.display = "none";
  }

  private made(): HTMLElement {
    const label = document.createElement("span");
    label.style.cssText = LOOK;
    label.dataset["part"] = "label";
    this.home.append(label);
    return label;
  }
}
