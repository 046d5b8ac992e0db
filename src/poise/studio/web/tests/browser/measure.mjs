// What the studio feels like, in milliseconds: `node tests/browser/measure.mjs`. Prints a table and, last, one line of JSON.
import { build } from "esbuild";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const out = mkdtempSync(join(here, "../../node_modules/.measure-")); // where its imports are found
try {
  await build({ entryPoints: [join(here, "measure.ts")], bundle: true, platform: "node", format: "esm", packages: "external", outfile: join(out, "measure.mjs"), define: { "import.meta.dirname": JSON.stringify(here) } });
  await (await import(join(out, "measure.mjs"))).measure();
} finally {
  rmSync(out, { recursive: true, force: true });
}
