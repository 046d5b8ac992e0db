// An animator who never tires: targets, plants and sliders are dragged, undone, done again, scrubbed through;
// what the server, its solver and the browser hold in memory is written down now and then.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { CDPSession } from "playwright-core";
import { launch } from "./chromium.ts";
import { folder, forget, type Server, serve } from "./server.ts";
import { Tab } from "./tab.ts";

/** One look at the memory: minutes since the start, and how much each holds. */
export interface Sample {
  minutes: number;
  drags: number;
  held: Record<string, number>;
}

/** What is counted, its unit, and how much more of it is still called flat: a share, or so much at least. */
const KINDS: Record<string, { unit: string; share: number; least: number }> = {
  server: { unit: "MB", share: 0.05, least: 8 },
  solver: { unit: "MB", share: 0.05, least: 24 },
  "page's process": { unit: "MB", share: 0.1, least: 24 },
  "GPU process": { unit: "MB", share: 0.1, least: 24 },
  "JS heap": { unit: "MB", share: 0.05, least: 3 },
  "DOM nodes": { unit: "", share: 0.02, least: 50 },
  listeners: { unit: "", share: 0.02, least: 20 },
  geometries: { unit: "", share: 0, least: 4 },
  textures: { unit: "", share: 0, least: 4 },
  "files on disk": { unit: "MB", share: 1, least: 32 },
};

/** The first part of a run fills caches that have a bound. */
const WARM = 0.25;

export async function endure({
  minutes,
  every = 30,
  pause = 330,
  say = () => undefined,
}: {
  minutes: number;
  every?: number;
  pause?: number;
  say?: (line: string) => void;
}): Promise<Sample[]> {
  const home = folder();
  const server = await serve(home);
  const browser = await launch();
  const samples: Sample[] = [];
  try {
    const tab = await Tab.open(browser, server.address, { width: 1000, height: 700 });
    await tab.settled(120_000);
    const memory = await Memory.of(tab, server);
    const work = new Work(tab, pause);
    const start = performance.now();
    const since = () => (performance.now() - start) / 1000;
    for (let next = 0; next <= 60 * minutes; ) {
      if (since() >= next) {
        const sample = { minutes: since() / 60, drags: work.drags, held: await memory.held() };
        if (!samples.length) say(["  min", "drags", ...Object.keys(sample.held)].join("  "));
        samples.push(sample);
        say(
          [
            sample.minutes.toFixed(1).padStart(5),
            String(sample.drags).padStart(5),
            ...Object.entries(sample.held).map(([k, v]) =>
              v.toFixed(KINDS[k]!.unit ? 1 : 0).padStart(k.length),
            ),
          ].join("  "),
        );
        next += every;
      }
      await work.next();
    }
    if (tab.problems.length) throw new Error(`the page complained: ${tab.problems.join("; ")}`);
  } finally {
    await browser.close();
    await server.stop();
    forget(home);
  }
  return samples;
}

/** `filling` may still grow: short runs do not fill what the solver remembers. For each kind the least that
 * was held at the beginning after the warm-up and at the end, its slope by Theil and Sen, and whether that is
 * flat. The least, for what is on the screen when a sample is taken (one panel or another) comes and goes;
 * what leaks is there in all of them. */
