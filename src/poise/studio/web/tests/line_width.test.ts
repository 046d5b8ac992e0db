// The formatter breaks code, but neither comments nor texts: here every line is counted.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const WIDTH = 110; // as biome.jsonc and pyproject.toml have it
const HOME = new URL("..", import.meta.url).pathname;

const within = (folder: string, recursive: boolean): string[] =>
  readdirSync(HOME + folder, { recursive, encoding: "utf-8" })
    .filter((name) => /\.(tsx?|mjs|jsonc)$/.test(name))
    .map((name) => folder + name);
const files = [...within("", false), ...within("src/", true), ...within("tests/", true)];

test("no line is longer than 110", () => {
  const long = files.flatMap((file) => {
    const lines = readFileSync(HOME + file, "utf-8").split("\n");
    return lines.flatMap((line, k) => ([...line].length > WIDTH ? [`${file}:${k + 1}: ${line}`] : []));
  });
  expect(long).toEqual([]);
});

test("every sort of source is looked at", () => {
  for (const file of ["build.mjs", "src/messages.ts", "src/shell/menu.tsx", "tests/browser/tab.ts"])
    expect(files).toContain(file);
});
