// A studio of one's own for the tests of a file:
// server, browser and a tab that shows the first motion in full.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { chain } from "./bvh.ts";
import { launch } from "./chromium.ts";
import { folder, forget, type Server, serve } from "./server.ts";
import { Tab } from "./tab.ts";

export interface Opened {
  home: string;
  server: Server;
  browser: Browser;
  tab: Tab;
}

/** To be called within a `describe`; `source` names, or writes into the folder,
 * what is opened in place of the boxer. */
export function opened({
  source,
  token = "",
  ...screen
}: {
  source?: (home: string) => string;
  token?: string;
  width?: number;
  height?: number;
  touch?: boolean;
} = {}): Opened {
  const home = folder();
  const found = { home } as Opened;
  beforeAll(async () => {
    [found.server, found.browser] = await Promise.all([
      serve(home, { source: source?.(home) ?? "", token }),
      launch(),
    ]);
    found.tab = await Tab.open(found.browser, found.server.address, screen);
    await found.tab.settled(90_000);
  });
  afterAll(async () => {
    await found.browser?.close();
    await found.server?.stop();
    forget(home);
  });
  return found;
}

/** A source of thirty frames that is read and solved in no time. */
export function smallChain(home: string): string {
  writeFileSync(join(home, "chain.bvh"), chain({ frames: 30, joints: 3 }));
  return "chain.bvh";
}

/** Make the first layer the bundled walk, with layers on top; how many steps can be undone then. */
export async function walkWith(tab: Tab, ...layers: object[]): Promise<number> {
  const name = await tab.read(() => window.studio.layers.value[0]!.name);
  await tab.edit({
    do: "group",
    label: "a walk",
    commands: [
      { do: "put-clip", name: "walk", clip: { bundled: "walk" } },
      { do: "set", layer: name, path: "clip", value: "walk" },
      ...layers.map((layer) => ({ do: "add-layer", layer })),
    ],
  });
  await tab.until(() => window.studio.vocabulary.value.clips);
  return tab.undoable();
}
