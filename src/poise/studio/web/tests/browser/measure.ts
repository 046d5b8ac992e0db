// Times as somebody at the screen sees them: from an event in the page until the picture that answers it has been drawn.
import { chain } from "./bvh.ts";
import { CHROMIUM, launch } from "./chromium.ts";
import { folder, forget, serve } from "./server.ts";
import { Tab } from "./tab.ts";

declare global {
  interface Window {
    come: number[];
    answered: number[];
  }
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
const round = (value: number): number => Number(value.toFixed(1));

export async function measure(): Promise<void> {
  if (!CHROMIUM) return;
  const home = folder();
  const begun = performance.now();
  const [server, browser] = await Promise.all([serve(home), launch()]);
  const found: Record<string, number> = {};
  const note = (what: string, value: number, unit = "ms") => {
    found[`${what} [${unit}]`] = round(value);
    console.log(`${what.padEnd(64)}${String(round(value)).padStart(9)} ${unit}`);
  };
  const scrubbed = async (tab: Tab, what: string) => {
    const [work, drawn] = await scrub(tab);
    note(`${what}scrubbing, a frame: work in the page`, work);
    note(`${what}scrubbing, a frame: until drawn (software WebGL)`, drawn);
  };
  const dragged = async (tab: Tab, what: string, from: { x: number; y: number }, step?: { x: number; y: number }) => {
    const [come, drawn] = await drag(tab, from, step);
    note(`${what}: until the new pose is here, median`, come);
    note(`${what}: until it is drawn (software WebGL), median`, drawn);
  };
  try {
    const opened = performance.now();
    const tab = await Tab.open(browser, server.address, { width: 1280, height: 800 });
    await tab.until(() => window.studio?.result.value && window.stage, 90_000);
    await tab.drawn();
    note("first picture after the command", performance.now() - begun);
    note("first picture after the page was opened", performance.now() - opened);
    await tab.settled(60_000);
    await tab.page.waitForTimeout(2000);
    await scrubbed(tab, "");

    await tab.page.evaluate(() => window.studio.player.seek(51));
    const target = (await tab.layer("hit"))!["constraints"][0].target.value as number[];
    await dragged(tab, "target dragged", await tab.pixel(target));
    await solved(tab);
    const plant = (await tab.layer("stand"))!["constraints"][0].place as number[];
    await dragged(tab, "foot plant of an adaptation", await tab.pixel([plant[0]!, plant[1]!, 0]));
    await solved(tab);
    await tab.page.locator('[data-layer="drunk"] .layer-name').click();
    const slider = (await tab.page.locator('[data-tension="*"] input[type="range"]').first().boundingBox())!;
    await dragged(tab, "tension slider", { x: slider.x + 0.3 * slider.width, y: slider.y + slider.height / 2 }, { x: 3, y: 0 });
    await solved(tab);

    const sent = performance.now();
    await tab.drop("long.bvh", chain({ frames: 10_000, joints: 24 }));
    await tab.until(() => window.studio.result.value?.frames === 10_000, 120_000);
    await tab.drawn();
    note("10,000 frames of 24 bodies on the stage", performance.now() - sent);
    await tab.settled(120_000);
    await tab.page.waitForTimeout(2000);
    await scrubbed(tab, "10,000 frames: ");
    note("10,000 frames: poses held in the page", await tab.read(() => window.studio.result.value!.values.byteLength / 2 ** 20), "MB");
    console.log(JSON.stringify(found));
  } finally {
    await browser.close();
    await server.stop();
    forget(home);
  }
}

async function solved(tab: Tab): Promise<void> {
  await tab.settled(60_000);
  await tab.key("Control+z");
  await tab.page.waitForTimeout(300);
  await tab.settled(60_000);
}

/** Every frame is posed and drawn, and the drawing waited for: medians of the page's own work, and of all. */
function scrub(tab: Tab): Promise<[number, number]> {
  return tab.page.evaluate(() => {
    const { studio, stage } = window;
    const gl = stage.renderer.getContext();
    const last = studio.player.frames.value - 1;
    const works: number[] = [];
    const times: number[] = [];
    const pixel = new Uint8Array(4);
    for (let k = 0; k < 41; k++) {
      const start = performance.now();
      studio.player.seek((k * 37) % last);
      stage.drawNow();
      works.push(performance.now() - start);
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); // waits until it is done
      times.push(performance.now() - start);
    }
    const middle = (values: number[]) => values.sort((a, b) => a - b)[20]!;
    return [middle(works), middle(times)] as [number, number];
  });
}

/** Moves one after another, each once the last has been answered: medians until the new pose came, and was drawn. */
async function drag(tab: Tab, from: { x: number; y: number }, step = { x: 2, y: 1 }, moves = 25): Promise<[number, number]> {
  await tab.page.evaluate(() => {
    window.answered = [];
    window.come = [];
    let moved = 0;
    let new_ = false;
    const stage = window.stage as unknown as { drawNow: () => void; plain?: () => void };
    addEventListener("pointermove", () => (moved ||= performance.now()), { capture: true });
    let first = true;
    window.studio.result.subscribe(() => {
      if (moved && !first && !new_) (window.come.push(performance.now() - moved), (new_ = true));
      first = false;
    });
    stage.plain ??= stage.drawNow.bind(window.stage);
    stage.drawNow = () => {
      stage.plain!();
      if (!new_) return;
      window.answered.push(performance.now() - moved);
      moved = 0;
      new_ = false;
    };
  });
  await tab.page.mouse.move(from.x, from.y);
  await tab.page.mouse.down();
  await tab.page.mouse.move(from.x + 5, from.y + (step.y ? 5 : 0)); // past what counts as a click
  await tab.page.waitForTimeout(1500);
  await tab.page.evaluate(() => void ((window.answered = []), (window.come = [])));
  for (let k = 1; k <= moves; k++) {
    await tab.page.mouse.move(from.x + 5 + step.x * k, from.y + (step.y ? 5 : 0) + step.y * k);
    await tab.page.waitForFunction((n) => window.answered.length >= n, k, { timeout: 10_000, polling: "raf" }).catch(() => undefined);
  }
  await tab.page.mouse.up();
  return [median(await tab.read(() => window.come)), median(await tab.read(() => window.answered))];
}
