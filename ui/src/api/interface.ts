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

/** The pages of the window, by their names in URLs, events and texts. */
export type PlaceName = "home" | "images" | "presence" | "game" | "statistics" | "settings";

/** The presence and the status. */
export interface HomeNative {
  /** Everything on the first page. */
  read(): Promise<Home>;
  /** The page that a new window should open at, if any; returned once. */
  requestedPlace(): Promise<Destination | null>;
  /** Answers the first-run question, and changes the answer later. */
  share(share: boolean): Promise<void>;
  /** Pauses sharing. */
  pause(wanted: PauseFor): Promise<void>;
  /** Ends a pause. */
  resume(): Promise<void>;
  /** Sets a custom status; `null` clears it. */
  fixStatus(status: Status | null): Promise<void>;
  /** Copies the address of the service to the clipboard. */
  copyAddress(): Promise<void>;
  /** Installs the missing tunnel program, once the system has asked for the password. */
  installTunnelProgram(): Promise<void>;
  /** Copies the command that installs the missing tunnel program to the clipboard. */
  copyInstallLine(): Promise<void>;
  /** Retries pending operations now: the tunnel, the upload queue, heartbeats. */
  tryNow(): Promise<void>;
  /** Pauses uploads from the watched folders until resumed or restarted. */
  pauseWatching(paused: boolean): Promise<void>;
  /** The snippet for a blog; with `whole`, it contains the script. `null`: depends on the address. */
  blogLines(form: BlogForm, whole: boolean | null): Promise<BlogLines>;
  /** Copies them to the clipboard. */
  copyBlogLines(form: BlogForm, whole: boolean): Promise<void>;
}

/** The upload queue. */
export interface UploadsNative {
  /** The queue of this run, oldest first. */
  read(): Promise<Upload[]>;
  /** Opens the system's file dialog; the chosen files join the queue. */
  choosePictures(): Promise<void>;
  /** Opens the system's folder dialog; the files in it join the queue. */
  chooseFolder(): Promise<void>;
  /** Adds an image or files from the clipboard. */
  paste(): Promise<void>;
  /** Copies the link of a finished upload to the clipboard. */
  copyLink(id: number): Promise<void>;
  /** Retries a failed upload; without an `id` all of them. */
  retry(id: number | null): Promise<void>;
  /** Cancels a waiting upload; without an `id` all of them. */
  cancel(id: number | null): Promise<void>;
  /** Removes finished uploads from the queue. */
  clear(): Promise<void>;
  /** Files of the watched folders that could not be uploaded. */
  setAside(): Promise<SetAsideFile[]>;
  /** Retries one of them; without an `id` all of them. */
  retrySetAside(id: number | null): Promise<void>;
  /** Dismisses one of them; without an `id` all of them. */
  dismissSetAside(id: number | null): Promise<void>;
}

/** Stored pictures. */
export interface ImagesNative {
  /** The matching pictures, starting at `offset`; at most 500 at once. */
  page(search: ImageSearch, offset: number, limit: number): Promise<ImagePage>;
  /** The hashes of the matching pictures, starting at `offset`. */
  hashes(search: ImageSearch, offset: number, limit: number): Promise<string[]>;
  /** The number of matching pictures per day, newest day first. */
  days(search: ImageSearch): Promise<ImageDay[]>;
  /** Copies the links of these pictures to the clipboard, one per line. */
  copyLinks(hashes: string[], form: LinkForm): Promise<void>;
  /** Names a picture; an empty name removes the current one. */
  name(hash: string, name: string): Promise<void>;
  /** Deletes them in a few seconds. */
  remove(hashes: string[]): Promise<Removal>;
  /** Undoes a pending deletion; whether it was in time. */
  keep(id: number): Promise<boolean>;
  /** The pending deletions. */
  removals(): Promise<Removal[]>;
  /** The URL of a picture that is at most `width` pixels wide. */
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
   * `null` if no program on this machine has it.
   */
  programOf(application: string): Promise<string | null>;
  /** Writes the rules and returns their problems; with any, nothing is written. */
  setRules(rules: RuleText[]): Promise<RuleProblem[]>;
}

/** The current game. */
export interface GameNative {
  read(): Promise<GamePage>;
  /** The URL of the cover with this number; available while its game runs and is shown. */
  cover(number: number): string;
  /** Tests both sources now. */
  test(): Promise<GameTrials>;
}