export function judged(
  samples: Sample[],
  filling: readonly string[] = [],
): { flat: boolean; lines: string[] } {
  const rest = samples.filter((s) => s.minutes >= WARM * samples.at(-1)!.minutes);
  const quarter = Math.max(1, rest.length >> 2);
  const bad: string[] = [];
  const lines = Object.keys(rest[0]!.held).map((name) => {
    const { unit, share, least } = KINDS[name]!;
    const values = rest.map((s) => s.held[name]!);
    const [first, last] = [Math.min(...values.slice(0, quarter)), Math.min(...values.slice(-quarter))];
    const slopes = rest.flatMap((a, i) =>
      rest.slice(i + 1).map((b) => (b.held[name]! - a.held[name]!) / ((b.minutes - a.minutes) / 60)),
    );
    const grown = last - first > Math.max(least, share * first);
    if (grown && !filling.includes(name)) bad.push(name);
    const held = `${first.toFixed(1).padStart(9)} → ${last.toFixed(1).padStart(8)} ${unit.padEnd(3)}`;
    const slope = `${median(slopes).toFixed(2).padStart(9)} ${unit}/h`;
    return `${name.padEnd(16)}${held} ${slope}  ${grown ? "✗ grows" : "✓ flat"}`;
  });
  const drags = samples.at(-1)!.drags;
  return {
    flat: !bad.length,
    lines: [
      ...lines,
      bad.length
        ? `✗ ${bad.join(", ")} grew over ${drags} drags`
        : `✓ memory is flat over ${drags} drags in ${samples.at(-1)!.minutes.toFixed(1)} minutes`,
    ],
  };
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** Who holds how much. */
class Memory {
  private constructor(
    private readonly tab: Tab,
    private readonly page: CDPSession,
    private readonly processes: [string, number][],
    private readonly home: string,
  ) {}

  static async of(tab: Tab, server: Server): Promise<Memory> {
    const page = await tab.context.newCDPSession(tab.page);
    await page.send("Performance.enable");
    await page.send("HeapProfiler.enable");
    const browser = await tab.context.browser()!.newBrowserCDPSession();
    const { processInfo } = await browser.send("SystemInfo.getProcessInfo");
    // The page's is the renderer that works most.
    const busy = [...processInfo].sort((a, b) => b.cpuTime - a.cpuTime);
    const named = (name: string, type: string): [string, number][] =>
      busy
        .filter((p) => p.type === type)
        .slice(0, 1)
        .map((p) => [name, p.id]);
    const pid = server.process.pid!;
    return new Memory(
      tab,
      page,
      [
        ["server", pid],
        ["solver", solver(pid)],
        ...named("page's process", "renderer"),
        ...named("GPU process", "GPU"),
      ],
      server.folder,
    );
  }

  async held(): Promise<Record<string, number>> {
    await this.page.send("HeapProfiler.collectGarbage");
    const { metrics } = await this.page.send("Performance.getMetrics");
    const metric = (name: string) => metrics.find((m) => m.name === name)?.value ?? 0;
    const drawn = await this.tab.read(() => ({ ...window.stage.renderer.info.memory }));
    return {
      ...Object.fromEntries(this.processes.map(([name, pid]) => [name, own(pid)])),
      "JS heap": metric("JSHeapUsedSize") / 2 ** 20,
      "DOM nodes": metric("Nodes"),
      listeners: metric("JSEventListeners"),
      geometries: drawn.geometries,
      textures: drawn.textures,
      "files on disk": files(this.home) / 2 ** 20,
    };
  }
}

/** The child of the server that holds most: beside it there is only a tracker of resources. */
function solver(pid: number): number {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number),
  );
  return children.sort((a, b) => own(b) - own(a))[0]!;
}

/** Memory that is a process's own [MB]. Not the clean pages of libraries:
 * those become its own when the last other process that uses them ends. */
function own(pid: number): number {
  const table = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const kind = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(table)?.[1] ?? 0);
  return (kind("Private_Dirty") + kind("Swap")) / 1024;
}

const files = (path: string): number =>
  readdirSync(path, { withFileTypes: true }).reduce(
    (sum, f) => sum + (f.isDirectory() ? files(join(path, f.name)) : statSync(join(path, f.name)).size),
    0,
  );

/** What is done over and over, never twice the same:
 * what is dragged wanders about where it began, so that nothing of it is remembered. */
class Work {
  drags = 0;
  private done = 0;
  private seed = 1;
  /** How far what is dragged has come from where it began [px]. */
  private readonly away = new Map<string, { x: number; y: number }>();

  constructor(
    private readonly tab: Tab,
    private readonly pause: number,
  ) {}

  async next(): Promise<void> {
    const steps = [
      () => this.target(),
      () => this.again(),
      () => this.scrub(),
      () => this.plant(),
      () => this.slider(),
      () => this.body(),
      () => this.look(),
    ];
    await steps[this.done++ % steps.length]!();
  }

  /** Of 0 … 1, the same in every run. */
  private chance(): number {
    this.seed = (48_271 * this.seed) % 2_147_483_647;
    return this.seed / 2_147_483_647;
  }

