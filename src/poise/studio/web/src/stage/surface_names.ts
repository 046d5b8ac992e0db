// Names of surfaces beside them on the stage, with a question mark where they were only found.
import type { CarriedView } from "./carried.ts";
import type { Stage } from "./stage.ts";

export class SurfaceNames {
  private readonly home = document.createElement("div");
  private readonly pool: HTMLElement[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly carried: CarriedView,
  ) {
    this.home.className = "surface-names";
    this.home.dataset["part"] = "surface-names";
    stage.canvas.parentElement!.append(this.home);
    stage.onDraw(() => this.draw());
  }

  dispose(): void {
    this.home.remove();
  }

  private draw(): void {
    const box = this.stage.canvas.getBoundingClientRect();
    const names = this.carried.group.visible ? this.carried.names() : [];
    const taken: { x: number; y: number }[] = [];
    names.forEach(({ text, at, asked }, k) => {
      this.pool[k] ??= this.made();
      const label = this.pool[k]!;
      const seen = this.stage.onScreen(at);
      label.hidden = !seen || seen.x < box.left || seen.x > box.right || seen.y > box.bottom;
      if (!seen) return;
      while (taken.some((t) => Math.abs(t.x - seen.x) < 90 && Math.abs(t.y - seen.y) < 17)) seen.y -= 17;
      taken.push(seen);
      if (label.textContent !== text) label.textContent = text;
      label.classList.toggle("asked", asked);
      const [x, y] = [Math.round(seen.x - box.left), Math.round(seen.y - box.top)];
      label.style.transform = `translate(${x}px, ${y}px) translate(-50%, -130%)`;
    });
    for (const label of this.pool.slice(names.length)) label.hidden = true;
  }

  private made(): HTMLElement {
    const label = document.createElement("span");
    label.dataset["part"] = "surface-name";
    this.home.append(label);
    return label;
  }
}
