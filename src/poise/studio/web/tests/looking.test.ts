// The server hears which frame is looked at only when it has something to make.
import { expect, test } from "vitest";
import { looking } from "../src/shell/looking.ts";
import { storeWith } from "./documents.ts";

test("scrubbing a long motion sends nothing; an edit says first where one looks, once", () => {
  const { store, socket } = storeWith();
  const stop = looking(store);
  store.player.resize(10_000);
  socket.sent.length = 0;
  for (let frame = 0; frame < 5000; frame += 7) store.player.seek(frame);
  store.player.seek(4321);
  expect(socket.sent).toEqual([]);
  for (const value of [1, 2]) {
    store.edit({ do: "set", layer: "loose", path: "tension", value });
    store.connection.say({ say: "undo" });
  }
  expect(socket.sent.map((m) => m["frame"] ?? m["say"])).toEqual([4321, "do", "undo", "do", "undo"]);
  socket.sent.length = 0;
  store.player.seek(17);
  store.connection.seal();
  expect(socket.sent.map((m) => m["frame"] ?? m["say"])).toEqual([17, "seal"]);
  store.player.resize(100); // all of it is made at once
  store.connection.say({ say: "redo" });
  expect(socket.sent.map((m) => m["frame"] ?? m["say"])).toEqual([17, "seal", "redo"]);
  stop();
});
