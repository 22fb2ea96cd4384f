// The Worker in plain workerd, started from the template that people get.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { bundle } from "./bundle.ts";

const EDGE = new URL("../../", import.meta.url).pathname;

/** The template with these values in place of its placeholders. */
export function fill(template: string, values: Record<string, string>): string {
  const text = readFileSync(join(EDGE, template), "utf8");
  return text.replaceAll(/\{\{([A-Z_]+)\}\}/g, (whole, name) => values[name] ?? whole);
}

/** A folder with the Worker and this configuration. It goes with the test. */
export function makeFolder(values: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-edge-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "worker.js"), bundle());
  writeFileSync(join(folder, "workerd.capnp"), fill("workerd.capnp", values));
  return folder;
}

/** workerd in this folder: its port, and what ends it. It ends with the test at the latest. */
export async function serveFolder(folder: string, environment: Record<string, string>) {
  const { default: workerd } = createRequire(import.meta.url)("workerd") as { default: string };
  const program = spawn(
    workerd,
    ["serve", "workerd.capnp", "--socket-addr=http=127.0.0.1:0", "--control-fd=3"],
    { cwd: folder, env: environment, stdio: ["ignore", "ignore", "pipe", "pipe"] },
  );
  let errors = "";
  program.stderr?.on("data", (chunk) => {
    errors += chunk;
  });
  const ended = new Promise<void>((resolve) => program.on("exit", () => resolve()));
  const stop = async () => {
    program.kill("SIGKILL");
    await ended;
  };
  onTestFinished(stop);
  for await (const line of createInterface(program.stdio[3] as Readable)) {
    const message = JSON.parse(line) as { event: string; port: number };
    if (message.event === "listen") return { port: message.port, stop };
  }
  throw new Error(`workerd did not start: ${errors}`);
}
