// Bundles the studio and the read-only viewer into the package's static folder.
import { build } from "esbuild";
import { copyFile, mkdir, rm } from "node:fs/promises";

const out = new URL("../static/", import.meta.url).pathname;
await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });

const shared = { bundle: true, minify: true, target: "es2022", legalComments: "none", jsx: "automatic", jsxImportSource: "preact" };
await build({ ...shared, entryPoints: ["src/viewer.tsx"], format: "iife", globalName: "poise", outfile: `${out}viewer.js` });
await build({ ...shared, entryPoints: ["src/studio.tsx"], format: "esm", outfile: `${out}studio.js`, sourcemap: true });
for (const file of ["studio.html", "look.css"]) await copyFile(`src/${file}`, `${out}${file}`);
