// Browsers that open a page by themselves. What happens there, the page sends to its server, so
// that no driver is needed.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";

const LIBRARIES = "/usr/lib";

/** Those that `PORCHLIGHT_BROWSERS` names; else the one that the window's tests need anyway. */
export const browsers = process.env.PORCHLIGHT_BROWSERS?.split(",") ?? ["webkit"];

/** Opens the page in a new profile. The browser ends with the test. */
export async function open(name: string, url: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "browser-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }));
  switch (name) {
    case "chromium":
      // Its sandbox needs a user that is not root.
      run("chromium", ["--headless=new", "--no-sandbox", `--user-data-dir=${home}`, url], home);
      break;
    case "firefox":
      run("firefox-esr", ["--headless", "--no-remote", "--profile", home, url], home);
      break;
    case "webkit":
      run(miniBrowser(), [url], home, { DISPLAY: await display(home) });
      break;
    default:
      throw new Error(`no browser is called ${name}`);
  }
}

/** Starts a program whose children end with it. */
function run(program: string, words: string[], home: string, more: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8", ...more };
  const stdio = ["ignore", "ignore", "ignore", "pipe"] as const;
  const child = spawn(program, words, { env, stdio: [...stdio], detached: true });
  const started = new Promise<void>((resolve, reject) => {
    child.on("spawn", resolve);
    child.on("error", reject);
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  onTestFinished(async () => {
    await started;
    // The whole group: some processes of a browser survive the first one.
    if (child.pid) process.kill(-child.pid, "SIGKILL");
    await ended;
  });
  return child;
}

/** WebKitGTK's own browser. It has no mode without a display. */
function miniBrowser(): string {
  const libraries = readdirSync(LIBRARIES).map((folder) => join(LIBRARIES, folder));
  const places = [...libraries, "/usr/libexec"].map((folder) =>
    join(folder, "webkit2gtk-4.1", "MiniBrowser"),
  );
  const found = places.find((place) => existsSync(place));
  if (!found) throw new Error("WebKitGTK's MiniBrowser is not installed");
  return found;
}

/** A display of this test alone. */
async function display(home: string): Promise<string> {
  const words = ["-displayfd", "3", "-screen", "0", "800x600x24", "-nolisten", "tcp"];
  const server = run("Xvfb", words, home);
  const number = await new Promise<string>((resolve, reject) => {
    (server.stdio[3] as Readable).on("data", (chunk) => resolve(String(chunk).trim()));
    server.on("exit", () => reject(new Error("Xvfb ended")));
  });
  return `:${number}`;
}
