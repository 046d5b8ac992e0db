import { describe, expect, it } from "vitest";
import { ACTIONS } from "../src/shell/actions.ts";
import { actionFor, KEYMAPS, pressed, typing } from "../src/shell/keys.ts";

const press = (key: string, more: Partial<KeyboardEvent> = {}) =>
  ({
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    target: null,
    ...more,
  }) as KeyboardEvent;

describe("keys", () => {
  it("have one name each, whatever the keyboard says of shift", () => {
    expect(pressed(press("Z", { ctrlKey: true, shiftKey: true }))).toBe("Ctrl+Shift+z");
    expect(pressed(press("z", { metaKey: true }))).toBe("Ctrl+z");
    expect(pressed(press("?", { shiftKey: true }))).toBe("?");
    expect(pressed(press(" ", { shiftKey: true }))).toBe("Shift+ ");
  });

  it("lead to actions that exist, in both maps", () => {
    for (const map of Object.values(KEYMAPS))
      for (const action of Object.values(map)) expect(ACTIONS).toHaveProperty(action);
  });

  it("do what animators expect", () => {
    for (const map of Object.values(KEYMAPS)) {
      for (const [key, more, action] of [
        ["c", { ctrlKey: true }, "copy"],
        ["v", { ctrlKey: true }, "paste"],
        ["d", { ctrlKey: true }, "duplicate"],
        ["m", {}, "mute"],
        ["Delete", {}, "erase"],
        [" ", {}, "play"],
        ["Escape", {}, "cancel"],
      ] as const)
        expect(actionFor(map, press(key, more))).toBe(action);
    }
    expect([actionFor(KEYMAPS.blender, press("i")), actionFor(KEYMAPS.maya, press("s"))]).toEqual([
      "insert",
      "insert",
    ]);
  });

  it("are left to what is typed into, but for Escape", () => {
    const input = { tagName: "INPUT", type: "text" } as unknown as EventTarget;
    expect(typing(input)).toBe(true);
    expect(typing({ tagName: "INPUT", type: "checkbox" } as unknown as EventTarget)).toBe(false);
    const slider = { tagName: "INPUT", type: "range" } as unknown as EventTarget;
    expect([
      actionFor(KEYMAPS.blender, press(" ", { target: slider })),
      actionFor(KEYMAPS.blender, press("ArrowLeft", { target: slider })),
    ]).toEqual(["play", undefined]);
    const button = (focused: boolean) =>
      ({ tagName: "BUTTON", matches: () => focused }) as unknown as EventTarget;
    expect([true, false].map((f) => actionFor(KEYMAPS.blender, press(" ", { target: button(f) })))).toEqual([
      undefined,
      "play",
    ]);
    expect(actionFor(KEYMAPS.blender, press("m", { target: input }))).toBeUndefined();
    expect(actionFor(KEYMAPS.blender, press("Escape", { target: input }))).toBe("cancel");
  });
});
