// Runs in a page of the test, once: goes through ten pages by its links and back, and sends what the
// element showed on each.

const sockets = [];
window.WebSocket = class extends WebSocket {
  constructor(url) {
    super(url);
    sockets.push(this);
  }
};
const until = async (is) => {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 20));
};
const report = (what) => fetch("/report", { method: "POST", body: JSON.stringify(what) });

addEventListener("load", async () => {
  await report({ loaded: location.pathname });
  const seen = [];
  // Forwards, and three of them backwards.
  for (const page of [0, 1, 2, 3, 4, 5, 6, 7, 6, 5, 4]) {
    if (page > 0 && seen.length <= 7) document.querySelector(`a[href="/${page}"]`).click();
    if (seen.length > 7) history.back();
    const shown = () => document.querySelector("#content porch-light");
    const part = (name) => shown().shadowRoot.querySelector(`[part="${name}"]`).textContent;
    await until(() => document.querySelector("h1").textContent === `Page ${page}`);
    const isThere = () => shown()?.getAttribute("state") === "online" && !shown().hidden;
    await until(() => isThere() && part("text") === "by a socket");
    const open = sockets.filter(({ readyState }) => readyState <= WebSocket.OPEN);
    seen.push({
      page,
      name: part("name"),
      elements: document.querySelectorAll("porch-light").length,
      open: open.length,
    });
  }
  await report({ seen });
});
