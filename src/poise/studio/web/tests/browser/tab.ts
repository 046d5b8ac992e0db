// A tab of the studio and what is done in it. What is so is read through `window.studio`;
// of pixels only whether they changed.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import type * as THREE from "three";
import type { Stage } from "../../src/stage/stage.ts";
import type { Store } from "../../src/store.ts";
import type { Entry } from "../../src/time/entry.ts";
import { toPixel, whole } from "../../src/time/window.ts";

declare global {
  interface Window {
    studio: Store;
    stage: Stage;
    seen: Record<string, Uint8Array | Uint8ClampedArray>;
  }
}

/** Long enough for a machine that is busy with other things. */
export const WAIT = Number(process.env["POISE_WAIT"] ?? 180_000);
/** Where pictures for somebody to look at go; nowhere unless asked for. */
const PICTURES = process.env["POISE_PICTURES"];

export class Tab {
  requests = 0;
  /** Hosts that anything was asked of. */
  hosts = new Set<string>();
  sent: Entry[] = [];
  problems: string[] = [];

  private constructor(
    readonly page: Page,
    readonly context: BrowserContext,
  ) {
    page.on("request", (request) => {
      this.requests++;
      const address = new URL(request.url());
      if (!["data:", "blob:"].includes(address.protocol)) this.hosts.add(address.hostname);
    });
    page.on("websocket", (socket) =>
      socket.on("framesent", (frame) => this.sent.push(JSON.parse(String(frame.payload)))),
    );
    page.on("pageerror", (error) => this.problems.push(error.message));
  }

  static async open(
    browser: Browser,
    address: string,
    { width = 900, height = 640, touch = false, guide = false } = {},
  ): Promise<Tab> {
    const context = await browser.newContext({ viewport: { width, height }, hasTouch: touch });
    context.setDefaultTimeout(WAIT);
    if (!guide) await context.addInitScript(() => localStorage.setItem("poise-guide", "seen"));
    const tab = new Tab(await context.newPage(), context);
    await tab.page.goto(address, { timeout: WAIT });
    return tab;
  }

  /** Another tab of the same browser. */
  async another(address: string): Promise<Tab> {
    const tab = new Tab(await this.context.newPage(), this.context);
    await tab.page.goto(address, { timeout: WAIT });
    return tab;
  }

  close(): Promise<void> {
    return this.page.close();
  }

  read<T>(what: () => T): Promise<T> {
    return this.page.evaluate(what);
  }

  until(what: () => unknown, timeout = WAIT): Promise<unknown> {
    return this.page.waitForFunction(what, null, { timeout, polling: 30 });
  }

  /** The present document has been made in full, and the screen says so. */
  settled(timeout = WAIT): Promise<void> {
    return this.made(false, timeout);
  }

  /** Settled, and all that the screen asks by itself after that has come: what carries the motion, how paths
   * fare. Nothing is added to it any more until somebody does something. */
  quiet(timeout = WAIT): Promise<void> {
    return this.made(true, timeout);
  }

  private async made(wholly: boolean, timeout: number): Promise<void> {
    const { page } = this;
    const made = (all: boolean) => {
      const { state, solved, result, connection, shown, physics, unanswered } = window.studio;
      const revision = state.value?.revision;
      const told = physics.value?.header;
      return (
        connection.live.value === "open" &&
        result.value &&
        solved.value?.live === false &&
        solved.value.revision === revision &&
        ["exact", "partial"].includes(shown.value.state) &&
        shown.value.standing.revision === revision &&
        (!all || (unanswered === 0 && told?.revision === revision && told.support.length > 0))
      );
    };
    await page.waitForFunction(made, wholly, { timeout, polling: 30 }).catch(async (late: Error) => {
      throw new Error(
        `not solved: ${await this.read(() =>
          [
            ...window.studio.messages.value.map((m) => m.text),
            JSON.stringify(window.studio.shown.value),
            `revision ${window.studio.state.value?.revision}, ${window.studio.unanswered} questions open`,
          ].join("; "),
        )}`,
        { cause: late },
      );
    });
  }

  key(keys: string): Promise<void> {
    return this.page.keyboard.press(keys);
  }

  layer(name: string): Promise<Entry | undefined> {
    return this.page.evaluate(
      (n) => window.studio.layers.value.find((l) => l.name === n) as Entry | undefined,
      name,
    );
  }

