// What the studio feels like, in milliseconds: `node tests/browser/measure.mjs`.
// Prints a table and, last, one line of JSON.
import { bundled } from "./bundled.mjs";

await bundled("measure", ({ measure }) => measure());
