// The backend in memory: it answers with the data of a scene, records
// the commands it gets, and lets a test send events.

import { type Commands, commandsOver } from "../api/commands";
import { type Events, type Native, type Reason, Trouble } from "../api/interface";

// The width of the store's pictures.
const COVER_WIDTH = 460;

/** The answers of the backend, values or functions of the parameters; other commands answer `undefined`. */
export type Scene = {
  [Command in keyof Commands]?: Commands[Command] extends (
    ...parameters: infer P
  ) => Promise<infer R>
    ? R | ((...parameters: P) => R | Promise<R>)
    : never;
};

type Answer = (command: keyof Commands, parameters: unknown[]) => unknown;

/** The commands as a class. */
const Answered = class {
  constructor(answer: Answer) {
    const call = async <T>(name: string, parameters = {}) => {
      const command = name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
      return answer(command as keyof Commands, Object.values(parameters)) as T;
    };
    Object.assign(this, commandsOver(call));
  }
} as new (
  answer: Answer,
) => Commands;

/** The fake, with controls for tests. */
export class FakeNative extends Answered implements Native {
  /** The received commands, as `command(parameters as JSON)`. */
  readonly calls: string[] = [];
  /** The error of each command from now on, if any. */
  failure: Reason | null = null;
  /** The current answers; a test may change them. */
  scene: Scene;

  readonly #listeners = new Map<string, Set<(payload: never) => void>>();

  constructor(
    scene: Scene,
    readonly pictureUrl = (hash: string, width: number) => `picture://localhost/${hash}?w=${width}`,
  ) {
    super((command, parameters) => {
      const written = parameters.map((parameter) => JSON.stringify(parameter));
      this.calls.push(`${command}(${written.join(", ")})`);
      if (this.failure !== null) throw new Trouble(this.failure);
      const answer: unknown = this.scene[command];
      if (answer instanceof Error) throw answer;
      return typeof answer === "function" ? answer(...parameters) : answer;
    });
    this.scene = { ...scene };
  }

  deletedUrl(hash: string) {
    return this.pictureUrl(hash, COVER_WIDTH);
  }

  coverUrl(number: number) {
    return this.pictureUrl(`game-${number}`, COVER_WIDTH);
  }

  /** Looks like a QR code. */
  codeUrl(of: "address" | number, text: string) {
    const side = 29;
    const corner = (x: number, y: number) => `M${x} ${y}h7v7h-7zm1 1v5h5v-5zm1 1h3v3h-3z`;
    let path = corner(4, 4) + corner(side - 3, 4) + corner(4, side - 3);
    for (let n = 0, seed = text.length * 31 + Number(of === 1); n < side * side; n++) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      const [x, y] = [n % side, Math.floor(n / side)];
      const isCorner = (x < 8 || x > side - 9) && (y < 8 || (y > side - 9 && x < 8));
      if (!isCorner && seed > 1_073_741_824) path += `M${x + 4} ${y + 4}h1v1h-1z`;
    }
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side + 8} ${side + 8}"><path fill-rule="evenodd" d="${path}"/></svg>`;
    return `data:image/svg+xml,${encodeURIComponent(svg)}`;
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

  /** Changes the answers of some commands. */
  answer(answers: Scene) {
    this.scene = { ...this.scene, ...answers };
  }

  /** The number of listeners. */
  get listeners(): number {
    return [...this.#listeners.values()].reduce((sum, { size }) => sum + size, 0);
  }
}
