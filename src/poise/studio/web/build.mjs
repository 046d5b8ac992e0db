// Bundles the studio and the read-only viewer into the package's static folder, with a mark of what went in.
import { createHash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const out = new URL("../static/", import.meta.url).pathname;
const fresh = new URL("../static.new/", import.meta.url).pathname; // what is there stays until all is built
await rm(fresh, { recursive: true, force: true });
await mkdir(fresh, { recursive: true });

const shared = {
  bundle: true,
  minify: true,
  target: "es2022",
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
};
await build({
  ...shared,
  entryPoints: ["src/viewer.tsx"],
  format: "iife",
  globalName: "poise",
  outfile: `${fresh}viewer.js`,
});
await build({
  ...shared,
  entryPoints: ["src/studio.tsx"],
  format: "esm",
  outfile: `${fresh}studio.js`,
  sourcemap: true,
});
for (const file of ["studio.html", "look.css"]) await copyFile(`src/${file}`, `${fresh}${file}`);
await writeFile(`${fresh}stamp`, await mark());
await rm(out, { recursive: true, force: true });
await rename(fresh, out);

// As hatch_build.py computes it, which builds nothing where the stamp is that of the sources.
async function mark() {
  const found = (await readdir("src", { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const files = found.map((entry) => `${entry.parentPath ?? entry.path}/${entry.name}`.replaceAll("\\", "/"));
  const hash = createHash("sha256");
  for (const file of ["package-lock.json", "build.mjs", ...files].sort())
    hash.update(`${file}\0`).update(await readFile(file));
  return hash.digest("hex");
}
