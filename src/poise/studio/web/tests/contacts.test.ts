// Contacts in the time line and on the stage, and what edits of them say to the server.
import { beforeEach, describe, expect, test } from "vitest";
import type { Carried, ClipContacts } from "../src/messages.ts";
import { CarriedView, pushAt, touchesAt } from "../src/stage/carried.ts";
import type { Store } from "../src/store.ts";
import { confirmSurface, setContact } from "../src/time/contact_edits.ts";
import { contactId, contactLanes, contactNumber } from "../src/time/contact_lanes.ts";
import { documentEdits, erase } from "../src/time/document_edits.ts";
import { type FakeSocket, layersOf, stateOf, storeWith } from "./documents.ts";

const BOX = [0, 0, 0, 1, 0, 0, 1, 1, 0.4, 0, 1, 0.4];
const carried = (more: Partial<Carried> = {}): Carried => ({
  clip: "take",
  owned: false,
  flights: [],
  surfaces: [
    {
      name: "step",
      label: "step? 40 cm",
      asked: true,
      vertices: BOX,
      faces: [0, 1, 2],
      edges: BOX,
      moves: [],
    },
    { name: "wall", label: "wall", asked: false, vertices: BOX, faces: [0, 1, 2], edges: [], moves: [] },
  ],
  contacts: [
    contact("left foot", "floor", 0, 40, "stands"),
    contact("right foot", "step", 30, 80, "rolls"),
    { ...contact("right hand", "wall", 50, 60, "pushes"), gap: 0.13 },
    contact("left foot", "", 90, 120, "slides"),
  ],
  touches: [{ colour: "#2b8a57", start: 10, places: [1, 2, 3, 4, 5, 6] }],
  pushes: [
    {
      part: "left foot",
      colour: "#d6336c",
      frames: [0, 4, 40, 44],
      places: [0, 0, 0, 4, 0, 0, 8, 0, 0, 8, 0, 0],
      forces: [0, 0, 1, 0, 0, 0.5, 0, 0, 0.2, 0, 0, 0.4],
    },
  ],
  colours: { stands: "#2b8a57", rolls: "#2f6fb3", slides: "#d9a400", pushes: "#8a5a83", gap: "#f06a1a" },
  weight: 0.5,
  disc: 0.03,
  command: { do: "put-contacts", clip: "take", contacts: { contacts: [] } },
  ...more,
});

function contact(part: string, surface: string, start: number, end: number, manner: string) {
  return {
    part,
    surface,
    start,
    end,
    manner,
    gap: 0,
    asked: surface === "step" || !surface,
    locked: false,
    found: true,
  };
}

const owned = (locked = false): ClipContacts => ({
  contacts: [
    { part: "left foot", surface: "floor", start: 5, end: 44, manner: "stands", locked },
    { part: "right foot", surface: "step", start: 30, end: 80, manner: "rolls" },
  ],
});

describe("lanes", () => {
  test("one for every part, coloured by manner, asked where a surface is only found", () => {
    const lanes = contactLanes(carried(), undefined, new Set());
    expect(lanes.map((l) => l.label)).toEqual(["contacts", "left foot", "right foot", "right hand"]);
    expect(lanes[1]!.segments.map((s) => [s.id, s.first, s.last, s.colour])).toEqual([
      [contactId(0), 0, 40, "#2b8a57"],
      [contactId(3), 90, 120, "#d9a400"],
    ]);
    expect(lanes[2]!.segments[0]).toMatchObject({ label: "rolls · step?", dashed: true, draggable: true });
    expect(lanes[2]!.segments[0]!.hint).toContain("is there a step?");
    expect(lanes[1]!.segments[0]).toMatchObject({ label: "stands · floor", dashed: false });
  });

  test("a contact with a gap is orange, and says how wide it is", () => {
    const [hand] = contactLanes(carried(), undefined, new Set())[3]!.segments;
    expect(hand!.colour).toBe("#f06a1a");
    expect(hand!.hint).toContain("13 cm");
  });

  test("what the document has is shown at once; locked and foreign contacts stay where they are", () => {
    const [, feet] = contactLanes(carried(), owned(true), new Set());
    expect(feet!.segments).toMatchObject([{ first: 5, last: 44, draggable: false }]);
    const [, others] = contactLanes(carried({ clip: "" }), undefined, new Set());
    expect(others!.segments.every((s) => !s.draggable)).toBe(true);
  });

  test("they fold away, and there are none where nothing is known", () => {
    expect(contactLanes(carried(), undefined, new Set(["@contacts"]))).toHaveLength(1);
    expect(contactLanes(undefined, undefined, new Set())).toEqual([]);
    expect(contactNumber("feet/constraints/2")).toBeUndefined();
    expect(contactNumber(contactId(7))).toBe(7);
  });
});

