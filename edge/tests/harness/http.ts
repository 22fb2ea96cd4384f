// A server on loopback that records what it is asked.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Asked {
  method: string;
  /** Path and query as they came. */
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export type Handler = (asked: Asked, response: ServerResponse) => void | Promise<void>;

/** Its address, and what it was asked so far. It ends with the test. */
export async function serve(handler: Handler): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      const one = { method, path, headers, body: Buffer.concat(chunks) };
      asked.push(one);
      handler(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