  /** From where something is to another place about where it began. */
  private wander(name: string, reach: { x: number; y: number }): { x: number; y: number } {
    const from = this.away.get(name) ?? { x: 0, y: 0 };
    const to = { x: (2 * this.chance() - 1) * reach.x, y: (2 * this.chance() - 1) * reach.y };
    this.away.set(name, to);
    return { x: to.x - from.x, y: to.y - from.y };
  }

  /** By a bow, not the straight way. */
  private async drag(
    from: { x: number; y: number },
    by: { x: number; y: number },
    release = true,
  ): Promise<void> {
    const { mouse } = this.tab.page;
    const bow = { x: 8 * this.chance() - 4, y: by.y ? 8 * this.chance() - 4 : 0 };
    await mouse.move(from.x, from.y);
    await mouse.down();
    for (let k = 1; k <= 10; k++) {
      const out = Math.sin((Math.PI * k) / 10);
      await mouse.move(from.x + (by.x * k) / 10 + out * bow.x, from.y + (by.y * k) / 10 + out * bow.y);
      await this.tab.page.waitForTimeout(this.pause);
    }
    if (!release) await this.tab.key("Escape");
    await mouse.up();
    await this.tab.page.waitForTimeout(50);
    await this.tab.settled(120_000);
    this.drags++;
  }

  private async target(): Promise<void> {
    await this.tab.page.evaluate(() => window.studio.player.seek(51));
    const { target } = (await this.tab.layer("hit"))!["constraints"].find(
      (c: { name: string }) => c.name === "fist on target",
    );
    await this.drag(await this.tab.pixel(target.value), this.wander("target", { x: 20, y: 12 }));
  }

  private async plant(): Promise<void> {
    const { place } = (await this.tab.layer("stand"))!["constraints"].find(
      (c: { name: string }) => c.name === "front foot",
    );
    await this.drag(await this.tab.pixel([place[0], place[1], 0]), this.wander("plant", { x: 10, y: 4 }));
  }

  private async slider(): Promise<void> {
    await this.tab.page.locator('[data-layer="hit"] .layer-name').click();
    const box = await this.tab.tension();
    const share = () => 0.3 + 0.4 * this.chance();
    const [from, to] = [share(), share()];
    await this.drag(
      { x: box.x + from * box.width, y: box.y + box.height / 2 },
      { x: (to - from) * box.width, y: 0 },
    );
  }

  /** A drag of some body at some frame that Escape takes back. */
  private async body(): Promise<void> {
    const bodies = ["LeftForeArm", "RightForeArm", "LeftHand", "Head"];
    await this.tab.seek(Math.round(10 + 90 * this.chance()));
    await this.tab.drawn();
    const at = await this.tab.page.evaluate(
      (name) =>
        window.studio.placeOf(
          window.studio.figure.value!.bodies.findIndex((b) => b.name === name),
          window.studio.player.time.value,
        )!,
      bodies[Math.floor(bodies.length * this.chance())]!,
    );
    await this.drag(
      await this.tab.pixel(at),
      { x: 36 * this.chance() - 18, y: 24 * this.chance() - 12 },
      false,
    );
  }

  private async again(): Promise<void> {
    for (const keys of ["Control+z", "Control+Shift+z"]) {
      await this.tab.key(keys);
      await this.tab.page.waitForTimeout(this.pause);
      await this.tab.settled(120_000);
    }
  }

  private async scrub(): Promise<void> {
    const strip = (await this.tab.page.locator('[data-part="timeline"] canvas').boundingBox())!;
    await this.tab.press(
      { x: strip.x + 40 + 60 * this.chance(), y: strip.y + 24 },
      { x: (0.4 + 0.4 * this.chance()) * strip.width, y: 0 },
      12,
    );
    await this.tab.page.mouse.up();
  }

  /** Layers are chosen, pictures drawn with more and with less on them, dialogs opened and closed. */
  private async look(): Promise<void> {
    await this.tab.page.locator('[data-layer="hit"] .layer-name').click();
    await this.tab.page.locator('[data-part="stage"] canvas').focus();
    for (const key of ["o", "t", "w", "c", "w", "c", "t", "o", "?", "Escape"]) {
      await this.tab.key(key);
      await this.tab.page.waitForTimeout(this.pause / 3);
    }
  }
}
