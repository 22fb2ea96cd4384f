// The backend in memory: it answers with the data of a scene, records
// the commands it gets, and lets a test send events.

import { type Events, type Native, type Reason, Trouble } from "../api/interface";

// The width of the store's pictures.
const COVER_WIDTH = 460;

/** Answers of one group of commands: a value, or a function of the parameters. */
type Answers<Place> = {
  [Command in keyof Place]?: Place[Command] extends (...parameters: infer P) => Promise<infer R>
    ? R | ((...parameters: P) => R | Promise<R>)
    : Place[Command];
};

/** The answers of the backend; other commands answer `undefined`. */
export type Scene = {
  [Place in Exclude<keyof Native, "on">]?: Answers<Native[Place]>;
};

/** The fake, with controls for tests. */
export class FakeNative implements Native {
  readonly home: Native["home"];
  readonly uploads: Native["uploads"];
  readonly images: Native["images"];
  readonly presence: Native["presence"];
  readonly game: Native["game"];
  readonly statistics: Native["statistics"];
  readonly reach: Native["reach"];
  readonly settings: Native["settings"];
  /** The received commands, as `group.command(parameters as JSON)`. */
  readonly calls: string[] = [];
  /** The error of each command from now on, if any. */
  failure: Reason | null = null;
  /** The current answers; a test may change them. */
  scene: Scene;

  readonly #listeners = new Map<string, Set<(payload: never) => void>>();

  constructor(
    scene: Scene,
    picture: (hash: string, width: number) => string = (hash, width) =>
      `picture://localhost/${hash}?w=${width}`,
  ) {
    this.scene = { ...scene };
    this.home = this.#place("home");
    this.uploads = this.#place("uploads");
    this.images = new Proxy(this.#place("images"), {
      get: (commands, name, self) => (name === "url" ? picture : Reflect.get(commands, name, self)),
    });
    this.presence = this.#place("presence");
    this.game = new Proxy(this.#place("game"), {
      get: (commands, name, self) =>
        name === "cover"
          ? (number: number) => picture(`game-${number}`, COVER_WIDTH)
          : Reflect.get(commands, name, self),
    });
    this.statistics = this.#place("statistics");
    this.reach = this.#place("reach");
    this.settings = this.#place("settings");
  }

  async on<Topic extends keyof Events>(topic: Topic, listener: (payload: Events[Topic]) => void) {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners);
    listeners.add(listener as (payload: never) => void);
    return () => void listeners.delete(listener as (payload: never) => void);
  }

  /** Sends an event. */
  emit<Topic extends keyof Events>(topic: Topic, payload: Events[Topic]) {
    for (const listener of this.#listeners.get(topic) ?? []) listener(payload as never);
  }

  /** Changes the answer of a command. */
  answer<Place extends keyof Scene>(place: Place, answers: Scene[Place]) {
    this.scene = { ...this.scene, [place]: { ...this.scene[place], ...answers } };
  }

  /** The number of listeners. */
  get listeners(): number {
    return [...this.#listeners.values()].reduce((sum, { size }) => sum + size, 0);
  }

  #place<Place extends keyof Scene>(place: Place): Native[Place] {
    return new Proxy({} as Native[Place], {
      get: (_, command) =>
        typeof command === "string"
          ? async (...parameters: unknown[]) => {
              const written = parameters.map((parameter) => JSON.stringify(parameter));
              this.calls.push(`${place}.${command}(${written.join(", ")})`);
              if (this.failure !== null) throw new Trouble(this.failure);
              const answers = this.scene[place] as Record<string, unknown> | undefined;
              const answer = answers?.[command];
              if (answer instanceof Error) throw answer;
              return typeof answer === "function" ? answer(...parameters) : answer;
            }
          : undefined,
    });
  }
}
