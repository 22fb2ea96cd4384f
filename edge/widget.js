// <porch-light src="https://light.example"></porch-light> shows what the owner of a blog is doing. A
// socket tells it, while the page is visible; without one it asks every 30 seconds. Whatever it gets
// becomes text, one colour and one of five icons, never HTML. docs/presence.md says how to style it and how
// to change its words.

if (!customElements.get("porch-light")) {
  const SECOND = 1000;
  const EVERY = 30 * SECOND;
  const LIMIT = 6 * SECOND;
  const LONGEST = 64 * 1024;
  /** What the socket has to tell before `/check` is asked. */
  const PATIENCE = 1.5 * SECOND;
  /** After so long a hidden page leaves its place to another reader. */
  const LEAVE = 60 * SECOND;
  /** So many pages do not all come at once when a service comes back. */
  const SPREAD = 5 * SECOND;
  const RETRY = 5 * SECOND;
  const RETRY_MOST = 300 * SECOND;
  const MOST_DEVICES = 20;

  /** @type {Record<string, Record<string, string>>} */
  const WORDS = {
    en: {
      online: "Online",
      away: "Away",
      offline: "Offline",
      "last-seen": "last seen {time}",
      battery: "battery {percent}",
      charging: "charging",
    },
    zh: {
      online: "在线",
      away: "离开",
      offline: "离线",
      "last-seen": "最后在线 {time}",
      battery: "电量 {percent}",
      charging: "充电中",
    },
  };

  /** The outline of each kind of device. */
  const ICONS = new Map([
    ["desktop", "M1.5 2.5h13v8h-13zM8 10.5v3M5 13.5h6"],
    ["laptop", "M3 3.5h10v7H3zM1 13h14"],
    ["phone", "M4.5 1.5h7v13h-7zM7 12.5h2"],
    ["tablet", "M2.5 1.5h11v13h-11zM7 12.5h2"],
    ["other", "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z"],
  ]);

  const STYLE = new CSSStyleSheet();
  STYLE.replaceSync(`
    :host { display: inline-flex; align-items: baseline; gap: 0 0.4em; }
    :host([devices]) { flex-wrap: wrap; }
    [hidden], :host([hidden]) { display: none; }
    [part="light"] {
      width: var(--porch-light-size, 0.6em); height: var(--porch-light-size, 0.6em);
      flex: none; border-radius: 50%; background: var(--porch-light-off, #8888);
    }
    :host([state="online"]) [part="light"] {
      background: var(--porch-light-on, var(--rgba, rgb(255, 180, 84)));
    }
    [part="name"] { font-weight: var(--porch-light-weight, bold); }
    [part="text"], li { overflow-wrap: anywhere; }
    svg {
      width: 1em; height: 1em; vertical-align: -0.125em;
      fill: none; stroke: currentColor; stroke-width: 1.25;
    }
    ul { flex-basis: 100%; margin: 0.2em 0 0; padding: 0; list-style: none; }
  `);

  /**
   * The answer as an object; fails where it is longer than any honest one.
   * @param {string} url
   * @returns {Promise<Record<string, unknown> | undefined>}
   */
  const read = async (url) => {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), LIMIT);
    try {
      const init = /** @type {const} */ ({ cache: "no-store", credentials: "omit" });
      const answer = await fetch(url, { ...init, signal: stop.signal });
      if (!answer.ok || !answer.body) throw new Error(`status ${answer.status}`);
      const reader = answer.body.getReader();
      const decoder = new TextDecoder();
      let text = "";
      let size = 0;
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        size += part.value.length;
        if (size > LONGEST) throw new Error("too long");
        text += decoder.decode(part.value, { stream: true });
      }
      return JSON.parse(text) ?? undefined;
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
  };

  /**
   * Four checked numbers as a colour, or nothing.
   * @param {string} rgba
   */
  const colour = (rgba) => {
    const numbers = /^(\d{1,3}), ?(\d{1,3}), ?(\d{1,3}), ?(\d?\.?\d{1,20})$/.exec(rgba);
    const [red, green, blue, alpha] = numbers?.slice(1).map(Number) ?? [256, 0, 0, 0];
    const fits = Math.max(red ?? 256, green ?? 256, blue ?? 256) <= 255 && (alpha ?? 2) <= 1;
    return fits ? `rgba(${red}, ${green}, ${blue}, ${alpha})` : "";
  };

  /** @param {unknown} value */
  const text = (value) => (typeof value === "string" ? value : "");

  /** @param {unknown} kind */
  const icon = (kind) => {
    const [svg, path] = ["svg", "path"].map((name) =>
      document.createElementNS("http://www.w3.org/2000/svg", name),
    );
    svg?.setAttribute("viewBox", "0 0 16 16");
    svg?.setAttribute("aria-hidden", "true");
    path?.setAttribute("d", ICONS.get(text(kind)) ?? ICONS.get("other") ?? "");
    svg?.append(path ?? "");
    return svg ?? "";
  };

  /** @param {string} tag @param {string} part @param {...(Node | string)} content */
  const make = (tag, part, ...content) => {
    const element = document.createElement(tag);
    element.setAttribute("part", part);
    element.append(...content);
    return element;
  };

  class PorchLight extends HTMLElement {
    static observedAttributes = ["src", "devices", "lang", ...Object.keys(WORDS.en ?? {})];

    /** Counts the questions, so that an answer that comes too late is not shown. */
    #asked = 0;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    #timer;
    /** The next question that is out of turn. @type {ReturnType<typeof setTimeout> | undefined} */
    #soon;
    /** The next attempt at a socket, or the end of one. @type {ReturnType<typeof setTimeout> | undefined} */
    #later;
    /** @type {WebSocket | undefined} */
    #socket;
    /** When the socket last told what is shown; 0 while it has not. */
    #toldAt = 0;
    /** Ends the socket. */
    #lose = () => {};
    /** How many sockets came to nothing, one after the other. */
    #failures = 0;
    /** What is shown. @type {Record<string, unknown> | undefined} */
    #check;
    /** Whose presence it is, where the socket says it. @type {string | undefined} */
    #device;
    /** @type {Record<string, unknown>[]} */
    #devices = [];
    #devicesAt = -Infinity;
    /** @type {Record<string, HTMLElement>} */
    #parts = {};

    #ask = () => {
      if (!document.hidden && this.#isSilent()) this.#refresh();
    };
    #look = () => {
      clearTimeout(this.#later);
      if (document.hidden) this.#later = setTimeout(() => this.#leave(), LEAVE);
      else this.#begin();
    };

    constructor() {
      super();
      const root = this.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [STYLE];
      for (const name of ["light", "device", "name", "text", "devices"]) {
        const part = make(name === "devices" ? "ul" : "span", name);
        root.append(part);
        this.#parts[name] = part;
      }
      const { light, device, devices } = this.#parts;
      light?.setAttribute("aria-hidden", "true");
      device?.setAttribute("role", "img");
      device?.addEventListener("pointerenter", () => this.#readDevices(EVERY));
      // A list without marks is none for some screen readers, unless it says so.
      devices?.setAttribute("role", "list");
      for (const part of [device, devices]) if (part) part.hidden = true;
    }

    connectedCallback() {
      // Nothing is known yet, so nothing is shown.
      this.hidden = true;
      this.#timer = setInterval(this.#ask, EVERY);
      document.addEventListener("visibilitychange", this.#look);
      this.#look();
    }

    disconnectedCallback() {
      this.#leave();
      clearInterval(this.#timer);
      document.removeEventListener("visibilitychange", this.#look);
    }

    /** @param {string} name */
    attributeChangedCallback(name) {
      if (!this.isConnected || !this.#timer) return;
      if (name === "src") {
        this.#leave();
        this.#failures = 0;
        this.#devicesAt = -Infinity;
        this.#look();
      } else if (this.#check) {
        this.show(this.#check);
        if (name === "devices") this.#readDevices(EVERY);
      }
    }

    #src() {
      return this.getAttribute("src")?.replace(/\/+$/, "") ?? "";
    }

    /** Ends what is under way. */
    #leave() {
      this.#asked += 1;
      clearTimeout(this.#later);
      clearTimeout(this.#soon);
      const socket = this.#socket;
      this.#socket = undefined;
      this.#toldAt = 0;
      socket?.close();
    }

    #begin() {
      this.#connect();
      if (this.#toldAt) return;
      if (this.#socket) this.#askIn(PATIENCE);
      else this.#ask();
    }

    /** @param {number} wait in ms @param {() => void} ask */
    #askIn(wait, ask = this.#ask) {
      clearTimeout(this.#soon);
      this.#soon = setTimeout(ask, wait);
    }

    #connect() {
      const src = this.#src();
      if (!src || this.#socket || document.hidden) return;
      /** @type {WebSocket} */
      let socket;
      try {
        const url = new URL(`${src}/socket`, document.baseURI);
        url.protocol = url.protocol.replace("http", "ws");
        socket = new WebSocket(url.href);
      } catch {
        // The page may not, or the browser cannot.
        return;
      }
      this.#socket = socket;
      const start = Date.now();
      /** @type {ReturnType<typeof setInterval> | undefined} */
      let beat;
      /** @param {object} message */
      const send = (message) => socket.readyState === 1 && socket.send(JSON.stringify(message));
      socket.onmessage = ({ data }) => {
        if (socket !== this.#socket) return;
        try {
          const { op, t, d } = JSON.parse(data.length > LONGEST ? "" : data);
          if (op === 1) {
            send({ op: 2, d: { subscribe_to_all: true } });
            beat ??= setInterval(send, EVERY, { op: 3 });
          } else if (op === 0) {
            this.#tell(t === "INIT_STATE" ? Object.values(d)[0] : d);
          }
        } catch {
          socket.close();
        }
      };
      socket.onclose = this.#lose = () => {
        clearInterval(beat);
        if (socket !== this.#socket) return;
        // Who was told still sees something; others may see nothing yet.
        if (this.#toldAt) this.#askIn(Math.random() * SPREAD);
        else if (this.hidden) this.#askIn(0);
        if (Date.now() - start > LEAVE) this.#failures = 0;
        const most = Math.min(RETRY * 2 ** this.#failures, RETRY_MOST);
        this.#failures += 1;
        this.#socket = undefined;
        this.#toldAt = 0;
        socket.close();
        clearTimeout(this.#later);
        this.#later = setTimeout(() => this.#connect(), most * (0.5 + Math.random() / 2));
      };
    }

    /** Shows what a socket says. @param {any} presence */
    #tell(presence) {
      // There may be none yet.
      if (!presence) return;
      const { discord_status: status, kv } = presence;
      const { application, introduce, rgba, device } = kv;
      if (!text(status)) throw new Error("not a presence");
      const isFirst = !this.#toldAt;
      this.#toldAt = Date.now();
      this.#asked += 1;
      this.#device = text(device);
      const alive = status !== "offline";
      const applicationOnline = alive && status !== "idle";
      this.show({ alive, applicationOnline, application, introduce, rgba });
      if (alive) this.#readDevices(this.#age());
      // Since when is not said here.
      else this.#askIn(isFirst ? 0 : Math.random() * SPREAD, () => this.#refresh());
    }

    /** Whether a socket has told nothing for long: one that leads nowhere may not end. */
    #isSilent() {
      return Date.now() - this.#toldAt > RETRY_MOST;
    }

    async #refresh() {
      this.#asked += 1;
      const asked = this.#asked;
      const src = this.#src();
      // Then `show` alone decides.
      if (!src) return;
      let check = await read(`${src}/check`).catch(() => undefined);
      if (typeof check?.alive !== "boolean") check = undefined;
      if (asked !== this.#asked) return;
      const isSilent = this.#isSilent();
      const before = this.shadowRoot?.textContent;
      if (check) this.show(check);
      else if (isSilent) this.hidden = true;
      if (this.#toldAt && isSilent) {
        if (this.hidden || this.shadowRoot?.textContent !== before) this.#lose();
        else this.#toldAt = Date.now();
      }
      if (check) this.#readDevices(this.#age());
    }

    /** How old the list of devices may be. */
    #age() {
      const isKnown = !this.#device || this.#devices.some(({ id }) => id === this.#device);
      return isKnown && !this.hasAttribute("devices") ? RETRY_MOST : EVERY / 2;
    }

    /** @param {number} age what is older is asked for again */
    async #readDevices(age) {
      const src = this.#src();
      if (!src || Date.now() - this.#devicesAt < age) return;
      this.#devicesAt = Date.now();
      const answer = await read(`${src}/devices`).catch(() => undefined);
      if (src !== this.#src()) return;
      const all = answer?.devices;
      this.#devices = Array.isArray(all) ? all.filter(Boolean).slice(0, MOST_DEVICES) : [];
      this.#showDevices();
    }

    /**
     * Shows an answer to `/check`; a page that has one calls it instead of giving a `src`.
     * @param {Record<string, unknown>} check
     */
    show(check) {
      this.#check = check;
      const { alive } = check;
      const isAway = check.applicationOnline === false;
      const state = !alive ? "offline" : isAway ? "away" : "online";
      const isOn = state === "online";
      const { name, text: line } = this.#parts;
      if (name) name.textContent = (isOn && text(check.application)) || this.#word(state);
      if (line) {
        line.textContent = isOn ? text(check.introduce) : alive ? "" : this.#seen(check);
      }
      this.style.setProperty("--rgba", colour(text(check.rgba)));
      this.setAttribute("state", state);
      this.hidden = false;
      this.#showDevices();
    }

    #showDevices() {
      const { device: part, devices: list } = this.#parts;
      const { application, last_heartbeat: at } = this.#check ?? {};
      const fitting = this.#devices.filter((device) =>
        this.#toldAt
          ? device.id === this.#device
          : application && device.application === application,
      );
      // Several may show the same app.
      const shown = fitting.find((one) => !fitting[1] || one.last_heartbeat === at);
      const isShown = !!shown?.online && this.getAttribute("state") !== "offline";
      if (part) {
        part.hidden = !isShown;
        part.replaceChildren(isShown ? icon(shown.kind) : "");
        part.title = isShown ? [text(shown.name), ...this.#battery(shown)].join(" · ") : "";
        part.setAttribute("aria-label", part.title);
      }
      if (list) {
        list.hidden = !this.hasAttribute("devices") || this.#devices.length === 0;
        list.replaceChildren(...(list.hidden ? [] : this.#devices.map((one) => this.#item(one))));
      }
    }

    /** @param {Record<string, unknown>} device */
    #item(device) {
      const { online, application, kind, name } = device;
      const state = online ? "online" : "offline";
      const line = [(online && text(application)) || this.#word(state), ...this.#battery(device)];
      const words = [make("b", "device-name", text(name)), " ", line.join(" · ")];
      return make("li", `item ${state}`, icon(kind), " ", ...words);
    }

    /** @param {Record<string, unknown>} device */
    #battery({ battery, charging }) {
      if (typeof battery !== "number" || !(battery >= 0 && battery <= 100)) return [];
      const percent = `${Math.round(battery)}%`;
      const level = this.#word("battery").replace("{percent}", () => percent);
      return charging === true ? [level, this.#word("charging")] : [level];
    }

    /** @param {Record<string, unknown>} check */
    #seen({ last_heartbeat: at }) {
      if (typeof at !== "number" || !(at > 0 && at < 1e11)) return "";
      const date = new Date(at * SECOND);
      const isToday = date.toDateString() === new Date().toDateString();
      /** @type {Intl.DateTimeFormatOptions} */
      const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
      const form = isToday ? clock : { ...clock, month: "short", day: "numeric" };
      /** @type {string | undefined} */
      let time;
      try {
        time = date.toLocaleString(this.#language(), /** @type {any} */ (form));
      } catch {
        // `lang` is not one that the browser knows.
        time = date.toLocaleString("en", /** @type {any} */ (form));
      }
      return this.#word("last-seen").replace("{time}", () => time);
    }

    #language() {
      return this.getAttribute("lang") || navigator.language || "en";
    }

    /** @param {string} name */
    #word(name) {
      const language = /^zh/i.test(this.#language()) ? "zh" : "en";
      return this.getAttribute(name) ?? WORDS[language]?.[name] ?? name;
    }
  }

  customElements.define("porch-light", PorchLight);
}
