// What the page may ask of its own process, and what it is told by it.
//
// The page knows nothing else of where it runs: `native.ts` is this over
// Tauri, `testing/fake-native.ts` is this in memory.

import type {
  Appearance,
  CareGlance,
  Editor,
  EditorSetup,
  GamePage,
  GameTrials,
  Home,
  ImagePage,
  ImageSearch,
  LinkForm,
  LogLine,
  PauseFor,
  PresencePage,
  Removal,
  RuleProblem,
  RuleText,
  SetAsideFile,
  SettingProblem,
  SettingsPage,
  SettingValue,
  Statistics,
  StatisticsTable,
  Status,
  Stretch,
  TokenGlance,
  TokenScope,
  Trial,
  Upload,
  Work,
  WorkReport,
} from "./types";

/** Ends a subscription. */
export type Unlisten = () => void;

/** The places of the window, by their names in addresses, events and words. */
export type PlaceName = "home" | "images" | "presence" | "game" | "statistics" | "settings";

/** The light and how everything stands. */
export interface HomeNative {
  /** Everything on the first page. */
  read(): Promise<Home>;
  /** The place that the owner wants a window to begin at, if any; told once. */
  wishedPlace(): Promise<PlaceName | null>;
  /** Answers the first-run question, and changes the answer later. */
  share(share: boolean): Promise<void>;
  /** Says nothing for a while. */
  pause(wanted: PauseFor): Promise<void>;
  /** Ends a pause. */
  resume(): Promise<void>;
  /** Says the owner's own words; `null` goes back to the program in front. */
  fixStatus(status: Status | null): Promise<void>;
  /** Puts the address of the service on the clipboard. */
  copyAddress(): Promise<void>;
  /** Puts the line that installs the missing tunnel program on the clipboard. */
  copyInstallLine(): Promise<void>;
  /** Tries at once what waits for its next try: the tunnel, the outbox, a heartbeat. */
  tryNow(): Promise<void>;
  /** Has nothing of the watched folders uploaded until it is resumed or the app starts anew. */
  pauseWatching(paused: boolean): Promise<void>;
  /** Puts a snippet for the blog's page, with the address in it, on the clipboard. */
  copySnippet(): Promise<void>;
  /** That snippet. */
  snippet(): Promise<string>;
}

/** Files on their way in. */
export interface UploadsNative {
  /** The queue of this run, oldest first. */
  read(): Promise<Upload[]>;
  /** Opens the system's file dialog; what is chosen joins the queue. */
  choosePictures(): Promise<void>;
  /** Opens the system's folder dialog; the files in it join the queue. */
  chooseFolder(): Promise<void>;
  /** Takes what is on the clipboard, an image or files. */
  paste(): Promise<void>;
  /** Tries a failed one again; without an `id` all of them. */
  retry(id: number | null): Promise<void>;
  /** Forgets the uploads that are finished. */
  clear(): Promise<void>;
  /** Files of the watched folders that can never work. */
  setAside(): Promise<SetAsideFile[]>;
  /** Tries one of them again; without an `id` all of them. */
  retrySetAside(id: number | null): Promise<void>;
  /** Forgets one of them; without an `id` all of them. */
  dismissSetAside(id: number | null): Promise<void>;
}

/** Stored pictures. */
export interface ImagesNative {
  /** Those that are wanted, newest first, from the `offset`th on; at most 500 at once. */
  page(search: ImageSearch, offset: number, limit: number): Promise<ImagePage>;
  /** Puts the links of these pictures on the clipboard, a line each. */
  copyLinks(hashes: string[], form: LinkForm): Promise<void>;
  /** Deletes them in a few seconds. */
  remove(hashes: string[]): Promise<Removal>;
  /** Keeps what was about to be deleted; whether it came in time. */
  keep(id: number): Promise<boolean>;
  /** What is about to be deleted. */
  removals(): Promise<Removal[]>;
  /** Where the pixels of a picture are, at most `width` pixels across. */
  url(hash: string, width: number): string;
}

/** What is told of the owner. */
export interface PresenceNative {
  read(): Promise<PresencePage>;
  /** What readers saw between two times. */
  history(from: number, to: number): Promise<Stretch[]>;
  /** What these rules would make of the last program in front. Nothing is changed. */
  tryRules(rules: RuleText[]): Promise<Trial>;
  /** Writes the rules; what is wrong with them, in which case nothing was written. */
  setRules(rules: RuleText[]): Promise<RuleProblem[]>;
}