  undoable(): Promise<number> {
    return this.read(() => window.studio.state.value!.undoable);
  }

  /** Wait until so many steps can be undone. */
  async undoableIs(steps: number): Promise<void> {
    await this.page.waitForFunction((n) => window.studio.state.value!.undoable === n, steps, {
      timeout: WAIT,
    });
  }

  /** What the status line complains of; nothing where it does not. */
  async complaint(): Promise<string> {
    const said = await this.page.locator('[data-part="status"] [role="alert"]').allTextContents();
    return said.join();
  }

  /** Where a place of the document is on the page. */
  async pixel(place: readonly number[]): Promise<{ x: number; y: number }> {
    const found = await this.page.evaluate(
      (p) => {
        const at = window.stage.camera.position
          .clone()
          .set(p[0]!, p[1]!, p[2]! + window.studio.lift.value) as THREE.Vector3;
        return window.stage.onScreen(at);
      },
      [...place],
    );
    if (!found) throw new Error(`${place} is behind the camera`);
    return found;
  }

  /** Where the sign of a handle is on the page. */
  async sign(id: string): Promise<{ x: number; y: number }> {
    await this.page.waitForFunction((name) => window.stage.scene.getObjectByName(name), id, {
      timeout: WAIT,
    });
    await this.drawn();
    const found = await this.page.evaluate(
      (name) =>
        window.stage.onScreen(
          window.stage.scene.getObjectByName(name)!.children.find((c) => c.type === "Sprite")!.position,
        ),
      id,
    );
    if (!found) throw new Error(`${id} is behind the camera`);
    return found;
  }

  /** An edit, solved. */
  async edit(command: object): Promise<void> {
    const revision = await this.revision();
    await this.page.evaluate((c) => window.studio.edit(c as never), command);
    await this.after(revision);
  }

  async undo(): Promise<void> {
    const revision = await this.revision();
    await this.page.evaluate(() => window.studio.connection.say({ say: "undo" }));
    await this.after(revision);
  }

  /** Undo until so many steps are left; nobody waits for what is in between. */
  async back(steps: number): Promise<void> {
    for (let left = await this.undoable(); left > steps; left--)
      await this.page.evaluate(() => window.studio.connection.say({ say: "undo" }));
    await this.page.waitForFunction((n) => window.studio.state.value!.undoable <= n, steps, {
      timeout: WAIT,
    });
    await this.settled();
  }

  revision(): Promise<number> {
    return this.read(() => window.studio.state.value!.revision);
  }

  /** The document has changed since, and is solved. */
  async after(revision: number, timeout = WAIT): Promise<void> {
    await this.page.waitForFunction((r) => window.studio.state.value!.revision > r, revision, { timeout });
    await this.settled(timeout);
  }

  /** Do something that edits the document: one step of undo, solved. */
  async step(what: () => Promise<unknown>, timeout = WAIT): Promise<void> {
    const undoable = await this.undoable();
    await what();
    await this.page.waitForFunction((n) => window.studio.state.value!.undoable === n + 1, undoable, {
      timeout,
    });
    await this.settled(timeout);
  }

  /** A drag from a pixel: one step of undo, whatever it makes. */
  dragged(from: { x: number; y: number }, by = { x: 18, y: -12 }): Promise<void> {
    return this.step(async () => {
      await this.press(from, by, 4);
      await this.page.mouse.up();
    });
  }

  /** Where a frame of a lane is on the page. */
  async lane(id: string, frame: number): Promise<{ x: number; y: number }> {
    const named = this.page.locator(`[data-lane="${id}"]`);
    await named.scrollIntoViewIfNeeded();
    const [canvas, name, frames] = [
      await this.strip(),
      await named.boundingBox(),
      await this.read(() => window.studio.player.frames.value),
    ];
    return { x: canvas.x + toPixel(whole(frames), canvas.width, frame), y: name!.y + name!.height / 2 };
  }

  /** The time line's canvas on the page. */
  async strip(): Promise<{ x: number; y: number; width: number; height: number }> {
    return (await this.page.locator('[data-part="timeline"] canvas').boundingBox())!;
  }

  seek(frame: number): Promise<void> {
    return this.page.evaluate((f) => window.studio.player.seek(f), frame);
  }

  /** Choose a layer in the outliner. */
  choose(layer: string): Promise<void> {
    return this.page.locator(`[data-layer="${layer}"] .layer-name`).click();
  }

