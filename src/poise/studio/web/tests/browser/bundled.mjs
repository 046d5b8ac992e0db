// Runs a TypeScript program of this folder outside of vitest:
// bundled for Node, its packages found where they are.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

export async function bundled(name, use) {
  const here = import.meta.dirname;
  const out = mkdtempSync(join(here, "../../node_modules/.run-"));
  try {
    await build({
      entryPoints: [join(here, `${name}.ts`)],
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
      outfile: join(out, `${name}.mjs`),
      define: { "import.meta.dirname": JSON.stringify(here) },
    });
    return await use(await import(join(out, `${name}.mjs`)));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