/** The object store, the Worker, and its address. */
export interface ReachNative {
  read(): Promise<Reach>;
  /** Probes the Worker's address again, at most once a minute. */
  probe(): Promise<void>;
  /** Writes an object to the store, reads it as readers do, and removes it. */
  testStore(): Promise<StoreCheck[]>;
  /** Writes the Worker's files to a chosen folder; `null` when cancelled. */
  writeFiles(): Promise<EdgeFiles | null>;
  /** Copies a line, the Worker's script or its key to the clipboard. The key never reaches the page. */
  copy(which: ReachText): Promise<void>;
}

/** Requests of readers. */
export interface StatisticsNative {
  /** The requests between each two of these times, at most 400, in ascending order. */
  read(edges: number[]): Promise<Statistics>;
  /** Exports the requests of that range by hour, or the views of pictures by day, as CSV; the file, or `null` when cancelled. */
  saveCsv(from: number, to: number, table: StatisticsTable): Promise<string | null>;
}

/** Settings, tokens, and maintenance. */
export interface SettingsNative {
  read(): Promise<SettingsPage>;
  /** The problems of these changes, without applying them. `null` unsets. */
  check(changes: Record<string, SettingValue>): Promise<SettingProblem[]>;
  /** Writes all of these changes, or none, and returns their problems. */
  update(changes: Record<string, SettingValue>): Promise<SettingProblem[]>;
  /** Opens a folder dialog; `null` when cancelled. */
  chooseFolder(): Promise<string | null>;
  /** Opens a file dialog; `null` when cancelled. */
  chooseFile(): Promise<string | null>;
  startAtLogin(on: boolean): Promise<void>;
  /** The entry in the menu of applications, and "upload with Porchlight". */
  menuEntry(on: boolean): Promise<void>;
  tokens(): Promise<TokenGlance[]>;
  /** Creates a token and copies it to the clipboard, once. It never reaches the page. */
  newToken(name: string, scope: Scope): Promise<void>;
  revokeToken(id: string): Promise<void>;
  /** Sets up an editor with its own token; `null` when cancelled. */
  setUpEditor(editor: Editor): Promise<EditorSetup | null>;
  /** Copies the address for editors, with its secret, to the clipboard. */
  copyEditorAddress(): Promise<void>;
  /** The newest lines of the log, oldest first. */
  log(lines: number): Promise<LogLine[]>;
  /** Copies a line of it to the clipboard. */
  copyLogLine(line: string): Promise<void>;
  /** Copies diagnostics for a problem report; they contain no secret. */
  copyDiagnostics(): Promise<void>;
  /** The running maintenance task, and the last results. */
  maintenance(): Promise<MaintenanceGlance>;
  /** Saves a backup to a chosen file; `null` when cancelled. */
  backup(withSecrets: boolean): Promise<WorkReport | null>;
  /** Opens a file dialog for a backup and restarts with it after confirmation; whether it was confirmed. */
  restore(): Promise<boolean>;
  /** Checks every stored file and repairs what it can. */
  checkImages(repair: boolean): Promise<WorkReport>;
  /** Replaces the snapshot of another Porchlight in the object storage. */
  takeOverSnapshot(): Promise<void>;
  /** Moves the pictures to the current storage. */
  moveImages(to: "disk" | "s3"): Promise<WorkReport>;
  /** Imports all pictures of another server after confirmation; `null` when the user declines. */
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
  /** The queue changed. */
  "uploads-changed": Upload[];
  /** Uploads finished, and their links were copied to the clipboard. */
  "links-copied": CopiedLinks;
  /** Pictures were added or removed. */
  "images-changed": null;
  /** The pending deletions. */
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
  /** This page should be shown. */
  "show-place": Destination;
}

/** The target of the tray or a notification: a page, or the status dialog. */
export type Destination = PlaceName | "status";

/** Every command rejects with a `Trouble` that contains the reason. */
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
    listener: (payload: Events[Topic]) => void,
  ): Promise<Unlisten>;
}

/** The reason of an error: a message of the backend, or a text of the page. */
export type Reason = Message | string;

/** An error with a reason. */
export class Trouble extends Error {
  override name = "Trouble";

  constructor(
    readonly why: Reason,
    options?: ErrorOptions,
  ) {
    super(typeof why === "string" ? why : why.code, options);
  }
}
