// The commands and events of the backend process.
//
// The page depends only on this: `native.ts` implements it with
// Tauri, `testing/fake-native.ts` in memory.

import type {
  Appearance,
  BlogForm,
  BlogLines,
  CopiedLinks,
  EdgeFiles,
  Editor,
  EditorSetup,
  GamePage,
  GameTrials,
  Home,
  ImageDay,
  ImagePage,
  ImageSearch,
  LinkForm,
  LogLine,
  MaintenanceGlance,
  Message,
  PauseFor,
  PresencePage,
  PresencePeriod,
  Reach,
  ReachText,
  Removal,
  RuleProblem,
  RuleText,
  Scope,
  SetAsideFile,
  SettingProblem,
  SettingsPage,
  SettingValue,
  Statistics,
  StatisticsTable,
  Status,
  StoreCheck,
  TokenGlance,
  Trial,
  UpdateCheck,
  Upload,
  Work,
  WorkReport,
} from "./types";

/** Ends a subscription. */
export type Unlisten = () => void;

/** The places of the window, by their names in addresses, events and words. */
export type PlaceName = "home" | "images" | "presence" | "game" | "statistics" | "settings";

/** The presence and the status. */
export interface HomeNative {
  /** Everything on the first page. */
  read(): Promise<Home>;
  /** The page that a new window should open at, if any; returned once. */
  wishedPlace(): Promise<Destination | null>;
  /** Answers the first-run question, and changes the answer later. */
  share(share: boolean): Promise<void>;
  /** Pauses sharing. */
  pause(wanted: PauseFor): Promise<void>;
  /** Ends a pause. */
  resume(): Promise<void>;
  /** Sets a custom status; `null` clears it. */
  fixStatus(status: Status | null): Promise<void>;
  /** Puts the address of the service on the clipboard. */
  copyAddress(): Promise<void>;
  /** Installs the missing tunnel program, once the system has asked for the password. */
  installTunnelProgram(): Promise<void>;
  /** Puts the line that installs the missing tunnel program on the clipboard. */
  copyInstallLine(): Promise<void>;
  /** Retries now what waits for its next try: the tunnel, the upload_queue, a heartbeat. */
  tryNow(): Promise<void>;
  /** Pauses uploads from the watched folders until resumed or restarted. */
  pauseWatching(paused: boolean): Promise<void>;
  /** The lines for a blog; with `whole`, they hold the script itself. `null`: as the address wants it. */
  blogLines(form: BlogForm, whole: boolean | null): Promise<BlogLines>;
  /** Puts them on the clipboard. */
  copyBlogLines(form: BlogForm, whole: boolean): Promise<void>;
}

/** The upload queue. */
export interface UploadsNative {
  /** The queue of this run, oldest first. */
  read(): Promise<Upload[]>;
  /** Opens the system's file dialog; what is chosen joins the queue. */
  choosePictures(): Promise<void>;
  /** Opens the system's folder dialog; the files in it join the queue. */
  chooseFolder(): Promise<void>;
  /** Takes what is on the clipboard, an image or files. */
  paste(): Promise<void>;
  /** Puts the link of one that went well on the clipboard. */
  copyLink(id: number): Promise<void>;
  /** Tries a failed one again; without an `id` all of them. */
  retry(id: number | null): Promise<void>;
  /** Takes one that waits out of the queue; without an `id` all of them. */
  cancel(id: number | null): Promise<void>;
  /** Forgets the uploads that are finished. */
  clear(): Promise<void>;
  /** Files of the watched folders that could not be uploaded. */
  setAside(): Promise<SetAsideFile[]>;
  /** Tries one of them again; without an `id` all of them. */
  retrySetAside(id: number | null): Promise<void>;
  /** Forgets one of them; without an `id` all of them. */
  dismissSetAside(id: number | null): Promise<void>;
}

/** Stored pictures. */
export interface ImagesNative {
  /** Those that are wanted, from the `offset`th on; at most 500 at once. */
  page(search: ImageSearch, offset: number, limit: number): Promise<ImagePage>;
  /** The hashes of those that are wanted, from the `offset`th on. */
  hashes(search: ImageSearch, offset: number, limit: number): Promise<string[]>;
  /** How many of those that are wanted there are on each day, the newest day first. */
  days(search: ImageSearch): Promise<ImageDay[]>;
  /** Puts the links of these pictures on the clipboard, a line each. */
  copyLinks(hashes: string[], form: LinkForm): Promise<void>;
  /** Names a picture; an empty name removes the one that it has. */
  name(hash: string, name: string): Promise<void>;
  /** Deletes them in a few seconds. */
  remove(hashes: string[]): Promise<Removal>;
  /** Undoes a pending deletion; whether it was in time. */
  keep(id: number): Promise<boolean>;
  /** What is about to be deleted. */
  removals(): Promise<Removal[]>;
  /** Where the pixels of a picture are, at most `width` pixels across. */
  url(hash: string, width: number): string;
}

/** The presence. */
export interface PresenceNative {
  read(): Promise<PresencePage>;
  /** What readers saw between two times. */
  history(from: number, to: number): Promise<PresencePeriod[]>;
  /** The result of these rules for the last foreground app. Nothing is changed. */
  tryRules(rules: RuleText[]): Promise<Trial>;
  /**
   * The `program` of a rule for the app that readers know by this name: the program's own names.
   * `null` where no program on this machine is known by it.
   */
  programOf(application: string): Promise<string | null>;
  /** Writes the rules; what is wrong with them, in which case nothing was written. */
  setRules(rules: RuleText[]): Promise<RuleProblem[]>;
}

