import { bundled } from "./bundled.mjs";
await bundled("zz_timeline", ({ timeline }) => timeline());
