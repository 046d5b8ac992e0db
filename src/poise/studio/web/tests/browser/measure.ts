// Times as somebody at the screen sees them: from an event in the page until the picture that answers it has
// been drawn, and where they go. A clip of 300 frames on 46 degrees of freedom, then one of 10,000 frames.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { chain } from "./bvh.ts";
import { CHROMIUM, launch } from "./chromium.ts";
import { folder, forget, PYTHON, ROOT, serve } from "./server.ts";
import { Tab } from "./tab.ts";

/** One move of the pointer, in milliseconds since it: sent, solved for so long, there, drawn. */
interface Move {
  sent: number;
  solve: number;
  here: number;
  work: number;
  seen: number;
}

declare global {
  interface Window {
    moves: Move[];
    draws: number;
  }
}

interface Row {
  what: string;
  value: number;
  unit: string;
  /** What it may be at most. */
  most?: number;
}

const middle = (values: number[], share = 0.5): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? NaN;

export async function measure(): Promise<void> {
  if (!CHROMIUM) return;
  const home = folder();
  const rows: Row[] = [];
  const note = (what: string, value: number, unit = "ms", most?: number) => {
    const row = {
      what,
      value: Number(value.toFixed(value < 10 ? 2 : 1)),
      unit,
      ...(most === undefined ? {} : { most }),
    };
    rows.push(row);
    const bar = most === undefined ? "" : `  (at most ${most})${row.value <= most ? "" : "  ✗"}`;
    console.log(`${what.padEnd(70)}${String(row.value).padStart(9)} ${unit}${bar}`);
  };
  const scrubbed = async (tab: Tab, what: string) => {
    const said = tab.sent.length + tab.requests;
    const [work, drawn] = await scrub(tab);
    note(`${what}scrubbing, a frame: work in the page`, work, "ms", 16);
    note(`${what}scrubbing, a frame: until software WebGL has drawn it`, drawn, "ms", 16);
    note(`${what}scrubbing: messages and requests sent`, tab.sent.length + tab.requests - said, "", 0);
  };
  const dragged = async (
    tab: Tab,
    what: string,
    most: number | undefined,
    from: { x: number; y: number },
    step?: { x: number; y: number },
    moves?: number,
  ) => {
    const found = await drag(tab, from, step, moves);
    const part = (of: (move: Move) => number) => middle(found.map(of));
    note(
      `${what}: until it is seen, median`,
      part((m) => m.seen),
      "ms",
      most,
    );
    note(
      `${what}: until it is seen, nine of ten`,
      middle(
        found.map((m) => m.seen),
        0.9,
      ),
    );
    note(
      `${what}: of that, the solver`,
      part((m) => m.solve),
    );
    note(
      `${what}: of that, messages and packets`,
      part((m) => m.here - m.sent - m.solve),
    );
    note(
      `${what}: of that, waiting for the next picture and posing it`,
      part((m) => m.work - m.here + m.sent),
    );
    note(
      `${what}: of that, software WebGL`,
      part((m) => m.seen - m.work),
    );
    await tab.settled(120_000);
  };
  execFileSync(PYTHON, ["-c", "import sys; from benchmarks.studio import saved; saved(sys.argv[1])", home], {
    cwd: ROOT,
    env: { ...process.env, PYTHONPATH: process.env["PYTHONPATH"] ?? join(ROOT, "src") },
  });
  const browser = await launch();
  const begun = performance.now();
  const server = await serve(home);
  try {
    const opened = performance.now();
    const tab = await Tab.open(browser, server.address, { width: 1280, height: 800 });
    await tab.until(() => window.studio?.result.value && window.stage?.renderer.info.render.frame, 90_000);
    await finished(tab);
    note("from the command to the first picture", performance.now() - begun, "ms", 3000);
    note("of that, until the server listens", opened - begun);
    await tab.settled(90_000);
    note("from the command until all of it is solved, hat and all", performance.now() - begun);
    note("of that, since the page was opened", performance.now() - opened, "ms", 6000);

    await open(tab, "fist.poise");
    await scrubbed(tab, "");
    await tab.seek(150);
    const target = (await tab.layer("hit"))!["constraints"][0].target.value as number[];
    await dragged(tab, "target", 60, await tab.pixel(target));
    await tab.undo();
    await tab.edit({ do: "become", layer: "hit", operation: "loosen" });
    await tab.choose("hit");
    const slider = await tab.tension();
    await dragged(
      tab,
      "tension slider",
      60,
      { x: slider.x + 0.3 * slider.width, y: slider.y + slider.height / 2 },
      { x: 2, y: 0 },
    );

    await open(tab, "reach.poise");
    await tab.seek(150);
    const hand = (await tab.layer("reach"))!["constraints"][0].target.value as number[];
    await dragged(tab, "adaptation handle", 80, await tab.pixel(hand));
    await tab.undo();

    const sent = performance.now();
    await tab.openFile("long.bvh", chain({ frames: 10_000, joints: 24 }));
    await tab.until(() => window.studio.result.value?.frames === 10_000, 120_000);
    await tab.drawn();
    await finished(tab);
    note("10,000 frames of 24 bodies: dropped, read and on the stage", performance.now() - sent);
    await tab.settled(120_000);
    await tab.page.waitForTimeout(1500);
    await scrubbed(tab, "10,000 frames: ");
    note("10,000 frames: played, pictures a second (software WebGL)", await played(tab), "/s");
    note(
      "10,000 frames: poses held in the page",
      await tab.read(() => window.studio.result.value!.values.byteLength / 2 ** 20),
      "MB",
    );
    const session = await tab.context.newCDPSession(tab.page);
    await session.send("HeapProfiler.collectGarbage");
    note(
      "10,000 frames: all that the page holds",
      (await session.send("Runtime.getHeapUsage")).usedSize / 2 ** 20 +
        (await tab.read(() => window.studio.result.value!.values.byteLength / 2 ** 20)),
      "MB",
    );
    const place = await tab.read(() => window.studio.placeOf(12, window.studio.player.time.value)!);
    await dragged(tab, "10,000 frames: a body", undefined, await tab.pixel(place), { x: 2, y: 1 }, 6);
    console.log(JSON.stringify(rows));
  } finally {
    await browser.close();
    await server.stop();
    forget(home);
  }
}

