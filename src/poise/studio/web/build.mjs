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
  jsx: "automatic",
  jsxImportSource: "preact",
};
await build({
  ...shared,
  entryPoints: ["src/viewer.tsx"],
  format: "iife",
  globalName: "poise",
  outfile: `${fresh}viewer.js`,
  legalComments: "eof", // pages that hold it stand alone
});
const made = await build({
  ...shared,
  entryPoints: ["src/studio.tsx"],
  format: "esm",
  outfile: `${fresh}studio.js`,
  legalComments: "linked",
  metafile: true,
  sourcemap: Boolean(process.env.POISE_SOURCE_MAP), // four times the studio, for who debugs it
});
await writeFile(`${fresh}THIRD_PARTY.txt`, await thirdParty(Object.keys(made.metafile.inputs)));
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

// Who made the parts that are bundled, and on what terms, with their whole licences.
async function thirdParty(inputs) {
  const found = inputs.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  const parts = ["The studio's page bundles these packages. Each is under its own licence, given below.\n"];
  for (const name of [...new Set(found.filter(Boolean))].sort()) {
    const home = `node_modules/${name}/`;
    const about = JSON.parse(await readFile(`${home}package.json`, "utf-8"));
    const file = (await readdir(home)).find((each) => /^licen[cs]e/i.test(each));
    const terms = file ? await readFile(`${home}${file}`, "utf-8") : "";
    parts.push(`${"=".repeat(78)}\n${name} ${about.version} (${about.license})\n\n${terms.trim()}\n`);
  }
  return parts.join("\n");
}