  /** The slider of the whole body's tension, brought into view, where it stays. */
  async tension(): Promise<{ x: number; y: number; width: number; height: number }> {
    await this.quiet();
    const slider = this.page.locator('[data-tension="*"] input[type="range"]').first();
    await slider.scrollIntoViewIfNeeded();
    return (await slider.boundingBox())!;
  }

  get inspector(): Locator {
    return this.page.locator('[data-part="inspector"]');
  }

  /** The share of a canvas's pixels that are different from when this was last asked. */
  async changed(part: "stage" | "timeline" = "stage"): Promise<number> {
    await this.drawn();
    return this.page.evaluate((what) => {
      const pixels = () => {
        if (what === "timeline") {
          const canvas = document.querySelector<HTMLCanvasElement>('[data-part="timeline"] canvas')!;
          return canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height).data;
        }
        const gl = window.stage.renderer.getContext();
        window.stage.drawStill();
        const found = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
        gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, found);
        return found;
      };
      const now = pixels();
      window.seen ??= {};
      const before = window.seen[what];
      window.seen[what] = now;
      if (!before || before.length !== now.length) return 1;
      let count = 0;
      for (let k = 0; k < now.length; k += 4)
        if (
          Math.abs(now[k]! - before[k]!) +
            Math.abs(now[k + 1]! - before[k + 1]!) +
            Math.abs(now[k + 2]! - before[k + 2]!) >
          6
        )
          count++;
      return (4 * count) / now.length;
    }, part);
  }

  /** A picture for somebody to look at, where POISE_PICTURES names a folder. */
  async picture(name: string): Promise<void> {
    if (!PICTURES) return;
    mkdirSync(PICTURES, { recursive: true });
    await this.read(() => window.stage.drawStill());
    await this.drawn();
    await this.page.screenshot({ path: join(PICTURES, `${name}.png`) });
  }

  /** Press at a pixel and move by steps; the button stays down. */
  async press(from: { x: number; y: number }, by: { x: number; y: number }, steps = 4): Promise<void> {
    const { mouse } = this.page;
    await mouse.move(from.x, from.y);
    await mouse.down();
    for (let k = 1; k <= steps; k++)
      await mouse.move(from.x + (by.x * k) / steps, from.y + (by.y * k) / steps);
  }

  /** Move what is held from one pixel to another; each pull is answered before the next. */
  async pull(from: { x: number; y: number }, to: { x: number; y: number }, steps = 6): Promise<void> {
    for (let k = 1; k <= steps; k++) {
      const before = await this.read(() => {
        const { delays, seq } = window.studio.posing as unknown as { delays: number[]; seq: number };
        return [delays.length, seq] as const;
      });
      const part = k / steps;
      await this.page.mouse.move(from.x + part * (to.x - from.x), from.y + part * (to.y - from.y));
      await this.page.waitForFunction(
        ([answers, asked]) => {
          const { delays, seq } = window.studio.posing as unknown as { delays: number[]; seq: number };
          return seq === asked || delays.length > answers; // the first pixels of a press are none
        },
        before,
        { timeout: WAIT },
      );
    }
  }

  /** Everything that a picture of now needs has been drawn. */
  drawn(): Promise<void> {
    return this.page.evaluate(
      () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
    );
  }

  /** Drop a file on the window, or on a part of it. */
  drop(name: string, content: string | Buffer, part = ""): Promise<void> {
    return this.page.evaluate(
      ([file, coded, where]) => {
        const bytes = Uint8Array.from(atob(coded!), (letter) => letter.charCodeAt(0));
        const data = new DataTransfer();
        data.items.add(new File([bytes], file!));
        const target: EventTarget = (where && document.querySelector(where)) || window;
        target.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
      },
      [name, Buffer.from(content).toString("base64"), part],
    );
  }

  /** Open a file of this computer as a project of its own. */
  async openFile(name: string, content: string | Buffer): Promise<void> {
    await this.key("Control+o");
    await this.page
      .getByLabel("file from this computer")
      .setInputFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(content) });
  }

  /** Choose an item of a menu. */
  async menu(name: string, action: string): Promise<void> {
    await this.page.locator(".menu .pull > button", { hasText: name }).click();
    await this.page.locator(`[data-action="${action}"]`).click();
  }
}