/** What was drawn last is on the canvas. */
function finished(tab: Tab): Promise<void> {
  return tab.read(() => {
    const gl = window.stage.renderer.getContext();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)); // waits until it is done
  });
}

/** Another file of the workspace, solved, and everything that is asked about it answered. */
async function open(tab: Tab, path: string): Promise<void> {
  const revision = await tab.revision();
  await tab.page.evaluate((p) => window.studio.connection.say({ say: "open", path: p }), path);
  await tab.after(revision, 120_000);
  await tab.page.waitForTimeout(1500);
}

/** Every frame is posed and drawn, and the drawing waited for: medians of the page's own work, and of all. */
function scrub(tab: Tab): Promise<[number, number]> {
  return tab.page.evaluate(async () => {
    const { studio, stage } = window;
    const gl = stage.renderer.getContext();
    const last = studio.player.frames.value - 1;
    const works: number[] = [];
    const times: number[] = [];
    const pixel = new Uint8Array(4);
    for (let k = 0; k < 61; k++) {
      const start = performance.now();
      studio.player.seek((k * 37) % last);
      stage.drawNow();
      works.push(performance.now() - start);
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); // waits until it is done
      times.push(performance.now() - start);
      if (k % 10 === 0) await new Promise((done) => requestAnimationFrame(done));
    }
    const half = (values: number[]) => values.sort((a, b) => a - b)[30]!;
    return [half(works), half(times)] as [number, number];
  });
}

/** Pictures a second while it plays. */
function played(tab: Tab): Promise<number> {
  return tab.page.evaluate(async () => {
    const { player } = window.studio;
    const stage = window.stage as unknown as { drawNow: () => void };
    const plain = stage.drawNow.bind(window.stage);
    let count = 0;
    stage.drawNow = () => {
      count++;
      plain();
    };
    player.seek(0);
    player.toggle(1);
    await new Promise((done) => setTimeout(done, 3000));
    player.toggle(1);
    stage.drawNow = plain;
    return count / 3;
  });
}

/** Moves one after another, each once the last has been answered, and when what happened. */
async function drag(
  tab: Tab,
  from: { x: number; y: number },
  step = { x: 2, y: 1 },
  moves = 30,
): Promise<Move[]> {
  await tab.page.evaluate(() => {
    window.moves = [];
    let moved = 0;
    let now: Partial<Move> = {};
    const stage = window.stage as unknown as { drawNow: () => void; plain?: () => void };
    const wire = window.studio.connection as unknown as {
      say: (message: { live?: boolean }) => void;
      plain?: (message: { live?: boolean }) => void;
    };
    const gl = window.stage.renderer.getContext();
    const pixel = new Uint8Array(4);
    const since = () => performance.now() - moved;
    addEventListener(
      "pointermove",
      () => {
        moved ||= performance.now();
      },
      { capture: true },
    );
    wire.plain ??= wire.say.bind(window.studio.connection);
    wire.say = (message) => {
      if (message.live && moved) now.sent ??= since();
      wire.plain!(message);
    };
    let first = true;
    window.studio.result.subscribe(() => {
      if (moved && !first) now.here ??= since();
      first = false;
    });
    window.studio.solved.subscribe((solved) => {
      if (solved?.live && now.here !== undefined) now.solve ??= 1000 * solved.seconds;
    });
    stage.plain ??= stage.drawNow.bind(window.stage);
    stage.drawNow = () => {
      stage.plain!();
      if (now.here === undefined || now.seen !== undefined) return;
      now.work = since();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
      now.seen = since();
      const done = () => {
        if (now.solve === undefined) return void setTimeout(done, 1);
        window.moves.push({ sent: 0, ...now } as Move);
        moved = 0;
        now = {};
      };
      done(); // what the solver says of itself comes after the poses
    };
  });
  await tab.page.mouse.move(from.x, from.y);
  await tab.page.mouse.down();
  await tab.page.mouse.move(from.x + 5, from.y + (step.y ? 5 : 0)); // past what counts as a click
  await tab.page.waitForTimeout(1500);
  await tab.page.evaluate(() => {
    window.moves = [];
  });
  for (let k = 1; k <= moves; k++) {
    await tab.page.mouse.move(from.x + 5 + step.x * k, from.y + (step.y ? 5 : 0) + step.y * k);
    await tab.page
      .waitForFunction((n) => window.moves.length >= n, k, { timeout: 20_000, polling: 5 })
      .catch(() => undefined);
  }
  await tab.page.mouse.up();
  return tab.read(() => window.moves);
}
