// The screen knows operations by what the server tells of them. No file names one,
// so that a new operation needs nothing here, or an editor at most.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CARDS } from "./cards.ts";

const HOME = new URL("../src/", import.meta.url).pathname;
/** Generated; and what each looks like. */
const TABLES = ["messages.ts", "colours.ts"];
/** Other things of the same names: questions to the server, kinds of surfaces, disturbances,
 * keys of the keyboard, labels. */
const NAMESAKES = [
  'ask("key"',
  'ask("fix"',
  'ask("ground"',
  'GROUND = "ground"',
  'kind: "load"',
  'Pick<KeyboardEvent, "key"',
  'label="key"',
  'title="loop"',
];

const names = CARDS.map((c) => c.name);
const types = new RegExp(`\\b(${names.map((n) => n[0]!.toUpperCase() + n.slice(1)).join("|")})Layer\\b`);
const words = new RegExp(`["'\`](${names.join("|")})["'\`]`);

/** Lines that name an operation, as a word of its own or as the type of its layers. */
const naming = (text: string): string[] =>
  text.split("\n").filter((line) => {
    const rest = NAMESAKES.reduce((left, known) => left.replace(known, ""), line);
    return words.test(rest) || types.test(rest);
  });

test("no file names an operation", () => {
  const files = readdirSync(HOME, { recursive: true, encoding: "utf-8" }).filter((f) => /\.tsx?$/.test(f));
  expect(files.length).toBeGreaterThan(80);
  const found = files
    .filter((file) => !TABLES.includes(file))
    .flatMap((file) => naming(readFileSync(HOME + file, "utf-8")).map((line) => `${file}: ${line.trim()}`));
  expect(found).toEqual([]);
});

test("what names one is seen", () => {
  expect(names).toContain("hit");
  expect(naming('if (layer.do === "hit") draw();')).toHaveLength(1);
  expect(naming("const layer = { do: 'loosen' };")).toHaveLength(1);
  expect(naming("function draw(layer: AdaptLayer) {}")).toHaveLength(1);
  expect(naming('store.ask("key", {}); put(layer.name, "tension", 3);')).toEqual([]);
});
