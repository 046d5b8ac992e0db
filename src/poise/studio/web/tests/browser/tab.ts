// A tab of the studio and what is done in it. Everything is read through `window.studio`, never from pixels.
import type { Browser, BrowserContext, Page } from "playwright-core";
import type * as THREE from "three";
import type { Stage } from "../../src/stage/stage.ts";
import type { Store } from "../../src/store.ts";

declare global {
  interface Window {
    studio: Store;
    stage: Stage;
  }
}

export const WAIT = 30_000;

export class Tab {
  requests = 0;
  sent: Record<string, any>[] = [];
  problems: string[] = [];

  private constructor(
    readonly page: Page,
    readonly context: BrowserContext,
  ) {
    page.on("request", () => this.requests++);
    page.on("websocket", (socket) => socket.on("framesent", (frame) => this.sent.push(JSON.parse(String(frame.payload)))));
    page.on("pageerror", (error) => this.problems.push(error.message));
  }

  static async open(browser: Browser, address: string, { width = 900, height = 640, touch = false } = {}): Promise<Tab> {
    const context = await browser.newContext({ viewport: { width, height }, hasTouch: touch });
    context.setDefaultTimeout(WAIT);
    await context.addInitScript(() => localStorage.setItem("poise-guide", "seen"));
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

  /** The present document has been made in full. */
  async settled(timeout = WAIT): Promise<void> {
    await this.page.waitForFunction(() => {
      const { state, solved, result, connection } = window.studio;
      return connection.live.value === "open" && result.value && solved.value && !solved.value.live && solved.value.revision === state.value?.revision;
    }, null, { timeout, polling: 30 });
  }

  key(keys: string): Promise<void> {
    return this.page.keyboard.press(keys);
  }

  layer(name: string): Promise<Record<string, any> | undefined> {
    return this.page.evaluate((n) => window.studio.layers.value.find((l) => l.name === n) as Record<string, any> | undefined, name);
  }

  undoable(): Promise<number> {
    return this.read(() => window.studio.state.value!.undoable);
  }

  /** Where a place of the document is on the page. */
  async pixel(place: readonly number[]): Promise<{ x: number; y: number }> {
    const found = await this.page.evaluate((p) => {
      const at = window.stage.camera.position.clone().set(p[0]!, p[1]!, p[2]! + window.studio.lift.value) as THREE.Vector3;
      return window.stage.onScreen(at);
    }, [...place]);
    if (!found) throw new Error(`${place} is behind the camera`);
    return found;
  }

  /** Where the sign of a handle is on the page. */
  async sign(id: string): Promise<{ x: number; y: number }> {
    await this.page.waitForFunction((name) => window.stage.scene.getObjectByName(name), id, { timeout: WAIT });
    await this.drawn();
    const found = await this.page.evaluate((name) => window.stage.onScreen(window.stage.scene.getObjectByName(name)!.children.find((c) => c.type === "Sprite")!.position), id);
    if (!found) throw new Error(`${id} is behind the camera`);
    return found;
  }

  /** Press at a pixel and move by steps; the button stays down. */
  async press(from: { x: number; y: number }, by: { x: number; y: number }, steps = 4): Promise<void> {
    const { mouse } = this.page;
    await mouse.move(from.x, from.y);
    await mouse.down();
    for (let k = 1; k <= steps; k++) await mouse.move(from.x + (by.x * k) / steps, from.y + (by.y * k) / steps);
  }

  /** Everything that a picture of now needs has been drawn. */
  drawn(): Promise<void> {
    return this.page.evaluate(() => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
  }

  /** Drop a file on the window. */
  drop(name: string, text: string): Promise<void> {
    return this.page.evaluate(([file, words]) => {
      const data = new DataTransfer();
      data.items.add(new File([words!], file!));
      dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }, [name, text]);
  }

  /** Choose an item of a menu. */
  async menu(name: string, action: string): Promise<void> {
    await this.page.locator(".menu .pull > button", { hasText: name }).click();
    await this.page.locator(`[data-action="${action}"]`).click();
  }
}
