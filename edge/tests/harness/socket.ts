// A reader's end of a socket, which keeps what comes until a test asks for it.

import { onTestFinished } from "vitest";

export interface Line {
  /** The next message, as soon as it comes; fails where the socket ends before. */
  next(): Promise<Message>;
  /** Sends a text as it is, anything else as JSON. */
  send(message: unknown): void;
  /** How the other end closed it. */
  closed: Promise<{ code: number; reason: string }>;
  close(): void;
}

export interface Message {
  op: number;
  t?: string;
  // biome-ignore lint/suspicious/noExplicitAny: what the protocol carries
  d: any;
}

/** A socket of Miniflare, or of a page. */
interface Socket {
  readonly readyState: number;
  accept?(): void;
  // biome-ignore lint/suspicious/noExplicitAny: each has types of its own
  addEventListener(type: string, listener: (event: any) => void): void;
  send(message: string): void;
  close(): void;
}

export function lineOf(socket: Socket): Line {
  const come: Message[] = [];
  let waiting: { resolve(message: Message): void; reject(error: Error): void } | undefined;
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data));
    if (waiting) waiting.resolve(message);
    else come.push(message);
    waiting = undefined;
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener("close", ({ code, reason }) => {
      waiting?.reject(new Error(`closed: ${code} ${reason}`));
      resolve({ code, reason });
    });
  });
  socket.accept?.();
  const close = () => {
    if (socket.readyState <= 1) socket.close();
  };
  onTestFinished(close);
  return {
    next: () => {
      const first = come.shift();
      if (first) return Promise.resolve(first);
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
      });
    },
    send: (message) =>
      socket.send(
        typeof message === "string" || ArrayBuffer.isView(message)
          ? (message as string)
          : JSON.stringify(message),
      ),
    closed,
    close,
  };
}