describe("edits", () => {
  let store: Store;
  let socket: FakeSocket;
  // biome-ignore lint/suspicious/noExplicitAny: whatever was said.
  const said = (): any[] => (socket.sent as any[]).filter((m) => m.say === "do" && m.command);

  beforeEach(() => {
    ({ store, socket } = storeWith());
    store.carried.value = carried();
  });

  test("what was found is kept first, in the same step of undo", () => {
    confirmSurface(store, "step");
    expect(said().at(-1).command).toMatchObject({
      do: "group",
      commands: [{ do: "put-contacts" }, { do: "confirm-surface", clip: "take", surface: "step" }],
    });
  });

  test("what the document has is edited as it is", () => {
    socket.tell(stateOf(layersOf(), { document: { layers: layersOf(), contacts: { take: owned() } } }));
    setContact(store, 1, { locked: true });
    expect(said().at(-1).command).toEqual({
      do: "set-contact",
      clip: "take",
      contact: 1,
      values: { locked: true },
    });
  });

  test("an end that is dragged never passes the other", () => {
    socket.tell(stateOf(layersOf(), { document: { layers: layersOf(), contacts: { take: owned() } } }));
    const drag = documentEdits(store).resize(contactId(0), "first");
    drag.to(20);
    drag.to(300);
    drag.drop();
    const values = said()
      .map((m) => m.command.values)
      .filter(Boolean);
    expect(values.at(0)).toEqual({ start: 20 });
    expect(values.every((v) => v.start <= 44)).toBe(true);
  });

  test("several are deleted from the last on", () => {
    socket.tell(stateOf(layersOf(), { document: { layers: layersOf(), contacts: { take: owned() } } }));
    expect(erase(store, [contactId(0), contactId(1)])).toBe(true);
    const { commands } = said().at(-1).command;
    expect(commands.map((c: { contact: number }) => c.contact)).toEqual([1, 0]);
  });

  test("while contacts are found anew nothing is swallowed: done then, or refused in words", async () => {
    store.carried.value = carried({ owned: true }); // of the document before it was undone
    const before = said().length;
    confirmSurface(store, "step");
    setContact(store, 0, { manner: "rolls" });
    expect(said()).toHaveLength(before);
    expect(store.messages.value.at(-1)!.text).toContain("again in a moment");
    store.carried.value = carried();
    await Promise.resolve();
    expect(said()).toHaveLength(before + 1);
    expect(said().at(-1).command.commands[1]).toMatchObject({ do: "confirm-surface", surface: "step" });
    store.carried.value = carried(); // once is enough
    await Promise.resolve();
    expect(said()).toHaveLength(before + 1);
  });

  test("contacts that cannot be kept are refused in words", () => {
    store.carried.value = carried({ clip: "", command: null });
    const before = said().length;
    setContact(store, 0, { manner: "rolls" });
    expect(said()).toHaveLength(before);
    expect(store.messages.value.at(-1)!.text).toContain("cannot be kept");
  });
});

describe("the stage", () => {
  test("a touch is where it is in each of its frames, and nowhere else", () => {
    expect(touchesAt(carried(), 11)).toEqual([{ place: [4, 5, 6], colour: "#2b8a57" }]);
    expect(touchesAt(carried(), 9)).toEqual([]);
    expect(touchesAt(carried(), 12)).toEqual([]);
  });

  test("a force changes evenly between its samples; none is made up over a long gap", () => {
    const [push] = carried().pushes;
    expect(pushAt(push!, 2)).toEqual({ place: [2, 0, 0], force: [0, 0, 0.75] });
    expect(pushAt(push!, 20)).toBeUndefined();
    expect(pushAt(push!, 42)!.force[2]).toBeCloseTo(0.3);
  });

  test("what is asked is seen through, what is given is solid; both can be hidden", () => {
    const view = new CarriedView();
    view.set(carried());
    view.at(0, 0.1, { world: true, forces: true });
    const [step, wall] = ["surface step", "surface wall"].map((n) => view.group.getObjectByName(n)!);
    const material = (o: object) => (o as { material: { transparent: boolean } }).material;
    expect([material(step!).transparent, material(wall!).transparent]).toEqual([true, false]);
    expect(view.names().map((n) => n.text)).toEqual(["step? 40 cm", "wall"]);
    expect(view.names()[0]!.at.z).toBeCloseTo(0.5);
    view.at(0, 0.1, { world: false, forces: false });
    expect(view.names()).toEqual([]);
    view.set(undefined);
    expect(view.group.getObjectByName("surface step")).toBeUndefined();
  });
});
