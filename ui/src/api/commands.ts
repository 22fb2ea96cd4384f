// Made from src-tauri/desktop/commands by `cargo xtask types`. Do not edit.

import type { AddedDevice, Appearance, BlogChoice, BlogForm, BlogFound, BlogLines, BlogPlan, Deletion, EdgeFiles, EdgeRequest, Editor, EditorSetup, GamePage, Home, ImageDay, ImagePage, ImageSearch, LinkForm, LogLine, MaintenanceGlance, NewDevice, PauseFor, PictureUse, PostLine, PostsGlance, PresencePage, PresencePeriod, Reach, ReachText, RuleProblem, RuleText, Scope, SetAsideFile, SettingProblem, SettingValue, SettingsPage, Statistics, StatisticsTable, Status, StoreCheck, TokenGlance, TrashPage, Trial, Undone, UpdateCheck, Upload, WorkReport } from "./types";

type Call = <T>(name: string, parameters?: Record<string, unknown>) => Promise<T>;

/** The commands of the window. Each rejects with a `Trouble` that contains the reason. */
export type Commands = ReturnType<typeof commandsOver>;

/** Sends commands with `call`, by their Rust names. */
export const commandsOver = (call: Call) => ({
  /** Everything on the first page. */
  home: () => call<Home>("home"),
  /** The page that a new window should open at, if any; returned once. */
  requestedPage: () => call<"home" | "images" | "presence" | "settings" | "status" | null>("requested_page"),
  /** The queue of this run, oldest first. */
  uploads: () => call<Upload[]>("uploads"),
  /** Answers whether the owner's presence is shared, at the first run and later. */
  share: (share: boolean) => call<void>("share", { share }),
  /** Pauses sharing. */
  pause: (wanted: PauseFor) => call<void>("pause", { wanted }),
  /** Ends a pause. */
  resume: () => call<void>("resume"),
  /** Sets a custom status; `null` clears it, and the foreground app is reported again. */
  fixStatus: (status: Status | null) => call<void>("fix_status", { status }),
  /** Opens the system's file dialog; the chosen files join the queue. */
  choosePictures: () => call<void>("choose_pictures"),
  /** Opens the system's folder dialog; the files in it join the queue. */
  chooseFolderOfPictures: () => call<void>("choose_folder_of_pictures"),
  /** Adds an image or files from the clipboard. */
  pastePictures: () => call<void>("paste_pictures"),
  /** Copies the link of a finished upload to the clipboard. */
  copyUploadLink: (id: number) => call<void>("copy_upload_link", { id }),
  /** Retries a failed upload; without an `id` all of them. */
  retryUpload: (id: number | null) => call<void>("retry_upload", { id }),
  /** Cancels a waiting upload; without an `id` all of them. */
  cancelUpload: (id: number | null) => call<void>("cancel_upload", { id }),
  /** Removes finished uploads from the queue. */
  clearUploads: () => call<void>("clear_uploads"),
  /** Files of the watched folders that could not be uploaded. */
  setAsideFiles: () => call<SetAsideFile[]>("set_aside_files"),
  /** Retries one of these files; without an `id` all of them. */
  retrySetAside: (id: number | null) => call<void>("retry_set_aside", { id }),
  /** Dismisses one of these files; without an `id` all of them. */
  dismissSetAside: (id: number | null) => call<void>("dismiss_set_aside", { id }),
  /** The matching pictures, starting at `offset`; at most 500 at once. */
  images: (search: ImageSearch, offset: number, limit: number) => call<ImagePage>("images", { search, offset, limit }),
  /** The number of matching pictures per day, newest day first. */
  imageDays: (search: ImageSearch) => call<ImageDay[]>("image_days", { search }),
  /** The hashes of the matching pictures, starting at `offset`. */
  imageHashes: (search: ImageSearch, offset: number, limit: number) => call<string[]>("image_hashes", { search, offset, limit }),
  /** Copies the links of these pictures to the clipboard, one per line. */
  copyLinks: (hashes: string[], form: LinkForm) => call<void>("copy_links", { hashes, form }),
  /** Names a picture; an empty name removes the current one. */
  nameImage: (hash: string, name: string) => call<void>("name_image", { hash, name }),
  /** Puts these pictures in an album; without a name takes them out of theirs. */
  putInAlbum: (hashes: string[], album: string | null) => call<void>("put_in_album", { hashes, album }),
  /** Renames an album on all of its pictures. */
  renameAlbum: (from: string, to: string) => call<void>("rename_album", { from, to }),
  /** The names of all albums. */
  albums: () => call<string[]>("albums"),
  /** Deletes these pictures. */
  removeImages: (hashes: string[]) => call<Deletion>("remove_images", { hashes }),
  /** Puts deleted pictures back; how many. */
  putBackImages: (hashes: string[]) => call<number>("put_back_images", { hashes }),
  /** The deleted pictures that can be put back, starting at `offset`; at most 500 at once. */
  trash: (offset: number, limit: number) => call<TrashPage>("trash", { offset, limit }),
  /** The posts of `blog.folders`, as they were read last. */
  posts: () => call<PostsGlance>("posts"),
  /** The posts that use these pictures, of those that are used; at most 500 pictures. */
  postsOf: (hashes: string[]) => call<PictureUse[]>("posts_of", { hashes }),
  /** Opens a post with the system's program for it. */
  openPost: (post: PostLine) => call<void>("open_post", { post }),
  /** Opens a folder dialog and reads the posts of the folder; `null` when cancelled. */
  chooseBlog: () => call<BlogFound | null>("choose_blog"),
  /** What an adoption of the chosen folder would do. */
  planBlog: (choice: BlogChoice) => call<BlogPlan>("plan_blog", { choice }),
  /** Adopts the chosen folder, which then is one of `blog.folders`. */
  adoptBlog: (choice: BlogChoice) => call<WorkReport>("adopt_blog", { choice }),
  /** Puts the posts of an adoption back. */
  undoBlog: (id: string) => call<Undone>("undo_blog", { id }),
  /** The requests between each two of these times, at most 400, in ascending order. */
  statistics: (edges: number[]) => call<Statistics>("statistics", { edges }),
  /** Exports the requests of that range by hour, or the views of pictures by day, as CSV; the file, or `null` when cancelled. */
  saveStatistics: (from: number, to: number, table: StatisticsTable) => call<string | null>("save_statistics", { from, to, table }),
  /** Copies the address of the service to the clipboard. */
  copyAddress: () => call<void>("copy_address"),
  /** Starts the app at login, hidden, or no longer. */
  startAtLogin: (on: boolean) => call<void>("start_at_login", { on }),
  /** Puts the app into the menu of applications and "upload with Porchlight" into file managers, or takes both away. */
  menuEntry: (on: boolean) => call<void>("menu_entry", { on }),
  /** Copies the command that installs the missing tunnel program to the clipboard. */
  copyInstallLine: () => call<void>("copy_install_line"),
  /** Retries pending operations now: the tunnel, the upload queue, heartbeats. */
  tryNow: () => call<void>("try_now"),
  /** Pauses uploads from the watched folders until resumed or restarted. */
  pauseWatching: (paused: boolean) => call<void>("pause_watching", { paused }),
  /** The snippet for a blog; with `whole`, it contains the script. `null`: the kind of the address decides. */
  blogLines: (form: BlogForm, whole: boolean | null) => call<BlogLines>("blog_lines", { form, whole }),
  /** Copies the snippet for a blog to the clipboard. */
  copyBlogLines: (form: BlogForm, whole: boolean) => call<void>("copy_blog_lines", { form, whole }),
  /** Everything about presence. */
  presence: () => call<PresencePage>("presence"),
  /** What readers saw between two times. */
  presenceHistory: (from: number, to: number) => call<PresencePeriod[]>("presence_history", { from, to }),
  /** The result of these rules for the last foreground app. Nothing is changed. */
  tryRules: (rules: RuleText[]) => call<Trial>("try_rules", { rules }),
  /** The `program` of a rule for the app that readers know by this name: the program's own names. `null` if no program on this machine has it. */
  programOf: (application: string) => call<string | null>("program_of", { application }),
  /** Writes the rules and returns their problems; with any, nothing is written. */
  setRules: (rules: RuleText[]) => call<RuleProblem[]>("set_rules", { rules }),
  /** Turns Porchlight's extension on in GNOME Shell, which then reports the foreground app. */
  turnOnGnomeExtension: () => call<void>("turn_on_gnome_extension"),
  /** Lets readers see a device, or hides it from them. */
  allowDevice: (id: string, allowed: boolean) => call<void>("allow_device", { id, allowed }),
  /** Gives a device another name, which readers see. */
  renameDevice: (id: string, name: string) => call<void>("rename_device", { id, name }),
  /** Removes a device with its history, and revokes its token. */
  forgetDevice: (id: string) => call<void>("forget_device", { id }),
  /** Puts the devices in this order; this computer is always the first. */
  orderDevices: (ids: string[]) => call<void>("order_devices", { ids }),
  /** Adds a device with its token. */
  addDevice: (device: NewDevice) => call<AddedDevice>("add_device", { device }),
  /** Copies one of the fields of the device that was added last, from 0, to the clipboard. */
  copyDeviceField: (field: number) => call<void>("copy_device_field", { field }),
  /** Forgets what was to be typed: the dialog is closed. */
  finishAddingDevice: () => call<void>("finish_adding_device"),
  /** Everything about the game. */
  game: () => call<GamePage>("game"),
  /** Everything about the settings. */
  settings: () => call<SettingsPage>("settings"),
  /** The problems of these changes, without applying them. `null` unsets. */
  checkSettings: (changes: Record<string, SettingValue>) => call<SettingProblem[]>("check_settings", { changes }),
  /** Writes all of these changes, or none, and returns their problems. What the page may not decide is asked of the owner. */
  updateSettings: (changes: Record<string, SettingValue>) => call<SettingProblem[]>("update_settings", { changes }),
  /** Opens a folder dialog; `null` when cancelled. */
  chooseFolder: () => call<string | null>("choose_folder"),
  /** Opens a file dialog; `null` when cancelled. */
  chooseFile: () => call<string | null>("choose_file"),
  /** How the window looks and speaks. */
  appearance: () => call<Appearance>("appearance"),
  /** Quits the app. */
  quit: () => call<void>("quit"),
  /** Opens the folder of the log, or the data folder with the settings file, in the file manager. */
  openFolder: (which: "data" | "logs") => call<void>("open_folder", { which }),
  /** Checks whether a newer release is announced. Nothing is downloaded or installed. */
  checkForUpdates: () => call<UpdateCheck>("check_for_updates"),
  /** Everything on the page that is not a setting. */
  reach: () => call<Reach>("reach"),
  /** Replaces the other Porchlight whose rows the Worker has. */
  takeOverWorker: () => call<void>("take_over_worker"),
  /** Writes an object to the store, reads it as readers do, and removes it. */
  testStore: () => call<StoreCheck[]>("test_store"),
  /** Writes the Worker's files to a chosen folder, and makes the key where there is none; `null` when cancelled. */
  writeEdgeFiles: () => call<EdgeFiles | null>("write_edge_files"),
  /** Copies a line, the Worker's script or its key to the clipboard. The key never reaches the page. */
  copyForEdge: (which: ReachText) => call<void>("copy_for_edge", { which }),
  /** Opens Cloudflare's page that makes a token, filled in, in the browser. */
  openTokenPage: () => call<void>("open_token_page"),
  /** Starts to set up, update or remove the Worker at Cloudflare. What changes where pictures are, or loses something, is asked of the owner. */
  setUpEdge: (request: EdgeRequest) => call<void>("set_up_edge", { request }),
  /** Stops waiting for the address of the Worker. */
  stopEdgeSetup: () => call<void>("stop_edge_setup"),
  /** Puts the update of the Worker to this version off. */
  putOffEdgeUpdate: () => call<void>("put_off_edge_update"),
  /** Removes Cloudflare's token from the keyring. */
  forgetEdgeToken: () => call<void>("forget_edge_token"),
  /** All tokens, oldest first. */
  tokens: () => call<TokenGlance[]>("tokens"),
  /** Creates a token and copies it to the clipboard, once. It never reaches the page. */
  newToken: (name: string, scope: Scope) => call<void>("new_token", { name, scope }),
  /** Revokes a token, at once. */
  revokeToken: (id: string) => call<void>("revoke_token", { id }),
  /** Sets up an editor with its own token; `null` when cancelled. */
  setUpEditor: (editor: Editor) => call<EditorSetup | null>("set_up_editor", { editor }),
  /** Copies the address for editors, with its secret, to the clipboard. The secret never reaches the page. */
  copyEditorAddress: () => call<void>("copy_editor_address"),
  /** The newest lines of the log, oldest first. */
  logLines: (lines: number) => call<LogLine[]>("log_lines", { lines }),
  /** Copies diagnostics for a problem report; they contain no secret. */
  copyDiagnostics: () => call<void>("copy_diagnostics"),
  /** Copies a line of the log to the clipboard. */
  copyLogLine: (line: string) => call<void>("copy_log_line", { line }),
  /** The running maintenance task, and the last results, for a window that was not there when it began. */
  maintenance: () => call<MaintenanceGlance>("maintenance"),
  /** Saves a backup to a chosen file; `null` when cancelled. */
  backUp: (withSecrets: boolean) => call<WorkReport | null>("back_up", { withSecrets }),
  /** Opens a file dialog for a backup and restarts with it after confirmation; whether it was confirmed. */
  restoreBackup: () => call<boolean>("restore_backup"),
  /** Checks every stored file; with `repair`, repairs what it can. */
  checkImages: (repair: boolean) => call<WorkReport>("check_images", { repair }),
  /** Cancels the running maintenance task. */
  cancelWork: () => call<void>("cancel_work"),
  /** Imports all pictures of another server after confirmation; `null` when the owner declines. They are public here from then on. */
  importImages: (from: string) => call<WorkReport | null>("import_images", { from }),
  /** Moves the pictures to the current storage. */
  moveImages: (to: "disk" | "s3" | "edge") => call<WorkReport>("move_images", { to }),
});
