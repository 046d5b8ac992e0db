// Tests in a real browser against a real server: `npm run browser`. One after another: they share a machine.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/browser/*.browser.ts"],
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    bail: 0,
  },
});
