// <porch-light src="https://light.example"></porch-light> shows what the owner of a blog is doing.
// It asks every 30 seconds while the page is visible. Whatever it is answered becomes text and one
// colour, never HTML. docs/edge.md says how to dress it and how to change its words.

if (!customElements.get("porch-light")) {
  const EVERY = 30_000;
  const LIMIT = 6_000;
  const LONGEST = 64 * 1024;

  /** @type {Record<string, Record<string, string>>} */
  const WORDS = {
    en: { online: "Online", away: "Away", offline: "Offline", "last-seen": "last seen {time}" },
    zh: { online: "在线", away: "离开", offline: "离线", "last-seen": "最后在线 {time}" },
  };

  const STYLE = new CSSStyleSheet();
  STYLE.replaceSync(`
    :host { display: inline-flex; align-items: baseline; gap: 0.4em; }
    :host([hidden]) { display: none; }
    [part="light"] {
      width: var(--porch-light-size, 0.6em); height: var(--porch-light-size, 0.6em);
      flex: none; border-radius: 50%; background: var(--porch-light-off, #8888);
    }
    :host([state="online"]) [part="light"] {
      background: var(--porch-light-on, var(--rgba, rgb(255, 180, 84)));
    }
    [part="name"] { font-weight: var(--porch-light-weight, bold); }
    [part="text"] { overflow-wrap: anywhere; }
  `);

  /**
   * The answer as an object; fails where it is longer than any honest one.
   * @param {string} url
   * @returns {Promise<Record<string, unknown>>}
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
      const check = JSON.parse(text);
      if (typeof check?.alive !== "boolean") throw new Error("not a status");
      return check;
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

  class PorchLight extends HTMLElement {
    static observedAttributes = ["src", "snapshot", "lang", ...Object.keys(WORDS.en ?? {})];

    /** Counts the questions, so that an answer that comes too late is not shown. */
    #asked = 0;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    #timer;
    #ask = () => {
      if (!document.hidden) this.#refresh();
    };
    /** @type {Record<string, HTMLElement>} */
    #parts = {};

    constructor() {
      super();
      const root = this.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [STYLE];
      for (const name of ["light", "name", "text"]) {
        const part = document.createElement("span");
        part.setAttribute("part", name);
        root.append(part);
        this.#parts[name] = part;
      }
      this.#parts.light?.setAttribute("aria-hidden", "true");
    }

    connectedCallback() {
      // Nothing is known yet, so nothing is shown.
      this.hidden = true;
      this.#timer = setInterval(this.#ask, EVERY);
      document.addEventListener("visibilitychange", this.#ask);
      this.#ask();
    }

    disconnectedCallback() {
      this.#asked += 1;
      clearInterval(this.#timer);
      document.removeEventListener("visibilitychange", this.#ask);
    }

    attributeChangedCallback() {
      if (this.isConnected && this.#asked > 0) this.#ask();
    }

    async #refresh() {
      this.#asked += 1;
      const asked = this.#asked;
      const src = this.getAttribute("src")?.replace(/\/+$/, "");
      const snapshot = this.getAttribute("snapshot");
      const urls = [src && `${src}/check`, snapshot].filter((url) => !!url);
      // Then `show` alone decides.
      if (urls.length === 0) return;
      let check;
      for (const url of urls) {
        if (check || !url) continue;
        check = await read(url).catch(() => undefined);
        if (asked !== this.#asked) return;
      }
      if (check) this.show(check);
      else this.hidden = true;
    }

    /**
     * Shows an answer to `/check`; a page that has one calls it instead of giving a `src`.
     * @param {Record<string, unknown>} check
     */
    show(check) {
      // In the snapshot, the status holds until a heartbeat would have been due.
      const until = check.valid_until;
      const isValid = typeof until !== "number" || Date.now() <= until * 1000;
      const alive = check.alive && check.state !== "offline" && isValid;
      const isAway = check.applicationOnline === false || check.state === "away";
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
    }

    /** @param {Record<string, unknown>} check */
    #seen({ last_heartbeat: at }) {
      if (typeof at !== "number" || !(at > 0 && at < 1e11)) return "";
      const date = new Date(at * 1000);
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
