// The picture of the studio in README and gallery: `node tests/browser/picture.mjs OUT.png`.
import { bundled } from "./bundled.mjs";

await bundled("picture", ({ picture }) => picture(process.argv[2] ?? "studio.png"));
