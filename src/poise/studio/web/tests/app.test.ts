// @vitest-environment happy-dom
// The whole screen but for its stage: there is no WebGL here, the tests in a real browser have that.
import { h, render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { App } from "../src/app.tsx";
import { storeWith } from "./documents.ts";

vi.mock("../src/stage/view.tsx", () => ({ View: () => null }));
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 }); // a whole screen, perhaps on a busy machine

const blank = new Proxy(
  {},
  { get: (_, name) => (name === "measureText" ? () => ({ width: 0 }) : () => undefined), set: () => true },
);
let root: HTMLElement;
let screen: ReturnType<typeof storeWith>;

async function begin(): Promise<void> {
  screen = storeWith();
  root = document.createElement("div");
  document.body.append(root);
  await act(() => render(h(App, { store: screen.store }), root));
}

beforeEach(async () => {
  localStorage.setItem("poise-guide", "seen");
  HTMLCanvasElement.prototype.getContext = (() => blank) as never;
  HTMLCanvasElement.prototype.setPointerCapture = () => undefined;
  vi.stubGlobal("fetch", async () => ({
    json: async () => ({}),
    arrayBuffer: async () => new ArrayBuffer(0),
    ok: false,
  }));
  await begin();
});
afterEach(() => {
  render(null, root);
  root.remove();
  localStorage.clear();
});

const press = (key: string, more: KeyboardEventInit = {}) => {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  act(() => void dispatchEvent(event));
  return event;
};
const lane = (id: string) => root.querySelector<HTMLElement>(`[data-lane="${id}"]`)!;

describe("keys", () => {
  it("do what they are for, and the browser's own use of them is over", () => {
    const { store } = screen;
    expect(press(" ").defaultPrevented).toBe(true);
    expect(store.player.playing.value).toBe(true);
    press(" ");
    expect(store.player.playing.value).toBe(false);
    press("End");
    expect(store.player.frame.value).toBe(200);
    expect(press("F5").defaultPrevented).toBe(false);
  });

  it("stop what plays: with nothing dragged, Escape is for the player", () => {
    press(" ");
    press("Escape");
    expect(screen.store.player.playing.value).toBe(false);
  });

  it("belong to a window that is over the screen, but for Escape", () => {
    press("?");
    const before = screen.store.player.frame.value;
    press("End");
    expect(screen.store.player.frame.value).toBe(before);
    press("Escape");
    press("End");
    expect(screen.store.player.frame.value).toBe(200);
  });
});

describe("a new project", () => {
  it("begins from one thing, which is marked", async () => {
    press("n", { altKey: true });
    const ways = () => [...root.querySelectorAll<HTMLInputElement>("input[name=start]")];
    expect(ways().length).toBeGreaterThan(1);
    expect(ways().filter((w) => w.checked)).toHaveLength(1);
    const other = ways().find((w) => !w.checked)!;
    await act(() => {
      other.checked = true;
      other.dispatchEvent(new Event("input", { bubbles: true }));
    });
    expect(
      ways()
        .filter((w) => w.checked)
        .map((w) => w.value),
    ).toEqual([other.value]);
  });
});

describe("the guide", () => {
  it("opens by itself the first time, and then no more", async () => {
    expect(root.querySelector("[data-part=guide]")).toBeNull();
    render(null, root);
    localStorage.clear();
    await begin();
    const first = root.innerHTML.length;
    expect(localStorage.getItem("poise-guide")).toBe("seen");
    render(null, root);
    await begin();
    expect(root.innerHTML.length).toBeLessThan(first);
  });
});

describe("the time line", () => {
  it("shows the layer of the lane that is chosen", () => {
    const { store } = screen;
    store.layer.value = "hit";
    const names = [...root.querySelectorAll<HTMLElement>("[data-lane]")];
    expect(names.length).toBeGreaterThan(3);
    const other = names.find((n) => n.dataset["lane"]!.startsWith("loose"))!;
    act(() => other.querySelector<HTMLElement>(".lane-label")!.click());
    expect(store.layer.value).toBe("loose");
    expect(lane(other.dataset["lane"]!).className).toContain("chosen");
  });

  it("folds the tracks of a layer, and unfolds them", () => {
    const { store } = screen;
    const fold = () => root.querySelector<HTMLElement>("button.fold")!;
    const before = root.querySelectorAll("[data-lane]").length;
    expect(fold().getAttribute("aria-expanded")).toBe("true");
    act(() => fold().click());
    expect(store.folded.value.size).toBe(1);
    expect(root.querySelectorAll("[data-lane]").length).toBeLessThan(before);
    act(() => fold().click());
    expect(store.folded.value.size).toBe(0);
  });

  it("mutes and unmutes where a lane can be muted", () => {
    const { socket } = screen;
    const mute = root.querySelector<HTMLElement>("[data-lane] button[aria-label^='mute ']")!;
    act(() => mute.click());
    expect(socket.sent.filter((m) => m["say"] === "do").at(-1)!["command"]).toMatchObject({
      do: "set",
      value: true,
    });
  });
});