/** The owner's game. */
export interface GameNative {
  read(): Promise<GamePage>;
  /** The address of the cover with this number; it is there while its game runs and is shown. */
  cover(number: number): string;
  /** Asks both sources now. */
  test(): Promise<GameTrials>;
}

/** The object store, the Worker, and its address. */
export interface ReachNative {
  read(): Promise<Reach>;
  /** Probes the Worker's address again, at most once a minute. */
  probe(): Promise<void>;
  /** Writes an object to the store, reads it as readers do, and removes it. */
  testStore(): Promise<StoreCheck[]>;
  /** Writes the Worker's files where the owner wants them; `null` when they did not. */
  writeFiles(): Promise<EdgeFiles | null>;
  /** Puts a line, the Worker's script or its key on the clipboard. The key never reaches the page. */
  copy(which: ReachText): Promise<void>;
}

/** Requests of readers. */
export interface StatisticsNative {
  /** The calls between each two of these times, at most 400 of them, rising. */
  read(edges: number[]): Promise<Statistics>;
  /** Saves the calls in that range hour by hour, or the views of pictures day by day, as CSV where the owner wants it; the file, or `null` when they did not. */
  saveCsv(from: number, to: number, table: StatisticsTable): Promise<string | null>;
}

/** Settings, tokens, and maintenance. */
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
  newToken(name: string, scope: Scope): Promise<void>;
  revokeToken(id: string): Promise<void>;
  /** Sets up an editor with its own token; `null` when cancelled. */
  setUpEditor(editor: Editor): Promise<EditorSetup | null>;
  /** Copies the address for editors, with its secret, to the clipboard. */
  copyEditorAddress(): Promise<void>;
  /** The newest lines of the log, oldest first. */
  log(lines: number): Promise<LogLine[]>;
  /** Puts a line of it on the clipboard. */
  copyLogLine(line: string): Promise<void>;
  /** Copies diagnostics for a problem report; they contain no secret. */
  copyDiagnostics(): Promise<void>;
  /** The running maintenance task, and the last results. */
  maintenance(): Promise<MaintenanceGlance>;
  /** Saves a backup where the owner wants it; `null` when they did not. */
  backup(withSecrets: boolean): Promise<WorkReport | null>;
  /** Lets the owner choose a backup and restarts with it after confirmation; whether they did. */
  restore(): Promise<boolean>;
  /** Checks every stored file and repairs what it can. */
  checkImages(repair: boolean): Promise<WorkReport>;
  /** Replaces the snapshot of another Porchlight in the object storage. */
  takeOverSnapshot(): Promise<void>;
  /** Moves the pictures to where new ones go. */
  moveImages(to: "disk" | "s3"): Promise<WorkReport>;
  /** Imports all pictures of another server after confirmation; `null` when the owner says no. */
  importImages(from: string): Promise<WorkReport | null>;
  /** Cancels the running maintenance task. */
  cancelWork(): Promise<void>;
  /** Restarts the app. */
  restart(): Promise<void>;
  appearance(): Promise<Appearance>;
  /** Opens the folder of the log, or of the settings file, in the file manager. */
  openFolder(which: "data" | "logs"): Promise<void>;
  /** Checks whether a newer release is announced. Nothing is downloaded or installed. */
  checkForUpdates(): Promise<UpdateCheck>;
}

/** The events of the process and their payloads. */
export interface Events {
  /** The home status changed. */
  "home-changed": null;
  /** The queue, each time it changes. */
  "uploads-changed": Upload[];
  /** Uploads are over, and their links are on the clipboard. */
  "links-copied": CopiedLinks;
  /** There are more or fewer pictures. */
  "images-changed": null;
  /** What is about to be deleted. */
  "removals-changed": Removal[];
  /** The presence or the foreground app changed. */
  "presence-changed": null;
  /** Settings, tokens or the appearance have changed. */
  "settings-changed": null;
  /** Progress of a maintenance task; `null` when it is over. */
  "work-changed": Work | null;
  /** The log has more lines. */
  "log-changed": null;
  /** Whether files are dragged over the window. The process handles the drop. */
  "drop-hover": boolean;
  /** The owner wants to see this place. */
  "show-place": Destination;
}

/** What the tray or a notification leads to: a place, or the dialog of the status. */
export type Destination = PlaceName | "status";

/** Every command rejects with a `Trouble` that says what went wrong. */
export interface Native {
  home: HomeNative;
  uploads: UploadsNative;
  images: ImagesNative;
  presence: PresenceNative;
  game: GameNative;
  statistics: StatisticsNative;
  reach: ReachNative;
  settings: SettingsNative;
  /** Subscribes to an event. */
  on<Topic extends keyof Events>(
    topic: Topic,
    listener: (told: Events[Topic]) => void,
  ): Promise<Unlisten>;
}

/** Why something did not work: a message of the process, or words of the page. */
export type Reason = Message | string;

/** Something that did not work. */
export class Trouble extends Error {
  override name = "Trouble";

  constructor(
    readonly why: Reason,
    options?: ErrorOptions,
  ) {
    super(typeof why === "string" ? why : why.code, options);
  }
}
