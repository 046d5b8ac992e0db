// Whether memory stays flat while somebody works: `node tests/browser/endurance.mjs [MINUTES]`.
// Prints samples, then a verdict.
import { bundled } from "./bundled.mjs";

const minutes = Number(process.argv[2] ?? 60);
const flat = await bundled("endurance", async ({ endure, judged }) => {
  const samples = await endure({ minutes, every: Math.min(30, 6 * minutes), say: console.log });
  const verdict = judged(samples);
  for (const line of verdict.lines) console.log(line);
  return verdict.flat;
});
process.exitCode = flat ? 0 : 1;
