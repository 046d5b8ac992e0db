// Every page of the built site in a real browser: `node tests/pages/check.mjs [site] [only …]`, or `make pages`.
//
// In light and dark, axe finds nothing serious. On a phone (390 pixels wide) no page scrolls sideways. What a
// page loads before anyone scrolls is at most 1.5 MB, every request is answered, and the page logs no error.
// Every link leads to a page that exists, and to a heading that exists there. The search finds something.
import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { basename, extname, join, normalize, relative, resolve } from "node:path";

const root = new URL("../../", import.meta.url).pathname;
const { chromium } = createRequire(`${root}src/poise/studio/web/package.json`)("playwright-core");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf-8");
const site = resolve(process.argv[2] ?? newest(`${root}site`));
function newest(folder) {
  return join(folder, JSON.parse(readFileSync(join(folder, "versions.json"), "utf-8"))[0].version);
}
const only = process.argv.slice(3);
const MOST = 1_500_000; // bytes of a page before its lazy parts
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 900 };
const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};
const CHROMIUM = [process.env.POISE_CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"].find(
  (path) => path && existsSync(path),
);
if (!CHROMIUM) {
  console.log("SKIPPED: checking the site needs Chromium (Debian: apt install chromium; or set POISE_CHROMIUM)");
  process.exit(0);
}

// The folder of all versions, as it is published: the menu's list stands beside each site.
const server = createServer(async (request, response) => {
  const path = join(site, "..", normalize(decodeURIComponent(new URL(request.url, "http://x").pathname)));
  try {
    const body = await readFile(path.endsWith("/") ? `${path}index.html` : path);
    response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const home = `http://127.0.0.1:${server.address().port}/${basename(site)}/`;

const found = (await readdir(site, { recursive: true })).filter((path) => path.endsWith(".html")).sort();
const pages = found.filter((path) => !path.startsWith("live/") && !path.endsWith("404.html"));
const chosen = only.length ? pages.filter((path) => only.includes(path)) : pages;
const faults = [];
const fault = (path, text) => {
  faults.push(`${path}: ${text}`);
  console.log(`  ${path}: ${text}`);
};

// Links, from the files alone.
const anchors = new Map();
for (const path of found) {
  const text = await readFile(join(site, path), "utf-8");
  anchors.set(path, new Set([...text.matchAll(/ (?:id|name)="([^"]+)"/g)].map((match) => match[1])));
}
for (const path of chosen) {
  const text = await readFile(join(site, path), "utf-8");
  for (const [, target] of text.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
    if (/^(https?|mailto|javascript):/.test(target)) continue;
    const [file, anchor] = target.split("#");
    const there = file ? relative(site, resolve(site, path, "..", decodeURI(file))) : path;
    const page = there === "" || file.endsWith("/") ? join(there, "index.html") : there;
    if (!existsSync(join(site, page))) fault(path, `dead link ${target}`);
    else if (anchor && anchors.has(page) && !anchors.get(page).has(decodeURIComponent(anchor)))
      fault(path, `${target} is no heading there`);
  }
}

const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  timeout: 120_000,
});
let heaviest = ["", 0];
for (const colorScheme of ["light", "dark"]) {
  const context = await browser.newContext({ colorScheme, viewport: DESK });
  context.setDefaultTimeout(180_000);
  for (const path of chosen) {
    const page = await context.newPage();
    const parts = new Map();
    const lazy = (url) => url.startsWith(`${home}live/`); // clips that play, loaded as they come into sight
    page.on("response", (response) => {
      if (response.status() >= 400) fault(path, `${response.status()} ${response.url()}`);
      if (!lazy(response.url())) parts.set(response.url(), response.body().catch(() => ""));
    });
    page.on("pageerror", (error) => fault(path, `error on the page: ${error.message}`));
    await page.goto(home + path, { waitUntil: "load" });
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run({ exclude: [["iframe"]] }));
    for (const { id, impact, help, nodes } of violations)
      if (impact === "serious" || impact === "critical")
        fault(path, `${colorScheme}: ${impact}: ${id} (${help}): ${nodes.length}, as ${nodes[0].html.slice(0, 120)}`);
    const later = await page.$$eval("img[loading=lazy]", (all) => all.map((each) => each.src));
    for (const url of later) parts.delete(url);
    let weight = 0;
    for (const body of parts.values()) weight += (await body).length;
    if (weight > heaviest[1]) heaviest = [path, weight];
    if (weight > MOST) fault(path, `loads ${weight} bytes before anyone scrolls`);
    if (colorScheme === "light") {
      await page.setViewportSize(PHONE);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > PHONE.width) fault(path, `${width} pixels wide on a phone of ${PHONE.width}`);
    }
    await page.close();
  }
  await context.close();
}

const page = await browser.newPage({ viewport: DESK });
page.setDefaultTimeout(180_000); // a busy machine is not a fault of the page
await page.goto(`${home}index.html`);
await page.locator(".md-search__button").click();
await page.getByRole("combobox", { name: "Search" }).fill("tension");
const hit = page.getByRole("option").first();
const first = await hit.waitFor({ timeout: 180_000 }).then(
  () => hit.getAttribute("href"),
  () => null,
);
const menu = await page
  .locator(".md-version")
  .waitFor({ state: "attached", timeout: 180_000 })
  .then(
    () => true,
    () => false,
  );
if (!menu) fault("index.html", "there is no menu of versions");
if (!first) fault("index.html", "the search finds nothing for “tension”");
await browser.close();
server.close();
console.log(`${chosen.length} pages, two themes; heaviest ${heaviest[0]} ${heaviest[1]} bytes; search: ${first}`);
console.log(`${faults.length} faults`);
process.exit(faults.length ? 1 : 0);
