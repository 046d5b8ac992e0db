// A studio server of one's own, in a folder of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../../../../../..");
const own = join(ROOT, ".venv/bin/python");
export const PYTHON = process.env["POISE_PYTHON"] ?? (existsSync(own) ? own : "python3");

export interface Server {
  address: string;
  port: number;
  process: ChildProcess;
  folder: string;
  said: () => string;
  /** As a crash would. */
  kill: () => Promise<void>;
  /** Asked to end. */
  stop: () => Promise<void>;
}

export const folder = (): string => mkdtempSync(join(tmpdir(), "poise-studio-"));
export const forget = (path: string): void => rmSync(path, { recursive: true, force: true });

/** `poise studio`, as people start it; with a `token`, the same server on a known port,
 * as it is after a restart. */
export function serve(home: string, { source = "", port = 0, token = "" } = {}): Promise<Server> {
  const command = token
    ? [
        "-c",
        `from pathlib import Path
from poise.studio.server.serve import serve
serve(
    None, workspace=Path(${JSON.stringify(home)}), port=${port}, browser=False,
    token=${JSON.stringify(token)}, say=lambda line: print(line, flush=True),
)`,
      ]
    : [
        "-c",
        "import sys; from poise.cli import main; main(sys.argv[1:])",
        "studio",
        "--no-browser",
        "--port",
        String(port),
        "--workspace",
        home,
        ...(source ? [source] : []),
      ];
  const child = spawn(PYTHON, command, {
    cwd: home,
    env: {
      ...process.env,
      PYTHONPATH: process.env["PYTHONPATH"] ?? join(ROOT, "src"),
      PYTHONUNBUFFERED: "1",
    },
  });
  let words = "";
  const gone = new Promise<void>((done) => child.once("exit", () => done()));
  const end = (signal: NodeJS.Signals) => () => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return gone;
  };
  return new Promise((resolve_, reject) => {
    const late = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`no server after 180 s: ${words}`));
    }, 180_000);
    const heard = (bytes: Buffer) => {
      words += bytes.toString();
      const found = /(http:\/\/127\.0\.0\.1:(\d+)\/\?token=\S+)/.exec(words);
      if (!found) return;
      clearTimeout(late);
      resolve_({
        address: found[1]!,
        port: Number(found[2]),
        process: child,
        folder: home,
        said: () => words,
        kill: end("SIGKILL"),
        stop: end("SIGINT"),
      });
    };
    child.stdout.on("data", heard);
    child.stderr.on("data", heard);
    child.once("error", (problem) => {
      clearTimeout(late);
      reject(problem);
    });
    child.once("exit", (code) => {
      clearTimeout(late);
      reject(new Error(`the server ended with ${code}: ${words}`));
    });
  });
}
