import { expect, test } from "vitest";
import { floats, unpack } from "../src/packet.ts";

/** As packet.py writes it: the header's length, the header, padded, then the arrays. */
function packed(): ArrayBuffer {
  const arrays = { heights: { type: "f4", shape: [2, 2], at: 0 }, body: { type: "u2", shape: [3], at: 16 } };
  let text = JSON.stringify({ name: "größe", arrays });
  const bytes = () => new TextEncoder().encode(text);
  while ((4 + bytes().length) % 4) text += " ";
  const head = bytes();
  const buffer = new ArrayBuffer(4 + head.length + 16 + 8);
  new DataView(buffer).setUint32(0, head.length, true);
  new Uint8Array(buffer, 4, head.length).set(head);
  new Float32Array(buffer, 4 + head.length, 4).set([1.5, -2, 0, 4]);
  new Uint16Array(buffer, 4 + head.length + 16, 3).set([7, 8, 65535]);
  return buffer;
}

test("a packet is its header and its arrays, where and as they were put", () => {
  const { header, arrays } = unpack<{ name: string }>(packed());
  expect(header).toEqual({ name: "größe" });
  expect([...arrays["heights"]!.values]).toEqual([1.5, -2, 0, 4]);
  expect(arrays["heights"]!.shape).toEqual([2, 2]);
  expect([...arrays["body"]!.values]).toEqual([7, 8, 65535]);
});

test("numbers are asked for by name, and must be numbers", () => {
  const packet = unpack(packed());
  expect([...floats(packet, "heights")]).toEqual([1.5, -2, 0, 4]);
  expect(() => floats(packet, "body")).toThrow(/body/);
  expect(() => floats(packet, "none")).toThrow(/none/);
});
