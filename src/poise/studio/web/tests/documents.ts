// A document with something of everything, and a store whose socket is a list.
import type { Layer } from "../src/layer.ts";
import type { FigurePacket, JointFact, Standing, State, Status, Told } from "../src/messages.ts";
import { Store } from "../src/store.ts";
import type { Entry } from "../src/time/entry.ts";
import { CARDS } from "./cards.ts";

export function layersOf(): Layer[] {
  const fist = {
    name: "fist",
    handle: { kind: "point_position", point: "RightHandCentre", axes: "xyz" },
    target: { value: [0.9, 0.1, 1.5] },
    when: { at: 0.85 },
  };
  return [
    { do: "load", name: "punch", clip: "punch" },
    {
      do: "plan",
      name: "jump",
      scene: {
        feet: ["LeftFoot"],
        segments: [
          {
            kind: "stance",
            duration: 0.9,
            holds: ["LeftFoot"],
            name: "prepare",
            keys: [
              { of: "com", at: 0.6, position: [null, null, 0.8] },
              { of: "com", velocity: [0, 0, 2] },
            ],
          },
          { kind: "flight", name: "air" },
          { kind: "stance", duration: 0.7, holds: ["LeftFoot"], name: "land" },
        ],
      },
    },
    {
      do: "key",
      name: "hop",
      keyframes: {
        poses: [
          { time: 0, joints: {} },
          { time: 1, joints: {} },
        ],
        pins: [
          { point: "LeftFoot", at: [0, 0.4], fade: 0.1 },
          {
            name: "look",
            handle: { kind: "point_position", point: "Head" },
            targets: [{ time: 0.2, value: null }],
            gains: [
              { time: 0, value: 0 },
              { time: 1, value: [0.5] },
            ],
          },
        ],
        path: {
          keys: [
            { time: 0, position: [0, 0, 0.9] },
            { time: 0.5, position: [0, 0, 1], template: { kind: "projectile_3", height: 1.4 } },
            { time: 1, position: [0, 0, 0.9] },
          ],
        },
        inertia: { measure: "gyration", keys: [{ time: 0.5, value: 0.4 }] },
        spins: [{ start: 0.6, end: 1.1, turns: 1 }],
      },
    },
    {
      do: "adapt",
      name: "aim",
      constraints: [
        { name: "front foot", intervals: { LeftHeel: { always: true } }, place: [0, 0, 0] },
        { name: "rear foot", intervals: { RightBall: { from: 0.1, to: 0.6 } }, place: [0, 0, 0] },
        fist,
      ],
    },
    {
      do: "loosen",
      name: "loose",
      tension: [
        { time: 0, tension: 4 },
        { time: 1, tension: { "*": 2, Head: 9 } },
      ],
    },
    { do: "hit", name: "hit", constraints: [{ ...fist }] },
    {
      do: "perform",
      name: "dance",
      follow: true,
      disturbances: [
        { kind: "impulse", time: 0.5, point: "Chest", impulse: [20, 0, 0] },
        { kind: "push", start: 0.8, end: 1.1, point: "Chest", force: [0, 40, 0] },
      ],
    },
    { do: "wear", name: "hat" },
  ];
}

/** A socket that keeps what is sent, and says what it is told to. */
export class FakeSocket {
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = 0;
  binaryType = "";
  sent: Entry[] = [];
  onopen: (() => void) | undefined;
  onmessage: ((event: { data: unknown }) => void) | undefined;
  onclose: (() => void) | undefined;

  constructor(readonly address: string) {
    FakeSocket.all.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Entry);
  }

  close(): void {
    this.readyState = 3;
    this.onclose?.();
  }

  open(): void {
    this.readyState = FakeSocket.OPEN;
    this.onopen?.();
  }

  tell(message: Told): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

export const stateOf = (layers: Layer[], changes: Partial<State> = {}): State => ({
  told: "state",
  revision: 1,
  document: { layers },
  undoable: 0,
  redoable: 0,
  modified: false,
  path: "",
  ...changes,
});

/** How things stand, as the server tells it. */
export const standing = (state: NonNullable<Standing["state"]>, changes: Partial<Standing> = {}): Status => ({
  told: "status",
  standing: { state, revision: 1, shown: 1, ...changes },
});

/** A store with that document, at 100 frames a second, connected. */
export function storeWith(layers: Layer[] = layersOf()): { store: Store; socket: FakeSocket } {
  (globalThis as { WebSocket: unknown }).WebSocket = FakeSocket;
  FakeSocket.all = [];
  const store = new Store("ws://nowhere/socket");
  const socket = FakeSocket.all[0]!;
  socket.open();
  socket.tell(stateOf(layers));
  socket.tell({ told: "welcome", session: "one" });
  socket.sent.length = 0; // it has said hello
  store.vocabulary.value = { operations: CARDS };
  store.fps.value = 100;
  store.player.resize(201);
  return { store, socket };
}

/** The commands that a store sent. */
export const done = (socket: { sent: Entry[] }) =>
  socket.sent.filter((m) => m["say"] === "do").map((m) => m["command"]);

/** A joint that rests unturned in its parent, about y, without limits. */
export const jointFact = (kind: string, start: number, size: number, limb = ""): JointFact => ({
  kind,
  start,
  size,
  axis: [0, 1, 0],
  offset: [0, 0, 0],
  rest: [0, 0, 0, 1],
  lower: [],
  upper: [],
  mass: 1,
  centre: [0, 0, 0],
  limb,
  side: "",
});

/** A figure of one body. */
export const HAND: FigurePacket = {
  kind: "figure",
  name: "",
  bodies: [{ name: "Hand", parent: -1 }],
  morphs: [],
  points: [],
  places: [],
};