/** The owner's game. */
export interface GameNative {
  read(): Promise<GamePage>;
  /** Asks both sources now. */
  test(): Promise<GameTrials>;
}

/** The calls of readers. */
export interface StatisticsNative {
  /** The calls between each two of these times, at most 400 of them, rising. */
  read(edges: number[]): Promise<Statistics>;
  /** Saves the calls in that range hour by hour, or the views of pictures day by day, as CSV where the owner wants it; the file, or `null` when they did not. */
  saveCsv(from: number, to: number, table: StatisticsTable): Promise<string | null>;
}

/** Settings, tokens, and the care of the data folder. */
export interface SettingsNative {
  read(): Promise<SettingsPage>;
  /** What is wrong with these changes. Nothing is changed. `null` unsets. */
  check(changes: Record<string, SettingValue>): Promise<SettingProblem[]>;
  /** Writes all of these changes, or none; what is wrong with them. */
  update(changes: Record<string, SettingValue>): Promise<SettingProblem[]>;
  /** Lets the owner choose a folder; `null` when they did not. */
  chooseFolder(): Promise<string | null>;
  /** Lets the owner choose a file; `null` when they did not. */
  chooseFile(): Promise<string | null>;
  startAtLogin(on: boolean): Promise<void>;
  /** The entry in the menu of applications, and "upload with Porchlight". */
  menuEntry(on: boolean): Promise<void>;
  tokens(): Promise<TokenGlance[]>;
  /** Makes one and puts it on the clipboard, once. It never reaches the page. */
  newToken(name: string, scope: TokenScope): Promise<void>;
  revokeToken(id: string): Promise<void>;
  /** Makes what an editor needs, with a token of its own; `null` when the owner did not want it. */
  setUpEditor(editor: Editor): Promise<EditorSetup | null>;
  /** Copies the address for editors, with its secret, to the clipboard. */
  copyEditorAddress(): Promise<void>;
  /** The newest lines of the log, oldest first. */
  log(lines: number): Promise<LogLine[]>;
  /** Puts a line of it on the clipboard. */
  copyLogLine(line: string): Promise<void>;
  /** Puts what a report of trouble needs on the clipboard; it holds no secret. */
  copyDiagnostics(): Promise<void>;
  /** What is being done to the data folder, and what came of it before. */
  care(): Promise<CareGlance>;
  /** Saves a backup where the owner wants it; `null` when they did not. */
  backup(withSecrets: boolean): Promise<WorkReport | null>;
  /** Lets the owner choose a backup; after a yes the app starts anew with it. Whether they did. */
  restore(): Promise<boolean>;
  /** Verifies every stored file, and puts right what can be. */
  checkImages(repair: boolean): Promise<WorkReport>;
  /** Moves the pictures to where new ones go. */
  moveImages(to: "disk" | "s3"): Promise<WorkReport>;
  /** Starts the app anew. */
  restart(): Promise<void>;
  appearance(): Promise<Appearance>;
  /** Opens the folder of the log, or of the settings file, in the file manager. */
  openFolder(which: "data" | "logs"): Promise<void>;
}

/** What the process tells by itself, and what it brings along. */
export interface Told {
  /** Something on the first page is no longer as it was. */
  "home-changed": null;
  /** The queue, each time it changes. */
  "uploads-changed": Upload[];
  /** There are more or fewer pictures. */
  "images-changed": null;
  /** What is about to be deleted. */
  "removals-changed": Removal[];
  /** What is told of the owner, or the program in front, has changed. */
  "presence-changed": null;
  /** Settings, tokens or the appearance have changed. */
  "settings-changed": null;
  /** How far work on the data folder has come; `null` when it is over. */
  "work-changed": Work | null;
  /** The log has more lines. */
  "log-changed": null;
  /** Whether files hover above the window. Dropping them is not the page's part. */
  "drop-hover": boolean;
  /** The owner wants to see this place. */
  "show-place": PlaceName;
}

/** Every command rejects with a `Trouble` that says in a sentence what went wrong. */
export interface Native {
  home: HomeNative;
  uploads: UploadsNative;
  images: ImagesNative;
  presence: PresenceNative;
  game: GameNative;
  statistics: StatisticsNative;
  settings: SettingsNative;
  /** Hears of what the process tells by itself. */
  on<Topic extends keyof Told>(
    topic: Topic,
    listener: (told: Told[Topic]) => void,
  ): Promise<Unlisten>;
}

/** What went wrong, in a sentence that can be shown. */
export class Trouble extends Error {
  override name = "Trouble";
}
