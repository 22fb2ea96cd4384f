// The npm packages use-lanyard and react-use-lanyard in a program of their own, and the proxy through
// which they reach the Worker.

import { spawn } from "node:child_process";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream";
import { onTestFinished } from "vitest";

const SCRIPT = new URL("./lanyard-clients.mjs", import.meta.url).pathname;

/** A proxy in front of this port. It counts connections, and lets them wait where it has no port. */
export async function startFront(port: number) {
  const waiting = new Set<Socket>();
  const open = new Set<Socket>();
  let target: number | undefined = port;
  const passOn = (client: Socket, to: number) => {
    const server = connect(to, "127.0.0.1");
    // Each end's end or failure is the other's.
    pipeline(client, server, client, () => server.destroy());
  };
  const proxy = createServer((client) => {
    front.opened += 1;
    open.add(client.on("close", () => open.delete(client)));
    if (target) passOn(client, target);
    else waiting.add(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const client of open) client.destroy();
    proxy.close();
  });
  const front = {
    address: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    /** How many connections there were so far. */
    opened: 0,
    leadTo(next: number | undefined) {
      target = next;
      if (next) for (const client of waiting) passOn(client, next);
      waiting.clear();
    },
  };
  return front;
}

/** What the hooks of both packages show. They end with the test. */
export function startClients(address: string) {
  const words = ["--experimental-websocket", SCRIPT, address];
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const program = spawn(process.execPath, words, { stdio: [...stdio] });
  const ended = new Promise((resolve) => program.on("exit", resolve));
  onTestFinished(async () => {
    program.kill("SIGKILL");
    await ended;
  });
  const shown = new Map<string, { status: string | null; application: string | null }>();
  createInterface(program.stdout).on("line", (line) => {
    const { client, status, application } = JSON.parse(line);
    shown.set(client, { status, application });
  });
  return { shown: (...clients: string[]) => clients.map((client) => shown.get(client)) };
}
