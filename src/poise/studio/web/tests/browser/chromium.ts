// The browser: Debian's Chromium with software WebGL, driven by playwright-core.
// Where there is none, tests are skipped.
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

export const CHROMIUM = [
  process.env["POISE_CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => path && existsSync(path));

if (!CHROMIUM)
  console.log(
    "SKIPPED: the studio's browser tests need Chromium (Debian: apt install chromium; or set POISE_CHROMIUM)",
  );

/** Only WebGL is drawn by SwiftShader, the page itself as Chromium does it where there is no graphics
 * card. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM!,
    args: [
      "--no-sandbox",
      "--use-angle=swiftshader",
      "--enable-unsafe-swiftshader",
      "--disable-gpu-compositing",
    ],
    timeout: 120_000,
  });
}
