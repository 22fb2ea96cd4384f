// The hooks of use-lanyard and react-use-lanyard as a page runs them, without a browser: prints what
// each shows, a line of JSON whenever that changes. Run with `--experimental-websocket` and the
// service's host and port.

import { Window } from "happy-dom";

const host = process.argv[2];
const window = new Window({ url: "http://blog.example/" });
// This one knows no plain HTTP.
const plain = (url) =>
  String(url)
    .replace(/^wss:/, "ws:")
    .replace(/^https:/, "http:");
const { fetch, WebSocket } = globalThis;
Object.assign(globalThis, {
  window,
  document: window.document,
  fetch: (request, options) =>
    fetch(typeof request === "string" ? plain(request) : request, options),
  WebSocket: class extends WebSocket {
    constructor(url) {
      super(plain(url));
    }
  },
});
window.WebSocket = globalThis.WebSocket;
Object.defineProperty(globalThis, "navigator", { value: window.navigator, configurable: true });

const { createElement, useEffect } = await import("react");
const { createRoot } = await import("react-dom/client");
const own = await import("use-lanyard");
const { useLanyard } = (await import("react-use-lanyard")).default;

const api = { hostname: host, secure: false };
const clients = {
  "use-lanyard": () => own.useLanyardWS("1", { api }),
  "use-lanyard, once": () => own.useLanyard("1", { api }).data,
  "react-use-lanyard": () => useLanyard({ userId: "1", socket: true, apiUrl: host }).status,
  "react-use-lanyard, once": () => useLanyard({ userId: "1", apiUrl: host }).data?.data,
};

function Client({ name }) {
  const shown = clients[name]();
  const line = JSON.stringify({
    client: name,
    status: shown?.discord_status ?? null,
    application: shown?.activities?.[0]?.name ?? null,
    song: shown?.spotify?.song ?? null,
  });
  useEffect(() => {
    process.stdout.write(`${line}\n`);
  }, [line]);
  return null;
}

for (const name of Object.keys(clients)) {
  createRoot(window.document.createElement("div")).render(createElement(Client, { name }));
}
