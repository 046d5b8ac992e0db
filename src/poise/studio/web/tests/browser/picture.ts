// The studio at its best: the drunken boxer a moment before the hit, in the dark.
import { launch } from "./chromium.ts";
import { folder, forget, serve } from "./server.ts";
import { Tab } from "./tab.ts";

export async function picture(path: string): Promise<void> {
  const home = folder();
  const [server, browser] = await Promise.all([serve(home), launch()]);
  try {
    const tab = await Tab.open(browser, server.address, { width: 1280, height: 800 });
    await tab.settled(180_000);
    await tab.until(() => (window.studio.physics.value?.header.support.length ?? 0) > 0, 60_000);
    if ((await tab.read(() => document.documentElement.dataset["theme"])) !== "dark")
      await tab.menu("View", "dark");
    await tab.choose("hit");
    await tab.page.locator(".bodies button", { hasText: /^RightHand$/ }).click();
    await tab.seek(50);
    await tab.read(() => {
      const { camera, controls } = window.stage;
      controls.target.set(0.32, 0, 0.98);
      camera.position.set(1.75, -2.75, 1.6);
      controls.update();
    });
    await tab.read(() => {
      window.studio.messages.value = [];
    });
    await tab.page.mouse.move(2, 2);
    await tab.drawn();
    await tab.page.waitForTimeout(1000); // in full once nothing moves
    await tab.page.screenshot({ path });
  } finally {
    await browser.close();
    await server.stop();
    forget(home);
  }
}
