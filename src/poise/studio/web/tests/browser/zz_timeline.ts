import { readFileSync, readdirSync } from "node:fs";
import { launch } from "./chromium.ts";
import { folder, forget, serve } from "./server.ts";
function cpu(): Record<string, number> {
  const out: Record<string, number> = {};
  for (const pid of readdirSync("/proc").filter((n) => /^\d+$/.test(n))) {
    try {
      const s = readFileSync(`/proc/${pid}/stat`, "utf8");
      const f = s.slice(s.lastIndexOf(")") + 2).split(" ");
      const cmd = readFileSync(`/proc/${pid}/cmdline`, "utf8").replace(/\0/g, " ");
      let key = "";
      if (/chromium/.test(cmd)) key = "chr-" + (/--type=([\w-]+)/.exec(cmd)?.[1] ?? "browser") + (/utility-sub-type=[\w.]*?(\w+) /.exec(cmd)?.[1] ?? "");
      else if (/spawn_main/.test(cmd)) key = "solver"; else if (/poise.cli/.test(cmd)) key = "server"; else if (/node/.test(cmd)) key = "node"; else if (/resource_tracker/.test(cmd)) key = "tracker";
      if (key) out[key] = (out[key] ?? 0) + (Number(f[11]) + Number(f[12])) * 10;
    } catch {}
  }
  return out;
}
export async function timeline(): Promise<void> {
  const home = folder();
  const browser = await launch();
  await new Promise((r) => setTimeout(r, 1500));
  const c0 = cpu();
  const begun = performance.timeOrigin + performance.now();
  const at = () => performance.timeOrigin + performance.now() - begun;
  const marks: [string, number][] = [];
  const server = await serve(home);
  marks.push(["address", at()]);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  marks.push(["context", at()]);
  await context.addInitScript(() => {
    localStorage.setItem("poise-guide", "seen");
    const w = window as any;
    w.marks = [] as [string, number][];
    const now = () => performance.timeOrigin + performance.now();
    w.marks.push(["init script", now()]);
    const Old = WebSocket;
    w.WebSocket = class extends Old {
      constructor(...a: any[]) { super(a[0]); w.marks.push(["ws new", now()]); this.addEventListener("open", () => w.marks.push(["ws open", now()]));
        this.addEventListener("message", (e: any) => w.marks.push(["ws " + (typeof e.data === "string" ? e.data.slice(0, 60) : `bytes ${e.data.byteLength ?? e.data.size}`), now()])); }
    };
    document.addEventListener("DOMContentLoaded", () => w.marks.push(["DCL", now()]));
    new PerformanceObserver((l) => l.getEntries().forEach((e) => w.marks.push([`longtask ${Math.round(e.duration)}`, performance.timeOrigin + e.startTime]))).observe({ type: "longtask", buffered: true });
  });
  const page = await context.newPage();
  marks.push(["page", at()]);
  await page.goto(server.address);
  marks.push(["goto done", at()]);
  await page.waitForFunction(() => (window as any).studio?.result.value && (window as any).stage?.renderer.info.render.frame, null, { polling: 30 });
  marks.push(["rendered", at()]);
  await page.evaluate(() => { const gl = (window as any).stage.renderer.getContext(); gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)); });
  marks.push(["seen", at()]);
  const c1 = cpu();
  const inside = await page.evaluate(() => {
    const n = performance.getEntriesByType("navigation")[0] as any, o = performance.timeOrigin;
    const res = performance.getEntriesByType("resource").flatMap((r: any) => [[`req ${r.name.split("/").pop()}`, o + r.requestStart], [`resp ${r.name.split("/").pop()}`, o + r.responseEnd]]);
    return [["nav start", o], ["nav req", o + n.requestStart], ["nav resp", o + n.responseStart], ["dom interactive", o + n.domInteractive], ...res, ...(window as any).marks];
  });
  for (const [n, t] of inside as [string, number][]) marks.push(["  " + n, t - begun]);
  marks.sort((a, b) => a[1] - b[1]);
  for (const [n, t] of marks) console.log(t.toFixed(0).padStart(6), n);
  console.log(Object.entries(c1).map(([k, v]) => `${k} ${v - (c0[k] ?? 0)}`).join("  "));
  await browser.close(); await server.stop(); forget(home);
}
